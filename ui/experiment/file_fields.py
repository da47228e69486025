"""The form's fields and their keys in the experiment file: one row for each field. No Qt.

A new field is one row here, one attribute of `Draft` and one row of a form.
"""

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any

from ui.experiment.draft import Draft

_NO_DEFAULT = object()


@dataclass(frozen=True, slots=True)
class FileField:
    """One field of the form and its key in the file."""

    name: str
    """Attribute of `Draft`."""
    table: str
    """Table of the file; `load.ladder` is the table `ladder` within `load`."""
    key: str
    default: Any = _NO_DEFAULT
    """The value of a missing key, which is not written; without a default every value is written."""
    row: str = ""
    """Row of the form that shows the field; "": the field's own name."""
    when: Callable[[Draft], bool] = lambda _draft: True
    """True if the file has this key for the draft."""
    to_file: Callable[[Any], Any] = lambda value: value
    from_file: Callable[[Any], Any] = lambda value: value

    def written(self, draft: Draft) -> Any:
        """Return the value to write; None for no key."""
        value = getattr(draft, self.name)
        return None if value == self.default or not self.when(draft) else self.to_file(value)


def _words_to_file(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return [text]


def _date_to_file(text: str) -> date | None:
    return date.fromisoformat(text) if text else None


def _target(name: str, default: Any = _NO_DEFAULT, **more: Any) -> FileField:
    return FileField(name, "target", name, default, **more)


def _load(name: str, key: str, default: Any = _NO_DEFAULT, **more: Any) -> FileField:
    return FileField(name, "load", key, default, **more)


def _ladder(name: str, key: str, default: Any = _NO_DEFAULT) -> FileField:
    return FileField(name, "load.ladder", key, default, row="ladder")


def _cost(name: str, key: str, **more: Any) -> FileField:
    return FileField(name, "cost", key, **more)


FIELDS = (
    _target("profile"),
    _target("time_scale", 1.0),
    _target("url", ""),
    _target("model", ""),
    _target("executable", ""),
    _target("host", ""),
    _target("load_python", ""),
    _target("image", ""),
    _target("gpus", ""),
    _target("shm_size", ""),
    _target("ca_file", ""),
    _target("args", "", to_file=_words_to_file, from_file=shlex.join),
    _target("kv", "as_deployed"),
    _target("record_steps", None),
    _target("live_limits", default=False),
    _target("api_key_env", "", when=lambda draft: draft.target_kind != "embedded"),
    FileField("control", "control", "name", row="values"),
    FileField("values", "control", "values", to_file=list, from_file=tuple),
    FileField("second", "second", "name", row="second"),
    FileField("second_value", "second", "value", row="second"),
    FileField("trace_file", "trace", "file", when=lambda draft: draft.trace_kind == "file"),
    FileField("trace_mix", "trace", "mix", row="mix", when=lambda draft: draft.trace_kind == "mix"),
    FileField("seed", "trace", "seed", 1),
    FileField("max_len", "trace", "max_len", "refuse"),
    FileField("speedup", "trace", "speedup", 1.0),
    _load("rates", "rates", to_file=list, from_file=tuple, when=lambda draft: draft.loop == "open"),
    _load(
        "concurrency",
        "concurrency",
        to_file=list,
        from_file=tuple,
        when=lambda draft: draft.loop == "closed",
    ),
    _load("duration_s", "duration_s", row="length", when=lambda draft: draft.bound == "duration"),
    _load("requests", "requests", row="length", when=lambda draft: draft.bound == "requests"),
    _load("warmup_s", "warmup_s", 0.0),
    _load("rate_profile", "profile", ""),
    _load("burstiness", "burstiness", 1.0),
    _load("endpoint", "endpoint", "completions", row="loop"),
    _load("max_in_flight", "max_in_flight", None),
    _load("queue_timeout_s", "queue_timeout_s", None),
    _load("request_timeout_s", "request_timeout_s", None),
    _load("max_retries", "max_retries", 0),
    _ladder("ladder_from", "from"),
    _ladder("ladder_to", "to"),
    _ladder("ladder_factor", "factor", 1.5),
    _ladder("ladder_adaptive", "adaptive", default=False),
    _ladder("ladder_bisections", "bisections", 2),
    FileField("burst_factor", "burst", "factor"),
    FileField("burst_s", "burst", "seconds"),
    FileField("burst_at", "burst", "at"),
    FileField("block_s", "switchback", "block_s"),
    FileField("washout_s", "switchback", "washout_s"),
    FileField(
        "search_gain",
        "search",
        "gain",
        2.0,
        to_file=lambda percent: percent / 100,
        from_file=lambda share: round(100 * share, 9),
    ),
    FileField("search_minutes", "search", "minutes", None),
    FileField("repeats", "repeat", "n", 1),
    FileField("order", "repeat", "order", "interleaved", row="repeats"),
    FileField("disturbed", "repeat", "disturbed", 0),
    _cost("cost_currency", "currency"),
    _cost("cost_per_hour", "per_hour"),
    _cost("cost_basis", "basis"),
    _cost("cost_date", "price_date", to_file=_date_to_file, from_file=date.isoformat),
    _cost("cost_source", "source"),
)
"""In the order of the file."""

_PRESENT: Mapping[str, Callable[[Draft], bool]] = {
    "control": lambda draft: bool(draft.control) or draft.kind != "ladder",
    "second": lambda draft: draft.kind == "confirm",
    "load.ladder": lambda draft: draft.loop == "ladder",
    "burst": lambda draft: draft.kind == "burst",
    "switchback": lambda draft: draft.kind == "switchback",
    "search": lambda draft: draft.kind == "search",
    "cost": lambda draft: draft.cost_per_hour is not None,
}
"""Tables that the file has for some drafts only."""


@cache
def of_table(table: str) -> tuple[FileField, ...]:
    """Return the fields of one table."""
    return tuple(field for field in FIELDS if field.table == table)


def written_table(draft: Draft, table: str) -> dict[str, Any] | None:
    """Return a table's values by key, None for a key to remove; None if the file has no such table."""
    if table in _PRESENT and not _PRESENT[table](draft):
        return None
    return {field.key: field.written(draft) for field in of_table(table)}


def read_tables(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the draft's fields that an experiment's tables state."""
    found: dict[str, Any] = {}
    for field in FIELDS:
        holder: Any = tables
        for name in field.table.split("."):
            holder = holder.get(name, {})
        if field.key in holder:
            found[field.name] = field.from_file(holder[field.key])
        elif field.default is not _NO_DEFAULT and holder:
            found[field.name] = field.default
    return found


_FIRST_ROWS = {
    "target": "target_kind",
    "baseline": "baseline",
    "control": "values",
    "second": "second",
    "trace": "trace_kind",
    "repeat": "repeats",
    "cost": "cost_per_hour",
}
"""Row for a problem of a whole table."""
_LOAD_ROWS = {"open": "rates", "ladder": "ladder", "closed": "concurrency"}
"""Row of the loads of a plan, by `Draft.loop`."""
_OTHER_ROWS = {
    ("trace", "synthetic"): "lengths",
    ("load", "ladder"): "ladder",
    ("load", "arrivals"): "arrivals",
}


def row_of(table: str, key: str, loop: str = "") -> str:
    """Return the form's row for a key of the file, or the nearest row."""
    near = _LOAD_ROWS.get(loop, "loop") if table.startswith("load") else _FIRST_ROWS.get(table, "kind")
    return _own_row(table, key) or near


def has_row(table: str, key: str) -> bool:
    """Return True if a row of the form shows this key."""
    return _own_row(table, key) is not None


def _own_row(table: str, key: str) -> str | None:
    if table in {"baseline", "objectives"} and key:
        return f"{table}.{key}"
    if (table, key) in _OTHER_ROWS:
        return _OTHER_ROWS[table, key]
    return next((field.row or field.name for field in of_table(table) if field.key == key), None)
