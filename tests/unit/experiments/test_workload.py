"""What a file leaves unsaid about arrivals, and how it is understood."""

import msgspec
import pytest

from tests.unit.experiments.test_experiment import GOOD, read
from workbench.base import InputError
from workbench.experiments import LoadShape, TraceChoice, arrivals_of


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


def test_that_equal_requests_without_a_rate_are_refused() -> None:
    with pytest.raises(InputError, match="no times of their own"):
        read(GOOD.replace("rates = [12.0]\n", ""))
