"""What a run's row says besides its figures."""

from pathlib import Path

import pytest

from tests.unit.experiments.test_experiment import GOOD, read
from workbench.experiments.plan.plan import Configuration
from workbench.experiments.plan.workload import load_trace, make_schedule
from workbench.experiments.run.run_figures import failure_note
from workbench.experiments.run.run_settings import cache_salt, run_facts, run_load_options
from workbench.results import Outcome, RequestRecord
from workbench.servers import EffectiveConfig


@pytest.mark.parametrize(
    ("control", "moved", "told"),
    [
        ("max_num_seqs", {}, None),
        (None, {}, None),
        ("dtype", {}, "not checked: dtype can change answers"),
        ("quantization", {}, "not checked: quantization can change answers"),
        ("kv_cache_dtype + max_num_seqs", {}, "not checked: kv_cache_dtype can change answers"),
        ("max_num_seqs", {"dtype": ("bfloat16", "float16")}, "not checked: dtype can change answers"),
    ],
)  # fmt: skip
def test_that_a_run_whose_answers_can_differ_from_the_baselines_says_so(
    control: str | None, moved: dict[str, tuple[object, object]], told: str | None
) -> None:
    experiment = read(GOOD)
    configuration = Configuration(experiment=0, control=control, value=None, controls={})
    trace, _ = load_trace(experiment.trace, experiment.load)
    schedule = make_schedule(trace, experiment.trace, experiment.load, 4.0, None)
    options = run_load_options(experiment, configuration, EffectiveConfig(), schedule.length_s, None)
    facts = run_facts(configuration, EffectiveConfig(), schedule, options, moved)
    assert facts.get("quality_check") == told


def test_that_the_cache_salt_of_a_run_is_one_that_vllm_takes() -> None:
    salts = {cache_salt(Path("/a/b.bench"), f"baseline @ {rate} req/s") for rate in (1, 2)}
    # Another try on the same server finds nothing of the first one's cached.
    salts |= {cache_salt(Path("/a/b.bench"), "baseline @ 1 req/s", tries) for tries in (0, 1, 2)}
    assert len(salts) == 4
    for salt in salts:
        assert len(salt) <= 128
        assert not set("@/\\\0") & set(salt)


def test_that_refused_requests_are_told_with_the_commonest_reason() -> None:
    def record(index: int, error: str | None) -> RequestRecord:
        return RequestRecord(
            index=index, row=index, request_id="", cls="", input_tokens=1, output_tokens=1, due=0.0,
            outcome=Outcome.FAILED if error else Outcome.COMPLETED, error=error,
        )  # fmt: skip

    assert failure_note([record(0, None)]) is None
    refused = [record(1, "HTTP 400: no"), record(2, "HTTP 400: no"), record(3, "reset"), record(4, None)]
    assert str(failure_note(refused)) == "3 of 4 requests failed, 2 with: HTTP 400: no"
    assert str(failure_note(refused[:2])) == "2 of 2 requests failed, all with: HTTP 400: no"
