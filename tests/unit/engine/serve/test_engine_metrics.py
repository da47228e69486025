"""What is counted when, and how the page shows it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from workbench.engine.ideal_timeline import Arrival, Timeline
from workbench.engine.scheduler import Request, Scheduler, SchedulerConfig
from workbench.engine.server.engine_metrics import Bins, EngineMetrics, histogram_edges
from workbench.engine.server.exposition import page, sample
from workbench.engine.server.frames import Timing
from workbench.engine.server.httpmetrics import HttpMetrics
from workbench.engine.server.lateness import LatenessHistogram
from workbench.engine.server.step_outputs import Served, StepOutputs
from workbench.vllm_dialect import metrics


def driven(
    config: SchedulerConfig, rows: list[tuple[float, int, int]], *, leave_at: dict[int, float] | None = None
) -> EngineMetrics:
    """Run these (arrival, prompt, output) to their end; steps take 1 s."""
    return driven_outputs(config, rows, leave_at=leave_at)[0].tally


def driven_outputs(
    config: SchedulerConfig, rows: list[tuple[float, int, int]], *, leave_at: dict[int, float] | None = None
) -> tuple[StepOutputs, dict[int, Timing]]:
    """The same; also each finished request's stamps by its number."""
    scheduler = Scheduler(config)
    timings: dict[int, Timing] = {}
    watcher = StepOutputs(scheduler, EngineMetrics(histogram_edges(config.max_model_len, {})), 1000, None)
    line = Timeline(scheduler, lambda _: 1.0, watcher)
    arrivals = []
    for k, (stamp, prompt, output) in enumerate(rows):
        request = Request(f"r{k}", prompt, output)
        watcher.expect(Served(k, request, stamp, k, [100] * prompt))
        arrivals.append(Arrival(stamp, request))
        if k in (leave_at or {}):
            arrivals.append(Arrival((leave_at or {})[k], request, abort=True))
    for arrival in sorted(arrivals, key=lambda each: each.stamp):
        line.hand_in(arrival)
    while line.next_event() is not None:
        line.run_one()
        outputs, watcher.outputs = watcher.outputs, None
        timings |= {one.handle: one.timing for one in (outputs.ended if outputs else ()) if one.timing}
    return watcher, timings


def config(**changes: object) -> SchedulerConfig:
    given = {
        "num_gpu_blocks": 100, "max_model_len": 512, "max_num_seqs": 2, "max_num_batched_tokens": 64,
        "async_scheduling": False, "enable_prefix_caching": False, **changes,
    }  # fmt: skip
    return SchedulerConfig(**given)  # type: ignore[arg-type]  # the fields of one struct


def test_that_queue_time_ends_at_the_first_scheduling_and_is_fed_at_the_finish() -> None:
    tally = driven(config(max_num_seqs=1), [(0.0, 10, 3), (0.5, 10, 1)])
    queue = tally.bins[metrics.QUEUE_TIME.name]
    # The second was taken at 1 s, when the running step ended, and scheduled at 3 s.
    assert queue.sum == pytest.approx(2.0)
    ttft = tally.bins[metrics.TTFT.name]
    assert ttft.sum == pytest.approx(1.0 + 3.5)


def test_that_waiting_again_is_told_of_the_preempted_alone() -> None:
    # Nine usable blocks: both decode until they are spent, then the second waits for the first to end.
    settings = config(num_gpu_blocks=10, max_num_batched_tokens=128)
    watcher, timings = driven_outputs(settings, [(0.0, 60, 30), (0.0, 60, 30)])
    assert watcher.tally.preemptions == 1
    assert timings[0].requeue_wait is None
    waited = timings[1].requeue_wait
    assert waited is not None
    assert waited >= 1.0
    # Otherwise each step gives it a token, also the one that computes prompt and tokens again.
    assert timings[1].last_token - timings[1].scheduled == pytest.approx(waited + 30.0)


def test_that_a_client_that_leaves_is_in_the_token_counters_but_in_no_finish() -> None:
    tally = driven(config(), [(0.0, 10, 50)], leave_at={0: 2.5})
    assert tally.generation_tokens == 2
    assert tally.prompt_tokens == 10
    assert sum(tally.ended.values()) == 0
    assert sum(tally.bins[metrics.E2E.name].counts) == 0
    assert sum(tally.bins[metrics.TTFT.name].counts) == 1


def test_that_a_preemption_is_counted_with_the_next_token_and_never_if_it_does_not_come() -> None:
    tight = config(num_gpu_blocks=9, max_model_len=128, scheduler_reserve_full_isl=True)
    rows = [(0.0, 48, 60), (0.0, 48, 60)]
    counted = driven(tight, rows)
    assert counted.preemptions >= 1
    assert counted.bins[metrics.REQUEST_PREEMPTIONS.name].sum == counted.preemptions
    # The second is preempted when the first needs its fifth block, at 17 s; it leaves before it is resumed.
    silent = driven(tight, rows, leave_at={1: 30.0})
    assert silent.preemptions == 0


def test_that_a_step_is_observed_with_its_outputs_and_the_prompts_it_ended() -> None:
    tally = driven(config(), [(0.0, 100, 2)])
    iteration = tally.bins[metrics.ITERATION_TOKENS.name]
    assert (sum(iteration.counts), iteration.sum) == (2, 102)


def test_that_the_prefix_counters_move_at_the_first_admission_only() -> None:
    tally = driven(config(enable_prefix_caching=True), [(0.0, 33, 1), (5.0, 33, 1)])
    assert (tally.prefix_queries, tally.prefix_hits) == (66, 0)


@given(st.lists(st.floats(0, 1e4), max_size=40))
def test_that_a_bucket_holds_what_is_at_most_its_bound(values: list[float]) -> None:
    bins = Bins([0.3, 1.0, 50.0])
    for value in values:
        bins.add(value)
    cumulative = [sum(bins.counts[: k + 1]) for k in range(4)]
    assert cumulative == [sum(v <= bound for v in values) for bound in (0.3, 1.0, 50.0, float("inf"))]


@given(st.dictionaries(st.sampled_from("abc"), st.text(max_size=8), min_size=1), st.floats(allow_nan=False))
def test_that_any_label_and_value_is_read_back(labels: dict[str, str], value: float) -> None:
    text = f"# TYPE x gauge\n{sample('x', labels, value)}\n"
    (family,) = text_string_to_metric_families(text)
    (read,) = family.samples
    assert (read.labels, read.value) == (labels, value)


def test_that_http_requests_are_counted_by_handler_and_class_and_scrapes_are_not() -> None:
    http = HttpMetrics()
    http.add("/v1/completions", "POST", 200, 0.2, received=10, sent=0)
    http.add("/v1/completions", "POST", 503, 0.01, received=10, sent=99)
    http.add("/metrics", "GET", 200, 0.2, received=0, sent=5)
    text = page(http.families()).decode()
    assert 'http_requests_total{handler="/v1/completions",method="POST",status="5xx"} 1.0' in text
    assert (
        'http_request_duration_seconds_bucket{handler="/v1/completions",le="0.5",method="POST"} 2.0' in text
    )
    assert "http_request_duration_highr_seconds_count 2.0" in text
    assert "/metrics" not in text
    assert len(list(text_string_to_metric_families(text))) == 10


def test_that_lateness_is_told_in_milliseconds_by_bins_of_a_quarter() -> None:
    late = LatenessHistogram()
    assert late.quantile(0.5) is None
    for k in range(100):
        late.add(k / 1e5)
    told = late.summary()
    assert told["steps"] == 100
    assert 0.99 <= told["p99"] / 0.98 <= 1.25
    assert told["max"] == pytest.approx(0.99)
