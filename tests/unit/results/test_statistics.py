import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.results import Arm, Difference, VerdictKind, difference, holm
from workbench.results.statistics.bootstrap import (
    RunValues,
    autocorrelation_time,
    block_length,
    draws,
    effective_n,
    replicate,
)
from workbench.results.statistics.verdict import Verdict, judge


def autoregressive(rng, n, r):
    noise = rng.standard_normal(n)
    values = np.empty(n)
    values[0] = noise[0]
    for i in range(1, n):
        values[i] = r * values[i - 1] + np.sqrt(1 - r * r) * noise[i]
    return values


def test_that_independent_values_have_no_memory():
    assert autocorrelation_time(np.random.default_rng(1).standard_normal(5000)) == pytest.approx(1, abs=0.3)


@pytest.mark.parametrize("r", [0.5, 0.8, 0.9])
def test_that_the_memory_of_an_autoregressive_series_is_the_known_one(r):
    found = autocorrelation_time(autoregressive(np.random.default_rng(2), 20000, r))
    assert found == pytest.approx((1 + r) / (1 - r), rel=0.25)


def test_that_correlated_requests_are_worth_fewer():
    rng = np.random.default_rng(3)
    assert effective_n(RunValues.of(autoregressive(rng, 2000, 0.9)), 0.5) < 600
    assert effective_n(RunValues.of(rng.standard_normal(2000)), 0.5) > 1200


def test_that_a_constant_series_is_no_trouble():
    run = RunValues.of(np.full(100, 7.0))
    assert autocorrelation_time(run.by_request(0.95)) == 1
    assert block_length([run], 0.95) == 5


@given(st.integers(0, 2**32), st.integers(1, 200), st.floats(0.01, 0.99))
def test_that_drawing_every_block_once_gives_back_the_quantile(seed, n, q):
    values = np.random.default_rng(seed).exponential(size=n)
    once = np.ones((1, max(1, n // 5)), dtype=np.int64)
    found = replicate(RunValues.of(values), once, 5, q)[0]
    assert found <= np.quantile(values, q, method="higher") + 1e-12
    assert found >= np.quantile(values, q, method="lower") - 1e-12
    assert replicate(RunValues.of(values), once, 5, None)[0] == pytest.approx(values.mean())


def test_that_the_spread_of_replicates_is_the_spread_of_the_mean():
    rng = np.random.default_rng(4)
    run = RunValues.of(rng.standard_normal(1000))
    found = replicate(run, draws(200, 2000, rng), 5, None)
    assert found.std() == pytest.approx(1 / np.sqrt(1000), rel=0.15)


def test_that_blocks_keep_what_neighbours_share():
    rng = np.random.default_rng(5)
    run = RunValues.of(autoregressive(rng, 4000, 0.9))
    length = block_length([run], None)
    found = replicate(run, draws(4000 // length, 1000, rng), length, None)
    # The mean of n values with correlation r varies (1 + r)/(1 - r) times as much as of independent ones.
    assert found.std() == pytest.approx(np.sqrt(19 / 4000), rel=0.25)


def test_that_token_gaps_belong_to_their_request():
    run = RunValues.of(np.array([1.0, 9.0, 2.0]), owner=np.array([0, 0, 3]), requests=5)
    assert run.level(1.0) == 9
    assert run.by_request(0.5).tolist() == [0.5, 0.0]


def test_that_a_replicate_without_values_is_unknown():
    run = RunValues.of(np.array([1.0]), owner=np.array([0]), requests=10)
    drawn = np.array([[0, 2], [2, 0]])
    found = replicate(run, drawn, 5, 0.5)
    assert np.isnan(found[0])
    assert found[1] == 1


def arm(levels, *, n=400, schedules=None, seed=0):
    """One run a level, of requests that scatter by a tenth around it."""
    rng = np.random.default_rng(seed)
    runs = [RunValues.of(level * (1 + 0.1 * rng.standard_normal(n))) for level in levels]
    return Arm(runs, schedules or ["same"] * len(levels))


def test_that_arms_far_apart_differ_and_the_interval_holds_the_truth():
    found = difference(arm([100] * 5), arm([150] * 5, seed=1), 0.5)
    assert found.lo < 50 < found.hi
    assert found.p_value < 0.001
    assert (found.repeats, found.restarts_assumed) == (5, False)


def test_that_an_arm_does_not_differ_from_itself():
    found = difference(arm([100] * 3), arm([100] * 3), 0.95)
    assert (found.estimate, found.p_value) == (0, 1)


def test_that_one_run_each_tells_only_what_no_restart_could_have_done():
    assert difference(arm([100]), arm([140], seed=1), 0.5).p_value > 0.05
    huge = difference(arm([100]), arm([600], seed=1), 0.5)
    assert huge.lo > 0
    assert huge.restarts_assumed


def test_that_scatter_between_repeats_widens_the_interval():
    quiet = difference(arm([100] * 5), arm([110] * 5, seed=1), 0.5)
    loud = difference(arm([80, 120, 100, 90, 110]), arm([90, 130, 110, 100, 120], seed=1), 0.5)
    assert loud.hi - loud.lo > 3 * (quiet.hi - quiet.lo)


def test_that_repeats_with_schedules_of_their_own_are_compared_pair_by_pair():
    levels, schedules = [50, 100, 200, 400, 800], list("abcde")
    paired = difference(
        arm(levels, schedules=schedules), arm([1.1 * x for x in levels], schedules=schedules), 0.5
    )
    pooled = difference(arm(levels), arm([1.1 * x for x in levels]), 0.5)
    assert paired.freedom == 4
    assert paired.error < pooled.error / 2


def test_that_a_run_without_values_gives_no_difference():
    nothing = Arm([RunValues.of(np.full(10, np.nan))], ["a"])
    assert difference(nothing, arm([100]), 0.95) is None


def test_that_the_same_seed_gives_the_same_interval():
    assert difference(arm([100]), arm([120]), 0.9) == difference(arm([100]), arm([120]), 0.9)


def test_that_holm_multiplies_the_smallest_by_all_and_never_falls():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.6]) == pytest.approx([1.0, 1.0])
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=20))
def test_that_holm_keeps_the_order_and_lowers_no_value(p_values):
    adjusted = holm(p_values)
    assert all(a >= p for a, p in zip(adjusted, p_values, strict=True))
    order = np.argsort(p_values, kind="stable")
    assert np.all(np.diff([adjusted[i] for i in order]) >= 0)


def found(estimate, margin, *, baseline=100.0, repeats=5):
    return Difference(
        baseline=baseline,
        variant=baseline + estimate,
        estimate=estimate,
        lo=estimate - margin,
        hi=estimate + margin,
        p_value=0.5,
        error=margin / 2,
        freedom=8,
        repeats=repeats,
        effective_n=100,
        restarts_assumed=False,
    )


@pytest.mark.parametrize(
    ("estimate", "margin", "p", "word"),
    [
        (-20, 5, 0.01, VerdictKind.BETTER),
        (20, 5, 0.01, VerdictKind.WORSE),
        (2, 5, 0.6, VerdictKind.NO_DIFFERENCE),
        (2, 30, 0.6, VerdictKind.CANT_TELL),
        (20, 25, 0.06, VerdictKind.CANT_TELL),
    ],
)
def test_that_the_word_follows_from_interval_and_adjusted_chance(estimate, margin, p, word):
    assert judge(found(estimate, margin), p, run_minutes=2)[0] == word


def test_that_no_difference_names_what_it_can_not_exclude():
    assert judge(found(2, 5), 0.6, run_minutes=2)[1] == 7


def test_that_cant_tell_says_how_many_minutes_would():
    # The margin of 30 must become 20: 5 repeats x (30/20)^2 = 11.25, so 7 more, in two arms of 2 minutes.
    assert judge(found(20, 30), 0.2, run_minutes=2)[2] == 28


def test_that_a_verdict_reads_as_a_sentence():
    verdict = Verdict(
        figure="ttft_p95_ms",
        cls="chat",
        variant="max_num_seqs = 8",
        rate=4,
        word=VerdictKind.NO_DIFFERENCE,
        difference=found(2, 5),
        above=7.0,
    )
    assert str(verdict.sentence()) == (
        "ttft_p95_ms of chat: no difference above 7 (100 to 102, 95 % interval of the change -3 to 7)"
    )
