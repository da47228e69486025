"""Costs of accepted work: plain formulas over the user's figures, without assumptions."""

import math
from typing import Any

from workbench.base import Message, Place, Refusal, message, shown

HOURS_A_YEAR = 8760.0

MOST_MONEY = 1e15
_LIMITS: dict[str, tuple[float, float]] = {
    "cost_per_hour": (0, MOST_MONEY),
    "unit_price": (0, MOST_MONEY),
    "count": (1, 100_000),
    "gpu_count": (0, 100_000),
    "contracted_discount_pct": (0, 100),
    "amortisation_months": (1, 600),
    "residual_pct": (0, 100),
    "discount_rate_pct": (0, 1000),
    "hosting_per_month": (0, MOST_MONEY),
    "support_per_year": (0, MOST_MONEY),
    "power_w": (0, 1e9),
    "power_avg_w": (0, 1e9),
    "pue": (1, 10),
    "tariff_per_kwh": (0, 1e9),
    "utilisation_pct": (0, 100),
}
"""The range of each figure: wide enough for every currency, and every cost stays finite."""


def check_cost_figure(name: str, value: Any, where: str) -> float:
    """Return the value of an offer's field, or of a scorecard's column, as a number in its range.

    Raises:
        Refusal: it is no number, or out of range; its place is `where` and the name.
    """
    least, most = _LIMITS[name]
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not least <= value <= most:
        given = _written(value)
        place = Place(file=where, key=name)
        raise Refusal("results.cost_out_of_range", place, given=given, minimum=least, maximum=most)
    return float(value)


def _written(value: Any) -> Message | str:
    try:
        return shown(f"{value}", 30)
    except ValueError:  # a whole number of thousands of digits, which Python doesn't write
        return message("results.huge_number")


def capital_recovery(rate: float, years: float) -> float:
    """Return the yearly share of a price that pays it off in `years` at a yearly interest (0.08 for 8 %)."""
    if rate == 0:
        return 1 / years
    growth: float = (1 + rate) ** years
    if growth == 1:  # too small to differ from no interest
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
    """Return the cost of an owned system per hour, in the price's currency.

    `residual` is the share of the price left after `years`, `rate` the yearly interest, `yearly` hosting and
    support, `energy_per_hour` kW x PUE x tariff.
    """
    capital: float = price * (1 - residual / (1 + rate) ** years) * capital_recovery(rate, years)
    return (capital + yearly) / HOURS_A_YEAR + energy_per_hour


def per_unit(per_hour: float | None, rate_per_s: float | None, units: float) -> float | None:
    """Return the cost of `units` at `rate_per_s` of them a second; None without a rate."""
    if per_hour is None or not rate_per_s:
        return None
    return per_hour / 3600 / rate_per_s * units
