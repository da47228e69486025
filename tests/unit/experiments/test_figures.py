"""What must have been measured for a run's figures to be judged."""

import pytest

from tests.unit.results.making import request
from workbench.experiments.run.measurement import Measurement
from workbench.experiments.run.run_figures import Incidents, admission_in, compute_figures, metrics_needed
from workbench.load import LoadOutcome
from workbench.results import Limits, Objectives, RunFrame, RunIdentity
from workbench.servers import EffectiveConfig

NO_OBJECTIVES = Objectives()


def figured(objectives=NO_OBJECTIVES, *, length_s=10.0, closed_loop=False, **incidents):
    """Of a run on a server that has no metrics page and isn't ours."""
    records = [request(i, due=i / 10) for i in range(100)]
    outcome = LoadOutcome(zero=0.0, ended=12.0, workers=1, continuous_usage=True, closed_loop=closed_loop)
    seen = Measurement(
        records=records, samples=[], server=None, outcome=outcome, stopped=False,
        ended=12.0, clock_step_s=0.0, scrape_gaps=0,
    )  # fmt: skip
    return compute_figures(
        seen, RunFrame(length_s=length_s), RunIdentity(), asked={}, effective=EffectiveConfig(),
        objectives=objectives, incidents=Incidents(**incidents),
    )  # fmt: skip


def reasons(objectives=NO_OBJECTIVES, **incidents):
    return list(figured(objectives, **incidents).summary.reasons)


def test_that_an_objective_whose_metric_the_server_lacks_makes_the_run_invalid_with_that_reason():
    assert reasons(Objectives(queue_p95_ms=100)) == ["metrics missing: queue was not measured"]
    assert reasons(Objectives(ttft_p95_ms=500, preemptions=0)) == [
        "metrics missing: preemptions was not measured"
    ]


def test_that_a_server_need_not_tell_what_nobody_asked_for():
    assert reasons(Objectives(ttft_p95_ms=500, error_rate=0.01)) == []


@pytest.mark.parametrize(
    ("length_s", "closed_loop", "duration_s"),
    [(10.0, False, 10.0), (60.0, False, 60.0), (60.0, True, 12.0), (10.0, True, 10.0), (0.0, True, 12.0)],
)
def test_that_a_closed_loop_which_its_requests_end_has_no_silent_tail(length_s, closed_loop, duration_s):
    summary = figured(length_s=length_s, closed_loop=closed_loop).summary
    assert summary.duration_s == duration_s
    assert summary.completed_rps == pytest.approx(100 / duration_s, rel=0.03)


def test_that_a_tunnel_that_dropped_makes_the_run_invalid():
    assert reasons(tunnel_drops=2)[0].startswith("tunnel lost: ")
    assert reasons() == []


def test_that_an_admission_limit_among_a_targets_own_words_was_asked_for():
    assert admission_in(["--max-num-queued-reqs", "32"]) == {"max_num_queued_reqs": 32}
    assert admission_in(["--max-num-queued-tokens=8k"]) == {"max_num_queued_tokens": 8000}
    assert admission_in(["--max-num-seqs", "32"]) == {}


@pytest.mark.parametrize("limit", ["queue_p95_ms", "preemptions", "itl_p95_ms"])
def test_that_a_limit_of_one_class_needs_its_metric_too(limit):
    name = limit.removesuffix("_p95_ms")
    assert metrics_needed(Objectives(classes={"chat": Limits(**{limit: 1.0})})) == (name,)
