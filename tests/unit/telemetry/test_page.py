"""A page of any version becomes the same numbers; half a page or another service's is refused."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base import InputError
from workbench.dialect import metrics
from workbench.telemetry import MetricsPage

SHARED = Path(__file__).parents[4] / "shared" / "data" / "vllm"
real_pages = pytest.mark.skipif(not SHARED.exists(), reason="no recorded pages here")


def loaded() -> str:
    return (SHARED / "metrics-0.32-after-load.txt").read_text()


@real_pages
def test_that_a_real_page_gives_gauges_counters_and_histograms() -> None:
    page = MetricsPage.parse(loaded())
    (sample,) = page.samples(2.5)
    assert (sample.t, sample.engine, sample.running, sample.waiting) == (2.5, "0", 0.0, 0.0)
    assert (sample.prompt_tokens, sample.generation_tokens, sample.succeeded) == (1397.0, 1228.0, 9.0)
    assert (sample.rejected, sample.queue_count, sample.deferred) == (4.0, 9.0, 0.0)
    queue = page.histogram(metrics.QUEUE_TIME)
    assert queue is not None
    assert queue.edges == metrics.REQUEST_EDGES
    assert queue.count == 9
    assert page.histogram(metrics.ITERATION_TOKENS) is not None
    assert page.cache_config["num_gpu_blocks"] == "48"
    assert page.model_names == ("tiny",)
    assert page.missing() == ()


def test_that_requests_that_wait_for_something_else_than_capacity_are_told_apart_by_engine() -> None:
    by_reason = [
        f'vllm:num_requests_waiting_by_reason{{engine="{engine}",model_name="m",reason="{reason}"}} {count}.0'
        for engine, reason, count in (("0", "capacity", 5), ("0", "deferred", 2), ("1", "capacity", 1))
    ]
    plain = [f'vllm:num_requests_waiting{{engine="{engine}",model_name="m"}} 7.0' for engine in "01"]
    text = "\n".join([*plain, *by_reason]) + "\n"
    for page in (MetricsPage.parse(text), MetricsPage.parse_sampled(text)):
        assert [sample.deferred for sample in page.samples(0.0)] == [2.0, None]
        assert [sample.waiting for sample in page.samples(0.0)] == [7.0, 7.0]
    assert MetricsPage.parse("\n".join(plain) + "\n").samples(0.0)[0].deferred is None


@real_pages
def test_that_sampling_reads_the_same_figures_as_the_whole_page() -> None:
    text = loaded()
    assert MetricsPage.parse_sampled(text).samples(0.0) == MetricsPage.parse(text).samples(0.0)


@real_pages
@given(share=st.floats(0.05, 0.99))
def test_that_a_page_cut_off_inside_a_line_or_a_histogram_is_refused(share: float) -> None:
    text = loaded()
    begin = text.index("\n", text.index("vllm:request_prompt_tokens_bucket")) + 1
    end = text.index("vllm:request_prompt_tokens_sum")
    cut = text[: begin + int((end - begin) * share)]
    with pytest.raises(InputError, match="http://x/metrics: "):
        MetricsPage.parse(cut.removesuffix("\n"), where="http://x/metrics")
    with pytest.raises(InputError, match="http://x/metrics: "):
        MetricsPage.parse(cut[: cut.rindex("\n") + 1], where="http://x/metrics")


@pytest.mark.parametrize(
    "text",
    ["", "<html><body>Welcome to nginx</body></html>\n", "# TYPE up gauge\nup 1\n", '{"detail":"Not Found"}'],
)
def test_that_another_services_page_is_named_as_such(text: str) -> None:
    with pytest.raises(InputError, match="no series of vLLM"):
        MetricsPage.parse(text)


@given(st.text())
def test_that_garbage_after_a_real_name_is_refused_or_read(garbage: str) -> None:
    text = f"vllm:num_requests_running{garbage}\n"
    try:
        samples = MetricsPage.parse(text).samples(0.0)
    except InputError:
        return
    assert samples


def test_that_old_names_mean_the_same() -> None:
    page = MetricsPage.parse(
        'vllm:gpu_cache_usage_perc{model_name="m"} 0.25\n'
        'vllm:gpu_prefix_cache_queries_total{model_name="m"} 7.0\n'
        'vllm:num_preemptions_total{model_name="m"} 3.0\n'
    )
    (sample,) = page.samples(0.0)
    assert (sample.kv_usage, sample.prefix_queries, sample.preemptions) == (0.25, 7.0, 3.0)
    assert sample.running is None
    assert sample.rejected is None


def test_that_a_page_with_both_names_counts_once() -> None:
    text = (
        'vllm:gpu_prefix_cache_hits_total{engine="0"} 5.0\n'
        'vllm:prefix_cache_hits_total{engine="0"} 5.0\n'
        'vllm:kv_cache_usage_perc{engine="0"} 0.5\n'
        'vllm:gpu_cache_usage_perc{engine="0"} 0.5\n'
    )
    for page in (MetricsPage.parse(text), MetricsPage.parse_sampled(text)):
        (sample,) = page.samples(0.0)
        assert (sample.prefix_hits, sample.kv_usage) == (5.0, 0.5)


def test_that_engines_are_kept_apart_and_summed_over_reasons() -> None:
    page = MetricsPage.parse(
        'vllm:num_requests_running{engine="0",model_name="m"} 1.0\n'
        'vllm:num_requests_running{engine="10",model_name="m"} 3.0\n'
        'vllm:num_requests_running{engine="2",model_name="m"} 2.0\n'
        'vllm:request_success_total{engine="0",finished_reason="stop",model_name="m"} 4.0\n'
        'vllm:request_success_total{engine="0",finished_reason="length",model_name="m"} 5.0\n'
        'vllm:admission_rejections_total{model_name="m",reason="max_num_queued_reqs"} 6.0\n'
    )
    samples = page.samples(0.0)
    assert [(sample.engine, sample.running) for sample in samples] == [("0", 1.0), ("2", 2.0), ("10", 3.0)]
    assert samples[0].succeeded == 9.0
    assert [sample.rejected for sample in samples] == [6.0, None, None]
    assert page.total(metrics.RUNNING) == 6.0


def test_that_not_a_number_is_unknown_and_not_zero() -> None:
    (sample,) = MetricsPage.parse("vllm:num_requests_running 2\nvllm:kv_cache_usage_perc NaN\n").samples(0.0)
    assert (sample.running, sample.kv_usage) == (2.0, None)


def test_that_the_created_gauge_of_iteration_tokens_is_no_bucket() -> None:
    page = MetricsPage.parse(
        'vllm:iteration_tokens_total_bucket{le="1.0"} 1.0\n'
        'vllm:iteration_tokens_total_bucket{le="+Inf"} 2.0\n'
        "vllm:iteration_tokens_total_count 2.0\n"
        "vllm:iteration_tokens_total_sum 9.0\n"
        "vllm:iteration_tokens_total_created 1.79e+09\n"
    )
    histogram = page.histogram(metrics.ITERATION_TOKENS)
    assert histogram is not None
    assert (histogram.counts, histogram.sum) == ((1.0, 1.0), 9.0)
