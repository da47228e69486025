"""From an experiment to what the rooms below take: the load's target and options, the scorecard's facts."""

from typing import Any

from workbench.controls import CONTROLS, Value
from workbench.experiments.experiment import Experiment, LoadShape
from workbench.experiments.plan import Configuration
from workbench.load import LoadOptions, Target
from workbench.servers import Effective, Server, TargetSpec

DRAIN_AT_LEAST_S = 60.0
"""Open requests may go on so long after the schedule, or as long as the schedule was where that is more."""


def server_side(controls: dict[str, Value]) -> dict[str, Value]:
    """The controls that a server is started with; the others are the caller's own."""
    return {name: value for name, value in controls.items() if CONTROLS[name].flag is not None}


def target_of(experiment: Experiment, server: Server, effective: Effective) -> Target:
    """Where the load goes."""
    return Target(
        url=server.url or "",
        model=server.model or effective.model or experiment.target.model or "",
        endpoint=experiment.load.endpoint,
        api_key=experiment.target.api_key(),
    )


def target_title(target: TargetSpec) -> str:
    """The target in a few words, for people."""
    if target.kind == "embedded":
        return f"embedded engine, {target.profile or 'default profile'}"
    if target.kind == "attached":
        return str(target.url)
    return f"{target.kind} vLLM, {target.model}"


def options_of(
    experiment: Experiment,
    configuration: Configuration,
    effective: Effective,
    length_s: float | None,
    cache_salt: str | None,
) -> LoadOptions:
    """How the load is applied; the caller's own controls come from the configuration."""
    load, controls = experiment.load, configuration.controls
    cap = controls.get("max_in_flight", load.max_in_flight)
    timeout = controls.get("queue_timeout_s", load.queue_timeout_s)
    return load_options(
        load,
        experiment.trace.seed,
        effective,
        length_s,
        None if cap is None else int(cap),
        None if timeout is None else float(timeout),
        cache_salt,
    )


def load_options(
    load: LoadShape,
    seed: int,
    effective: Effective,
    length_s: float | None,
    max_in_flight: int | None,
    queue_timeout_s: float | None,
    cache_salt: str | None = None,
) -> LoadOptions:
    """The load room's options for one run of `length_s` seconds against a server that says `effective`."""
    return LoadOptions(
        workers=load.workers,
        max_in_flight=max_in_flight,
        queue_timeout_s=queue_timeout_s,
        seed=seed,
        vocab_size=effective.vocab_size,
        time_scale=effective.time_scale or 1.0,
        warmup_s=load.warmup_s,
        drain_s=max(DRAIN_AT_LEAST_S, length_s or 0.0),
        cache_salt=cache_salt,
    )


def shared_facts(experiment: Experiment, *, trace_name: str, trace_sha256: str) -> dict[str, Any]:
    """Scorecard columns that hold for all runs of an experiment."""
    load, repeat, objectives = experiment.load, experiment.repeat, experiment.objectives
    return {
        "trace_name": trace_name,
        "trace_sha256": trace_sha256,
        "arrival_mode": "closed" if load.concurrency is not None else "open",
        "seed": experiment.trace.seed,
        "warmup_s": load.warmup_s,
        "repeats": repeat.n,
        "slo_ttft_ms": objectives.ttft_p95_ms,
        "slo_queue_ms": objectives.queue_p95_ms,
        "slo_e2e_ms": objectives.e2e_p95_ms,
        "slo_itl_ms": objectives.itl_p95_ms,
        **_cost_facts(experiment),
    }


def _cost_facts(experiment: Experiment) -> dict[str, Any]:
    cost = experiment.cost
    if cost is None:
        return {}
    return {
        "currency": cost.currency,
        "price_basis": cost.basis,
        "unit_price": cost.per_hour,
        "price_date": cost.price_date.isoformat(),
        "price_source": cost.source,
    }
