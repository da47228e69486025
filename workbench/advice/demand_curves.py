"""Servers and cost of a system against the demand, with bands."""

from collections.abc import Sequence

import msgspec

from workbench.advice.system_comparison import SystemResult, cost_per_hour
from workbench.base import Record
from workbench.results import Demand, reserved_cost, varied_cost

_VARIED = 0.1
"""The share by which the band varies the rate; the costs' band also varies price and demand."""


class DemandPoint(Record, frozen=True, kw_only=True):
    """One demand of the same shape as the user's; None: unknown."""

    peak_rps: float
    servers: int | None
    servers_low: int | None
    servers_high: int | None
    """Band for a rate that is a tenth better or worse."""
    per_1k: float | None
    per_1k_low: float | None
    per_1k_high: float | None
    """Band for price, rate and demand a tenth better or worse."""


def scaled_demand(demand: Demand, factor: float) -> Demand:
    """Return the demand with every rate times `factor`."""
    curve = tuple((hours, rate * factor) for hours, rate in demand.curve)
    return msgspec.structs.replace(demand, curve=curve)


def demand_points(system: SystemResult, demand: Demand, peaks: Sequence[float]) -> list[DemandPoint]:
    """Return the system's servers and cost at demands of the user's shape with these peaks (above 0)."""
    hourly = None if system.offer is None else cost_per_hour(system.offer)
    return [
        _point(system.accepted_rps, hourly, scaled_demand(demand, peak / demand.peak_rps), peak)
        for peak in peaks
    ]


def _point(accepted_rps: float, hourly: float | None, demand: Demand, peak: float) -> DemandPoint:
    return DemandPoint(
        peak_rps=peak,
        servers=demand.systems(accepted_rps),
        servers_low=demand.systems(accepted_rps * (1 + _VARIED)),
        servers_high=demand.systems(accepted_rps * (1 - _VARIED)),
        per_1k=reserved_cost(hourly, accepted_rps, demand),
        per_1k_low=varied_cost(hourly, accepted_rps, demand, -1),
        per_1k_high=varied_cost(hourly, accepted_rps, demand, 1),
    )
