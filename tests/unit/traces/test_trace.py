"""The columnar trace: rows in and out unchanged, its identity, and the canonical file."""

import hashlib
import subprocess
import sys

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.base import InputError
from workbench.traces import (
    PromptBuilder,
    Trace,
    TraceHeader,
    TraceRow,
    fit_to_model,
    parse_synthetic,
    read_trace,
    synthetic_trace,
    write_trace,
)
from workbench.traces.transforms.join_traces import concatenated

tokens = st.integers(1, 5000)
times = st.integers(0, 10**12).map(lambda ticks: ticks / 10_000)
rows = st.builds(
    TraceRow,
    timestamp=times,
    input_length=tokens,
    output_length=tokens,
    hash_ids=st.none() | st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=5).map(tuple),
    cls=st.sampled_from(["chat", "agent", "ünï"]),
    session_id=st.none() | st.sampled_from(["a", "b"]),
    turn=st.none() | st.integers(0, 9),
    delay=st.none() | times,
    cancel_after_tokens=st.none() | tokens,
    priority=st.integers(-5, 5),
)


def with_first_at_zero(listed: list[TraceRow]) -> list[TraceRow]:
    ordered = sorted(listed, key=lambda row: row.timestamp)
    ordered[0] = msgspec.structs.replace(ordered[0], timestamp=0.0)
    return ordered


@settings(max_examples=25)
@given(st.lists(rows, min_size=1, max_size=8).map(with_first_at_zero))
def test_that_rows_come_out_as_they_went_in(listed):
    assert list(Trace.from_rows(listed).rows()) == listed


def test_that_a_canonical_file_reads_back_as_the_same_trace(tmp_path):
    @settings(max_examples=25)
    @given(st.lists(rows, min_size=1, max_size=8).map(with_first_at_zero))
    def check(listed):
        trace = Trace.from_rows(listed, block_tokens=64, source="made up")
        write_trace(trace, tmp_path / "t.jsonl")
        again = read_trace(tmp_path / "t.jsonl")
        assert list(again.rows()) == listed
        assert again.header == trace.header
        assert again.sha256(1) == trace.sha256(1)

    check()


def test_that_rows_are_sorted_by_arrival_and_begin_at_zero():
    trace = Trace.from_rows(
        [
            TraceRow(timestamp=700, input_length=1, output_length=1),
            TraceRow(timestamp=500, input_length=2, output_length=1),
            TraceRow(timestamp=700, input_length=3, output_length=1),
        ]
    )
    assert trace.timestamp_ms.tolist() == [0, 200, 200]
    assert trace.input_length.tolist() == [2, 1, 3]


BOTH = (-(2**63), 5, 2**64 - 1, -7, 2**53 + 1)
"""Negative ones and one from 2^63 on: no integer type of 64 bits has both."""


def trace_of(ids) -> Trace:
    rows = [TraceRow(timestamp=at, input_length=len(ids), output_length=1, hash_ids=ids) for at in range(2)]
    return Trace.from_rows(rows, block_tokens=1)


def test_that_prompts_and_identity_follow_from_the_64_bits_of_an_id():
    bits = tuple(block % 2**64 for block in BOTH)
    signed, unsigned = trace_of(BOTH), trace_of(bits)
    assert signed.row(1).hash_ids == BOTH
    assert signed.sha256(1) == unsigned.sha256(1)
    assert concatenated([signed, trace_of((1, 2))]).row(0).hash_ids == bits
    prompts = [PromptBuilder(None, 1, 1).token_ids(trace, 1).tolist() for trace in (signed, unsigned)]
    assert prompts[0] == prompts[1]
    assert len(set(prompts[0])) == len(BOTH)


def test_that_two_ids_of_the_same_64_bits_are_refused(tmp_path):
    """A prompt could not tell them apart."""
    with pytest.raises(OverflowError):
        trace_of((-1, 2**64 - 1))
    row = '{{"timestamp": 0, "input_length": 1, "output_length": 1, "hash_ids": [{}]}}\n'
    rows = [row.format(block) for block in (-1, 2**64 - 1)]
    (tmp_path / "t").write_text('{"workbench_trace": 1, "block_tokens": 1}\n' + "".join(rows))
    with pytest.raises(InputError, match="hash_ids: two ids are the same 64 bits"):
        read_trace(tmp_path / "t")


def test_that_negative_ids_survive_signed_and_large_ones_unsigned_and_both_together(tmp_path):
    for ids in ((-(2**63), -1, 5), (0, 2**53 + 1, 2**64 - 1), BOTH, BOTH[::-1]):
        write_trace(
            Trace.from_rows(
                [TraceRow(timestamp=0, input_length=3, output_length=1, hash_ids=ids)], block_tokens=1
            ),
            tmp_path / "t",
        )
        assert read_trace(tmp_path / "t").row(0).hash_ids == ids


def two_rows(**changes) -> Trace:
    row = {"timestamp": 1500, "input_length": 9, "output_length": 4, "hash_ids": (3, 2**63), "cls": "chat"}
    return Trace.from_rows(
        [TraceRow(timestamp=0, input_length=5, output_length=2), TraceRow(**{**row, **changes})],
        block_tokens=8,
    )


def test_that_the_identity_is_the_documented_byte_form():
    def column(values, kind):
        return np.array(values, kind).tobytes()

    expected = hashlib.sha256(
        b"workbench-trace 1 builder 1 seed 7 block_tokens 8 rows 2\n"
        b"timestamp\n"
        + column([0, 15_000_000], "<i8")
        + b"input_length\n"
        + column([5, 9], "<i8")
        + b"output_length\n"
        + column([2, 4], "<i8")
        + b"hash_counts\n"
        + column([0, 2], "<i8")
        + b"hash_ids\n"
        + column([3, 2**63], "<u8")
        + b"class 8 in 1-512\n"
        + b"class 4 chat\n"
        + b"class codes\n"
        + column([0, 1], "<i4")
    ).hexdigest()
    assert two_rows().sha256(7) == expected


@pytest.mark.parametrize(
    "changes",
    [
        {"timestamp": 1500.0001},
        {"input_length": 10},
        {"output_length": 5},
        {"hash_ids": (3, 2**63 + 1)},
        {"hash_ids": None},
        {"cls": "agent"},
        {"session_id": "s"},
        {"turn": 0},
        {"delay": 0.0},
        {"cancel_after_tokens": 2},
        {"cancel_after_ms": 2.0},
        {"priority": 1},
    ],
)
def test_that_every_field_of_a_row_is_part_of_the_identity(changes):
    assert two_rows(**changes).sha256(1) != two_rows().sha256(1)


def test_that_seed_and_block_size_are_part_of_the_identity():
    assert two_rows().sha256(1) != two_rows().sha256(2)
    assert Trace.from_rows(list(two_rows().rows()), block_tokens=16).sha256(1) != two_rows().sha256(1)


def test_that_a_trace_is_the_same_bytes_whatever_the_hash_seed_of_python():
    code = (
        "from workbench.traces import *; t = synthetic_trace(100, 5, 9); "
        "print(t.sha256(3), PromptBuilder(999, 3, 512).token_ids(t, 4).sum())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("0", "1")
    }
    assert len(outputs) == 1


def test_that_take_picks_rows_with_all_their_fields():
    trace = Trace.from_rows(
        [
            TraceRow(
                timestamp=i,
                input_length=9,
                output_length=1,
                hash_ids=tuple(range(i)) or None,
                cls="ba"[i % 2],
            )
            for i in range(4)
        ]
    )
    taken = trace.select(np.array([3, 1]))
    assert [row.hash_ids for row in taken.rows()] == [(0, 1, 2), (0,)]
    assert taken.classes.names == ("a",)


def test_that_a_header_knows_by_how_much_its_times_were_scaled():
    header = (
        TraceHeader()
        .with_transform("speedup", factor=4.0)
        .with_transform("window", from_s=0)
        .with_transform("mean_rate", factor=0.5)
    )
    assert header.time_scale() == 2.0
    assert [transform["name"] for transform in header.transforms] == ["speedup", "window", "mean_rate"]


def test_that_a_synthetic_trace_has_equal_rows_of_its_own_class():
    trace = synthetic_trace(300, 256, 5)
    assert set(trace.input_length.tolist()) == {300}
    assert set(trace.output_length.tolist()) == {256}
    assert trace.classes.values() == ["synthetic"] * 5
    assert parse_synthetic("300:256") == (300, 256)


@pytest.mark.parametrize("text", ["300", "300:", ":5", "a:b", "1:2:3", "-1:5", "1.5:2"])
def test_that_a_malformed_synthetic_is_refused(text):
    with pytest.raises(InputError, match="IN:OUT"):
        parse_synthetic(text)


@pytest.mark.parametrize("lengths", [(0, 1, 1), (1, 0, 1), (1, 1, 0), (10**9, 1, 1)])
def test_that_a_synthetic_out_of_range_is_refused(lengths):
    with pytest.raises(InputError, match="from 1 to"):
        synthetic_trace(*lengths)


LONG = Trace.from_rows(
    [
        TraceRow(timestamp=100, input_length=90, output_length=20, hash_ids=tuple(range(12))),
        TraceRow(timestamp=200, input_length=30, output_length=20, hash_ids=(0, 1, 2, 3)),
        TraceRow(timestamp=300, input_length=10, output_length=400),
    ],
    block_tokens=8,
)


def test_that_over_long_requests_are_refused_with_their_number():
    with pytest.raises(
        InputError, match=r"2 of 3 requests need more than 100 tokens \(longest 410, first in row 0\)"
    ):
        fit_to_model(LONG, 100)
    assert fit_to_model(LONG, 410)[0] is LONG


def test_that_over_long_requests_can_be_dropped_and_are_counted():
    fitted, report = fit_to_model(LONG, 100, "drop")
    assert (len(fitted), report.dropped, report.longest) == (1, 2, 410)
    assert fitted.row(0).timestamp == 0
    assert fitted.header.transforms == ({"name": "fit", "how": "drop", "max_model_len": 100, "rows": 2},)


def test_that_over_long_requests_can_be_clamped_together_with_their_ids():
    fitted, report = fit_to_model(LONG, 60, "clamp")
    assert report.clamped == 2
    assert (fitted.input_length + fitted.output_length).max() <= 60
    assert [(row.input_length, row.output_length, row.hash_ids) for row in fitted.rows()] == [
        (40, 20, (0, 1, 2, 3, 4)),
        (30, 20, (0, 1, 2, 3)),
        (10, 30, None),
    ]


def test_that_nothing_left_is_an_error():
    with pytest.raises(InputError, match="no request fits 10 tokens"):
        fit_to_model(LONG, 10, "drop")
    with pytest.raises(InputError, match="max_len: 'cut' is unknown"):
        fit_to_model(LONG, 10, "cut")
