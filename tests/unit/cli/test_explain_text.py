"""What `explain` prints of a run."""

from workbench.advice.blame import Blame, Cause, Culprit, Part, RequestBlame
from workbench.cli.explain_text import request_lines, run_lines
from workbench.results.bench.entries import RunEntry

LEDGER = Blame(requests=[], totals={"front_end": 8.0}, matrix={"chat": {"chat": 8.0}})


def a_run(summary: dict[str, object] | None) -> RunEntry:
    fields: dict[str, object] = dict.fromkeys(RunEntry.__struct_fields__)
    return RunEntry(**{**fields, "name": "baseline", "summary": summary})  # type: ignore[arg-type]  # by name


def test_an_invalid_run_says_so_above_its_figures() -> None:
    lines = list(run_lines(a_run({"valid": False, "reasons": ["client-bound: late"]}), LEDGER, None))
    assert lines[1] == "  invalid: client-bound: late"


def test_one_class_alone_lost_nothing_to_another() -> None:
    printed = "\n".join(run_lines(a_run({"valid": True, "reasons": []}), LEDGER, None))
    assert "invalid" not in printed
    assert "lost" not in printed


def test_every_line_fits_80_columns_and_small_parts_are_one_line() -> None:
    long = "a-request-with-a-very-long-identifier-of-its-own-00000000000001"
    culprits = tuple(Culprit(long, "document", ms) for ms in (9_000.0, 800.0, 20.0))
    parts = [
        Part("client_late", 1.0, measured=True),
        Part("front_end", 2.0, measured=True),
        Part("sequence_limit", 123_456.7, measured=True, culprits=culprits, culprit_count=40),
        Part("others_prefill", 12_345.6, measured=False, culprits=culprits, culprit_count=3),
    ]
    request = RequestBlame(request=long, cls="chat", e2e_ms=135_806.3, parts=parts, unexplained_ms=1.0)
    totals: dict[Cause, float] = {part.cause: 1000 * part.ms for part in parts}
    matrix = {"chat": {"document": 1e6, "chat": 5e5}, "document": {"chat": 3e5}}
    ledger = Blame(requests=[request], totals=totals, matrix=matrix)
    run = a_run({"valid": False, "reasons": ["machine shared: " + "other processes " * 9]})
    lines = [*run_lines(run, ledger, None), *request_lines(request)]
    assert max(map(len, lines)) <= 80
    assert not any(line != line.rstrip() for line in lines)
    assert sum("smaller parts" in line for line in lines) == 2
    assert any("~12,345.6 ms" in line for line in lines)
    assert "and 38 others" in " ".join(line.strip() for line in lines)
    assert "chat lost 1,000.0 s to document" in "\n".join(lines)
