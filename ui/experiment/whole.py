"""The core's check of a whole draft, whose refusal is shown at its field."""

from collections.abc import Iterable

from ui.experiment.draft import Draft
from ui.number_text import sentence
from ui.translation import spoken
from workbench.base import InputError, Place, Refusal

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
"""The form's field by table and key of the file, if its name is another one."""
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
"""Keys with a field of the same name, by table."""
_FIRST = {
    "target": "target_kind",
    "baseline": "baseline",
    "control": "values",
    "second": "second",
    "trace": "trace_kind",
    "repeat": "repeats",
    "cost": "cost_per_hour",
}
"""The field for problems of a whole table."""


_STEPS = {"open": "rates", "ladder": "ladder", "closed": "concurrency"}
"""The field of the load's steps, by the draft's loop."""


def field_of(table: str, key: str, loop: str = "") -> str:
    """Return the field that shows a key of the file, or a field near it."""
    return _own_field(table, key) or _near_field(table, loop)


def _own_field(table: str, key: str) -> str | None:
    if key in _ALIKE.get(table, ()):
        return key
    if table in {"baseline", "objectives"} and key:
        return f"{table}.{key}"
    return _FIELD_OF.get((table, key))


def _near_field(table: str, loop: str) -> str:
    table = table.partition(".")[0]
    return _STEPS.get(loop, "loop") if table == "load" else _FIRST.get(table, "kind")


def against_the_whole(draft: Draft) -> Iterable[tuple[str, str]]:
    """Yield the field and the text of the core's refusal, if it refuses the draft."""
    from ui.experiment.toml import checked_text  # noqa: PLC0415 - the core room loads when first needed

    try:
        checked_text(draft)
    except Refusal as error:
        table, key = error.place.table or "", error.place.key or ""
        # A field near the key doesn't name it, so the text does.
        place = "" if _own_field(table, key) or not key else str(Place(table=table or None, key=key))
        yield field_of(table, key, draft.loop), sentence(error.text(spoken(), place=place))
    except InputError as error:
        yield "kind", sentence(str(error))
