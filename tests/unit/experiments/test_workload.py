"""What a file leaves unsaid about arrivals, and how it is understood."""

import msgspec
import numpy as np
import pytest

from tests.unit.experiments.test_experiment import GOOD, read
from workbench.base import InputError
from workbench.experiments import LoadShape, TraceChoice, arrivals_of
from workbench.experiments.plan.workload import load_trace, make_schedule


@pytest.mark.parametrize(
    ("choice", "arrivals"),
    [({"file": "a.csv"}, "trace"), ({"mix": "chat"}, "trace"), ({"synthetic": "1:1"}, "poisson")],
)
def test_that_a_trace_keeps_its_own_times_and_equal_requests_are_poisson(
    choice: dict[str, str], arrivals: str
) -> None:
    assert arrivals_of(msgspec.convert(choice, TraceChoice), LoadShape(rates=[2.0])) == arrivals


def test_that_arrivals_which_are_stated_hold() -> None:
    assert arrivals_of(TraceChoice(file="a.csv"), LoadShape(rates=[2.0], arrivals="constant")) == "constant"


def test_that_a_profile_is_a_load_of_its_own_or_the_shape_of_a_rate() -> None:
    shape = 'profile = "steps:1@30,3@30"\nduration_s = 60'
    alone = read(GOOD.replace("rates = [12.0]\nduration_s = 30", shape))
    shaped = read(GOOD.replace("duration_s = 30", shape))
    for experiment, rate, mean in ((alone, None, 2.0), (shaped, 12.0, 12.0)):
        trace, _ = load_trace(experiment.trace, experiment.load)
        due = make_schedule(trace, experiment.trace, experiment.load, rate, None).due_s
        assert len(due) == pytest.approx(60 * mean, rel=0.3)
        assert np.count_nonzero(due > 30) > 1.8 * np.count_nonzero(due < 30)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("rates = [12.0]", 'profile = "ramp:1"', "[load] profile: 'ramp:1' is not a rate profile"),
        (
            "rates = [12.0]",
            'profile = "ramp:1:2:9"\nconcurrency = [2]',
            "[load] profile: a closed loop has no rate",
        ),
        ("rates = [12.0]", 'profile = "ramp:1:2:9"\narrivals = "trace"', "[load] profile: profile replaces"),
        ("rates = [12.0]", "rates = [12.0]\nmax_retries = -1", "[load] max_retries: -1 is too small"),
        (
            "rates = [12.0]",
            "rates = [12.0]\nrequest_timeout_s = 0",
            "[load] request_timeout_s: 0 must be greater",
        ),
        ("rates = [12.0]", 'rates = [12.0]\ninput_mode = "token"', "input_mode"),
    ],
)
def test_that_a_load_that_cannot_be_applied_is_refused_by_its_field(old: str, new: str, said: str) -> None:
    with pytest.raises(InputError) as refused:
        read(GOOD.replace(old, new))
    assert said in str(refused.value)


def test_that_equal_requests_without_a_rate_are_refused() -> None:
    with pytest.raises(InputError, match="no times of its own"):
        read(GOOD.replace("rates = [12.0]\n", ""))
