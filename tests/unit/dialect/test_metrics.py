"""Names, labels and buckets are vLLM's own."""

import re
from pathlib import Path

import pytest

from workbench.vllm_dialect import METRICS, MetricKind, find_metric, metrics, token_edges

PAGE = Path(__file__).parents[4] / "shared" / "data" / "vllm" / "metrics-0.32-after-load.txt"
real_page = pytest.mark.skipif(not PAGE.exists(), reason="no recorded page of a real server here")


@real_page
def test_that_every_family_has_the_help_and_kind_of_the_real_page() -> None:
    text = PAGE.read_text()
    for metric in METRICS:
        assert f"# HELP {metric.exposed} {metric.help}\n" in text
        assert f"# TYPE {metric.exposed} {metric.kind}\n" in text


@real_page
def test_that_buckets_and_labels_are_those_of_the_real_page() -> None:
    text = PAGE.read_text()
    for metric in METRICS:
        sample = metric.name + ("_bucket" if metric.kind is MetricKind.HISTOGRAM else "")
        if metric is metrics.CACHE_CONFIG:
            continue
        first = re.search(rf"^{metric.exposed}\S*\{{(.*)}}", text, re.MULTILINE)
        labels = set(re.findall(r'(\w+)="', first[1]))
        engine = {"engine"} if metric.per_engine else set()
        assert labels - {"le"} == {"model_name", *engine, *metric.labels}
        if metric.kind is MetricKind.HISTOGRAM:
            bounds = re.findall(rf'^{sample}\{{.*le="([^"]+)"', text, re.MULTILINE)
            expected = metric.edges if metric.edges is not None else token_edges(1024)
            assert [float(bound) for bound in bounds] == [*expected, float("inf")]


def test_that_token_edges_stop_at_the_context_length() -> None:
    assert token_edges(1) == (1.0,)
    assert token_edges(50) == (1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
    assert token_edges(8192)[-1] == 5000.0


def test_that_a_former_name_stands_for_the_same_family() -> None:
    assert find_metric("vllm:gpu_cache_usage_perc") is metrics.KV_USAGE
    assert find_metric("vllm:time_per_output_token_seconds") is metrics.ITL
    assert find_metric("vllm:request_time_per_output_token_seconds") is metrics.TPOT
    assert find_metric("vllm:num_requests_swapped") is None


def test_that_no_two_families_share_a_name() -> None:
    names = [name for metric in METRICS for name in (metric.name, *metric.former)]
    assert len(names) == len(set(names))
