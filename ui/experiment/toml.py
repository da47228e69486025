"""A draft as the text of an experiment file, and back; comments and keys that no form edits survive."""

import shlex
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import tomlkit
from tomlkit.exceptions import TOMLKitError

from ui.experiment.draft import Draft, same
from ui.experiment.from_experiment import draft_of
from workbench.base import UNREADABLE, InputError
from workbench.experiments import Experiment
from workbench.experiments.spec.read_experiments import found_trace

_DEFAULT_SEED = 1


def read_draft(path: Path) -> tuple[Draft, str]:
    """Read an experiment file by the core's own strict rules; returns the draft and the file's text.

    Raises:
        InputError: as `Experiment.load_file`.
    """
    again = _reproduction(path)
    if again is not None:
        return again
    experiment = Experiment.load_file(path)
    return draft_of(experiment), path.read_text(encoding="utf-8-sig")


def _reproduction(path: Path) -> tuple[Draft, str] | None:
    """A file that says: the same again. What its bench file holds is read when the plan is begun."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        content: Any = tomlkit.parse(text)
    except (OSError, TOMLKitError, *UNREADABLE):
        return None
    if content.get("kind") != "reproduce":
        return None
    bench = content.get("bench")
    if not isinstance(bench, str):
        raise InputError(f'{path}: kind = "reproduce" needs bench, the file whose plan is measured again')
    whole = Path(bench).expanduser()
    found = str(whole if whole.is_absolute() else (path.parent / whole).absolute())
    return Draft(kind="reproduce", name=str(content.get("name") or "Again"), reproduces=found), text


def to_text(draft: Draft, original: str = "") -> str:
    """The draft as TOML, written into `original` where there is one."""
    if draft.kind == "reproduce":
        return _reproducing_text(draft, original)
    document: Any = tomlkit.parse(original)
    document["name"] = draft.name
    _set(document, "kind", _unless(draft.kind, "ladder"))
    document.pop("bench", None)
    for table, entries in _tables(draft).items():
        if entries is None:
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
            _set(held, key, value)
    return tomlkit.dumps(document)


def _set(held: Any, key: str, value: Any) -> None:
    """Change a key where its value changes, for a written value takes its comment away; None: take it out."""
    if value is None:
        held.pop(key, None)
    elif not same(held.get(key), value):
        held[key] = value


def _reproducing_text(draft: Draft, original: str) -> str:
    """Name, kind and bench file; all else comes from there."""
    document: Any = tomlkit.parse(original)
    if document.get("kind") != "reproduce":
        document = tomlkit.document()
    for key, value in (("name", draft.name), ("kind", "reproduce"), ("bench", draft.reproduces)):
        _set(document, key, value)
    return tomlkit.dumps(document)


def checked_text(draft: Draft, original: str = "") -> str:
    """As `to_text`, after the core has read it back.

    Raises:
        InputError: the core refuses it, in its words.
    """
    text = to_text(draft, original)
    if draft.kind == "reproduce":
        # Its plan is in the bench file, which the conductor reads.
        return text
    Experiment.from_toml(text, where=draft.name)
    return text


def draft_of_text(text: str, where: str, places: Sequence[Path] = ()) -> Draft:
    """The form's content for an experiment's TOML; its trace is sought in `places`, as `reproduce` does.

    Raises:
        InputError: as `Experiment.from_toml`.
    """
    experiment = Experiment.from_toml(text, where=where)
    return draft_of(msgspec.structs.replace(experiment, trace=found_trace(experiment.trace, places)))


def _tables(draft: Draft) -> dict[str, dict[str, Any] | None]:
    """The file's tables with all keys that the form edits; None: not in the file."""
    return {
        "target": _target(draft),
        "baseline": dict(draft.baseline),
        "control": {"name": draft.control, "values": list(draft.values)},
        "second": {"name": draft.second, "value": draft.second_value} if draft.kind == "confirm" else None,
        "trace": _trace(draft),
        "load": _load(draft),
        "burst": {"factor": draft.burst_factor, "seconds": draft.burst_s, "at": draft.burst_at}
        if draft.kind == "burst"
        else None,
        "switchback": {"block_s": draft.block_s, "washout_s": draft.washout_s}
        if draft.kind == "switchback"
        else None,
        "objectives": _objectives(draft),
        "repeat": {
            "n": _unless(draft.repeats, 1),
            "order": _unless(draft.order, "interleaved"),
            "disturbed": _unless(draft.disturbed, 0),
        },
        "cost": None if draft.cost_per_hour is None else _cost(draft),
    }


def _objectives(draft: Draft) -> dict[str, Any]:
    classes = {name: own for name, own in draft.class_objectives.items() if own}
    return {**{name: draft.objectives.get(name) for name in OBJECTIVES}, "classes": classes or None}


OBJECTIVES = ("ttft_p95_ms", "itl_p95_ms", "e2e_p95_ms", "queue_p95_ms", "error_rate", "preemptions")
"""Overall objectives, in the order of the form."""


def _target(draft: Draft) -> dict[str, Any]:
    """Keys of the chosen kind; those of the others are taken out, for the core refuses what means nothing."""
    kind = draft.target_kind
    model, words = draft.model or None, _words_of(draft.args)
    recorded = {"record_steps": draft.record_steps or None, "live_limits": draft.live_limits or None}
    pinned = {"kv": _unless(draft.kv, "as_deployed")}
    started = {"model": model, "executable": draft.executable or None, "args": words, **pinned}
    own: dict[str, dict[str, Any]] = {
        "embedded": {
            "profile": draft.profile,
            "time_scale": _unless(draft.time_scale, 1.0),
            "args": words,
            **pinned,
            **recorded,
            # It has no stat loggers.
            "record_steps": bool(draft.record_steps) or None,
        },
        "local": {**started, **recorded},
        "ssh": {"host": draft.host, "load_python": draft.load_python or None, **started, **recorded},
        "container": {
            "image": draft.image,
            **started,
            "gpus": draft.gpus or None,
            "shm_size": draft.shm_size or None,
            **recorded,
        },
        "attached": {"url": draft.url, "model": model, "ca_file": draft.ca_file or None},
    }
    others: dict[str, Any] = {key: None for keys in own.values() for key in keys}
    others |= {key: None for key, kinds in _KEPT.items() if kind not in kinds}
    key = None if kind == "embedded" else draft.api_key_env or None
    return {"kind": kind, **others, **own[kind], "api_key_env": key}


_KEPT = {
    "env": ("embedded", "local", "ssh", "container"),
    "mounts": ("container",),
    "security_opt": ("container",),
    "headers": ("attached",),
}
"""Keys without a field, and the kinds for which what the file holds stays."""


def _words_of(args: str) -> list[str] | None:
    try:
        return shlex.split(args) or None
    except ValueError:
        return [args]


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
        "ladder": _ladder(draft) if draft.loop == "ladder" else None,
        "concurrency": list(draft.concurrency) if draft.loop == "closed" else None,
        "duration_s": draft.duration_s if by_time else None,
        "requests": None if by_time else draft.requests,
        "warmup_s": _unless(draft.warmup_s, 0.0),
        "arrivals": _arrivals(draft),
        "profile": draft.rate_profile or None,
        "burstiness": _unless(draft.burstiness, 1.0),
        "endpoint": _unless(draft.endpoint, "completions"),
        "max_in_flight": draft.max_in_flight,
        "queue_timeout_s": draft.queue_timeout_s,
        "request_timeout_s": draft.request_timeout_s,
        "max_retries": _unless(draft.max_retries, 0),
    }


def _arrivals(draft: Draft) -> str | None:
    """A rate that changes has times of its own, so a trace's mean nothing then."""
    if draft.rate_profile:
        return None if draft.arrivals == "trace" else draft.arrivals
    return "trace" if draft.loop == "trace" else draft.arrivals


def _ladder(draft: Draft) -> dict[str, Any]:
    entries = {
        "from": draft.ladder_from,
        "to": draft.ladder_to,
        "factor": _unless(draft.ladder_factor, 1.5),
        "adaptive": _unless(draft.ladder_adaptive, default=False),
        "bisections": _unless(draft.ladder_bisections, 2),
    }
    return {key: value for key, value in entries.items() if value is not None}


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
