"""The switchback on simulated servers of known truth, beside a plan that starts a server for each run."""

import msgspec
import numpy as np
import pytest

from tests.unit.experiments.test_experiment import read
from tests.unit.experiments.test_findings import SWITCHBACK
from tests.unit.results.test_statistics_truth import arrivals, experiments, ttft
from workbench.experiments.findings.switchback import _Blocks, _difference
from workbench.experiments.plan.plan import RESTART_S
from workbench.experiments.run.switchback import blocks_of
from workbench.results import Difference

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

BLOCK_S, WASHOUT_S = 30.0, 5.0
RUN_S = 120.0
"""Of the plan that starts a server a run."""


def switched(seed: int, noise: np.random.Generator, *, pairs: int, load: float, slower: float) -> Difference:
    """What one switchback finds of p95 TTFT; a prefill takes `slower` times as long under the variant."""
    text = SWITCHBACK.replace("duration_s = 60", f"duration_s = {2 * pairs * BLOCK_S}")
    experiment = read(text.replace("block_s = 5.0, washout_s = 1.0", f"block_s = {BLOCK_S}"))
    blocks = blocks_of(
        msgspec.structs.replace(experiment, repeat=msgspec.structs.replace(experiment.repeat, seed=seed))
    )
    length_s = 2 * pairs * BLOCK_S
    due = arrivals(np.random.default_rng(seed), load=load, length_s=length_s)
    under_variant = np.zeros(len(due), dtype=bool)
    for block in blocks:
        under_variant |= (due >= block.begin) & (due < block.end) & block.variant
    prefill_s = np.where(under_variant, 0.1 * slower, 0.1)
    found = ttft(seed, noise, load=load, restart_sd=0.1, prefill_s=prefill_s, length_s=length_s)
    values = [found[(due >= block.begin + WASHOUT_S) & (due < block.end)] for block in blocks]
    difference = _difference(_Blocks(values=values, variant=[block.variant for block in blocks]), 0.95)
    assert difference is not None
    return difference


@pytest.mark.parametrize(("pairs", "load"), [(6, 0.5), (6, 0.8), (8, 0.5), (8, 0.8)])
def test_that_two_alike_are_called_different_by_at_most_5_percent_of_switchbacks(
    pairs: int, load: float
) -> None:
    noise = np.random.default_rng(7)
    found = [switched(seed, noise, pairs=pairs, load=load, slower=1.0) for seed in range(400)]
    false = np.mean([each.p_value <= 0.05 for each in found])
    print(f"false calls of a switchback, load {load:g}, {pairs} pairs, 400: {100 * false:.1f} %")
    assert false <= 0.05


def test_that_a_tenth_is_found_in_a_fifth_of_the_minutes_that_restarts_need() -> None:
    """A restart moves the tail by a tenth (one sd): less than half of what is assumed where nobody knows.

    A start takes 90 s, as the plan expects of a local server.
    """
    noise, pairs = np.random.default_rng(7), 26
    minutes = (RESTART_S["local"] + 2 * pairs * BLOCK_S) / 60
    by_switching = np.mean(
        [
            each.p_value <= 0.05 and each.estimate > 0
            for each in (switched(seed, noise, pairs=pairs, load=0.5, slower=1.1) for seed in range(100))
        ]
    )
    repeats = int(5 * minutes / (2 * (RESTART_S["local"] + RUN_S) / 60))
    server = {"load": 0.5, "restart_sd": 0.1, "length_s": RUN_S}
    plans = list(experiments(100, repeats, same_schedule=True, variant={"prefill_s": 0.11}, **server))
    by_restarts = np.mean([each.p_value <= 0.05 and each.estimate > 0 for each in plans])
    print(
        f"a tenth found by a switchback of {minutes:.0f} minutes: {100 * by_switching:.0f} %; by"
        f" {repeats} repeats, {5 * minutes:.0f} minutes: {100 * by_restarts:.0f} %"
    )
    assert by_switching >= 0.8
    assert by_restarts < by_switching
