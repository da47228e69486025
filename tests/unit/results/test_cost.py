import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.results.making import request
from workbench.base import InputError, Place
from workbench.results import (
    BenchFile,
    Demand,
    RunFrame,
    check_cost_figure,
    check_demand,
    reserved_cost,
    scorecard_rows,
    summarize_run,
    varied_cost,
)
from workbench.results.cost_arithmetic import HOURS_A_YEAR, capital_recovery, owned_per_hour, per_unit


def test_that_without_interest_a_price_is_paid_off_in_equal_shares():
    assert capital_recovery(0, 4) == 0.25


def test_that_with_interest_the_share_is_the_annuity():
    # 8 % over 3 years: 0.08 x 1.2597 / 0.2597.
    assert capital_recovery(0.08, 3) == pytest.approx(0.388034, rel=1e-5)


def test_that_an_owned_system_costs_capital_upkeep_and_energy():
    hourly = owned_per_hour(35040, years=4, residual=0.2, rate=0.0, yearly=876, energy_per_hour=0.3)
    assert hourly == pytest.approx(35040 * 0.8 / 4 / HOURS_A_YEAR + 0.1 + 0.3)


def test_that_the_residual_value_is_worth_less_the_later_it_comes():
    early = owned_per_hour(1000, years=1, residual=0.5, rate=0.1)
    assert early == pytest.approx(1000 * (1 - 0.5 / 1.1) * 1.1 / HOURS_A_YEAR)


def test_that_cost_per_unit_divides_by_the_rate():
    assert per_unit(3.6, 2.0, 1000) == pytest.approx(0.5)


@pytest.mark.parametrize("rate", [None, 0, 0.0])
def test_that_without_a_rate_there_is_no_cost_and_no_infinity(rate):
    assert per_unit(3.6, rate, 1000) is None


def test_that_an_unknown_price_stays_unknown():
    assert per_unit(None, 2.0, 1000) is None


@given(st.floats(0.001, 0.5), st.floats(1, 20))
def test_that_yearly_payments_have_the_present_value_of_the_price(rate, years):
    payments = capital_recovery(rate, years) * (1 - (1 + rate) ** -years) / rate
    assert payments == pytest.approx(1)


DAY = Demand(curve=((8, 1.0), (16, 4.0)), headroom=0.25, spare=1)


def test_that_a_fleet_is_sized_by_the_peak_with_headroom_and_stands_idle_by_the_mean():
    assert (DAY.peak_rps, DAY.mean_rps) == (4.0, 3.0)
    # ceil(4 x 1.25 / 2) + 1 = 4 systems accept 8 a second, of which 3 are asked for.
    assert DAY.systems(2.0) == 4
    assert DAY.utilisation(2.0) == 3 / 8
    assert reserved_cost(3.6, 2.0, DAY) == pytest.approx(4 * 3.6 / 3600 / 3 * 1000)


def test_that_a_given_fleet_is_taken_as_it_is_and_can_be_too_small():
    fleet = Demand(curve=DAY.curve, servers=1)
    assert fleet.utilisation(2.0) == 1.5
    # It serves what it can: 2 a second.
    assert reserved_cost(3.6, 2.0, fleet) == pytest.approx(3.6 / 3600 / 2 * 1000)


@pytest.mark.parametrize("rate", [None, 0.0])
def test_that_what_accepts_nothing_has_no_fleet_and_no_cost(rate):
    assert DAY.systems(rate) is None
    assert DAY.utilisation(rate) is None
    assert reserved_cost(3.6, rate, DAY) is None
    assert varied_cost(3.6, rate, DAY, 1) is None


def test_that_sensitivities_hold_the_cost_between_them():
    assert varied_cost(3.6, 2.0, None, -1) < 0.5 < varied_cost(3.6, 2.0, None, 1)
    assert varied_cost(3.6, 2.0, DAY, -1) < reserved_cost(3.6, 2.0, DAY) < varied_cost(3.6, 2.0, DAY, 1)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"curve": ()}, "curve"),
        ({"curve": ((0, 1.0),)}, "curve"),
        ({"curve": ((1, float("inf")),)}, "curve"),
        ({"curve": ((1, 0.0),)}, "nothing is demanded"),
        ({"headroom": -0.1}, "headroom"),
        ({"spare": -1}, "spare"),
        ({"servers": 0}, "servers: 0 is too small: must be at least 1"),
    ],
)
def test_that_an_impossible_demand_is_refused_with_its_place(changes, said):
    with pytest.raises(InputError, match=rf"x.toml: \[demand\] .*{said}"):
        check_demand(Demand(**{"curve": DAY.curve, **changes}), Place(file="x.toml", table="demand"))


def test_that_next_to_nothing_accepted_is_no_fleet():
    assert DAY.systems(1e-320) is None


ABSURD = [1e300, -1.0, 10**400, "a lot", True, [1]]


@pytest.mark.parametrize("name", ["cost_per_hour", "unit_price", "discount_rate_pct", "amortisation_months"])
@pytest.mark.parametrize("value", ABSURD, ids=lambda value: str(value)[:9] if value != 10**400 else "long")
def test_that_an_absurd_stored_figure_is_one_clear_line(tmp_path, name, value):
    facts = {"unit_price": 30_000.0, "price_basis": "purchase", "amortisation_months": 48, "currency": "EUR"}
    with BenchFile.create(tmp_path / "a.bench") as file:
        experiment = file.add_experiment("x", "", facts={**facts, name: value})
        run = file.add_run(experiment, "baseline @ 4", control=None, value=None, config={}, rate=4.0)
        file.finish_run(run, "done", summarize_run([request(i) for i in range(4)], RunFrame(length_s=1.0)))
        with pytest.raises(InputError, match=rf"^a.bench: baseline @ 4: {name}: .* is out of range"):
            scorecard_rows(file)


def test_that_an_absurd_stored_demand_is_one_clear_line(tmp_path):
    with BenchFile.create(tmp_path / "a.bench") as file:
        for demand in ({"curve": [[0, 1]]}, {"curve": "x"}, {"curve": [[1, 1]], "spare": -1}):
            experiment = file.add_experiment("x", "", facts={"demand": demand})
            run = file.add_run(experiment, "r", control=None, value=None, config={}, rate=4.0)
            file.finish_run(run, "done", summarize_run([request(0)], RunFrame(length_s=1.0)))
            with pytest.raises(InputError, match=r"^a.bench: r: \[demand\]"):
                scorecard_rows(file)
            file.update_run(run, facts={"demand": {"curve": [[1, 1.0]]}})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.1, 1000.1, None])
def test_that_what_is_no_rate_of_interest_is_refused_by_its_name(value):
    with pytest.raises(InputError, match=r"^offer x: discount_rate_pct: .* from 0 to 1,000$"):
        check_cost_figure("discount_rate_pct", value, "offer x")
