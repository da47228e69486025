"""The twin of a search learns from one run what others would give."""

from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from tests.unit.experiments.search_cases import NAME, NOISE, make_case, measure
from workbench.base import Place, Refusal
from workbench.engine import SchedulerConfig
from workbench.engine.replay import PerRequestReplay, jobs_of
from workbench.experiments.run import search_twin
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


def test_that_the_requests_tell_what_a_record_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    case = make_case(23)
    records, _, _ = measure(case, case.baseline)
    asked: list[Any] = []

    def refuse(header: object, where: str) -> SchedulerConfig:
        asked.append(header)
        raise Refusal("engine.record_incomplete", Place(file=where), what=["policy"])

    monkeypatch.setattr(search_twin, "open_step_indexes", lambda *_: [SimpleNamespace(header="header")])
    monkeypatch.setattr(search_twin, "recorded_config", refuse)
    effective = msgspec.structs.asdict(case.config)
    run: Any = SimpleNamespace(id=1, name="r", effective=effective, config={}, time_scale=1.0)
    bench: Any = SimpleNamespace(requests=lambda _: records)
    twin = SearchTwin(case.trace, lambda _: case.schedule, case.objectives)
    twin.learn_run(bench, run)
    assert asked == ["header"]
    assert twin.predict(NAME, [case.baseline])
