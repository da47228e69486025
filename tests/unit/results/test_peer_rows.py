"""Imported results as rows of a bench file: marked, compared with nothing, refused when broken."""

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.results.test_peers import FILES, MADE, content
from workbench.base import InputError
from workbench.cli import main
from workbench.results import (
    BenchFile,
    Objectives,
    PeerRun,
    add_peer_runs,
    choose,
    compare,
    csv_text,
    read_peer_runs,
    scorecard_rows,
    verify,
    write_html,
)
from workbench.results.peers.peer_run import ResultFields


@pytest.mark.parametrize("name", FILES)
def test_that_a_peer_s_row_says_who_measured_it_and_is_compared_with_nothing(
    name: str, tmp_path: Path
) -> None:
    with BenchFile.create(tmp_path / "peers.bench") as bench:
        runs = read_peer_runs(MADE / name)
        add_peer_runs(bench, runs, MADE / name)
        rows = [row.cells for row in scorecard_rows(bench)]
        assert len(rows) == len(runs)
        for cells, run in zip(rows, runs, strict=True):
            assert cells["measured_by"] == run.measured_by
            assert cells["definitions_differ"] == "; ".join(map(str, run.differs))
            assert cells["status"] == "imported"
            for unknown in ("valid", "queue_p95_ms", "preemptions", "kv_peak", "simulated", "clock_source"):
                assert cells[unknown] is None, unknown
            assert cells["completed"] == run.counts.completed
        assert compare(bench) == []
        assert choose(bench).recommended is None
        assert choose(bench).others == []
        assert verify(bench) == []
        assert run.tool in csv_text(bench)


def test_that_a_label_of_the_user_s_is_one_short_line(tmp_path: Path) -> None:
    stated = content("vllm_bench.json") | {"label": "a\nb " * 100}
    (tmp_path / "r.json").write_text(json.dumps(stated))
    with BenchFile.create(tmp_path / "p.bench") as bench:
        (name,) = add_peer_runs(bench, read_peer_runs(tmp_path / "r.json"), tmp_path / "r.json")
    assert name.startswith("vllm bench serve 10 req/s (a b a b ")
    assert len(name) < 100


def test_that_no_text_of_a_result_reaches_the_bench_file(tmp_path: Path) -> None:
    arrays = content("vllm_bench_detailed.json")
    arrays["generated_texts"] = ["PLANTED-SECRET"] * len(arrays["errors"])
    arrays["errors"] = ["PLANTED-SECRET" if error else "" for error in arrays["errors"]]
    (tmp_path / "r.json").write_text(json.dumps(arrays))
    assert main(["peers", str(tmp_path / "p.bench"), str(tmp_path / "r.json")]) == 0
    assert b"PLANTED-SECRET" not in (tmp_path / "p.bench").read_bytes()


def test_that_the_command_adds_to_a_bench_file_and_tells_what_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bench = tmp_path / "p.bench"
    for name in FILES[:2]:
        assert main(["peers", str(bench), str(MADE / name)]) == 0
    said = capsys.readouterr().out
    assert "differs       its ITL is the gap between events, here event_gap_ms" in said
    assert main(["peers", str(bench), str(MADE / FILES[0])]) == 0
    with BenchFile.open(bench) as opened:
        runs = opened.runs()
    assert [run.status for run in runs] == ["imported"] * 3
    assert [run.name for run in runs] == [f"vllm bench serve 10 req/s{more}" for more in ("", " #2", " #3")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no run"),
        ("{", ":1: not JSON"),
        ("[]", "no result of vllm bench serve, GuideLLM, GenAI-Perf, AIPerf"),
        ('{"a": 1}', "no result of"),
        ('{"benchmarks": [{"mode": "sweep", "results": []}]}', "before 0.2: run it again with GuideLLM 0.4"),
        ("\x00", "not JSON"),
        ('{"benchmarks": [{"metrics": {}}, 3]}', "benchmarks[1]: must be an object"),
        ('{"benchmarks": [{"metrics": {"request_totals": {}}}]}', "missing key successful"),
        ('{"benchmarks": [{"metrics": []}]}', "request_totals"),
        ('{"request_throughput": 1, "tokenizer_id": "t"}', "missing key completed"),
        ('{"request_throughput": 1, "tokenizer_id": "t", "completed": "PLANTED"}', "a number, not text"),
        ('{"request_throughput": 1, "tokenizer_id": "t", "completed": 1.5}', "a whole number"),
        (
            '{"request_throughput": 1, "tokenizer_id": "t", "completed": 1e20}',
            "completed: 1e+20 is too large: must be at most 1e+18",
        ),
        ('{"request_latency": {"avg": 1}, "request_throughput": {}}', "request_count: missing key avg"),
        (
            '{"request_latency": {"avg":1,"unit":"h"}, "request_count": {"avg": 1}, "request_throughput":0}',
            "unit must be one of",
        ),
    ],
)
def test_that_what_is_no_result_is_refused_with_its_place_and_nothing_written(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "r.json").write_text(text)
    good = str(MADE / "vllm_bench.json")
    assert main(["peers", str(tmp_path / "p.bench"), good, str(tmp_path / "r.json")]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "r.json" in error
    assert "PLANTED" not in error
    assert error.count("\n") == 1
    assert not (tmp_path / "p.bench").exists()


Json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(FILES), st.data())
def test_that_any_field_of_another_kind_is_read_or_refused_and_never_a_traceback(
    name: str, data: st.DataObject
) -> None:
    whole = content(name)
    at: Any = whole["benchmarks"][0] if "benchmarks" in whole and data.draw(st.booleans()) else whole
    while True:
        key = data.draw(st.sampled_from(sorted(at)))
        if not isinstance(at[key], dict) or not at[key] or data.draw(st.booleans()):
            break
        at = at[key]
    at[key] = data.draw(Json)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "r.json"
        path.write_text(json.dumps(whole))
        runs = one_line_or(path)
        if runs:
            with BenchFile.create(path.with_suffix(".bench")) as bench:
                add_peer_runs(bench, runs, path)
                assert scorecard_rows(bench)


def one_line_or(path: Path) -> list[PeerRun]:
    """The runs of a file; none where it is refused."""
    try:
        return read_peer_runs(path)
    except InputError as error:
        refusal = str(error)
    assert "\n" not in refusal
    return []


def test_that_results_of_different_systems_are_never_taken_together(tmp_path: Path) -> None:
    slow = content("vllm_bench.json")
    fast = slow | {"request_throughput": 2 * slow["request_throughput"]}
    with BenchFile.create(tmp_path / "p.bench") as bench:
        for name, stated in (("slow.json", slow), ("fast.json", fast)):
            (tmp_path / name).write_text(json.dumps(stated))
            add_peer_runs(bench, read_peer_runs(tmp_path / name), tmp_path / name)
        rows = [row.cells for row in scorecard_rows(bench)]
    assert [(row["run"], row["n"]) for row in rows] == [
        ("vllm bench serve 10 req/s", 1),
        ("vllm bench serve 10 req/s #2", 1),
    ]
    assert rows[1]["completed_rps"] == pytest.approx(2 * rows[0]["completed_rps"])


def test_that_the_report_asks_nothing_about_results_of_other_tools(tmp_path: Path) -> None:
    with BenchFile.create(tmp_path / "p.bench") as bench:
        add_peer_runs(bench, read_peer_runs(MADE / FILES[0]), MADE / FILES[0])
        write_html(bench, tmp_path / "peers.html")
        own = bench.add_experiment("seats", "", objectives=Objectives(ttft_p95_ms=500))
        bench.add_run(own, "8 seats", control="max_num_seqs", value=8, config={"max_num_seqs": 8}, rate=4.0)
        write_html(bench, tmp_path / "both.html")
    assert "only results of other tools (1)" in (tmp_path / "peers.html").read_text()
    both = (tmp_path / "both.html").read_text()
    assert "Which max_num_seqs at 4 requests a second, within p95 TTFT at most 500 ms?" in both
    assert "and which tool" not in both


def test_that_a_whole_number_of_hundreds_of_digits_is_refused_in_a_line() -> None:
    with pytest.raises(InputError, match="n: must be a number"):
        ResultFields({"n": 10**400}, "x.json").number("n")


def test_that_a_negative_figure_is_refused_and_a_lone_surrogate_can_be_stored() -> None:
    with pytest.raises(InputError, match="n: -1 is too small"):
        ResultFields({"n": -1}, "x.json").number("n")
    assert ResultFields({"model": "a\ud800"}, "x.json").text("model") == "a?"


@pytest.mark.parametrize("name", FILES)
def test_that_no_number_of_a_result_makes_the_bench_file_unreadable(name: str, tmp_path: Path) -> None:
    """What a bench file calls damaged, a number beyond 1e18, is refused where it comes in."""
    with BenchFile.create(tmp_path / "p.bench") as bench:
        for *way, last in _numbers(content(name)):
            at: Any = (whole := content(name))
            for key in way:
                at = at[key]
            at[last] = 1e19
            (tmp_path / "r.json").write_text(json.dumps(whole))
            runs = one_line_or(tmp_path / "r.json")
            if runs:
                add_peer_runs(bench, runs, tmp_path / "r.json")
        assert scorecard_rows(bench)


def _numbers(value: Any, *path: Any) -> list[tuple[Any, ...]]:
    """The ways to all numbers of a result; of a list only to its first."""
    if isinstance(value, dict):
        return [each for key in value for each in _numbers(value[key], *path, key)]
    if isinstance(value, list):
        return _numbers(value[0], *path, 0) if value else []
    return [path] if isinstance(value, int | float) and not isinstance(value, bool) else []
