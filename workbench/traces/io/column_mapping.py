"""Mapping of any table's columns to fields, stated by the user or found by their names."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from workbench.base import Place, Refusal

OBLIGATORY: Final = ("timestamp", "input_length", "output_length")
FIELDS: Final = (
    *OBLIGATORY,
    "session_id",
    "class",
    "turn",
    "delay",
    "cancel_after_tokens",
    "cancel_after_ms",
    "priority",
    "ttft_ms",
    "e2e_ms",
)
"""Fields that a column may be mapped to; the last two are the source's own latencies, kept apart."""

UNITS: Final = ("s", "ms", "us", "ns", "days")
_PLACE: Final = Place(key="columns")

_COUNT: Final = r"(tokens?|toks?|token_?count|token_?len(gth)?|tokens_?count|num_?tokens|len(gth)?)"
_PROMPT: Final = r"(input|prompt|context|request|prefill|query)"
_ANSWER: Final = r"(output|completion|generated|generation|response|decode|answer|gen)"
_OTHER_PROMPTS: Final = r"in_?tokens|isl|input_?sequence_?length|usage(_details)?_(input|prompt)"
_OTHER_ANSWERS: Final = (
    r"out_?tokens|osl|output_?sequence_?length|(num_?)?new_?tokens|usage(_details)?_(output|completion)"
)
_WHEN: Final = r"(_?(time|timestamp|ts|at|date|datetime|on))"
_UNIT: Final = r"(_?(utc|unix|epoch|iso|s|ms|us|ns|secs?|seconds|millis|nanos?|unix_?nano))*"
_SUGGESTIVE: Final[dict[str, tuple[str, ...]]] = {
    "timestamp": (
        rf"arriv(al|ed){_WHEN}?{_UNIT}|arrival",
        rf"(request_?)?(start(ed)?|receiv(ed|e)|submi(t|tted)|issued|enqueued|queued){_WHEN}?{_UNIT}|request{_WHEN}{_UNIT}",
        rf"(request_?)?(creat(ed|ion)|sent|send){_WHEN}?{_UNIT}",
        rf"@?time(_?stamp)?{_UNIT}|ts{_UNIT}|date(_?time)?{_UNIT}|datetime{_UNIT}|when|t",
    ),
    "input_length": (
        rf"(num|n|total)?_?{_PROMPT}_?{_COUNT}|(num_?)?tokens?_?(in|{_PROMPT})|{_OTHER_PROMPTS}",
        r"input|prompt|in",
    ),
    "output_length": (
        rf"(num|n|total)?_?{_ANSWER}_?{_COUNT}|(num_?)?tokens?_?(out|{_ANSWER})|{_OTHER_ANSWERS}",
        r"output|completion|out",
        r"max_?(new_?|output_?|completion_?)?tokens",
    ),
    "session_id": (
        r"session|(session|conversation|chat|thread)_?(id|hash)",
        r"conversation|(user|client)_?session",
    ),
    "class": (r"class|category|workload|group|route",),
    "turn": (r"turn|round|turn_?(index|idx|id)|round_?(index|idx)",),
    "ttft_ms": (r"ttft_?ms|time_?to_?first_?token_?ms",),
    "e2e_ms": (r"(e2e|e2el|latency|duration|request_?latency|total_?time)_?ms",),
}
"""Patterns of a field's names, the most certain first."""
_VIDUR: Final = {"arrived_at", "num_prefill_tokens", "num_decode_tokens"}
"""Columns of vidur's traces, whose times are seconds."""
_BY_ITSELF: Final = ("session_id", "ttft_ms", "e2e_ms")
"""Optional fields that are read without a mapping: their names are unambiguous."""


@dataclass(frozen=True, kw_only=True)
class ColumnMapping:
    """Column (or dotted path in a JSON object) of each field, and the unit of the time stamps.

    Raises:
        Refusal: a required field is missing, or a field or unit is unknown.
    """

    columns: dict[str, str]
    unit: str | None = None
    """Unit of numeric time stamps; None: inferred. Dates with a time need none."""
    timed: bool = True
    """False: the table has no times."""
    defined: str | None = None
    """Unit that the table's format defines; the size of the numbers may show another one."""

    def __post_init__(self) -> None:
        unknown = [field for field in self.columns if field not in FIELDS]
        if unknown:
            raise Refusal("base.not_one_of", _PLACE, value=unknown[0], choices=FIELDS)
        needed = OBLIGATORY if self.timed else OBLIGATORY[1:]
        missing = [field for field in needed if field not in self.columns]
        if missing:
            raise Refusal("traces.columns_missing", _PLACE, fields=missing)
        if self.unit is not None and self.unit not in UNITS:
            raise Refusal("base.not_one_of", _PLACE, value=self.unit, choices=UNITS)


def parse_mapping(text: str) -> ColumnMapping:
    """Read `timestamp=created_at@ms,input_length=usage.in,output_length=usage.out`.

    Raises:
        Refusal: `text` has another form, or see `ColumnMapping`.
    """
    columns: dict[str, str] = {}
    unit = None
    for part in text.split(","):
        field, equals, column = part.strip().partition("=")
        if not equals or not column:
            raise Refusal("traces.columns_form", _PLACE, text=part)
        if field == "timestamp" and column.rpartition("@")[2] in UNITS:
            column, _, unit = column.rpartition("@")
        elif field == "timestamp" and "@" in column[1:]:
            unit = column.rpartition("@")[2]
        columns[field] = column
    return ColumnMapping(columns=columns, unit=unit)


def suggested_columns(names: Sequence[str]) -> dict[str, str]:
    """Suggest a column for each field by the names alone; fields without a suggestion are left out."""
    found: dict[str, str] = {}
    for field in _SUGGESTIVE:
        candidates = [name for name in candidate_columns(field, names) if name not in found.values()]
        if candidates:
            found[field] = candidates[0]
    return found


def candidate_columns(field: str, names: Sequence[str], *, surest: bool = False) -> list[str]:
    """Return the columns that match a field's first matching pattern; `surest`: only its first pattern."""
    for pattern in _SUGGESTIVE[field][: 1 if surest else None]:
        fitting = [name for name in names if any(re.fullmatch(pattern, each) for each in _forms(name))]
        if fitting:
            return fitting
    return []


def mapping_from_names(names: Sequence[str]) -> tuple[ColumnMapping | None, dict[str, list[str]]]:
    """Return the mapping if the names are unambiguous, else None with the ambiguous fields' columns.

    Prompt and output lengths are needed. A table without times has lengths only.
    """
    sure: dict[str, str] = {}
    doubtful: dict[str, list[str]] = {}
    lengths = OBLIGATORY[1:]
    for field in (*OBLIGATORY, *_BY_ITSELF):
        candidates = candidate_columns(field, names, surest=field in lengths)
        if len(candidates) == 1 and candidates[0] not in sure.values():
            sure[field] = candidates[0]
        elif len(candidates) > 1 and field in OBLIGATORY:
            doubtful[field] = candidates
    if doubtful or any(field not in sure for field in lengths):
        known = all(field in sure or field in doubtful for field in lengths)
        return None, doubtful if known else {}
    defined = "s" if set(sure.values()) >= _VIDUR else None
    return ColumnMapping(columns=sure, timed="timestamp" in sure, defined=defined), {}


def _forms(name: str) -> list[str]:
    """Return a name in lower case with underscores: its last part alone, and with all parts before it."""
    last = name.rsplit(".", 1)[-1]
    return [_snake(last), _snake(name)] if last != name else [_snake(name)]


def _snake(name: str) -> str:
    plain = re.sub(r"[\s.\-/#()\[\]:]+", "_", name.strip()).strip("_")
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", plain).lower()
