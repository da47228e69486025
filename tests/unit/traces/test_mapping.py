"""Any table by a mapping of its columns."""

import pytest

from workbench.base import InputError
from workbench.traces import ColumnMapping, import_trace, parse_mapping, preview_table

CSV = "when,tin,tout,who\n100,5,1,a\n350,6,2,b\n600,x,2,b\n700,7,-1,b\n,7,1,b\n"
BASIC = {"timestamp": "when", "input_length": "tin", "output_length": "tout"}


def test_that_columns_are_read_by_their_meaning_and_bad_fields_counted(write):
    imported = import_trace(
        write(CSV), columns=ColumnMapping(columns={**BASIC, "session_id": "who"}, unit="ms")
    )
    assert [(r.timestamp, r.input_length, r.output_length, r.session_id) for r in imported.trace.rows()] == [
        (0, 5, 1, "s1"),
        (250, 6, 2, "s2"),
    ]
    assert dict(imported.report.rows_dropped) == {
        "field tin: not a number of tokens": 1,
        "field tout: not a number of tokens": 1,
        "field when: not a time": 1,
    }
    assert imported.report.format == "columns"


def test_that_nested_json_members_have_dotted_names(write):
    lines = '{"t": "2026-01-01T00:00:00Z", "usage": {"in": 5, "out": 2}, "kind": "chat"}\n' * 2
    imported = import_trace(
        write(lines),
        columns=parse_mapping("timestamp=t,input_length=usage.in,output_length=usage.out,class=kind"),
    )
    assert imported.trace.classes.names == ("chat",)
    assert any("dates" in str(note) for note in imported.report.notes)


@pytest.mark.parametrize(
    ("times", "unit"),
    [
        ([0, 4, 9, 11, 15, 20, 21, 30, 33, 35, 40, 41], "s"),
        ([i * 250.5 for i in range(12)], "s"),
        ([i * 3000 for i in range(1, 40)], "ms"),
        ([1_700_000_000 + i for i in range(12)], "s"),
        ([1_700_000_000_000 + i * 900 for i in range(12)], "ms"),
        ([1_700_000_000_000_000_000 + i * 10**9 for i in range(12)], "ns"),
    ],
)
def test_that_the_unit_of_time_is_inferred_and_said_why(write, times, unit):
    text = "when,tin,tout\n" + "".join(f"{time},5,1\n" for time in times)
    imported = import_trace(write(text), columns=ColumnMapping(columns=BASIC))
    factor = {"s": 1000, "ms": 1, "ns": 1e-6}[unit]
    assert imported.trace.timestamp_ms[-1] == pytest.approx((times[-1] - times[0]) * factor)
    said = [*imported.report.notes, *imported.report.warnings]
    assert any(str(each).startswith(f"when read as {unit}") for each in said)


def test_that_a_name_s_ending_decides_the_unit(write):
    text = "at_ms,tin,tout\n" + "".join(f"{i},5,1\n" for i in range(20))
    imported = import_trace(write(text), columns=ColumnMapping(columns={**BASIC, "timestamp": "at_ms"}))
    assert imported.trace.timestamp_ms[-1] == 19


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("timestamp=a", "no column is given for input_length, output_length"),
        ("timestamp=a,input_length=b,output_length=c,colour=d", "'colour' is unknown"),
        ("timestamp=a@weeks,input_length=b,output_length=c", "'weeks' is unknown"),
        ("timestamp", "FIELD=COLUMN"),
    ],
)
def test_that_a_malformed_mapping_is_refused(text, message):
    with pytest.raises(InputError, match=message):
        parse_mapping(text)


def test_that_a_missing_column_is_named(write):
    with pytest.raises(InputError, match=r":1: no column nope \(it has when, tin, tout, who\)"):
        import_trace(write(CSV), columns=ColumnMapping(columns={**BASIC, "input_length": "nope"}))


def test_that_dates_and_numbers_in_one_column_are_refused(write):
    with pytest.raises(InputError, match="dates and plain numbers"):
        import_trace(
            write("when,tin,tout\n5,1,1\n2026-01-01T00:00:00,1,1\n"), columns=ColumnMapping(columns=BASIC)
        )


def test_that_a_preview_shows_columns_and_suggests_their_meaning(write):
    preview = preview_table(
        write("started_at,Prompt Tokens,completion-tokens,x\n2026-01-01T00:00:00,5,6,7\n")
    )
    assert preview.columns == ("started_at", "Prompt Tokens", "completion-tokens", "x")
    assert preview.suggestion == {
        "timestamp": "started_at",
        "input_length": "Prompt Tokens",
        "output_length": "completion-tokens",
    }
    nested = preview_table(write('{"createdAt": "x", "usage": {"promptTokens": 1, "completionTokens": 2}}\n'))
    assert nested.suggestion["input_length"] == "usage.promptTokens"
    with pytest.raises(InputError, match="neither a CSV"):
        preview_table(write("[]"))
