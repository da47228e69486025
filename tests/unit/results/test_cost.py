import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.results.cost import HOURS_A_YEAR, capital_recovery, owned_per_hour, per_unit


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
