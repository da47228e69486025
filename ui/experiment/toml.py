"""A draft as the text of an experiment file, and back; comments and keys that no form edits survive."""

from datetime import date
from pathlib import Path
from typing import Any

import tomlkit

from ui.experiment.draft import Draft, same
from workbench.experiments import Cost, Experiment, LoadShape, TraceChoice, arrivals_of
from workbench.servers import TargetSpec

_DEFAULT_SEED = 1


def read_draft(path: Path) -> tuple[Draft, str]:
    """Read an experiment file by the core's own strict rules; returns the draft and the file's text.

    Raises:
        InputError: as `Experiment.load_file`.
    """
    experiment = Experiment.load_file(path)
    return draft_of(experiment), path.read_text(encoding="utf-8")


def draft_of(experiment: Experiment) -> Draft:
    """The form's content for an experiment."""
    repeat = experiment.repeat
    return Draft(
        name=experiment.name,
        baseline=dict(experiment.baseline),
        control=experiment.control.name,
        values=tuple(experiment.control.values),
        objectives=dict(experiment.objectives.stated()),
        repeats=repeat.n,
        order=repeat.order,
        **_target_fields(experiment.target),
        **_trace_fields(experiment.trace),
        **_load_fields(experiment.load, arrivals_of(experiment.trace, experiment.load)),
        **_cost_fields(experiment.cost),
    )


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
        "loop": "open" if load.rates is not None else "closed" if load.concurrency is not None else "trace",
        "rates": tuple(load.rates or _PLAIN.rates),
        "concurrency": tuple(load.concurrency or _PLAIN.concurrency),
        "bound": "duration" if load.duration_s is not None else "requests",
        "duration_s": load.duration_s or _PLAIN.duration_s,
        "requests": load.requests or _PLAIN.requests,
        "warmup_s": load.warmup_s,
        "arrivals": arrivals,
        "burstiness": load.burstiness,
        "endpoint": load.endpoint,
        "max_in_flight": load.max_in_flight,
        "queue_timeout_s": load.queue_timeout_s,
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


def to_text(draft: Draft, original: str = "") -> str:
    """The draft as TOML, written into `original` where there is one."""
    document: Any = tomlkit.parse(original)
    document["name"] = draft.name
    for table, entries in _tables(draft).items():
        if table == "cost" and draft.cost_per_hour is None:
            document.pop(table, None)
            continue
        held = document.get(table)
        if held is None:
            if not any(value is not None for value in entries.values()):
                continue
            held = document[table] = tomlkit.table()
        if table == "baseline":
            for name in [name for name in held if name not in entries]:
                del held[name]
        for key, value in entries.items():
            if value is None:
                held.pop(key, None)
            elif not same(held.get(key), value):
                held[key] = value
    return tomlkit.dumps(document)


def checked_text(draft: Draft, original: str = "") -> str:
    """As `to_text`, after the core has read it back.

    Raises:
        InputError: the core refuses it, in its words.
    """
    text = to_text(draft, original)
    Experiment.from_toml(text, where=draft.name)
    return text


def draft_of_text(text: str, where: str) -> Draft:
    """The form's content for an experiment's TOML.

    Raises:
        InputError: as `Experiment.from_toml`.
    """
    return draft_of(Experiment.from_toml(text, where=where))


def _tables(draft: Draft) -> dict[str, dict[str, Any]]:
    """The file's tables with all keys that the form edits; None: not in the file."""
    return {
        "target": _target(draft),
        "baseline": dict(draft.baseline),
        "control": {"name": draft.control, "values": list(draft.values)},
        "trace": _trace(draft),
        "load": _load(draft),
        "objectives": {name: draft.objectives.get(name) for name in OBJECTIVES},
        "repeat": {
            "n": _unless(draft.repeats, 1),
            "order": _unless(draft.order, "interleaved"),
        },
        "cost": _cost(draft),
    }


OBJECTIVES = ("ttft_p95_ms", "itl_p95_ms", "e2e_p95_ms", "queue_p95_ms", "error_rate", "preemptions")
"""Overall objectives, in the order of the form."""


def _target(draft: Draft) -> dict[str, Any]:
    """Keys of the chosen kind; those of the others are taken out, for the core refuses what means nothing."""
    own: dict[str, dict[str, Any]] = {
        "embedded": {"profile": draft.profile, "time_scale": _unless(draft.time_scale, 1.0)},
        "local": {"model": draft.model, "executable": draft.executable or None},
        "attached": {"url": draft.url, "model": draft.model or None},
    }
    if draft.target_kind not in own:
        return {"kind": draft.target_kind}
    others: dict[str, Any] = {key: None for keys in own.values() for key in keys}
    if draft.target_kind == "attached":
        others |= {"args": None, "env": None}
    key = None if draft.target_kind == "embedded" else draft.api_key_env or None
    return {"kind": draft.target_kind, **others, **own[draft.target_kind], "api_key_env": key}


def _trace(draft: Draft) -> dict[str, Any]:
    chosen: dict[str, Any] = {"file": None, "synthetic": None, "mix": None}
    if draft.trace_kind == "synthetic":
        chosen["synthetic"] = f"{draft.input_tokens}:{draft.output_tokens}"
    elif draft.trace_kind == "mix":
        chosen["mix"] = draft.trace_mix
    else:
        chosen["file"] = draft.trace_file
    return {
        **chosen,
        "seed": _unless(draft.seed, _DEFAULT_SEED),
        "max_len": _unless(draft.max_len, "refuse"),
        "speedup": _unless(draft.speedup, 1.0),
    }


def _load(draft: Draft) -> dict[str, Any]:
    by_time = draft.bound == "duration"
    return {
        "rates": list(draft.rates) if draft.loop == "open" else None,
        "concurrency": list(draft.concurrency) if draft.loop == "closed" else None,
        "duration_s": draft.duration_s if by_time else None,
        "requests": None if by_time else draft.requests,
        "warmup_s": _unless(draft.warmup_s, 0.0),
        "arrivals": "trace" if draft.loop == "trace" else draft.arrivals,
        "burstiness": _unless(draft.burstiness, 1.0),
        "endpoint": _unless(draft.endpoint, "completions"),
        "max_in_flight": draft.max_in_flight,
        "queue_timeout_s": draft.queue_timeout_s,
    }


def _cost(draft: Draft) -> dict[str, Any]:
    return {
        "currency": draft.cost_currency,
        "per_hour": draft.cost_per_hour,
        "basis": draft.cost_basis,
        "price_date": date.fromisoformat(draft.cost_date) if draft.cost_date else None,
        "source": draft.cost_source,
    }


def _unless(value: Any, default: Any) -> Any:
    return None if value == default else value
