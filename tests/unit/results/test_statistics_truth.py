"""The statistics on simulated servers of which the truth is known."""

import heapq
from collections.abc import Iterator

import numpy as np
import pytest

from workbench.results import Arm, Difference, difference
from workbench.results.percentiles import Floats
from workbench.results.statistics.bootstrap import RunValues

SEATS, SERVICE_S, LENGTH_S = 16, 2.0, 120.0
CAPACITY = SEATS / SERVICE_S

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def arrivals(rng: np.random.Generator, *, load: float, length_s: float) -> Floats:
    n = int(load * CAPACITY * length_s)
    return np.cumsum(rng.exponential(1 / (load * CAPACITY), n))


def ttft(
    schedule: int,
    noise: np.random.Generator,
    *,
    load: float,
    restart_sd: float,
    prefill_s: float | Floats = 0.1,
    length_s: float = LENGTH_S,
) -> Floats:
    """TTFT of one run: prefill and the queue for 16 seats; a restart makes the whole run slower or faster.

    `prefill_s` is one for all requests, or one each.
    """
    rng = np.random.default_rng(schedule)
    due = arrivals(rng, load=load, length_s=length_s).tolist()
    n = len(due)
    speed = float(np.exp(restart_sd * noise.standard_normal()))
    service = (speed * rng.gamma(4, SERVICE_S / 4, n)).tolist()
    prefill = prefill_s * speed * rng.gamma(9, 1 / 9, n) * np.exp(0.05 * noise.standard_normal(n))
    free, waits = [0.0] * SEATS, np.empty(n)
    for i in range(n):
        begun = max(heapq.heappop(free), due[i])
        heapq.heappush(free, begun + service[i])
        waits[i] = begun - due[i]
    return waits + prefill


def arm(schedules, noise, **server):
    runs = [RunValues.of(ttft(schedule, noise, **server)) for schedule in schedules]
    return Arm(runs, [str(schedule) for schedule in schedules])


def truth(**server):
    """The mean p95 over 400 runs like those that are compared."""
    noise = np.random.default_rng(99)
    return np.mean([np.quantile(ttft(10_000 + i, noise, **server), 0.95) for i in range(400)])


def experiments(
    count: int, repeats: int, *, same_schedule: bool, variant: dict[str, float], **server: float
) -> Iterator[Difference]:
    """Differences found in `count` experiments of `repeats` runs an arm."""
    noise = np.random.default_rng(7)
    for number in range(count):
        schedules = [1000 * number + (0 if same_schedule else i) for i in range(repeats)]
        baseline = arm(schedules, noise, **server)
        yield difference(baseline, arm(schedules, noise, **server | variant), 0.95, seed=number)


SERVER = {"load": 0.7, "restart_sd": 0.02}
SLOWER = {"prefill_s": 0.13}


@pytest.mark.parametrize("repeats", [5, 8])
def test_that_intervals_over_five_repeats_or_more_cover_92_to_98_percent(repeats):
    true = truth(**SERVER, prefill_s=0.13) - truth(**SERVER)
    found = list(experiments(200, repeats, same_schedule=False, variant=SLOWER, **SERVER))
    covered = np.mean([each.lo <= true <= each.hi for each in found])
    print(f"coverage of 95 % intervals, {repeats} repeats, 200 experiments: {100 * covered:.1f} %")
    assert 0.92 <= covered <= 0.98


@pytest.mark.parametrize("same_schedule", [True, False])
@pytest.mark.parametrize("repeats", [1, 2, 5])
@pytest.mark.parametrize("load", [0.5, 0.8])
def test_that_two_identical_configurations_are_called_different_in_at_most_5_percent(
    same_schedule, repeats, load
):
    server = {"load": load, "restart_sd": 0.02}
    # Where the interval is exact the rate is close to its 5 %, which takes many experiments to tell.
    count = 1000 if repeats == 5 and not same_schedule else 100
    found = list(experiments(count, repeats, same_schedule=same_schedule, variant={}, **server))
    false = np.mean([each.p_value <= 0.05 for each in found])
    schedules = "the same" if same_schedule else "other"
    print(
        f"false calls, load {load:g}, {repeats} repeats, {schedules} schedules, {count}: {100 * false:.1f} %"
    )
    assert false <= 0.05


def test_that_a_difference_of_a_tenth_is_found_in_four_of_five_experiments_of_20_minutes():
    """Budget: 5 repeats of 2 minutes in two arms, at half of capacity."""
    server = {"load": 0.5, "restart_sd": 0.01}
    found = list(experiments(100, 5, same_schedule=False, variant={"prefill_s": 0.11}, **server))
    assert np.mean([each.variant for each in found]) == pytest.approx(
        1.1 * np.mean([each.baseline for each in found]), rel=0.02
    )
    power = np.mean([each.lo > 0 for each in found])
    print(f"a tenth found, 5 repeats of 2 minutes, 100 experiments: {100 * power:.0f} %")
    assert power >= 0.8
