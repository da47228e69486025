"""A search runs few values, ends at the best one, and gives a reason for each value without a run."""

import math
from collections.abc import Callable, Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from workbench.advice import RunChoice, TriedValue, choose_run
from workbench.controls import Value

VALUES: list[Value] = [4, 8, 16, 32, 64, 128, 256, 512]
BASELINE = 2


def search(
    objective: Callable[[float], float],
    *,
    gain: float = 0.02,
    most: float | None = None,
    predicted: Mapping[Value, Sequence[float]] | None = None,
    running: float = math.inf,
) -> tuple[list[float], RunChoice]:
    """Return the values run, the baseline first, and the end."""
    tried: list[TriedValue] = []
    value: Value | None = BASELINE
    while value is not None:
        assert isinstance(value, int)
        result = TriedValue(value=value, objective=objective(value), most=most, reached=running >= value)
        tried.append(result)
        choice = choose_run(VALUES, tried, gain=gain, predicted=predicted)
        value = choice.value
    return [each.value for each in tried if isinstance(each.value, int)], choice


def peak(at: float, width: float = 2.0) -> Callable[[float], float]:
    return lambda value: 10 * math.exp(-((math.log2(value / at) / width) ** 2))


def test_it_ends_at_the_peak_without_running_every_value() -> None:
    run, end = search(peak(64))
    assert end.best is not None
    assert end.best.value == 64
    assert len(run) < 1 + len(VALUES)
    assert {each.value for each in end.untried} == set(VALUES) - set(run)
    reasons = {each.reason.kind for each in end.untried}
    assert "advice.search_beyond_worse" in reasons
    assert reasons <= {"advice.search_beyond_worse", "advice.search_no_gain"}


def test_values_above_a_limit_that_held_nothing_back_need_no_run() -> None:
    run, end = search(lambda value: min(value, 20.0), running=20)
    assert end.best is not None
    assert end.best.objective == 20
    assert "advice.search_limit_not_reached" in {each.reason.kind for each in end.untried}
    assert len(run) <= 5


def test_nothing_is_run_once_all_requests_are_accepted() -> None:
    run, end = search(lambda _: 5.0, most=5.05)
    assert run == [BASELINE]
    assert end.reason.kind == "advice.search_all_accepted"


def test_a_good_model_leaves_few_runs() -> None:
    truth = peak(64)
    run, end = search(truth, predicted={value: [1.3 * truth(float(value))] for value in [BASELINE, *VALUES]})
    assert end.best is not None
    assert end.best.value == 64
    assert len(run) <= 4
    assert "advice.search_no_gain" in {each.reason.kind for each in end.untried}


def test_a_model_that_is_far_off_is_left_aside() -> None:
    wrong = {value: [peak(512)(float(value))] for value in [BASELINE, *VALUES]}
    _, end = search(peak(16), predicted=wrong)
    assert end.best is not None
    assert end.best.value == 16


def cliff(value: float) -> float:
    return value if value <= 8 else 0.0


def test_a_model_finds_the_edge_beyond_which_nothing_is_accepted() -> None:
    cases = {
        value: [cliff(float(value) * factor) for factor in (1.6, 1, 0.6)] for value in [BASELINE, *VALUES]
    }
    run, end = search(cliff, predicted=dict(cases))
    assert end.best is not None
    assert end.best.value == 8
    assert set(run) <= {2, 4, 8, 16}


def test_beyond_a_value_that_accepts_nothing_none_is_run_whatever_the_model_says() -> None:
    tried = [TriedValue(value=value, objective=cliff(value)) for value in (2, 8, 32)]
    predicted: Mapping[Value, Sequence[float]] = {
        value: [float(value)] for value in (2, 4, 8, 16, 32, 64, 128)
    }
    end = choose_run([16, 64, 128], tried, predicted=predicted)
    assert end.value == 16
    end = choose_run([64, 128], tried, predicted=predicted)
    assert {each.reason.kind for each in end.untried} == {"advice.search_beyond_worse"}


def test_while_nothing_is_accepted_the_model_says_where_to_look() -> None:
    tried = [TriedValue(value=2, objective=0.0)]
    choice = choose_run(VALUES, tried, predicted={2: [0.0], 64: [3.0], 128: [1.0]})
    assert choice.value == 64


def test_values_without_an_order_are_all_run() -> None:
    tried = [TriedValue(value="a", objective=3.0), TriedValue(value="b", objective=2.0)]
    choice = choose_run(["b", "c"], tried)
    assert (choice.value, choice.expected_gain) == ("c", None)


@given(at=st.floats(1, 1000), width=st.floats(0.5, 4), gain=st.floats(0.001, 0.2))
def test_every_search_ends_and_its_best_was_run(at: float, width: float, gain: float) -> None:
    run, end = search(peak(at, width), gain=gain)
    assert len(run) == len(set(run)) <= 1 + len(VALUES)
    assert end.best is not None
    assert end.best.value in run
    assert end.best.objective == max(peak(at, width)(value) for value in run)
    assert {each.value for each in end.untried} == set(VALUES) - set(run)


@given(st.floats(1, 1000), st.floats(0.5, 4))
def test_without_noise_the_best_value_is_always_found(at: float, width: float) -> None:
    _, end = search(peak(at, width), gain=0.0005)
    assert end.best is not None
    assert end.best.objective is not None
    best = max(peak(at, width)(float(value)) for value in [BASELINE, *VALUES] if isinstance(value, int))
    assert end.best.objective >= 0.95 * best
