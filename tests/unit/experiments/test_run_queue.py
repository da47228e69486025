"""The queue of runs, changed by the results so far."""

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.experiments.test_experiment import GOOD, read
from workbench.experiments import Experiment, LadderShape, Repeats, make_plan
from workbench.experiments.plan.judged_steps import JudgedStep
from workbench.experiments.plan.plan import Run
from workbench.experiments.plan.run_queue import RunQueue


def adaptive(to: float = 64.0, n: int = 1, bisections: int = 2) -> Experiment:
    shape = msgspec.convert(
        {"from": 2.0, "to": to, "factor": 2.0, "adaptive": True, "bisections": bisections}, LadderShape
    )
    experiment = read(GOOD)
    return msgspec.structs.replace(
        experiment,
        load=msgspec.structs.replace(experiment.load, rates=None, ladder=shape),
        repeat=msgspec.structs.replace(experiment.repeat, n=n),
    )


def judged(run: Run, *, sustained: bool | None, clearly_out: bool = False, **cells: Any) -> JudgedStep:
    configuration = run.configuration
    return JudgedStep(
        run=run.row, control=configuration.control, value=configuration.value, rate=run.rate,
        concurrency=None, sustained=sustained, clearly_out=clearly_out, why="too slow", cells=cells,
    )  # fmt: skip


def climb(experiment: Experiment, limits: dict[str, float]) -> dict[str, list[float]]:
    """Run the queue with configurations that sustain `limits`; return the rates offered to each."""
    run_queue = RunQueue(make_plan([experiment]))
    seen: list[JudgedStep] = []
    offered: dict[str, list[float]] = {}
    while (run := run_queue.next()) is not None:
        assert run.rate is not None
        label = run.configuration.label
        offered.setdefault(label, []).append(run.rate)
        seen.append(judged(run, sustained=run.rate <= limits[label]))
        run_queue.update(run, seen)
    return offered


LIMITS = {"baseline": 7.3, "max_num_seqs = 32": 20.0, "max_num_seqs = 64": 1000.0}


def test_that_an_adaptive_ladder_climbs_till_it_is_too_much_and_then_halves_the_step() -> None:
    offered = climb(adaptive(), LIMITS)
    assert offered["baseline"] == [2.0, 4.0, 8.0, 5.66, 6.73]
    assert offered["max_num_seqs = 32"] == [2.0, 4.0, 8.0, 16.0, 32.0, 22.6, 19.0]
    assert offered["max_num_seqs = 64"] == [2.0, 4.0, 8.0, 16.0, 32.0, 64.0]


def test_that_a_first_rate_that_is_too_much_is_gone_below() -> None:
    offered = climb(adaptive(), LIMITS | {"baseline": 1.2})
    assert offered["baseline"] == [2.0, 1.0, 1.41]


def test_that_later_repeats_run_the_rates_that_the_first_found() -> None:
    offered = climb(adaptive(n=2), LIMITS)
    assert sorted(offered["baseline"]) == sorted([2.0, 4.0, 8.0, 5.66, 6.73] * 2)


@given(limit=st.floats(0.3, 200.0), bisections=st.integers(0, 4))
def test_that_the_limit_always_lies_between_a_rate_borne_and_one_too_much(
    limit: float, bisections: int
) -> None:
    rates = climb(adaptive(bisections=bisections), dict.fromkeys(LIMITS, limit))["baseline"]
    assert len(set(rates)) == len(rates)
    borne, too_much = [rate for rate in rates if rate <= limit], [rate for rate in rates if rate > limit]
    if borne and too_much and limit >= 2.0:
        # Each halving of a step of factor 2 leaves its root.
        assert min(too_much) / max(borne) <= 2.0 ** (0.5**bisections) * 1.05
    elif borne and not too_much:
        assert max(borne) == 64.0


def test_that_a_rate_which_could_not_be_measured_ends_the_climb_without_halving() -> None:
    run_queue = RunQueue(make_plan([adaptive()]))
    run = run_queue.next()
    assert run is not None
    notes = run_queue.update(run, [judged(run, sustained=None, valid=False)])
    assert "higher rates are left out" in str(notes[0])
    following = run_queue.next()
    assert following is not None
    assert following.configuration.label != "baseline"


def dropping() -> Experiment:
    repeat = msgspec.convert({"n": 2, "drop_dominated": True}, Repeats)
    return msgspec.structs.replace(read(GOOD), repeat=repeat)


def test_that_a_value_clearly_out_is_not_repeated_where_the_file_allows_it() -> None:
    run_queue = RunQueue(make_plan([dropping()]))
    seen: list[JudgedStep] = []
    done = []
    while (run := run_queue.next()) is not None:
        out = run.configuration.value == 32
        seen.append(judged(run, sustained=not out, clearly_out=out))
        done.append(run.name)
        run_queue.update(run, seen)
    assert len(done) == len(run_queue) == 5
    assert [name for name in done if "= 32" in name] == ["max_num_seqs = 32 @ 12 req/s #1"]


def test_that_the_baseline_and_whatever_nobody_beats_are_repeated_all_the_same() -> None:
    run_queue = RunQueue(make_plan([dropping()]))
    seen: list[JudgedStep] = []
    while (run := run_queue.next()) is not None:
        seen.append(judged(run, sustained=False, clearly_out=True))
        run_queue.update(run, seen)
    assert len(run_queue) == 6
