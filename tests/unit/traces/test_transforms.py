"""Transforms: what each changes, what it leaves, and that the header says so."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base import InputError
from workbench.traces import (
    Trace,
    TraceRow,
    blend,
    closed_sessions,
    open_loop,
    open_sessions,
    parse_bands,
    read_trace,
    replicate,
    sample,
    shuffle_sessions,
    speedup,
    spread_ticks,
    synthetic_trace,
    to_mean_rate,
    window,
    with_bands,
    write_trace,
)


def row(timestamp: float, **fields) -> TraceRow:
    return TraceRow(**{"timestamp": timestamp, "input_length": 40, "output_length": 2, **fields})


def trace_of(*rows: TraceRow, block_tokens: int = 16) -> Trace:
    return Trace.from_rows(rows, block_tokens=block_tokens, source="made up")


TICKED = trace_of(
    *(row(3000.0 * tick, input_length=number + 1) for tick in (0, 1, 2, 5) for number in range(20))
)
SESSIONS = trace_of(
    row(0, session_id="a", turn=0),
    row(1000, session_id="b", turn=0),
    row(4000, session_id="a", turn=1),
    row(5000),
    row(9000, session_id="a", turn=2, delay=700.0),
)


@given(factor=st.floats(0.01, 1000), ticks=st.lists(st.integers(0, 10**13), min_size=2, max_size=50))
def test_that_rate_scaling_never_changes_the_identity(factor, ticks):
    trace = trace_of(*(row(tick / 10_000, delay=tick / 10_000) for tick in sorted(ticks)))
    faster = speedup(trace, factor)
    assert faster.sha256(1) == trace.sha256(1)
    assert faster.timestamp_ms[-1] == pytest.approx(trace.timestamp_ms[-1] / factor)
    if faster.timestamp_ms[-1] > 1:
        assert to_mean_rate(faster, 3.7).sha256(1) == trace.sha256(1)


def test_that_a_scaled_trace_keeps_its_identity_through_a_file(tmp_path):
    trace = speedup(to_mean_rate(TICKED, 7.3), 3.3)
    write_trace(trace, tmp_path / "t")
    again = read_trace(tmp_path / "t")
    assert again.sha256(1) == TICKED.sha256(1)
    assert open_loop(again).sha256() == open_loop(trace).sha256()


def test_that_the_mean_rate_is_the_one_asked():
    assert open_loop(to_mean_rate(TICKED, 5)).length_s == pytest.approx(80 / 5)


def test_that_spreading_ticks_fills_the_tick_and_keeps_the_order():
    spread = spread_ticks(TICKED, seed=2)
    assert spread.input_length.tolist() == TICKED.input_length.tolist()
    late = spread.timestamp_ms + (spread.timestamp_ms[0] - 0)
    offsets = late - TICKED.timestamp_ms
    assert len(np.unique(spread.timestamp_ms)) == 80
    assert offsets.max() < 3000
    assert np.diff(spread.timestamp_ms).min() >= 0
    assert spread.header.transforms == ({"name": "spread_ticks", "tick_ms": 3000.0, "seed": 2},)
    assert spread_ticks(TICKED, seed=3).sha256(1) != spread.sha256(1)


def test_that_one_time_alone_needs_a_tick_to_spread_over():
    with pytest.raises(InputError, match="give the tick"):
        spread_ticks(trace_of(row(0), row(0)))
    assert spread_ticks(trace_of(row(0), row(0)), tick_ms=100).timestamp_ms[1] > 0


def test_that_a_window_keeps_what_arrives_in_it_and_begins_at_zero():
    part = window(SESSIONS, 1, 5)
    assert part.timestamp_ms.tolist() == [0, 3000]
    assert part.header.transforms[-1] == {"name": "window", "from_s": 1.0, "to_s": 5.0}
    with pytest.raises(InputError, match="no request arrives from 100 to 200 s"):
        window(SESSIONS, 100, 200)


def test_that_a_sample_takes_whole_sessions():
    many = trace_of(*(row(10 * i, session_id=f"s{i % 50}", turn=i // 50) for i in range(150)))
    part = sample(many, 0.2, seed=1)
    assert part.sessions is not None
    assert len(part.sessions.names) == 10
    assert len(part) == 30
    assert len(sample(TICKED, 0.25)) == 20
    with pytest.raises(InputError, match="at most 1"):
        sample(TICKED, 1.5)


def test_that_closed_sessions_wait_for_the_turn_before():
    closed = closed_sessions(SESSIONS)
    assert [r.delay for r in closed.rows()] == [None, None, 4000, None, 700]
    assert [r.delay for r in closed_sessions(SESSIONS, think_ms=50).rows()] == [None, None, 50, None, 700]
    assert [r.delay for r in open_sessions(closed).rows()] == [None] * 5
    with pytest.raises(InputError, match="no session of more than one turn"):
        closed_sessions(TICKED)


def test_that_a_schedule_says_which_request_waits_for_which():
    schedule = open_loop(closed_sessions(SESSIONS), requests=10, speedup=2)
    assert schedule.after.tolist() == [-1, -1, 0, -1, 2, -1, -1, 5, -1, 7]
    assert schedule.delay_s.tolist() == [0, 0, 2, 0, 0.35, 0, 0, 2, 0, 0.35]
    assert len(open_loop(SESSIONS, rate=1, arrivals="poisson").after) == 0


def test_that_shuffled_sessions_keep_their_inner_gaps_and_swap_their_begins():
    many = trace_of(
        *(row(1000 * i + 77 * turn, session_id=f"s{i}", turn=turn) for i in range(9) for turn in range(3))
    )
    mixed = shuffle_sessions(many, seed=4)
    begins = {}
    for r in mixed.rows():
        begins.setdefault(r.session_id, []).append(r.timestamp)
    assert sorted(times[0] for times in begins.values()) == [1000 * i for i in range(9)]
    assert all(np.diff(times).tolist() == [77, 77] for times in begins.values())
    assert [times[0] for _, times in sorted(begins.items())] != [1000 * i for i in range(9)]


PREFIXED = trace_of(row(0, hash_ids=(7, 8, 9), session_id="x"), row(1000, hash_ids=(7, 8, 5), cls="chat"))


def test_that_copies_have_prefixes_and_sessions_of_their_own():
    doubled = replicate(PREFIXED, 2)
    assert [r.hash_ids for r in doubled.rows()] == [(1, 2, 3), (1, 2, 0), (5, 6, 7), (5, 6, 4)]
    assert doubled.timestamp_ms.tolist() == [0, 1000, 2000, 3000]
    assert [r.session_id for r in doubled.rows()] == ["0/x", None, "1/x", None]
    same = replicate(PREFIXED, 2, same_prefixes=True)
    assert [r.hash_ids for r in same.rows()] == [(7, 8, 9), (7, 8, 5)] * 2


def test_that_overlaid_copies_multiply_the_rate():
    base = synthetic_trace(8, 2, 500)
    more = replicate(base, 4, overlay=True, seed=1)
    assert len(more) == 2000
    assert more.timestamp_ms[-1] <= 500_000
    assert open_loop(more).length_s == pytest.approx(500, rel=0.01)


def test_that_a_blend_has_the_shares_asked_and_keeps_prefixes_apart():
    chat = trace_of(*(row(100 * i, cls="chat", hash_ids=(1, i)) for i in range(1000)))
    code = trace_of(
        *(row(700 * i, cls="code", hash_ids=(1, i), input_length=600) for i in range(1000)), block_tokens=512
    )
    both = blend([chat, code], [3, 1], rate=8)
    shares = np.bincount(both.classes.codes) / len(both)
    assert dict(zip(both.classes.names, shares.tolist(), strict=True)) == pytest.approx(
        {"chat": 0.75, "code": 0.25}, abs=0.01
    )
    assert len(both) / open_loop(both).length_s == pytest.approx(8, rel=0.01)
    assert both.header.block_tokens == 16
    assert both.header.time_scale() == 1
    ids = {name: {i for r in both.rows() if r.cls == name for i in r.hash_ids} for name in ("chat", "code")}
    assert not ids["chat"] & ids["code"]
    long = next(r for r in both.rows() if r.cls == "code")
    assert len(long.hash_ids) == 38


def test_that_a_blend_of_blocks_that_don_t_divide_is_refused():
    odd = trace_of(row(0, hash_ids=(1,)), row(9, hash_ids=(1,)), block_tokens=24)
    with pytest.raises(InputError, match="blocks of 24 tokens can't be cut"):
        blend([PREFIXED, odd], [1, 1])
    with pytest.raises(InputError, match="each with its weight"):
        blend([PREFIXED], [1])
    with pytest.raises(InputError, match="must be a number greater than 0"):
        blend([PREFIXED, PREFIXED], [1, 0])


def test_that_columns_only_one_part_has_are_unknown_in_the_other():
    plain = trace_of(row(0), row(10))
    rich = trace_of(
        row(0, priority=3, cancel_after_tokens=2, cancel_after_ms=None, turn=1), row(10, cancel_after_ms=4.0)
    )
    rows = list(blend([plain, rich], [1, 1], rate=1).rows())
    assert [(r.priority, r.cancel_after_tokens, r.cancel_after_ms, r.turn) for r in rows] == [
        (0, None, None, None),
        (3, 2, None, 1),
        (0, None, None, None),
        (0, None, 4.0, None),
    ]


def test_that_bands_class_every_row_by_its_input_length():
    lengths = (1, 512, 513, 2048, 40_000)
    trace = trace_of(*(row(i, input_length=n) for i, n in enumerate(lengths)))
    assert trace.classes.values() == ["in 1-512", "in 1-512", "in 513-2048", "in 513-2048", "in 32769+"]
    banded = with_bands(trace, (600, 30_000))
    assert banded.classes.values() == ["in 1-600"] * 3 + ["in 601-30000", "in 30001+"]
    with pytest.raises(InputError, match="rising token counts"):
        with_bands(trace, (600, 600))
    assert parse_bands("600,30000") == (600, 30_000)
    for text in ("", "a", "1,,2", "1.5"):
        with pytest.raises(InputError, match="rising token counts"):
            parse_bands(text)
