"""The unit of numeric times: by what is stated, their size or the format, never by a rate that nobody has."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base import Refusal
from workbench.traces import import_trace, parse_mapping
from workbench.traces.importers.time_column import unit_named, unit_since_1970

Write = Callable[..., Path]
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
BEGIN = 1_780_000_000
GAPS = [0, 250, 700, 1500, 1750, 3000, 3200, 5000, 5100, 6000, 7250, 9000]
"""Milliseconds of twelve arrivals."""
COLUMNS = parse_mapping("timestamp=t,input_length=i,output_length=o")


def stamps(unit: str, begin: int = BEGIN) -> list[int | float]:
    """The arrivals in a unit, since 1970; seconds with their fractions."""
    if unit == "s":
        return [begin + ms / 1000 for ms in GAPS]
    return [(begin * 1000 + ms) * PER_SECOND[unit] // 1000 for ms in GAPS]


def rows_of(times: list[int | float], **more: object) -> str:
    return "\n".join(
        json.dumps({"timestamp": time, "input_length": 256, "output_length": 16, **more}) for time in times
    )


def table_of(times: list[int | float], header: str) -> str:
    return "\n".join([header, *(f"{time},300,50" for time in times)]) + "\n"


FORMS: dict[str, Callable[[list[int | float]], str]] = {
    "mooncake": lambda times: rows_of(times, hash_ids=[0]),
    "timed_trace": lambda times: rows_of(times, hash_ids=list(range(16))),
    "bailian": lambda times: rows_of(times, chat_id=1, parent_chat_id=-1),
    "aiperf": lambda times: rows_of(times, session_id="a"),
    "measured": lambda times: "\n".join(
        json.dumps({"input_toks": 5, "output_toks": 5, "arrival_time": time}) for time in times
    ),
    "burstgpt": lambda times: table_of(times, "Timestamp,Request tokens,Response tokens"),
    "azure": lambda times: table_of(times, "TIMESTAMP,ContextTokens,GeneratedTokens"),
    "columns": lambda times: table_of(times, "arrival,input_tokens,output_tokens"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("unit", PER_SECOND)
def test_times_since_1970_have_the_unit_of_their_size_in_every_format(
    write: Write, form: str, unit: str
) -> None:
    imported = import_trace(write(FORMS[form](stamps(unit))))
    assert imported.report.format == form
    assert imported.trace.timestamp_ms.tolist() == pytest.approx(GAPS, abs=0.01)
    assert any(
        f"read as {unit}: numbers of this size count from 1970" in str(each) for each in imported.report.notes
    )


def test_nanoseconds_stay_exact(write: Write) -> None:
    times = [BEGIN * 10**9 + 1000 * n for n in range(12)]
    trace = import_trace(write(rows_of(times, hash_ids=[0])), time_unit="ns").trace
    assert trace.timestamp_ms.tolist() == pytest.approx([n / 1000 for n in range(12)], abs=1e-9)


SERIAL = [45000.5 + 2 * n / 86400 for n in range(12)]


@pytest.mark.parametrize("digits", [6, 8, 11])
def test_a_spreadsheet_s_days_are_known_by_their_whole_seconds(write: Write, digits: int) -> None:
    text = table_of([round(day, digits) for day in SERIAL], "t,i,o")
    imported = import_trace(write(text), columns=COLUMNS)
    assert imported.trace.timestamp_ms.tolist() == [2000 * n for n in range(12)]
    assert any("days of a spreadsheet" in str(note) for note in imported.report.notes)


def test_a_spreadsheet_s_days_with_fractions_of_a_second_are_days_too(write: Write) -> None:
    text = table_of([45000.5 + ms / 86_400_000 for ms in GAPS], "t,i,o")
    imported = import_trace(write(text), columns=COLUMNS)
    assert imported.trace.timestamp_ms.tolist() == pytest.approx(GAPS, abs=0.01)


@pytest.mark.parametrize("begin", [133_500_000_000_000_000, 639_000_000_000_000_000])
def test_ticks_of_windows_and_dotnet_are_100_ns(write: Write, begin: int) -> None:
    imported = import_trace(write(table_of([begin + 10_000 * ms for ms in GAPS], "t,i,o")), columns=COLUMNS)
    assert imported.trace.timestamp_ms.tolist() == GAPS
    assert any("ticks of 100 ns" in str(note) for note in imported.report.notes)


def test_times_of_day_go_on_after_midnight(write: Write) -> None:
    times = ["23:59:58.5", "23:59:59,5", "00:00:01", "00:00:02"]
    path = write("t;i;o\n" + "".join(f"{time};300;50\n" for time in times))
    assert import_trace(path, columns=COLUMNS).trace.timestamp_ms.tolist() == [0, 1000, 2500, 3500]


@pytest.mark.parametrize("begin", [0, 45_000])
def test_seconds_of_a_day_are_no_spreadsheet_s_days(write: Write, begin: int) -> None:
    times = [begin + 0.137 * n for n in range(40)]
    imported = import_trace(write(table_of(times, "t,i,o")), columns=COLUMNS)
    assert imported.trace.timestamp_ms[-1] == pytest.approx(137 * 39)


def test_a_rate_that_no_service_has_is_refused_with_the_way_out(write: Write) -> None:
    path = write(table_of([1e-9 * n + 3 for n in range(30)], "t,i,o"))
    with pytest.raises(Refusal, match=r"t has no known unit: in s it would be .*--time-unit"):
        import_trace(path, columns=COLUMNS)
    times = import_trace(path, columns=COLUMNS, time_unit="days").trace.timestamp_ms
    assert times[-1] == pytest.approx(29 * 1e-9 * 86_400_000, rel=1e-3)


def test_a_format_s_unit_that_gives_such_a_rate_is_refused_too(write: Write) -> None:
    path = write(table_of([n / 20_000 for n in range(30)], "Timestamp,Request tokens,Response tokens"))
    with pytest.raises(Refusal, match="Timestamp in s gives a mean rate of 20,000 requests/s"):
        import_trace(path)
    with pytest.raises(Refusal, match="must be one of s, ms, us, ns, days"):
        import_trace(path, time_unit="weeks")
    assert import_trace(path, time_unit="days").report.rows_kept == 30


def test_a_low_rate_is_said_and_kept(write: Write) -> None:
    """A service in a laboratory may have ten requests a day."""
    path = write(table_of([9000 * n for n in range(12)], "Timestamp,Request tokens,Response tokens"))
    assert any(
        "0.000111 requests/s: check its unit" in str(each) for each in import_trace(path).report.to_act_on
    )


def test_a_unit_that_nothing_says_is_a_guess_to_look_at(write: Write) -> None:
    report = import_trace(write(table_of([2.5 * n for n in range(12)], "t,i,o")), columns=COLUMNS).report
    (said,) = [str(each) for each in report.to_act_on if str(each).startswith("t read as s")]
    assert "in ms it would be 400" in said
    sure = import_trace(write(table_of([2500 * n for n in range(12)], "t_ms,i,o")), columns=COLUMNS_MS).report
    assert not any("requests/s" in str(each) for each in sure.warnings)


COLUMNS_MS = parse_mapping("timestamp=t_ms,input_length=i,output_length=o")


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("at_ms", "ms"), ("Time (s)", "s"), ("latency [ms]", "ms"), ("startTimeUnixNano", "ns"),
        ("start_time_unix_nano", "ns"), ("ts_us", "us"), ("elapsed seconds", "s"), ("time_µs", "us"),
        ("timestamp", None), ("status", None), ("items", None), ("params", None),
    ],
)  # fmt: skip
def test_a_name_s_ending_is_its_unit(name: str, unit: str | None) -> None:
    assert unit_named(name) == unit


@given(st.integers(978_307_200, 4_102_444_800), st.sampled_from(sorted(PER_SECOND)))
def test_any_moment_of_this_century_has_one_unit(second: int, unit: str) -> None:
    assert unit_since_1970(np.array([second * PER_SECOND[unit]], np.int64)) == (
        unit if second >= 1_000_000_000 else None
    )
