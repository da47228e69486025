import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.results.making import request, unanswered
from workbench.results import (
    Conditions,
    Histogram,
    Limits,
    Objectives,
    Outcome,
    RunFrame,
    RunIdentity,
    Sample,
    ServerDelta,
    summarize_run,
)

CONTRACT_KEYS = set(
    """
    requests offered_rps completed_rps output_tok_s input_tok_s duration_s drain_s ttft_ms itl_ms event_gap_ms
    tpot_ms e2e_ms client_delay_ms admission_wait_ms connect_ms queue_ms preemptions running_max waiting_max
    kv_peak classes diverging valid reasons trace_sha256 schedule_sha256 command
    """.split()  # noqa: SIM905  # one name a line would be longer than the test
)


def of(records, length_s=10.0, **frame):
    return summarize_run(records, RunFrame(length_s=length_s, **frame))


def test_that_the_json_has_the_contracts_keys():
    plain = of([request()]).to_json()
    assert plain.keys() >= CONTRACT_KEYS
    assert set(plain["requests"]) == {
        "scheduled", "sent", "completed", "failed", "rejected", "timed_out", "cancelled", "unfinished",
    }  # fmt: skip
    for series in ("ttft_ms", "itl_ms", "e2e_ms", "client_delay_ms", "connect_ms"):
        assert plain[series].keys() >= {"mean", "p50", "p90", "p95", "p99", "max"}
    assert plain["queue_ms"].keys() >= {"mean", "p50", "p90", "p95", "p99", "max", "lo", "hi", "source"}
    assert json.loads(json.dumps(plain)) == plain


def test_that_every_outcome_is_counted_once():
    records = [
        request(0),
        request(1, outcome=Outcome.FAILED),
        unanswered(2, outcome=Outcome.REJECTED),
        unanswered(3, outcome=Outcome.TIMED_OUT),
        request(4, outcome=Outcome.CANCELLED),
        unanswered(5),
        unanswered(6, sent=None),
    ]
    summary = of(records)
    counts = summary.requests
    assert (counts.scheduled, counts.sent) == (7, 6)
    assert (counts.completed, counts.failed, counts.rejected) == (1, 1, 1)
    assert (counts.timed_out, counts.cancelled, counts.unfinished) == (1, 1, 2)
    # Of five that left and the trace did not cancel, four did not complete and one was rejected.
    assert summary.error_rate == pytest.approx(4 / 5)
    assert summary.rejected_rate == pytest.approx(1 / 5)
    assert summary.accepted_share == pytest.approx(1 / 5)


def test_that_rates_count_what_finished_inside_the_window():
    inside = request(0, due=1.0, tokens=3)
    in_the_drain = request(1, due=9.99, tokens=3)
    summary = of([inside, in_the_drain])
    assert summary.offered_rps == pytest.approx(0.2)
    assert summary.completed_rps == pytest.approx(0.1)
    assert summary.output_tok_s == pytest.approx(0.3)
    assert summary.input_tok_s == pytest.approx(10)
    assert summary.duration_s == 10
    assert summary.drain_s == pytest.approx(9.99 + 0.1 + 0.02 - 10)


def test_that_warm_up_requests_enter_no_latency_and_no_count():
    warm = request(0, due=-1.0, ttft=5.0, phase="warmup")
    summary = of([warm, request(1, due=1.0, ttft=0.2)])
    assert summary.requests.scheduled == 1
    assert summary.ttft_ms.max == pytest.approx(200)
    # It finished inside the window all the same, and that is what the server was doing there.
    assert summary.completed_rps == pytest.approx(0.2)


def test_that_the_measured_window_may_be_a_part_of_the_schedule():
    records = [request(0, due=1.0, phase="warmup"), request(1, due=5.0), request(2, due=9.0)]
    summary = of(records, window=(4.0, 10.0))
    assert summary.duration_s == 6
    assert summary.offered_rps == pytest.approx(2 / 6)


def test_that_a_stopped_run_is_partial_and_what_was_open_is_no_error():
    records = [request(0, due=1.0), unanswered(1, due=4.0), unanswered(2, due=8.0, sent=None, released=None)]
    summary = of(records, ended=5.0, stopped=True)
    assert (summary.partial, summary.valid, summary.error_rate) == (True, True, 0)
    assert summary.requests.scheduled == 2
    assert summary.offered_rps == pytest.approx(2 / 5)
    assert summary.duration_s == 5
    assert summary.ttft_ms.censored == 1


def test_that_unanswered_requests_enter_the_tail_as_lower_bounds():
    records = [request(i, due=0.1 * i) for i in range(90)] + [unanswered(90 + i, due=1.0) for i in range(10)]
    summary = of(records, ended=21.0)
    assert summary.ttft_ms.p95 == pytest.approx(20000)
    assert "p95" in summary.ttft_ms.at_least
    assert "p50" not in summary.ttft_ms.at_least
    assert summary.e2e_ms.censored == 10


def test_that_figures_of_a_simulated_run_are_in_simulated_seconds():
    fast = [request(i, due=0.01 * i, ttft=0.005, gap=0.0005, tokens=3) for i in range(100)]
    summary = of(fast, length_s=20.0, time_scale=20.0)
    assert summary.offered_rps == pytest.approx(5)
    assert summary.duration_s == 20
    assert summary.ttft_ms.p50 == pytest.approx(100)
    assert summary.itl_ms.p50 == pytest.approx(10)
    assert summary.client_delay_ms.p50 == pytest.approx(20)
    assert summary.time_scale == 20


def test_that_the_servers_own_queue_time_has_a_scale_of_its_own():
    records = [request(i, queue_ms=7.0) for i in range(100)]
    assert of(records, time_scale=20.0, server_time_scale=1.0).queue_ms.p95 == 7
    assert of(records, time_scale=20.0).queue_ms.p95 == 140


def test_that_an_unknown_token_count_leaves_the_token_rate_unknown():
    unknown = request(1, tokens=3)
    unknown.completion_tokens = unknown.tokens = None
    assert of([request(), unknown]).output_tok_s is None


def test_that_queue_time_comes_from_the_requests_where_they_report_it():
    summary = of([request(i, queue_ms=float(i)) for i in range(100)])
    assert summary.queue_ms.source == "per_request"
    assert summary.queue_ms.p95 == pytest.approx(94.05)
    assert (summary.queue_ms.lo, summary.queue_ms.hi) == (None, None)


def test_that_queue_time_from_a_histogram_is_a_bucket_and_an_exact_mean():
    queue = Histogram(edges=(0.3, 0.5), counts=(90.0, 10.0, 0.0), sum=20.0)
    summary = summarize_run([request()], RunFrame(length_s=1.0), server=ServerDelta(queue=queue))
    assert (summary.queue_ms.lo, summary.queue_ms.hi) == (300, 500)
    assert (summary.queue_ms.mean, summary.queue_ms.p95) == (200, None)
    assert (summary.queue_ms.source, summary.queue_ms.n) == ("histogram", 100)


def test_that_too_few_reports_of_queue_time_are_no_population():
    queue = Histogram(edges=(0.3,), counts=(9.0, 1.0), sum=1.0)
    records = [request(0, queue_ms=1.0), *[request(i) for i in range(1, 10)]]
    summary = summarize_run(records, RunFrame(length_s=1.0), server=ServerDelta(queue=queue))
    assert summary.queue_ms.source == "histogram"


def test_that_requests_still_queued_make_queue_figures_lower_bounds():
    records = [request(i, queue_ms=1.0) for i in range(100)] + [unanswered(100)]
    queue = of(records).queue_ms
    assert queue.censored == 1
    assert set(queue.at_least) == {"mean", "p50", "p90", "p95", "max"}


def test_that_without_any_source_queue_time_is_unknown():
    queue = of([request()]).queue_ms
    assert (queue.source, queue.mean, queue.lo) == (None, None, None)


def test_that_engines_add_up_and_the_fullest_cache_counts():
    samples = [
        Sample(t=1.0, engine="0", running=3, waiting=1, kv_usage=0.4, preemptions=10),
        Sample(t=1.0, engine="1", running=4, waiting=0, kv_usage=0.9, preemptions=0),
        Sample(t=7.0, engine="0", running=2, waiting=5, kv_usage=0.3, preemptions=12),
        Sample(t=7.0, engine="1", running=2, waiting=5, kv_usage=0.2, preemptions=1),
    ]
    summary = summarize_run([request(due=8.0)], RunFrame(length_s=10.0), samples=samples)
    assert (summary.running_max, summary.waiting_max, summary.kv_peak) == (7, 10, 0.9)
    assert summary.preemptions == 3


def test_that_peaks_before_the_window_do_not_count():
    samples = [Sample(t=-1.0, running=9), Sample(t=3.0, running=2), Sample(t=8.0, running=1)]
    assert summarize_run([request(due=8.0)], RunFrame(length_s=10.0), samples=samples).running_max == 2


def test_that_counters_of_a_restarted_server_are_unknown():
    server = ServerDelta(preemptions=5, prefix_queries=10, prefix_hits=5, restarted=True)
    summary = summarize_run([request()], RunFrame(length_s=1.0), server=server)
    assert (summary.preemptions, summary.prefix_hit) == (None, None)


def finished(prompt: float, computed: float) -> dict[str, Histogram]:
    """What vLLM counts of finished requests: prompt tokens, and those that prefill computed."""
    sums = {"vllm:request_prompt_tokens": prompt, "vllm:request_prefill_kv_computed_tokens": computed}
    return {name: Histogram(edges=(1e6,), counts=(10.0, 0.0), sum=total) for name, total in sums.items()}


@pytest.mark.parametrize(
    ("version", "simulated_scale", "share"),
    [
        ("0.27.1", None, 0.3),
        ("0.32.0", None, 0.3),
        ("0.26.0", None, 0.45),
        ("0.26.0", 1.0, 0.3),
        (None, None, 0.3),
    ],
)
def test_the_prefix_share_of_a_version_that_counts_attempts_comes_from_finished_requests(
    version: str | None, simulated_scale: float | None, share: float
):
    server = ServerDelta(prefix_queries=1000, prefix_hits=300, histograms=finished(100.0, 55.0))
    conditions = Conditions(vllm_version=version, simulated_scale=simulated_scale)
    summary = summarize_run([request()], RunFrame(length_s=1.0), server=server, conditions=conditions)
    assert summary.prefix_hit == pytest.approx(share)


def test_the_prefix_share_is_unknown_where_a_version_counts_attempts_and_nothing_else():
    """0.11 and 0.12 have no histogram of computed tokens."""
    server = ServerDelta(prefix_queries=1000, prefix_hits=300)
    conditions = Conditions(vllm_version="0.12.0", prefix_hit_ideal=0.1)
    summary = summarize_run([request()], RunFrame(length_s=1.0), server=server, conditions=conditions)
    assert summary.prefix_hit is None
    assert not [reason for reason in summary.reasons if "warm" in reason]


def test_attempts_that_were_counted_do_not_make_a_run_invalid():
    """Attempts say 49 %, the requests had 40 %, and the trace allows 41 %."""
    server = ServerDelta(prefix_queries=1000, prefix_hits=490, histograms=finished(100.0, 60.0))
    for version, is_warm in (("0.26.0", False), ("0.27.0", True)):
        conditions = Conditions(vllm_version=version, prefix_hit_ideal=0.41)
        summary = summarize_run([request()], RunFrame(length_s=1.0), server=server, conditions=conditions)
        assert any("warm cache" in reason for reason in summary.reasons) is is_warm


def test_that_a_cache_without_hits_is_known_to_have_none():
    server = ServerDelta(prefix_queries=100, prefix_hits=0)
    assert summarize_run([request()], RunFrame(length_s=1.0), server=server).prefix_hit == 0


def test_that_every_class_has_figures_of_its_own():
    records = [request(i, cls="long", ttft=1.0) for i in range(80)]
    records += [request(80 + i, cls="chat", ttft=0.1) for i in range(20)]
    summary = of(records)
    assert list(summary.classes) == ["chat", "long"]
    assert summary.classes["long"].ttft_ms.p95 == pytest.approx(1000)
    assert summary.classes["chat"].ttft_ms.p95 is None
    assert summary.classes["chat"].completed_rps == pytest.approx(2)
    assert summary.ttft_ms.p95 == pytest.approx(1000)


def test_that_accepted_needs_every_latency_objective_of_that_request():
    objectives = Objectives(ttft_p95_ms=200, e2e_p95_ms=1000, itl_p95_ms=50)
    records = [
        request(0, ttft=0.1),
        request(1, ttft=0.3),
        request(2, ttft=0.1, tokens=50, gap=0.04),
        request(3, ttft=0.1, tokens=3, gap=0.06),
        request(4, ttft=0.1, outcome=Outcome.CANCELLED),
    ]
    summary = summarize_run(records, RunFrame(length_s=10.0), objectives=objectives)
    assert summary.accepted == 1
    assert summary.accepted_rps == pytest.approx(0.1)
    assert summary.accepted_share == pytest.approx(0.25)


def test_that_a_class_may_have_limits_of_its_own():
    objectives = Objectives(ttft_p95_ms=200, classes={"long": Limits(ttft_p95_ms=2000)})
    records = [request(0, ttft=1.0, cls="chat"), request(1, ttft=1.0, cls="long")]
    summary = summarize_run(records, RunFrame(length_s=10.0), objectives=objectives)
    assert (summary.classes["chat"].accepted, summary.classes["long"].accepted) == (0, 1)


def test_that_identity_is_carried_over():
    identity = RunIdentity(
        simulated=True, profile="h100/x/tp1", trace_sha256="a", schedule_sha256="b", command="c"
    )
    plain = summarize_run([request()], RunFrame(length_s=1.0), identity=identity).to_json()
    assert (plain["profile"], plain["trace_sha256"], plain["command"]) == ("h100/x/tp1", "a", "c")


def test_that_a_run_without_any_request_has_unknown_figures():
    summary = of([])
    assert summary.requests.scheduled == 0
    assert (summary.error_rate, summary.ttft_ms.mean, summary.drift) == (None, None, None)
    assert summary.completed_rps == 0


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.integers(1, 300))
def test_that_figures_over_any_records_are_numpys_over_the_same_population(seed, n):
    rng = np.random.default_rng(seed)
    outcomes = rng.choice([Outcome.COMPLETED, Outcome.FAILED, Outcome.CANCELLED], n)
    records = [
        request(i, due=float(i), ttft=float(rng.exponential()), outcome=outcome)
        for i, outcome in enumerate(outcomes)
    ]
    summary = of(records, length_s=float(n))
    ttft = [1000 * (record.first_token - record.due) for record in records]
    e2e = [1000 * (record.done - record.due) for record in records if record.outcome == Outcome.COMPLETED]
    assert summary.ttft_ms.p50 == pytest.approx(np.percentile(ttft, 50))
    if n >= 72:
        assert summary.ttft_ms.p95 == pytest.approx(np.percentile(ttft, 95))
    if e2e:
        assert summary.e2e_ms.mean == pytest.approx(np.mean(e2e))
    counts = summary.requests
    assert counts.completed + counts.failed + counts.cancelled == counts.scheduled == n
