"""What a run says of its requests besides reasons against it, and the figures that this explains."""

import numpy as np
import pytest

from tests.unit.results.making import event_tokens, gaps, request
from workbench.results import Conditions, Objectives, Outcome, RunFrame, summarize_run
from workbench.results.figures.request_columns import columns_from_records
from workbench.results.statistics.figure_values import values_of_run

FRAME = RunFrame(length_s=10.0)


def unknown(index=0, **changes):
    """A request that says how many tokens it has, and not how many each event carried."""
    return request(
        index, tokens=20, gap=0.05, token_source="usage",
        gaps_ms=gaps([50.0] * 7), gap_tokens=event_tokens([0] * 7), **changes,
    )  # fmt: skip


def test_that_itl_is_empty_and_said_to_be_where_streams_do_not_tell_the_tokens_of_an_event():
    summary = summarize_run([unknown(i) for i in range(4)], FRAME)
    assert (summary.itl_ms.n, summary.itl_ms.mean) == (0, None)
    assert summary.event_gap_ms.mean == pytest.approx(50)
    assert summary.output_tokens.mean == 20
    assert summary.valid
    assert summary.notes == [
        (
            "ITL is unknown: 4 of 4 streams don't show how many tokens an event carries"
            " (their usage differs from the number of their events, or is missing)"
        )
    ]


def test_that_few_such_streams_are_left_out_of_itl_and_many_leave_none():
    known = [request(i, tokens=8, gap=0.02) for i in range(40)]
    few = summarize_run([*known, unknown(40)], FRAME)
    assert (few.itl_ms.n, few.itl_ms.mean) == (40, pytest.approx(20))
    assert few.notes == ["ITL leaves out 1 of 41 streams with an unknown number of tokens an event"]
    many = summarize_run([*known, *(unknown(i) for i in range(40, 45))], FRAME)
    assert many.itl_ms.mean is None


def test_that_comparisons_have_the_values_that_the_figure_has():
    mixed = [request(0, tokens=8), *(unknown(i) for i in range(1, 4))]
    assert values_of_run(columns_from_records(mixed), "itl_p95_ms", FRAME).values.size == 0


def test_that_a_cancelled_stream_without_a_count_takes_nothing_from_the_others():
    cancelled = [unknown(i, outcome=Outcome.CANCELLED) for i in range(8)]
    summary = summarize_run([*cancelled, *(request(i, tokens=8, gap=0.02) for i in range(8, 16))], FRAME)
    assert summary.itl_ms.mean == pytest.approx(20)
    assert summary.notes == []


def test_that_an_itl_which_is_needed_and_unknown_is_a_reason():
    needing = Conditions(need=("itl",))
    assert summarize_run([unknown()], FRAME, conditions=needing).reasons == [
        "metrics missing: itl was not measured"
    ]
    assert summarize_run([request()], FRAME, conditions=needing).valid
    one_token = request(tokens=1, gaps_ms=b"")
    assert summarize_run([one_token], FRAME, conditions=needing).valid


@pytest.mark.parametrize(("limit", "accepted"), [(49.0, 0), (50.5, 1)])
def test_that_a_request_of_unknown_itl_is_accepted_only_if_no_gap_exceeds_the_limit(limit, accepted):
    summary = summarize_run([unknown()], FRAME, objectives=Objectives(itl_p95_ms=limit))
    assert summary.accepted == accepted


def test_that_the_difference_of_prompts_sent_as_text_is_said_and_the_servers_count_is_the_figure():
    as_text = [request(i, prompt_tokens=106, input_mode="text") for i in range(4)]
    summary = summarize_run(as_text, FRAME)
    assert summary.valid
    assert summary.input_tokens.mean == 106
    assert summary.notes == [
        (
            "prompts were sent as text: the server counts 106 tokens on average, 100 were asked for;"
            " input tokens are the server's count"
        )
    ]
    assert summarize_run([request(input_mode="text")], FRAME).notes == []


def test_that_tokens_which_all_came_in_one_read_have_no_tpot():
    whole = [request(i, tokens=8, last_token=0.1, gaps_ms=b"") for i in range(4)]
    assert summarize_run(whole, FRAME).tpot_ms.mean is None
    timed = request(4, tokens=8, gap=0.02)
    assert summarize_run([*whole, timed], FRAME).tpot_ms.mean == pytest.approx(20)


def test_that_what_was_due_in_the_window_is_what_was_offered():
    due = [*np.linspace(0, 10, 40, endpoint=False), 12.0, 15.0]
    summary = summarize_run([request(i, float(at)) for i, at in enumerate(due)], FRAME)
    assert (summary.requests.scheduled, summary.offered_rps, summary.sent_rps) == (42, 4.0, 4.0)
