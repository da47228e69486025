import numpy as np
import pytest

from tests.unit.results.making import event_tokens, gaps, request, unanswered
from workbench.base import message
from workbench.results import Conditions, Outcome, RunFrame, ServerDelta, summarize_run
from workbench.results.figures.validity import client_delay_limit_ms


def reasons(records, *, frame=None, server=None, **conditions):
    frame = frame or RunFrame(length_s=10.0)
    return summarize_run(records, frame, server=server, conditions=Conditions(**conditions)).reasons


def late(milliseconds, count=1000, **changes):
    return [request(i, sent=milliseconds / 1000, **changes) for i in range(count)]


def test_that_a_good_run_is_valid():
    summary = summarize_run([request(i) for i in range(100)], RunFrame(length_s=10.0))
    assert (summary.valid, summary.reasons) == (True, [])


def test_that_a_late_load_generator_is_named_with_its_figure_and_its_limit():
    assert reasons(late(83)) == ["client-bound: client delay p99 83 ms > 10 ms"]


def test_that_reads_looked_at_too_late_to_tell_when_tokens_came_are_named_however_long_ttft_is():
    said = ["client-bound: token times up to 45 ms off at p99 > 10 ms"]
    assert reasons(late(1, ttft=2.0), read_late_p99_ms=45.0) == said
    assert reasons(late(1), read_late_p99_ms=10.0) == []
    assert reasons(late(83), read_late_p99_ms=45.0) == ["client-bound: client delay p99 83 ms > 10 ms"]


def test_that_a_p99_of_too_few_requests_to_show_says_of_how_many_it_is():
    summary = summarize_run(late(15, count=100), RunFrame(length_s=10.0))
    assert summary.client_delay_ms.p99 is None
    assert summary.reasons == ["client-bound: client delay p99 of 100 requests 15 ms > 10 ms"]


@pytest.mark.parametrize(("ttft_p95_ms", "limit"), [(None, 10), (100, 10), (400, 20), (5000, 50)])
def test_that_the_limit_grows_with_ttft_between_10_and_50_ms(ttft_p95_ms, limit):
    assert client_delay_limit_ms(ttft_p95_ms) == limit


def test_that_a_delay_within_five_percent_of_a_long_ttft_is_valid():
    assert reasons(late(15, ttft=0.4)) == []


def test_that_the_load_generator_is_judged_in_wall_time():
    frame = RunFrame(length_s=10.0, time_scale=20.0)
    assert reasons(late(8), frame=frame) == []
    assert reasons(late(12), frame=frame) == ["client-bound: client delay p99 12 ms > 10 ms"]


def test_that_short_outputs_are_counted():
    short = [request(i, tokens=3, output_tokens=9) for i in range(4)]
    found = reasons([*short, *[request(4 + i) for i in range(6)]])
    assert found == ["short outputs: 4 of 10 completed requests gave 3 tokens on average instead of 9"]


def test_that_outputs_of_requests_that_did_not_complete_may_be_short():
    assert reasons([request(tokens=3, output_tokens=9, outcome=Outcome.CANCELLED)]) == []


def test_that_token_counts_that_differ_from_usage_are_named():
    merged = [request(i, tokens=8, completion_tokens=8, output_tokens=8) for i in range(2)]
    for record in merged:
        record.tokens = 3
    found = reasons(merged)
    assert found == [
        "token counts differ from usage in 2 of 2 requests: 6 counted in the streams, 16 in usage"
    ]


def test_that_another_prompt_than_the_one_sent_is_named_where_ids_were_sent():
    for counted in (99, 101, 130):
        found = reasons([request(prompt_tokens=counted)])
        assert found == [f"prompt tokens differ from usage in 1 of 1 requests: 100 sent, {counted} in usage"]
    assert reasons([request(prompt_tokens=130, input_mode="text")]) == []


def test_that_tokens_without_usage_are_not_checkable():
    assert reasons([request(completion_tokens=None)]) == [
        "tokens not checkable: 1 of 1 completed requests carried no usage"
    ]


def test_that_streams_that_arrive_in_one_burst_are_named():
    burst = [request(i, tokens=20, gaps_ms=gaps([0.0] * 19)) for i in range(3)]
    smooth = [request(3, tokens=20, gap=0.01)]
    assert reasons(burst + smooth) == [
        "burst streams: 3 of 4 responses arrived in one burst, so token times mean nothing"
    ]


def test_that_a_whole_answer_in_one_event_is_a_burst():
    one_event = [request(i, tokens=20, gaps_ms=gaps([12.0]), gap_tokens=event_tokens([19])) for i in range(3)]
    assert len(reasons(one_event)) == 1


def test_that_answers_that_are_no_streams_are_named_however_short():
    whole = [request(i, tokens=3, first_token=None, last_token=None, gaps_ms=b"") for i in range(3)]
    assert reasons([*whole, request(3, tokens=3)]) == [
        (
            "no streams: 3 of 4 responses came whole, or without output in their events, "
            "so the times of their tokens are unknown"
        )
    ]
    # One whose tokens all were without text is no gateway's doing.
    assert reasons([whole[0], request(1), request(2), request(3)]) == []


def test_that_short_answers_are_never_taken_for_bursts():
    assert reasons([request(i, tokens=3, gaps_ms=gaps([0, 0])) for i in range(3)]) == []


def test_that_a_control_that_the_server_uses_otherwise_is_named():
    found = reasons(
        [request()],
        asked={"max_num_seqs": 16, "enable_chunked_prefill": False, "block_size": 16},
        effective={"max_num_seqs": 32, "enable_chunked_prefill": True},
    )
    assert found == [
        "configuration differs: max_num_seqs asked 16, effective 32",
        "configuration differs: enable_chunked_prefill asked False, effective True",
    ]


@pytest.mark.parametrize(("asked", "effective"), [(16, 16.0), ("fcfs", "fcfs"), (0.9, 0.9), (True, "True")])
def test_that_the_same_value_in_another_form_is_the_same(asked, effective):
    assert reasons([request()], asked={"c": asked}, effective={"c": effective}) == []


def test_that_a_cache_warmer_than_the_trace_allows_is_named():
    server = ServerDelta(prefix_queries=1000, prefix_hits=600)
    assert reasons([request()], server=server, prefix_hit_ideal=0.1) == [
        "warm cache: prefix hits 60.0% > 10.0%, the trace's own share"
    ]
    assert reasons([request()], server=server, prefix_hit_ideal=0.59) == []
    assert reasons([request()], server=server) == []


def test_that_a_stepped_clock_is_named():
    assert reasons([request()], clock_step_s=-3.0) == [
        "clock stepped or machine slept: wall and monotonic time differ by -3.00 s > 0.5 s"
    ]


def test_that_a_lost_server_is_named_first():
    assert reasons([request()], server_lost="the server ended with code -9") == [
        "server lost: the server ended with code -9"
    ]


def test_that_a_restarted_server_is_named():
    assert reasons([request()], server=ServerDelta(restarted=True)) == [
        "server restarted during the run: a counter shrank"
    ]
    told = ServerDelta(restarted=True, restart_sign="preemptions fell from 9 to 2")
    assert reasons([request()], server=told) == [
        "server restarted during the run: preemptions fell from 9 to 2"
    ]


def test_that_figures_that_were_needed_and_not_measured_are_named():
    assert reasons([request()], need=("preemptions", "queue")) == [
        "metrics missing: preemptions was not measured",
        "metrics missing: queue was not measured",
    ]


def test_that_requests_that_were_due_and_never_sent_are_named():
    records = [request(i) for i in range(90)] + [unanswered(90 + i, sent=None) for i in range(10)]
    assert reasons(records) == ["off schedule: 10 of 100 requests were due and never sent"]


def test_that_requests_held_back_by_the_cap_are_no_fault():
    held = [unanswered(90 + i, sent=None, released=None) for i in range(10)]
    assert reasons([request(i) for i in range(90)] + held) == []


def test_that_a_tunnel_that_dropped_is_named_first():
    lost = [request(i, outcome=Outcome.FAILED, error="connection lost") for i in range(4)]
    said = (
        "the SSH connection that carries the requests dropped 1 time during the run, "
        "which may have caused failures"
    )
    assert reasons([*lost, request(4)], tunnel_drops=1) == [f"tunnel lost: {said}"]


def test_that_requests_without_a_connection_are_named_and_few_of_them_pass():
    why = "can't connect: Connection refused"
    refused = [request(i, outcome=Outcome.FAILED, sent=None, error=why) for i in range(2)]
    good = [request(i) for i in range(2, 150)]
    said = f"2 of 150 requests found no connection to the server, all with: {why}"
    assert reasons([*refused, *good]) == [f"unreachable: {said}"]
    assert reasons([*refused, *good, *(request(i) for i in range(150, 250))]) == []


def test_that_a_dead_worker_is_named():
    assert reasons([request()], worker_deaths=1) == ["off schedule: 1 load worker(s) died during the run"]


def test_that_all_reasons_stand_beside_each_other():
    found = reasons(late(83, tokens=3, output_tokens=9), clock_step_s=2.0)
    assert len(found) == 3
    assert np.all([isinstance(reason, str) for reason in found])


def _outside(seconds, retries=0, **conditions):
    """100 requests whose server says 40 ms simulated, and whose first token came `seconds` later."""
    records = [
        request(
            i,
            due=i * 0.1,
            ttft=0.021 + seconds,
            queue_ms=10.0,
            prefill_ms=30.0,
            tokens=20,
            gap=0.005,
            retries=retries,
        )
        for i in range(100)
    ]
    frame = RunFrame(length_s=20.0, time_scale=2.0, server_time_scale=1.0)
    return summarize_run(records, frame, conditions=Conditions(**conditions)).reasons


def test_that_time_lost_outside_a_simulated_engine_makes_the_run_machine_bound():
    (reason,) = _outside(0.4, simulated_scale=2.0)
    assert reason.startswith("machine-bound: p95 of 400 ms")


def test_that_the_wait_for_a_next_try_is_no_fault_of_the_machine():
    assert _outside(0.4, retries=1, simulated_scale=2.0) == []


def test_that_time_outside_a_real_server_is_part_of_the_figure():
    assert _outside(0.4) == []


def test_that_a_simulated_engine_that_keeps_up_is_valid():
    assert _outside(0.002, simulated_scale=2.0) == []


def test_that_a_run_in_which_all_requests_timed_out_measured_nothing_and_says_why():
    why = "no whole answer within\n 10 s"
    late = [unanswered(each, outcome=Outcome.TIMED_OUT, error=why) for each in range(3)]
    late.append(unanswered(3, outcome=Outcome.FAILED, error="connection reset"))
    counts = "0 of 4 requests completed, 1 failed, 3 timed out"
    assert f"nothing measured: {counts}, 3 with: no whole answer within 10 s" in reasons(late)
    assert not [why for why in reasons([*late, request(4)]) if why.startswith("nothing measured")]
    # Refused and cancelled as planned: nothing is wrong with the run.
    refused = [unanswered(each, outcome=Outcome.CANCELLED) for each in range(4)]
    assert not [why for why in reasons(refused) if why.startswith("nothing measured")]


def test_that_a_run_in_which_all_requests_failed_measured_nothing():
    failed = [request(i, outcome=Outcome.FAILED, error="connection refused") for i in range(4)]
    said = "nothing measured: 0 of 4 requests completed, 4 failed, all with: connection refused"
    assert said in reasons(failed)
    assert not [why for why in reasons([*failed, request(4)]) if why.startswith("nothing measured")]


@pytest.mark.parametrize("limit", ["max_num_queued_reqs", "max_num_queued_tokens"])
def test_that_a_run_in_which_all_requests_were_rejected_by_design_stays_valid(limit):
    rejected = [unanswered(i, outcome=Outcome.REJECTED) for i in range(4)]
    assert reasons(rejected, asked={limit: 8}, effective={limit: 8}) == []


def test_that_a_run_in_which_all_requests_were_rejected_without_a_limit_that_was_asked_measured_nothing():
    rejected = [unanswered(i, outcome=Outcome.REJECTED, error="HTTP 503: busy") for i in range(20)]
    said = "nothing measured: 0 of 20 requests completed, 20 rejected, all with: HTTP 503: busy"
    assert reasons(rejected, effective={"max_num_queued_reqs": 8}) == [said]


def test_that_a_lost_load_host_is_named():
    lost = message("experiments.host_lost", host="b", why="gone")
    assert reasons([request()], lost_hosts=(lost,)) == ["load host lost: b: gone"]


def test_that_a_clock_known_worse_than_a_late_client_may_be_is_named():
    known = [request(i, ttft=0.1) for i in range(100)]
    assert reasons(known, clock_error_ms=9.9) == []
    assert reasons(known, clock_error_ms=14.0) == [
        "load clocks: a load host's clock is known to 14 ms > 10 ms"
    ]
    assert reasons([request(i, ttft=0.4) for i in range(100)], clock_error_ms=14.0) == []


def test_that_a_missed_common_start_is_named():
    assert reasons([request()], start_late_ms=120.0) == [
        "off schedule: a load worker heard the common start 120 ms too late"
    ]
