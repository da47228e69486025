"""What a run's row says besides its figures."""

import pytest

from tests.unit.experiments.test_experiment import GOOD, read
from workbench.experiments.plan import Configuration
from workbench.experiments.settings import options_of, run_facts
from workbench.experiments.workload import choose_trace, make_schedule
from workbench.servers import Effective


@pytest.mark.parametrize(
    ("control", "moved", "told"),
    [
        ("max_num_seqs", None, None),
        (None, None, None),
        ("dtype", None, "not checked: dtype can change answers"),
        ("quantization", None, "not checked: quantization can change answers"),
        ("kv_cache_dtype + max_num_seqs", None, "not checked: kv_cache_dtype can change answers"),
        ("max_num_seqs", "dtype bfloat16 → float16", "not checked: dtype can change answers"),
    ],
)  # fmt: skip
def test_that_a_run_whose_answers_can_differ_from_the_baselines_says_so(
    control: str | None, moved: str | None, told: str | None
) -> None:
    experiment = read(GOOD)
    configuration = Configuration(experiment=0, control=control, value=None, controls={})
    trace, _ = choose_trace(experiment.trace, experiment.load)
    schedule = make_schedule(trace, experiment.trace, experiment.load, 4.0, None)
    options = options_of(experiment, configuration, Effective(), schedule.length_s, None)
    facts = run_facts(configuration, Effective(), schedule, options, moved)
    assert facts.get("quality_check") == told
