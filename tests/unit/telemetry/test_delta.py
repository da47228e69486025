"""What a run changed: counters grow, and a server that restarted has no differences."""

from pathlib import Path

import pytest

from workbench.telemetry import MetricsPage, server_delta
from workbench.vllm_dialect import metrics

SHARED = Path(__file__).parents[4] / "shared" / "data" / "vllm"


def page(preemptions: float, started: float = 5.0, *, slow: float = 0.0, edge: str = "0.3") -> MetricsPage:
    return MetricsPage.parse(
        f"process_start_time_seconds {started}\n"
        f'vllm:num_preemptions_total{{engine="0"}} {preemptions}\n'
        f'vllm:num_preemptions_total{{engine="1"}} {preemptions}\n'
        f'vllm:request_queue_time_seconds_bucket{{engine="0",le="{edge}"}} 4.0\n'
        f'vllm:request_queue_time_seconds_bucket{{engine="0",le="+Inf"}} {4.0 + slow}\n'
        f'vllm:request_queue_time_seconds_count{{engine="0"}} {4.0 + slow}\n'
        f'vllm:request_queue_time_seconds_sum{{engine="0"}} {1.0 + slow}\n'
    )


@pytest.mark.skipif(not SHARED.exists(), reason="no recorded pages here")
def test_that_a_load_on_a_real_server_is_what_it_counted() -> None:
    first = MetricsPage.parse((SHARED / "metrics-0.32-idle.txt").read_text())
    last = MetricsPage.parse((SHARED / "metrics-0.32-after-load.txt").read_text())
    change = server_delta(first, last)
    assert not change.restarted
    assert (change.succeeded, change.rejected, change.preemptions) == (9.0, 4.0, 0.0)
    assert (change.prompt_tokens, change.generation_tokens) == (1397.0, 1228.0)
    assert change.queue is not None
    assert change.queue.count == 9
    assert change.queue == change.histograms[metrics.QUEUE_TIME.name]


def test_that_engines_are_summed_and_earlier_counts_taken_off() -> None:
    change = server_delta(page(2.0), page(5.0, slow=3.0))
    assert change.preemptions == 6.0
    assert change.queue is not None
    assert (change.queue.counts, change.queue.sum) == ((0.0, 3.0), 3.0)
    assert change.rejected is None
    assert metrics.REJECTIONS.name in change.missing


@pytest.mark.parametrize(
    ("later", "sign"),
    [
        (page(1.0, slow=1), "vllm:num_preemptions fell from 4 to 2"),
        (page(9.0, 6.0, slow=1), "its process began +1 s from the one at the run's start"),
        (page(9.0), "vllm:request_queue_time_seconds: a histogram's bucket shrank"),
        (page(9.0, slow=1, edge="0.5"), "vllm:request_queue_time_seconds: histograms with different buckets"),
    ],
    ids=["counter shrank", "another process", "histogram shrank", "other buckets"],
)
def test_that_a_restart_is_noticed_and_says_by_what(later: MetricsPage, sign: str) -> None:
    change = server_delta(page(2.0, slow=1), later)
    assert change.restarted
    assert str(change.restart_sign or "").startswith(sign)
    assert change.preemptions is None
    assert change.queue is None


def test_that_a_counter_that_appeared_began_at_zero() -> None:
    before = MetricsPage.parse('vllm:num_requests_running{engine="0"} 0\n')
    after = MetricsPage.parse('vllm:num_preemptions_total{engine="0"} 4\n')
    assert server_delta(before, after).preemptions == 4.0


def test_a_counter_that_is_not_a_number_has_no_growth() -> None:
    known, unknown = (
        'vllm:num_preemptions_total{engine="0"} 4\n',
        'vllm:num_preemptions_total{engine="0"} NaN\n',
    )
    before, after = MetricsPage.parse(known), MetricsPage.parse(unknown)
    assert server_delta(before, after).preemptions is None
    assert server_delta(after, before).preemptions is None
