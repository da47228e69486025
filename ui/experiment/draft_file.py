"""A draft as the text of an experiment file, and back; comments and keys without a form field stay."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import tomlkit
from tomlkit.exceptions import TOMLKitError

from ui.experiment.draft import Draft
from ui.experiment.file_fields import of_table, read_tables, written_table
from workbench.base import UNREADABLE, Place, Refusal
from workbench.experiments import Experiment, arrivals_of, to_tables, write_into
from workbench.experiments.spec.read_experiments import found_trace
from workbench.results import Limits
from workbench.servers import TARGET_KEYS


def read_draft(path: Path) -> tuple[Draft, str]:
    """Read an experiment file; return the draft and the file's text.

    Raises:
        InputError: as `Experiment.load_file`.
    """
    again = _reproduction(path)
    if again is not None:
        return again
    experiment = Experiment.load_file(path)
    return draft_of(experiment), path.read_text(encoding="utf-8-sig")


def _reproduction(path: Path) -> tuple[Draft, str] | None:
    """Read a file of kind `reproduce`; None for another kind. Its bench file is read when the plan starts."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        content: Any = tomlkit.parse(text)
    except (OSError, TOMLKitError, *UNREADABLE):
        return None
    if content.get("kind") != "reproduce":
        return None
    bench = content.get("bench")
    if not isinstance(bench, str):
        raise Refusal("ui.reproduce_without_bench", Place(file=str(path), key="bench"))
    whole = Path(bench).expanduser()
    found = str(whole if whole.is_absolute() else (path.parent / whole).absolute())
    return Draft(kind="reproduce", name=str(content.get("name") or "Again"), reproduces=found), text


def draft_of(experiment: Experiment) -> Draft:
    """Return the form's content for an experiment."""
    tables = to_tables(experiment)
    trace: Mapping[str, Any] = tables["trace"]
    load: Mapping[str, Any] = tables["load"]
    before, _, after = trace.get("synthetic", "").partition(":")
    lengths = {"input_tokens": int(before), "output_tokens": int(after)} if before else {}
    return Draft(
        name=experiment.name,
        kind=experiment.kind,
        target_kind=experiment.target.kind,
        trace_kind=next((kind for kind in ("file", "mix") if kind in trace), "synthetic"),
        loop=next((loop for key, loop in _LOOPS.items() if key in load), "trace"),
        bound="duration" if "duration_s" in load else "requests",
        arrivals=arrivals_of(experiment.trace, experiment.load),
        baseline=dict(experiment.baseline),
        objectives=dict(experiment.objectives.stated()),
        class_objectives={name: dict(own.stated()) for name, own in experiment.objectives.classes.items()},
        **{"control": "", "values": (), **lengths, **read_tables(tables)},
    )


_LOOPS = {"ladder": "ladder", "rates": "open", "concurrency": "closed"}
"""`Draft.loop` by the key of `[load]` that it comes from."""


def to_text(draft: Draft, original: str = "") -> str:
    """Return the draft as TOML, written into `original`."""
    if draft.kind == "reproduce":
        return _reproducing_text(draft, original)
    top = {"name": draft.name, "kind": None if draft.kind == "ladder" else draft.kind, "bench": None}
    return write_into(original, {"": top, **_tables(draft)}, replaced=("baseline",))


def _reproducing_text(draft: Draft, original: str) -> str:
    """Return name, kind and bench file alone: the rest is in the bench file."""
    document: Any = tomlkit.parse(original)
    kept = original if document.get("kind") == "reproduce" else ""
    return write_into(kept, {"": {"name": draft.name, "kind": "reproduce", "bench": draft.reproduces}})


def checked_text(draft: Draft, original: str = "") -> str:
    """As `to_text`, and read back by the core.

    Raises:
        InputError: the core refuses it.
    """
    text = to_text(draft, original)
    if draft.kind != "reproduce":
        # The conductor reads the plan of a bench file.
        Experiment.from_toml(text, where=draft.name)
    return text


def draft_of_text(text: str, where: str, places: Sequence[Path] = ()) -> Draft:
    """Return the form's content for an experiment's TOML; its trace is sought in `places`.

    Raises:
        InputError: as `Experiment.from_toml`.
    """
    experiment = Experiment.from_toml(text, where=where)
    return draft_of(msgspec.structs.replace(experiment, trace=found_trace(experiment.trace, places)))


def _tables(draft: Draft) -> dict[str, dict[str, Any] | None]:
    """Return the file's tables with every key that the form edits; None for a table to remove."""
    trace = written_table(draft, "trace") or {}
    trace["synthetic"] = (
        f"{draft.input_tokens}:{draft.output_tokens}" if draft.trace_kind == "synthetic" else None
    )
    load = written_table(draft, "load") or {}
    load["arrivals"] = _arrivals(draft)
    return {
        "target": _target(draft),
        "baseline": dict(draft.baseline),
        "control": written_table(draft, "control"),
        "second": written_table(draft, "second"),
        "trace": trace,
        "load": load,
        "load.ladder": written_table(draft, "load.ladder"),
        "burst": written_table(draft, "burst"),
        "switchback": written_table(draft, "switchback"),
        "search": written_table(draft, "search"),
        "objectives": _objectives(draft),
        "repeat": written_table(draft, "repeat"),
        "cost": written_table(draft, "cost"),
    }


def _target(draft: Draft) -> dict[str, Any]:
    """Return the keys of the chosen kind of server, and None for the keys of the other kinds."""
    own = TARGET_KEYS[draft.target_kind]
    removed = {key: None for keys in TARGET_KEYS.values() for key in keys if key not in own}
    written = {field.key: field.written(draft) for field in of_table("target") if field.key in own}
    if draft.target_kind == "embedded" and draft.record_steps == "stats":
        # The embedded engine has no stat loggers.
        written["record_steps"] = True
    return {"kind": draft.target_kind, **removed, **written}


def _objectives(draft: Draft) -> dict[str, Any]:
    classes = {name: own for name, own in draft.class_objectives.items() if own}
    overall = {name: draft.objectives.get(name) for name in Limits.__struct_fields__}
    return {**overall, "classes": classes or None}


def _arrivals(draft: Draft) -> str | None:
    """Return how arrivals are spaced; a changing rate has its own times, so the trace's are not used."""
    if draft.rate_profile:
        return None if draft.arrivals == "trace" else draft.arrivals
    return "trace" if draft.loop == "trace" else draft.arrivals
