"""The CSV of `measure --per-request` read back as a trace: what comes back, and what is said to be lost."""

from pathlib import Path

import pytest

from tests.unit.results.making import request
from workbench.base import InputError
from workbench.cli.measure_text import per_request_csv
from workbench.traces import import_trace

SAMPLE = Path(__file__).parents[2] / "data" / "traces" / "synthetic_per_request.csv"


def test_that_requests_are_due_again_as_they_were_with_the_lengths_that_were_asked_for():
    rows = list(import_trace(SAMPLE).trace.rows())
    assert [row.timestamp for row in rows] == [0, 250, 1500, 1750, 2250]
    assert [(row.input_length, row.output_length) for row in rows][:3] == [(120, 8), (700, 3), (180, 16)]
    assert [row.cls for row in rows] == ["chat", "agent", "chat", "chat", "agent"]


def test_that_a_session_which_came_again_is_another_conversation():
    rows = import_trace(SAMPLE).trace.rows()
    assert [(row.session_id, row.turn) for row in rows if row.session_id] == [
        ("s-1", 0),
        ("s-1", 1),
        ("s-1 (2)", 0),
    ]


def test_that_what_the_file_lacks_is_said():
    kinds = {warning.kind for warning in import_trace(SAMPLE).report.warnings}
    assert {"traces.cancelled_run_on", "traces.no_think_times", "traces.no_prefix_ids"} <= kinds


def test_that_what_was_measured_is_kept_apart_and_only_of_what_completed():
    latency = import_trace(SAMPLE).latency
    assert latency.ttft_ms[:4] == pytest.approx([100, 100, 100, 100])
    assert latency.e2e_ms == pytest.approx([170, 120, float("nan"), 170, float("nan")], nan_ok=True)


def test_that_every_measurement_written_is_read_back(write):
    records = [
        request(
            number, due=0.1 * number, input_tokens=10 + number, error='said "no", twice' if number else None
        )
        for number in range(20)
    ]
    imported = import_trace(write(per_request_csv(records), "requests.csv"))
    assert imported.report.format == "per-request"
    assert imported.trace.input_length.tolist() == [10 + number for number in range(20)]
    assert imported.trace.timestamp_ms == pytest.approx([100.0 * number for number in range(20)])
    assert imported.trace.sessions is None


def test_that_a_column_missing_is_named(write):
    text = SAMPLE.read_text().replace("output_tokens", "out", 1)
    with pytest.raises(InputError, match="no column output_tokens"):
        import_trace(write(text, "requests.csv"))


HEAD, *ROWS = SAMPLE.read_text().splitlines()
FIRST = next(row for row in ROWS if "measured" in row)


def with_field(name: str, value: str) -> str:
    columns, fields = HEAD.split(","), FIRST.split(",")
    assert len(columns) == len(fields)
    fields[columns.index(name)] = value
    return "\n".join([HEAD, FIRST, ",".join(fields)]) + "\n"


@pytest.mark.parametrize("value", ["1e400", "-1e400", "inf", "1e300", "soon"])
@pytest.mark.parametrize("name", ["first_token_s", "done_s"])
def test_that_what_is_no_time_is_refused_by_line_and_field(write, name, value):
    with pytest.raises(InputError, match=rf":3: field {name}: not a time in seconds"):
        import_trace(write(with_field(name, value), "requests.csv"))


@pytest.mark.parametrize("value", ["abc", "inf", "1.7", "-5", "1e18", "1e400"])
def test_that_what_is_no_turn_is_refused_by_line_and_field(write, value):
    with pytest.raises(InputError, match=r":3: field turn: not (a whole number|from 0 to)"):
        import_trace(write(with_field("turn", value), "requests.csv"))


def test_that_fields_without_a_time_or_turn_are_none(write):
    for name in ("first_token_s", "done_s", "turn"):
        assert len(import_trace(write(with_field(name, ""), "requests.csv")).trace) == 2


@pytest.mark.parametrize("name", ["cls", "session_id"])
def test_that_long_names_are_shortened_and_stay_apart(write, name):
    lines = [with_field(name, "n" * 5000 + end).splitlines()[2] for end in ("a", "b")]
    rows = list(import_trace(write("\n".join([HEAD, *lines]) + "\n", "requests.csv")).trace.rows())
    names = {getattr(row, name) for row in rows}
    assert len(names) == 2
    assert all(len(one) < 80 for one in names)
