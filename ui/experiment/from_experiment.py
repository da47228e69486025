"""The form's content for an experiment: every field of the file that has one in the draft. No Qt here."""

import shlex
from typing import Any

from ui.experiment.draft import Draft
from workbench.experiments import Cost, Experiment, LoadShape, TraceChoice, arrivals_of
from workbench.servers import TargetSpec


def draft_of(experiment: Experiment) -> Draft:
    """The form's content for an experiment."""
    repeat = experiment.repeat
    return Draft(
        name=experiment.name,
        kind=experiment.kind,
        baseline=dict(experiment.baseline),
        control=experiment.tested.name,
        values=tuple(experiment.tested.values),
        objectives=dict(experiment.objectives.stated()),
        class_objectives={name: dict(own.stated()) for name, own in experiment.objectives.classes.items()},
        repeats=repeat.n,
        order=repeat.order,
        disturbed=repeat.disturbed,
        **_target_fields(experiment.target),
        **_trace_fields(experiment.trace),
        **_load_fields(experiment.load, arrivals_of(experiment.trace, experiment.load)),
        **_kind_fields(experiment),
        **_cost_fields(experiment.cost),
    )


def _kind_fields(experiment: Experiment) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if experiment.burst is not None:
        burst = experiment.burst
        fields |= {"burst_factor": burst.factor, "burst_s": burst.seconds, "burst_at": burst.at}
    if experiment.second is not None:
        fields |= {"second": experiment.second.name, "second_value": experiment.second.value}
    if experiment.switchback is not None:
        fields |= {"block_s": experiment.switchback.block_s, "washout_s": experiment.switchback.washout_s}
    return fields


_PLAIN = Draft()
"""For what a file leaves out."""


def _target_fields(target: TargetSpec) -> dict[str, Any]:
    return {
        "target_kind": target.kind,
        "profile": target.profile or _PLAIN.profile,
        "time_scale": target.time_scale,
        "url": target.url or "",
        "model": target.model or "",
        "executable": target.executable or "",
        "api_key_env": target.api_key_env or "",
        "host": target.host or "",
        "image": target.image or "",
        "gpus": target.gpus or "",
        "shm_size": target.shm_size or "",
        "ca_file": target.ca_file or "",
        "args": shlex.join(target.args),
        "load_python": target.load_python or "",
        "kv": target.kv,
        "record_steps": target.record_steps,
        "live_limits": target.live_limits,
    }


def _trace_fields(trace: TraceChoice) -> dict[str, Any]:
    before, _, after = (trace.synthetic or f"{_PLAIN.input_tokens}:{_PLAIN.output_tokens}").partition(":")
    return {
        "trace_kind": "file" if trace.file is not None else "mix" if trace.mix is not None else "synthetic",
        "trace_file": trace.file or "",
        "trace_mix": trace.mix or _PLAIN.trace_mix,
        "input_tokens": int(before),
        "output_tokens": int(after),
        "seed": trace.seed,
        "max_len": trace.max_len,
        "speedup": trace.speedup,
    }


def _load_fields(load: LoadShape, arrivals: str) -> dict[str, Any]:
    return {
        **_ladder_fields(load),
        "loop": _loop_of(load),
        "rates": tuple(load.rates or _PLAIN.rates),
        "concurrency": tuple(load.concurrency or _PLAIN.concurrency),
        "bound": "duration" if load.duration_s is not None else "requests",
        "duration_s": load.duration_s or _PLAIN.duration_s,
        "requests": load.requests or _PLAIN.requests,
        "warmup_s": load.warmup_s,
        "arrivals": arrivals,
        "burstiness": load.burstiness,
        "endpoint": load.endpoint,
        "rate_profile": load.profile or "",
        "max_in_flight": load.max_in_flight,
        "queue_timeout_s": load.queue_timeout_s,
        "request_timeout_s": load.request_timeout_s,
        "max_retries": load.max_retries,
    }


def _loop_of(load: LoadShape) -> str:
    if load.ladder is not None:
        return "ladder"
    return "open" if load.rates is not None else "closed" if load.concurrency is not None else "trace"


def _ladder_fields(load: LoadShape) -> dict[str, Any]:
    ladder = load.ladder
    if ladder is None:
        return {}
    return {
        "ladder_from": ladder.start,
        "ladder_to": ladder.to,
        "ladder_factor": ladder.factor,
        "ladder_adaptive": ladder.adaptive,
        "ladder_bisections": ladder.bisections,
    }


def _cost_fields(cost: Cost | None) -> dict[str, Any]:
    if cost is None:
        return {}
    return {
        "cost_per_hour": cost.per_hour,
        "cost_currency": cost.currency,
        "cost_basis": cost.basis,
        "cost_date": cost.price_date.isoformat(),
        "cost_source": cost.source,
    }
