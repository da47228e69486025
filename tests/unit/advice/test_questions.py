"""The guide's questions answered from scorecard rows whose cells can be words."""

import pytest

from workbench.advice import checklist


@pytest.mark.parametrize(
    ("arrivals", "verdict"),
    [(5.0, "yes"), (1.0, "not measured yet"), (None, "not measured yet"), ("1 | 5", "not measured yet")],
)
def test_that_runs_of_one_row_that_arrived_unlike_are_no_burst(
    arrivals: float | str | None, verdict: str
) -> None:
    row = {"run": "a", "offered_rps": 2.0, "waiting_max": 7.0, "burst_factor": arrivals, "valid": True}
    _targets, burst, *_others = checklist([row], expected_rps=2.0)
    assert burst.verdict == verdict
