"""A page of any version becomes the same numbers; half a page or another service's is refused."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base import InputError
from workbench.telemetry import MetricsPage
from workbench.vllm_dialect import metrics

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


def series(name: str, **values: float) -> str:
    """Lines of one family, one for each engine by the label `server`."""
    return "".join(f'vllm:{name}{{server="{server}"}} {value}\n' for server, value in values.items())


@pytest.mark.parametrize("parse", [MetricsPage.parse, MetricsPage.parse_sampled])
def test_a_routers_page_has_an_engine_for_each_server_behind_it(parse: Callable[[str], MetricsPage]) -> None:
    page = parse(
        series("num_requests_running", a=3, b=4)
        + series("num_requests_waiting", a=1, b=2)
        + series("gpu_cache_usage_perc", a=0.62, b=0.71)
        + series("current_qps", a=3)
    )
    samples = page.samples(0.0)
    assert [(one.engine, one.running, one.waiting, one.kv_usage) for one in samples] == [
        ("a", 3.0, 1.0, 0.62),
        ("b", 4.0, 2.0, 0.71),
    ]
    assert page.total(metrics.RUNNING) == 7.0


def test_two_models_of_one_program_are_two_engines() -> None:
    page = MetricsPage.parse(
        'vllm:num_requests_running{model="big",version="1"} 3\n'
        'vllm:num_requests_running{model="small",version="1"} 3\n'
        'vllm:kv_cache_usage_perc{model="big",version="1"} 0.55\n'
        'vllm:kv_cache_usage_perc{model="small",version="1"} 0.7\n'
    )
    assert [(one.engine, one.kv_usage) for one in page.samples(0.0)] == [("big", 0.55), ("small", 0.7)]
    assert page.total(metrics.RUNNING) == 6.0


@pytest.mark.parametrize("label", ["model_name", "pid"])
def test_an_engine_that_is_published_twice_counts_once(label: str) -> None:
    def twice(name: str, value: float, more: str = "") -> str:
        return "".join(f'{name}{{engine="0",{label}="{each}"{more}}} {value}\n' for each in ("a", "b"))

    queue = "vllm:request_queue_time_seconds"
    page = MetricsPage.parse(
        twice("vllm:num_requests_running", 3)
        + twice("vllm:kv_cache_usage_perc", 0.7)
        + twice("vllm:num_preemptions_total", 9)
        + twice(f"{queue}_bucket", 4, ',le="0.3"')
        + twice(f"{queue}_bucket", 5, ',le="+Inf"')
        + twice(f"{queue}_count", 5)
        + twice(f"{queue}_sum", 2)
        + twice("vllm:admission_rejections_total", 6, ',reason="max_num_queued_reqs"').replace(
            'engine="0",', ""
        )
    )
    (sample,) = page.samples(0.0)
    assert (sample.running, sample.kv_usage, sample.preemptions, sample.rejected) == (3.0, 0.7, 9.0, 6.0)
    histogram = page.histogram(metrics.QUEUE_TIME)
    assert histogram is not None
    assert (histogram.count, histogram.sum) == (5, 2)


def test_two_models_that_differ_under_one_rank_are_two_engines() -> None:
    page = MetricsPage.parse(
        'vllm:num_requests_running{engine="0",model_name="a"} 3\n'
        'vllm:num_requests_running{engine="0",model_name="b"} 2\n'
        'vllm:kv_cache_usage_perc{engine="0",model_name="a"} 0.7\n'
        'vllm:kv_cache_usage_perc{engine="0",model_name="b"} 0.7\n'
    )
    assert [(one.engine, one.running) for one in page.samples(0.0)] == [("a", 3.0), ("b", 2.0)]


def test_a_label_that_divides_a_counter_and_no_gauge_is_summed() -> None:
    page = MetricsPage.parse(
        'vllm:num_requests_running{engine="0",model_name="m"} 3\n'
        'vllm:prompt_tokens_total{engine="0",model_name="m",source="cache"} 5\n'
        'vllm:prompt_tokens_total{engine="0",model_name="m",source="compute"} 2\n'
    )
    (sample,) = page.samples(0.0)
    assert (sample.engine, sample.prompt_tokens) == ("0", 7.0)


@pytest.mark.parametrize("value", ["NaN", "+Inf", "-Inf", "-1", "1e300"])
def test_a_value_that_cannot_be_measured_is_unknown(value: str) -> None:
    text = (
        f'vllm:num_requests_running{{engine="0"}} {value}\n'
        'vllm:num_requests_running{engine="1"} 2\n'
        f'vllm:generation_tokens_total{{engine="0"}} {value}\n'
        f"process_start_time_seconds {value}\n"
    )
    for page in (MetricsPage.parse(text), MetricsPage.parse_sampled(text)):
        assert [one.running for one in page.samples(0.0)] == [None, 2.0]
        assert page.samples(0.0)[0].generation_tokens is None
        # A sum of what is known would be too small.
        assert page.total(metrics.RUNNING) is None


def test_a_kv_usage_above_one_is_no_ratio_and_unknown() -> None:
    (sample,) = MetricsPage.parse("vllm:kv_cache_usage_perc 71.0\n").samples(0.0)
    assert sample.kv_usage is None


def test_a_sum_that_is_not_a_number_makes_its_histogram_unknown_and_not_the_page() -> None:
    page = MetricsPage.parse(
        'vllm:request_queue_time_seconds_bucket{le="0.3"} 0\n'
        'vllm:request_queue_time_seconds_bucket{le="+Inf"} 0\n'
        "vllm:request_queue_time_seconds_count 0\n"
        "vllm:request_queue_time_seconds_sum NaN\n"
        "vllm:num_requests_running 2\n"
    )
    assert page.histogram(metrics.QUEUE_TIME) is None
    (sample,) = page.samples(0.0)
    assert (sample.running, sample.queue_sum_s, sample.queue_count) == (2.0, None, 0.0)
