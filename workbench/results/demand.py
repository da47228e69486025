"""The user's demand: how many systems it needs and how busy they are.

A bench run measures how much one system accepts; its idle time follows from the demand alone.
"""

import math

import msgspec

from workbench.base import Place, Record, Refusal, shown
from workbench.results.cost_arithmetic import per_unit

SPREAD = 0.1
"""The share by which sensitivities vary price, rate and demand."""

_MOST_RPS = 1e9
_MOST_HEADROOM = 100.0


class Demand(Record, frozen=True, kw_only=True):
    """Accepted requests per second over a period that repeats, such as a day or a week."""

    curve: tuple[tuple[float, float], ...]
    """Stretches of (hours, requests per second), in order."""
    headroom: float = 0.2
    """Share of the peak kept free."""
    spare: int = 0
    """Systems that may fail or be updated."""
    servers: int | None = None
    """A given number of systems; None: as many as are needed."""

    @property
    def peak_rps(self) -> float:
        """The highest rate of the curve."""
        return max(rate for _, rate in self.curve)

    @property
    def mean_rps(self) -> float:
        """The mean over the curve."""
        return sum(hours * rate for hours, rate in self.curve) / sum(hours for hours, _ in self.curve)

    def systems(self, accepted_rps: float | None) -> int | None:
        """Return the number of systems of this rate; None: nothing is accepted."""
        if not accepted_rps or accepted_rps <= 0:
            return None
        if self.servers is not None:
            return self.servers
        return servers_needed(self.peak_rps, accepted_rps, headroom=self.headroom, spare=self.spare)

    def utilisation(self, accepted_rps: float | None) -> float | None:
        """Return the mean share of those systems' rate that the demand takes; above 1: too few systems."""
        systems = self.systems(accepted_rps)
        return None if not systems or not accepted_rps else self.mean_rps / (systems * accepted_rps)


def read_curve(text: str) -> tuple[tuple[float, float], ...]:
    """Read hours and rates such as `8:2,16:6.5`.

    Raises:
        Refusal: the text has another form.
    """
    try:
        pairs = [part.split(":") for part in text.split(",")]
        return tuple((float(hours), float(rate)) for hours, rate in pairs)
    except ValueError as error:
        raise Refusal("results.not_a_curve", Place(key="curve"), text=shown(text, 60)) from error


def servers_needed(peak_rps: float, accepted_rps: float, *, headroom: float, spare: int) -> int | None:
    """Return ceil(peak * (1 + headroom) / accepted) + spare; None: almost nothing is accepted."""
    if accepted_rps <= 0:
        return None
    systems = peak_rps * (1 + headroom) / accepted_rps
    return math.ceil(systems - 1e-9) + spare if systems < math.inf else None


def check_demand(demand: Demand, place: Place | None = None) -> None:
    """Check every figure of a demand.

    Raises:
        Refusal: one is impossible; its place is `place` with the figure's key.
    """
    place = place or Place()
    curve = msgspec.structs.replace(place, key="curve")
    if not demand.curve or any(
        not 0 < hours < math.inf or not 0 <= rate <= _MOST_RPS for hours, rate in demand.curve
    ):
        raise Refusal("results.curve_out_of_range", curve, most=_MOST_RPS)
    if demand.peak_rps == 0:
        raise Refusal("results.nothing_demanded", curve)
    if not 0 <= demand.headroom <= _MOST_HEADROOM:
        key = msgspec.structs.replace(place, key="headroom")
        raise Refusal("base.out_of_range", key, value=demand.headroom, minimum=0, maximum=_MOST_HEADROOM)
    if demand.spare < 0:
        key = msgspec.structs.replace(place, key="spare")
        raise Refusal("base.too_small", key, value=demand.spare, minimum=0)
    if demand.servers is not None and demand.servers < 1:
        key = msgspec.structs.replace(place, key="servers")
        raise Refusal("base.too_small", key, value=demand.servers, minimum=1)


def reserved_cost(hourly: float | None, accepted_rps: float | None, demand: Demand) -> float | None:
    """Return the cost of 1,000 accepted responses when all systems are paid for all the time.

    A fleet that is too small for the demand serves its own rate.
    """
    systems = demand.systems(accepted_rps)
    if hourly is None or not systems or not accepted_rps:
        return None
    return per_unit(systems * hourly, min(demand.mean_rps, systems * accepted_rps), 1000)


def varied_cost(
    hourly: float | None, accepted_rps: float | None, demand: Demand | None, sign: int
) -> float | None:
    """Return the cost of 1,000 with price, rate and demand a tenth better (`sign` -1) or worse (1).

    With a demand: the reserved cost of the systems that the varied rate needs. Without: that of busy hours.
    """
    if hourly is None or not accepted_rps:
        return None
    price, rate = hourly * (1 + sign * SPREAD), accepted_rps * (1 - sign * SPREAD)
    if demand is None:
        return per_unit(price, rate, 1000)
    systems = demand.systems(rate)
    served = min(demand.mean_rps * (1 - sign * SPREAD), (systems or 0) * rate)
    return per_unit((systems or 0) * price, served, 1000)
