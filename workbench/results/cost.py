"""What accepted work costs: plain formulas over what the user states; nothing is assumed."""

import math

HOURS_A_YEAR = 8760.0


def capital_recovery(rate: float, years: float) -> float:
    """The yearly share of a price that pays it off in `years` at a yearly interest (0.08 for 8 %)."""
    if rate == 0:
        return 1 / years
    growth: float = (1 + rate) ** years
    if growth == 1:  # an interest too small to be told from none
        return 1 / years
    return rate * growth / math.expm1(years * math.log1p(rate))


def owned_per_hour(
    price: float,
    *,
    years: float,
    residual: float = 0.0,
    rate: float = 0.0,
    yearly: float = 0.0,
    energy_per_hour: float = 0.0,
) -> float:
    """Cost of an owned system per hour, in the price's currency.

    `residual` is the share of the price left after `years`, `rate` the yearly interest, `yearly` hosting and
    support, `energy_per_hour` kW x PUE x tariff.
    """
    capital: float = price * (1 - residual / (1 + rate) ** years) * capital_recovery(rate, years)
    return (capital + yearly) / HOURS_A_YEAR + energy_per_hour


def per_unit(per_hour: float | None, rate_per_s: float | None, units: float) -> float | None:
    """Cost of `units` at `rate_per_s` of them a second; None without a rate, not infinity."""
    if per_hour is None or not rate_per_s:
        return None
    return per_hour / 3600 / rate_per_s * units
