"""Before a start one is told which runs would be too short to say something."""

from tests.unit.experiments.test_experiment import GOOD, read
from workbench.experiments import make_plan, prepare, too_short_runs

CAPACITY = 10.0


def told(rates: str, duration_s: float, repeats: int = 1) -> list[str]:
    text = GOOD.replace("rates = [12.0]", f"rates = {rates}").replace(
        "duration_s = 30", f"duration_s = {duration_s}"
    )
    plan = make_plan([read(f"{text}[repeat]\nn = {repeats}\n")])
    return [str(note) for note in too_short_runs(plan, prepare(plan, None)[0], CAPACITY)]


def test_that_a_run_near_capacity_that_is_shorter_than_ten_relaxation_times_is_named() -> None:
    (said,) = told("[5.0, 9.5, 10.0, 12.0]", 60)
    assert said.startswith(
        "9.5 req/s is 95 % of a capacity of 10 req/s, where a queue takes about 1 min to settle: "
    )
    assert said.endswith(
        "a run of 1 min would depend on chance; 13 min, in one run or in repeats, would show more."
    )


def test_that_long_runs_or_enough_repeats_are_left_alone() -> None:
    assert told("[9.5]", 900) == []
    assert told("[9.5]", 180, repeats=5) == []
    assert told("[7.0]", 60) == []
    (said,) = told("[9.5]", 60, repeats=5)
    assert "5 repeats of 1 min would depend on chance" in said
