"""Diagnosis of what users reported; the texts lie beside the project and the tests skip without them."""

from pathlib import Path

import pytest

from workbench.advice import Bottleneck, Diagnosis, RunView, diagnose, read_stats_lines
from workbench.results import Sample
from workbench.telemetry import MetricsPage

CASES = Path(__file__).parents[4] / "shared" / "data" / "cases"
pytestmark = pytest.mark.skipif(not CASES.exists(), reason="the folder of real inputs is not here")


def _lines(case: str) -> list[str]:
    return (CASES / f"{case}.txt").read_text(encoding="utf-8").splitlines()


def _rules(found: Diagnosis) -> list[str]:
    return [finding.rule for finding in found.findings]


def test_case_11_that_preemption_is_foretold_before_it_happens() -> None:
    found = diagnose(RunView(samples=read_stats_lines(_lines("11"))))
    assert _rules(found) == ["R4"]
    assert found.change is not None
    assert found.change.control == "max_num_seqs"


def test_case_14_that_a_queue_behind_flat_prefill_is_not_blamed_on_memory() -> None:
    found = diagnose(RunView(samples=read_stats_lines(_lines("14"))))
    assert found.main is Bottleneck.BUDGET
    finding = found.findings[0]
    assert finding.confidence == "high"
    assert any(
        "flat at 24,0" in str(sentence) or "flat at 23,9" in str(sentence) for sentence in finding.evidence
    )
    assert found.change is not None
    assert found.change.control != "gpu_memory_utilization"


def test_case_15_that_one_long_request_is_named_as_the_owner_of_the_pool() -> None:
    found = diagnose(RunView(samples=read_stats_lines(_lines("15"))))
    assert found.main is Bottleneck.ONE_REQUEST


def test_case_17_that_waiting_with_an_empty_pool_is_a_livelock() -> None:
    page = MetricsPage.parse("\n".join([*_lines("17"), ""]))
    taken = [sample for t in range(10) for sample in page.samples(float(t))]
    assert diagnose(RunView(samples=taken)).main is Bottleneck.LIVELOCK


def test_case_18_that_a_ttft_of_microseconds_is_not_believed() -> None:
    page = MetricsPage.parse("\n".join([*_lines("18"), ""]))
    end = page.samples(30.0)
    start = [Sample(t=float(t), ttft_sum_s=0.0, ttft_count=0.0) for t in range(3)]
    assert "R10" in _rules(diagnose(RunView(samples=[*start, *end])))


def test_case_27_that_an_early_queue_with_memory_free_is_a_blocked_head() -> None:
    (line,) = read_stats_lines(_lines("27"))
    taken = [Sample(**{**_fields(line), "t": 10.0 * index}) for index in range(4)]
    found = diagnose(RunView(samples=taken, limits={"max_num_seqs": 64, "max_num_batched_tokens": 4096}))
    assert found.main is Bottleneck.BLOCKED_HEAD
    assert "memory isn't the limit" in str(found.findings[0].verdict)


def _fields(sample: Sample) -> dict[str, float | str | None]:
    return {name: getattr(sample, name) for name in Sample.__struct_fields__}
