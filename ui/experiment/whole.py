"""What the core has against a draft whose fields are sound each by itself, at the field that it is about."""

import re
from collections.abc import Iterable

from ui.core_words import said
from ui.experiment.draft import Draft
from ui.number_text import sentence
from workbench.base import InputError

_FIELD_OF = {
    ("burst", "factor"): "burst_factor",
    ("burst", "seconds"): "burst_s",
    ("burst", "at"): "burst_at",
    ("second", "name"): "second",
    ("second", "value"): "second",
    ("switchback", "block_s"): "block_s",
    ("switchback", "washout_s"): "washout_s",
    ("load", "duration_s"): "length",
    ("load", "requests"): "length",
    ("load", "profile"): "rate_profile",
    ("trace", "file"): "trace_file",
    ("trace", "synthetic"): "lengths",
    ("repeat", "n"): "repeats",
    ("repeat", "disturbed"): "disturbed",
    ("cost", "currency"): "cost_currency",
    ("cost", "per_hour"): "cost_per_hour",
    ("cost", "price_date"): "cost_date",
    ("cost", "source"): "cost_source",
}
"""Field of the form by table and key of the file, where they are called otherwise."""
_ALIKE = {
    "target": {
        *("profile", "time_scale", "url", "model", "host", "load_python", "image", "executable", "gpus"),
        *("shm_size", "args", "ca_file", "api_key_env", "kv", "record_steps", "live_limits"),
    },
    "trace": {"mix", "max_len", "speedup", "seed"},
    "load": {
        *("rates", "ladder", "concurrency", "warmup_s", "arrivals", "burstiness", "max_in_flight"),
        *("queue_timeout_s", "request_timeout_s", "max_retries"),
    },
    "control": {"values"},
}
"""Keys by table that have a field of the same name."""
_FIRST = {
    "target": "target_kind",
    "baseline": "baseline",
    "control": "values",
    "second": "second",
    "trace": "trace_kind",
    "repeat": "repeats",
    "cost": "cost_per_hour",
}
"""Where what is about a whole table stands."""


_STEPS = {"open": "rates", "ladder": "ladder", "closed": "concurrency"}
"""Where the loads of a plan stand."""


def field_of(table: str, key: str, loop: str = "") -> str:
    """The field that shows a key of the file; else one near it."""
    if key in _ALIKE.get(table, ()):
        return key
    if table in {"baseline", "objectives"} and key:
        return f"{table}.{key}"
    if table == "load" and (table, key) not in _FIELD_OF:
        return _STEPS.get(loop, "loop")
    return _FIELD_OF.get((table, key)) or _FIRST.get(table, "kind")


def against_the_whole(draft: Draft) -> Iterable[tuple[str, str]]:
    """The core's own sentence, at its field."""
    from ui.experiment.toml import checked_text  # noqa: PLC0415 - the core room loads when first needed

    try:
        checked_text(draft)
    except InputError as error:
        text = str(error).removeprefix(f"{draft.name}: ")
        place = re.search(r"\[(\w+)\](?: (\w+))?", text)
        table, key = place.groups() if place else ("", "")
        yield (
            field_of(table, key or "", draft.loop),
            said(sentence(text)),
        )
