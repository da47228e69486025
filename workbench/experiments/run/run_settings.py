"""Settings of a run from its experiment: the load's target and options, the scorecard's facts."""

import hashlib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from workbench.base import mask_value, message
from workbench.controls import CONTROLS
from workbench.experiments.plan.plan import Configuration
from workbench.experiments.plan.resume import SCHEDULE_FORM_FACT
from workbench.experiments.run.held_constant import describe_changes
from workbench.experiments.run.host_columns import host_facts
from workbench.experiments.run.load_path import describe_path, load_path_of
from workbench.experiments.spec.experiment import Experiment
from workbench.experiments.spec.tables import LoadHosts, LoadShape
from workbench.load import INPUT_MODE_OF, LoadOptions, Target, stored_resolution
from workbench.servers import EffectiveConfig, Server, TargetSpec
from workbench.traces import SCHEDULE_FORM, Schedule

DRAIN_AT_LEAST_S = 60.0
"""Shortest time for open requests after the schedule, in seconds; a longer schedule allows its own length."""


def load_target(experiment: Experiment, server: Server, effective: EffectiveConfig) -> Target:
    """Return the target of the load."""
    return Target(
        url=server.url or "",
        model=server.model or effective.model or experiment.target.model or "",
        endpoint=experiment.load.endpoint,
        api_key=experiment.target.api_key(),
        headers=experiment.target.all_headers(),
        ca_file=experiment.target.ca_file,
    )


def target_title(target: TargetSpec) -> str:
    """Return a short name of the target, for people."""
    if target.kind == "embedded":
        profile = target.profile or message("experiments.default_profile")
        return str(message("experiments.embedded_target", profile=profile))
    if target.kind == "attached":
        return str(target.url)
    return str(message("experiments.vllm_target", target=target.kind, model=mask_value(target.model)))


def run_load_options(
    experiment: Experiment,
    configuration: Configuration,
    effective: EffectiveConfig,
    length_s: float | None,
    cache_salt: str | None,
) -> LoadOptions:
    """Return the load options of a run; the load's own controls come from the configuration."""
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
        real_text=experiment.trace.replay_text,
    )


def load_options(
    load: LoadShape,
    seed: int,
    effective: EffectiveConfig,
    length_s: float | None,
    max_in_flight: int | None,
    queue_timeout_s: float | None,
    cache_salt: str | None = None,
    *,
    real_text: bool = False,
) -> LoadOptions:
    """Return the load options for one run of `length_s` seconds against a server."""
    return LoadOptions(
        workers=None if load.workers is None else load.workers * load.machines(),
        max_in_flight=max_in_flight,
        queue_timeout_s=queue_timeout_s,
        request_timeout_s=load.request_timeout_s,
        max_retries=load.max_retries,
        retry_backoff_s=load.retry_backoff_s,
        input_mode="text" if real_text else load.input_mode or INPUT_MODE_OF[load.endpoint],
        seed=seed,
        vocab_size=effective.vocab_size,
        time_scale=effective.time_scale or 1.0,
        warmup_s=load.warmup_s,
        drain_s=max(DRAIN_AT_LEAST_S, length_s or 0.0),
        cache_salt=cache_salt,
    )


def cache_salt(bench: Path, run: str, tries: int = 0) -> str:
    """Return a salt that keeps the prefix caches of runs, and of tries of a run, apart.

    It is a hash, because vLLM refuses `@`, slashes and more than 128 characters in it (HTTP 400 in 0.32).
    """
    return hashlib.sha256(f"{bench.stem}/{run}{tries or ''}".encode()).hexdigest()[:32]


def shared_facts(experiment: Experiment, *, trace_name: str, trace_sha256: str) -> dict[str, Any]:
    """Return scorecard columns that hold for all runs of an experiment."""
    load, repeat, objectives = experiment.load, experiment.repeat, experiment.objectives
    return {
        "trace_name": trace_name,
        "trace_sha256": trace_sha256,
        "experiment_kind": experiment.kind,
        "arrival_mode": "closed" if load.concurrency is not None else "open",
        "seed": experiment.trace.seed,
        SCHEDULE_FORM_FACT: load.schedule_form or SCHEDULE_FORM,
        "warmup_s": load.warmup_s,
        "repeats": repeat.n,
        "slo_ttft_ms": objectives.ttft_p95_ms,
        "slo_queue_ms": objectives.queue_p95_ms,
        "slo_e2e_ms": objectives.e2e_p95_ms,
        "slo_itl_ms": objectives.itl_p95_ms,
        **host_facts(experiment.target),
        **({} if load.hosts is None else {"load_place": "hosts"}),
        **load_resolution_facts(experiment),
        **_cost_facts(experiment),
    }


def resolution_facts(target: TargetSpec) -> dict[str, Any]:
    """Return the resolution of the load's path from its last calibration, or of its machine alone."""
    path = load_path_of(target)
    resolution = stored_resolution(path.url, machine=path.machine)
    if resolution is None:
        return {}
    return {
        "client_floor_ttft_ms": resolution.ttft_floor_ms,
        "client_floor_itl_ms": resolution.itl_floor_ms,
        "client_limit_tok_s": resolution.limit_tokens_per_s,
        "calibrated_utc": resolution.utc,
        "calibrated_path": str(describe_path(resolution)),
        **({} if resolution.path_ms is None else {"path_ms": resolution.path_ms}),
    }


def calibrated_targets(experiment: Experiment) -> list[TargetSpec]:
    """Return the targets whose path a calibration measures: each machine of the load, or the own."""
    hosts = experiment.load.hosts
    if hosts is None:
        return [experiment.target]
    if hosts.ray is not None:
        return []
    return [host_target(host, hosts) for host in hosts.ssh]


def host_target(host: str, hosts: LoadHosts) -> TargetSpec:
    """Return one machine of the load as a target, to connect to it."""
    return TargetSpec(
        kind="ssh", host=host, model="", load_python=hosts.python_there, keep_copy=hosts.keep_copy
    )


_WORST = {
    "client_floor_ttft_ms": max,
    "client_floor_itl_ms": max,
    "client_limit_tok_s": min,
    "calibrated_utc": min,
}


def load_resolution_facts(experiment: Experiment) -> dict[str, Any]:
    """Return the resolution of the load; of several machines the worst one's, if all were calibrated."""
    found = [resolution_facts(target) for target in calibrated_targets(experiment)]
    if len(found) <= 1 or not all(found):
        return found[0] if found and all(found) else {}
    worst: dict[str, Any] = {name: of(facts[name] for facts in found) for name, of in _WORST.items()}
    return {**worst, "calibrated_path": "; ".join(facts["calibrated_path"] for facts in found)}


def _cost_facts(experiment: Experiment) -> dict[str, Any]:
    cost, demand = experiment.cost, experiment.demand
    asked = {} if demand is None else {"demand": msgspec.to_builtins(demand)}
    if cost is None:
        return asked
    # The unit price of a purchase is for the system; the user computed the hourly cost from it.
    price = {} if cost.basis == "purchase" else {"unit_price": cost.per_hour}
    return {
        **asked,
        **price,
        "currency": cost.currency,
        "price_basis": cost.basis,
        "cost_per_hour": cost.per_hour,
        "price_date": cost.price_date.isoformat(),
        "price_source": cost.source,
    }


def run_facts(
    configuration: Configuration,
    effective: EffectiveConfig,
    schedule: Schedule,
    options: LoadOptions,
    moved: Mapping[str, tuple[Any, Any]],
) -> dict[str, Any]:
    """Return scorecard columns of one run; `moved` as `ConstantsCheck.changes` returns it."""
    changes = describe_changes(configuration, moved)
    columns = {
        "moved": None if changes is None else str(changes),
        "cache_reset": "y" if options.cache_salt else "n",
        "input_mode": options.input_mode,
        "burst_factor": dispersion(schedule),
        "quality_check": _altered_answers(configuration, moved),
        **system_facts(effective),
    }
    return {name: value for name, value in columns.items() if value is not None}


def system_facts(effective: EffectiveConfig) -> dict[str, Any]:
    """Return scorecard columns of the server's machine, as far as it reports them."""
    columns = {
        "gpu_model": effective.system.get("nvidia_gpu_models"),
        "driver": effective.system.get("nvidia_driver_version"),
        "cuda": effective.system.get("cuda_runtime_version"),
    }
    return {name: value for name, value in columns.items() if value is not None}


def _altered_answers(configuration: Configuration, moved: Collection[str]) -> str | None:
    """Return which changed controls can alter answers; None if none can."""
    changed = [] if configuration.control is None else configuration.control.split(" + ")
    changed += sorted(moved)
    altering = [name for name in changed if name in CONTROLS and CONTROLS[name].alters_answers]
    return str(message("experiments.answers_may_differ", controls=altering)) if altering else None


def dispersion(schedule: Schedule) -> float | None:
    """Return variance over mean of arrivals a second (Poisson: 1); None in a closed loop or below 10 s."""
    length = int(schedule.length_s or 0.0)
    if schedule.concurrency is not None or length < 10:
        return None
    counts = np.bincount(schedule.due_s[schedule.due_s < length].astype(np.int64), minlength=length)
    mean = float(counts.mean())
    return round(float(counts.var()) / mean, 3) if mean > 0 else None
