"""The twin of a search learns from one run what others would give."""

import msgspec
import pytest

from tests.unit.experiments.search_cases import NAME, NOISE, make_case, measure
from workbench.engine.replay import PerRequestReplay, jobs_of
from workbench.experiments.run.search_twin import SearchTwin, accepted_rps


def test_that_a_replay_accepts_what_a_measured_run_would() -> None:
    case = make_case(1)
    _, summary, _ = measure(case, 24)
    config = msgspec.structs.replace(case.config, max_num_seqs=24)
    jobs = jobs_of(case.trace, case.schedule, config)
    replay = PerRequestReplay(jobs, config, case.model, step_noise=NOISE, seed=24)
    replay.run()
    found, none = accepted_rps(replay, case.schedule, case.objectives, [1.0, 1000.0])
    assert found == pytest.approx(summary.accepted_rps)
    assert none == 0.0


def test_that_one_run_tells_where_the_limit_is() -> None:
    case = make_case(23)
    twin = SearchTwin(case.trace, lambda _: case.schedule, case.objectives)
    records, _, _ = measure(case, case.baseline)
    twin.learn_requests(records, case.config)
    values = [case.baseline, 6, 12]
    predicted = twin.predict(NAME, values, [case.baseline])
    for value in values:
        accepted = measure(case, value)[1].accepted_rps
        assert predicted[value][4] == pytest.approx(accepted, rel=0.1)
