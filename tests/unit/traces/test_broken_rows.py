"""A broken row costs itself: the others are kept, its line is named, and too many of them are refused."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.base import InputError, Refusal
from workbench.cli import main
from workbench.traces import import_trace

Write = Callable[..., Path]
ROWS = [{"timestamp": 1000 * n, "input_length": 700 + n, "output_length": 20 + n} for n in range(12)]
LINES = [json.dumps(row) for row in ROWS]
TABLE = "TIMESTAMP,ContextTokens,GeneratedTokens"
CELLS = [f"2026-01-01 00:00:{n:02},{700 + n},{20 + n}" for n in range(12)]


def with_broken(lines: list[str], broken: dict[int, str]) -> str:
    """The lines, some of them in another form; numbered from 1."""
    return "\n".join(broken.get(number, line) for number, line in enumerate(lines, 1)) + "\n"


BROKEN: dict[str, tuple[str | bytes, int, list[int]]] = {
    "JSON lines": (with_broken(LINES, {7: LINES[6].replace("{", "{{"), 10: LINES[9][:30]}), 10, [7, 10]),
    "the first line": (with_broken(LINES, {1: LINES[0][:30]}), 11, [1]),
    "the last line": (with_broken(LINES, {12: LINES[11][:30]}), 11, [12]),
    "a text for a number": (with_broken(LINES, {4: LINES[3].replace("703", '"703"')}), 11, [4]),
    "a number out of range": (with_broken(LINES, {4: LINES[3].replace("703", "-703")}), 11, [4]),
    "a missing field": (with_broken(LINES, {4: '{"timestamp": 3000}'}), 11, [4]),
    "zeros that a crash left": (with_broken([*LINES, *LINES], {15: "\0" * 4096}), 23, [15]),
    "a byte that is no UTF-8": (
        with_broken(LINES, {}).encode().replace(b'"input_length": 703', b'"input_\xfflength": 703'),
        11,
        [4],
    ),
    "a table": (
        with_broken([TABLE, *CELLS], {4: "2026-01-01 00:00:02,7", 9: "x,1,2", 11: f"{CELLS[9]},5"}),
        9,
        [4, 9, 11],
    ),
    "packed": (gzip.compress(with_broken(LINES, {5: "?"}).encode()), 11, [5]),
    "lines out of a list": (with_broken([f"{line}," for line in LINES], {5: "?"}), 11, [5]),
}


@pytest.mark.parametrize(("content", "kept", "lines"), BROKEN.values(), ids=BROKEN.keys())
def test_broken_rows_are_dropped_and_named(
    write: Write, content: str | bytes, kept: int, lines: list[int]
) -> None:
    report = import_trace(write(content)).report
    assert report.rows_kept == kept
    assert report.rows_read == kept + len(lines)
    (said,) = [str(each) for each in report.to_act_on if "can't be read" in str(each)]
    assert f"{len(lines)} of {report.rows_read} rows can't be read" in said
    assert f" dropped: lines {', '.join(map(str, lines))} (" in said


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        # One item a line: the next one begins its line as the broken one did.
        ("[\n" + ",\n".join([*LINES[:4], '{"timestamp": oops}', *LINES[5:]]) + "\n]\n", 11),
        ("[\n  " + ",\n  ".join([*LINES[:4], '{"timestamp": 1 2}', *LINES[5:]]) + "\n]\n", 11),
        # Cut off, as where the disk was full.
        ("[\n" + ",\n".join(LINES)[:-20], 11),
        ("[" + ",".join(LINES[:8]) + ",", 8),
        ("\n".join(json.dumps(row, indent=2) for row in ROWS)[:-20], 11),
    ],
)
def test_a_damaged_list_keeps_the_items_that_can_be_read(write: Write, text: str, kept: int) -> None:
    report = import_trace(write(text)).report
    assert report.rows_kept == kept
    assert any(
        each.kind == "traces.broken_row" and each.values["counts"] == "items" for each in report.to_act_on
    )


def test_values_over_several_lines_are_rows_too(write: Write) -> None:
    plain = import_trace(write("\n".join(LINES), "plain")).trace.sha256(1)
    assert import_trace(write("\n".join(json.dumps(row, indent=2) for row in ROWS))).trace.sha256(1) == plain
    assert import_trace(write(json.dumps(ROWS, indent=4))).trace.sha256(1) == plain


def test_half_of_the_rows_broken_is_no_trace(write: Write) -> None:
    path = write(with_broken(LINES, dict.fromkeys(range(1, 7), "?")))
    with pytest.raises(Refusal, match=r"6 of 12 rows can't be read \(lines 1, 2, 3, 4, 5, 6\)") as caught:
        import_trace(path, format="mooncake")
    assert caught.value.place.line == 1
    assert import_trace(write(with_broken(LINES, dict.fromkeys(range(2, 7), "?")))).report.rows_kept == 7


def test_a_canonical_file_is_whole_or_refused(write: Write) -> None:
    """The program writes it in one step, so a broken row means that it is damaged."""
    header = '{"workbench_trace": 1, "block_tokens": 16}'
    with pytest.raises(InputError, match=":4: not JSON"):
        import_trace(write(with_broken([header, *LINES], {4: "?"})))


def test_a_log_of_other_lines_keeps_its_requests_however_many_there_are(write: Write) -> None:
    row = {"call_type": "acompletion", "spend": 0, "prompt_tokens": 5, "completion_tokens": 3}
    rows = [json.dumps(row | {"startTime": f"2026-01-01T00:00:{n:02}Z"}) for n in range(9)]
    report = import_trace(write("\n".join(["INFO: started", *rows, "INFO: " * 20, "bye", "gone"]))).report
    assert (report.format, report.rows_kept) == ("litellm", 9)
    assert report.rows_dropped == {"line is not JSON": 4}


def test_the_command_names_the_lines_and_exits_with_0(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(with_broken(LINES, {7: "?", 10: "?"}))
    assert main(["trace", "inspect", str(path)]) == 0
    said = capsys.readouterr().out
    assert "10 of 12 rows kept; dropped: 2 line is not JSON" in said
    assert "2 of 12 rows can't be read and were dropped: lines 7, 10" in said
