"""A plan whose runs are too short for a percentile says so before the time is spent."""

from tests.unit.experiments.test_experiment import GOOD, read
from workbench.experiments import make_plan, too_few_requests
from workbench.experiments.plan.workload import load_trace


def said(*changes: tuple[str, str]) -> list[str]:
    text = GOOD
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    experiment = read(text)
    trace = load_trace(experiment.trace, experiment.load)[0]
    return [str(each) for each in too_few_requests(make_plan([experiment]), trace)]


def test_that_each_rate_is_told_what_it_lacks_and_what_would_be_enough() -> None:
    lines = said(("rates = [12.0]", "rates = [2, 4, 20]"), ("duration_s = 30", "requests = 60"))
    assert lines[0] == (
        "at 2 req/s a run has 60 requests, too few for p95 (72 are needed: 36 s) and p99 (368: 184 s)"
    )
    assert lines[2].startswith("at 20 req/s a run has 60 requests, too few for p95 (72 are needed: 4 s)")


def test_that_p95_and_p99_have_their_own_floors() -> None:
    for requests, lacking in ((71, "p95"), (72, "p99"), (367, "p99")):
        (line,) = said(("duration_s = 30", f"requests = {requests}"))
        assert f"too few for {lacking}" in line
    assert said(("duration_s = 30", "requests = 368")) == []


def test_that_a_closed_loop_is_told_by_its_number_and_not_by_its_time() -> None:
    loop = ("rates = [12.0]", "concurrency = [4]")
    assert said(loop, ("duration_s = 30", "requests = 40")) == [
        "with 4 at once a run has 40 requests, too few for p95 (72 are needed) and p99 (368)"
    ]
    assert said(loop) == []
