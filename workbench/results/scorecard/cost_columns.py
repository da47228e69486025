"""Cost and energy columns of the scorecard: the user's prices over the run's accepted work."""

from collections.abc import Callable
from typing import Any

import msgspec

from workbench.base import Place, Refusal, shown
from workbench.results.bench.stored_figures import StoredFigures
from workbench.results.cost_arithmetic import check_cost_figure, owned_per_hour, per_unit
from workbench.results.demand import Demand, check_demand, varied_cost
from workbench.results.scorecard.accepted_rate import (
    cost_accepted_tok_s,
    cost_rate_basis,
    cost_rps,
    cost_tok_s,
)
from workbench.results.scorecard.column import (
    CellReader,
    Column,
    Combine,
    RunFacts,
    fact,
    largest,
    mean,
    shared,
)

_SENSORS = "the host's power sensors; pue and tariff: stated by the user"
_USER = "stated by the user ([cost], system facts)"
_STATED = (
    ("currency", "ISO 4217", "Currency of all money columns; never mixed in a comparison"),
    ("price_basis", "", "purchase, on_demand, reserved, spot or rental"),
    (
        "unit_price",
        "currency",
        "Price of the system: per hour, or the purchase price where the basis is purchase",
    ),
    ("price_date", "date", "Day on which the price was read"),
    ("price_source", "", "Where the price was read"),
    ("contracted_discount_pct", "%", "Discount on the unit price"),
    ("amortisation_months", "months", "Time over which a purchase is paid off"),
    ("residual_pct", "%", "Share of the purchase price left at its end"),
    ("discount_rate_pct", "%/year", "Yearly interest"),
    ("hosting_per_month", "currency", "Space, cooling, network"),
    ("support_per_year", "currency", "Support contract"),
    ("tax_included", "y/n", "Whether prices hold tax"),
)
_MEASURED_POWER: tuple[tuple[str, str, str, Combine], ...] = (
    ("power_avg_w", "W", "Mean power over the measured window; with nvml of the server's GPUs alone", mean),
    ("power_peak_w", "W", "Largest sample of power", largest),
    ("power_method", "", "nvml, rocm_smi, rapl or wall", shared),
    ("sample_hz", "1/s", "Power samples a second", mean),
)
_POWER = (
    ("pue", "", "Facility power / system power"),
    ("tariff_per_kwh", "currency/kWh", "Price of electricity"),
)


def per_hour(run: RunFacts) -> float | None:
    """Return the system's cost per hour by its price basis; None: a needed figure is unknown.

    Raises:
        Refusal: a stored figure is impossible.
    """
    stated = _known(run, "cost_per_hour")
    if stated is not None:
        return stated
    price = _known(run, "unit_price")
    if price is None:
        return None
    price *= 1 - _number(run, "contracted_discount_pct") / 100
    if run.fact("price_basis") != "purchase":
        return price
    months = _known(run, "amortisation_months")
    if months is None:
        return None
    return owned_per_hour(
        price,
        years=months / 12,
        residual=_number(run, "residual_pct") / 100,
        rate=_number(run, "discount_rate_pct") / 100,
        yearly=12 * _number(run, "hosting_per_month") + _number(run, "support_per_year"),
        energy_per_hour=_number(run, "power_avg_w") / 1000
        * _number(run, "pue", 1.0)
        * _number(run, "tariff_per_kwh"),
    )  # fmt: skip


def _known(run: RunFacts, name: str) -> float | None:
    """Return a stated figure; None: not stated."""
    value = run.fact(name)
    return None if value is None else check_cost_figure(name, value, f"{run.bench_name}: {run.run.name}")


def _number(run: RunFacts, name: str, default: float = 0.0) -> float:
    """Return a stated figure, else the default, which doesn't change the cost."""
    value = _known(run, name)
    return default if value is None else value


def _per(rate: Callable[[RunFacts], float | None], units: float) -> CellReader:
    return lambda run: per_unit(per_hour(run), rate(run), units)


def demand_of(run: RunFacts) -> Demand | None:
    """Return the user's demand; None: not stated.

    Raises:
        Refusal: it is impossible.
    """
    stated = run.fact("demand")
    if stated is None:
        return None
    place = Place(file=f"{run.bench_name}: {run.run.name}", table="demand")
    try:
        demand = msgspec.convert(stated, Demand)
    except msgspec.ValidationError as error:
        raise Refusal("base.unreadable_json", place, problem=shown(str(error))) from error
    check_demand(demand, place)
    return demand


def _utilisation(run: RunFacts) -> float | None:
    """Return the utilization that the user states, else that of the demand; 1: the fleet is too small."""
    stated, demand = _known(run, "utilisation_pct"), demand_of(run)
    if stated is not None:
        return stated / 100
    busy = None if demand is None else demand.utilisation(cost_rps(run))
    return None if busy is None else min(busy, 1.0)


def _utilisation_pct(run: RunFacts) -> float | None:
    busy = _utilisation(run)
    return None if busy is None else 100 * busy


def _of_demand(name: str) -> CellReader:
    def read(run: RunFacts) -> float | None:
        demand = demand_of(run)
        return None if demand is None else float(getattr(demand, name))

    return read


def _servers(run: RunFacts) -> int | None:
    demand = demand_of(run)
    return None if demand is None else demand.systems(cost_rps(run))


def _reserved(run: RunFacts) -> float | None:
    """Return the cost with idle hours: the busy cost divided by the utilization."""
    cost, busy = _per(cost_rps, 1000)(run), _utilisation(run)
    return None if cost is None or not busy else cost / busy


def _idle(run: RunFacts) -> float | None:
    busy = _utilisation(run)
    return None if busy is None else 1 - busy


def _varied(name: str, sign: int) -> CellReader:
    def read(run: RunFacts) -> float | None:
        stated = run.fact(name)
        if stated is not None:
            return float(stated)
        return varied_cost(per_hour(run), cost_rps(run), demand_of(run), sign)

    return read


def _per_gpu(run: RunFacts) -> float | None:
    cost, gpus = per_hour(run), _known(run, "gpu_count")
    return None if cost is None or not gpus else cost / gpus


def _energy(per_second: Callable[[StoredFigures], float | None]) -> CellReader:
    def read(run: RunFacts) -> float | None:
        power, rate = _known(run, "power_avg_w"), per_second(run.figures)
        return None if power is None or not rate else power / rate

    return read


def _stated(rows: tuple[tuple[str, str, str], ...], source: str) -> list[Column]:
    return [Column(name, unit, definition, source, fact(name), shared) for name, unit, definition in rows]


def _money(name: str, unit: str, definition: str, read: CellReader, combine: Any = mean) -> Column:
    return Column(
        name, unit, definition, "computed from the price columns and the run's rates", read, combine
    )


ENERGY_COLUMNS = [
    *(
        Column(name, unit, definition, _SENSORS, fact(name), combine)
        for name, unit, definition, combine in _MEASURED_POWER
    ),
    *_stated(_POWER, _SENSORS),
    _money("energy_j", "J", "power_avg_w x duration_s", _energy(lambda run: 1 / (run.duration_s or 1.0))),
    _money("j_per_output_token", "J", "power_avg_w / output_tok_s", _energy(lambda run: run.output_tok_s)),
    _money("j_per_accepted", "J", "power_avg_w / accepted_rps", _energy(lambda run: run.accepted_rps)),
]

COST_COLUMNS = [
    *_stated(_STATED, _USER),
    _money(
        "demand_peak_rps",
        "req/s",
        "highest rate of the user's demand curve",
        _of_demand("peak_rps"),
        shared,
    ),
    _money("demand_mean_rps", "req/s", "mean rate of it", _of_demand("mean_rps"), shared),
    _money(
        "servers_needed",
        "",
        "the user's fleet, else ceil(peak x (1 + headroom) / accepted rate) + spare",
        _servers,
        largest,
    ),
    _money(
        "utilisation_pct",
        "%",
        "Share of what those systems accept that the user's own demand takes on average; not the bench run's",
        _utilisation_pct,
    ),
    _money("idle_cost_share", "0..1", "1 - utilisation", _idle),
    _money("eff_cost_per_gpu_hour", "currency", "Cost per hour / gpu_count", _per_gpu),
    _money(
        "cost_per_1k_accepted",
        "currency",
        "Cost per hour / 3600 / accepted rate x 1000; the rate is cost_rate_basis; "
        "empty without an accepted response",
        _per(cost_rps, 1000),
    ),
    Column(
        "cost_rate_basis",
        "",
        "The accepted rate of the money columns: accepted_rps_carried where it is known of every valid row"
        " within capacity, else accepted_rps; of rows past capacity always accepted_rps",
        "computed",
        cost_rate_basis,
        shared,
    ),
    _money(
        "cost_per_1m_output_tokens",
        "currency",
        "Cost per hour / 3600 / output tokens a second of completed requests, accepted or not, x 1,000,000",
        _per(cost_tok_s, 1e6),
    ),
    _money(
        "cost_per_1m_accepted_output_tokens",
        "currency",
        "Cost per hour / 3600 / output tokens a second of the requests of cost_per_1k_accepted, x 1,000,000;"
        " empty without an accepted response",
        _per(cost_accepted_tok_s, 1e6),
    ),
    _money(
        "cost_reserved_basis",
        "currency",
        "Per 1,000 accepted responses, idle hours paid too: cost_per_1k_accepted / utilisation",
        _reserved,
    ),
    _money(
        "cost_used_basis",
        "currency",
        "Per 1,000 accepted responses, busy hours only",
        _per(cost_rps, 1000),
    ),
    *_stated(
        (
            ("fx_rate", "", "Exchange rate used, price currency to currency"),
            ("fx_date", "date", "Day of the exchange rate"),
        ),
        _USER,
    ),
    _money(
        "sensitivity_low",
        "currency",
        "Reserved cost of 1,000 (without a demand: used) with price, rate and demand a tenth better",
        _varied("sensitivity_low", -1),
    ),
    _money(
        "sensitivity_high",
        "currency",
        "The same with all three a tenth worse",
        _varied("sensitivity_high", 1),
    ),
]
