"""Which column of any table means what, as the user says or as their names suggest."""

import re
from dataclasses import dataclass
from typing import Final

from workbench.base import InputError

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
"""What a column may be mapped to; the last two are the source's own latencies, kept apart."""

UNITS: Final = ("s", "ms", "us", "ns")

_TOKENS: Final = "(tok|toks|tokens|token_count|len)"
_SUGGESTIVE: Final = {
    "timestamp": r"time(stamp)?|ts|date(time)?|(start|started|created|arrival)(_?(time|at))?|request_time",
    "input_length": rf"input_?length|isl|(num_?)?(input|prompt|context|request)_?{_TOKENS}",
    "output_length": rf"output_?length|osl|(num_?)?(output|completion|generated|response)_?{_TOKENS}",
    "session_id": r"session|(session|conversation|chat|thread)_?id",
    "class": r"class|category|workload|group|route",
    "turn": r"turn|round|turn_?index|round_?idx",
    "ttft_ms": r"ttft_?ms|time_?to_?first_?token_?ms",
    "e2e_ms": r"(e2e|latency|duration)_?ms",
}


@dataclass(frozen=True, kw_only=True)
class ColumnMapping:
    """Column (or dotted path in a JSON object) of each field, and the unit of the time stamps.

    Raises:
        InputError: an obligatory field is missing, or a field or unit is unknown.
    """

    columns: dict[str, str]
    unit: str | None = None
    """Of numeric time stamps; None: inferred. Dates with a time need none."""

    def __post_init__(self) -> None:
        unknown = [field for field in self.columns if field not in FIELDS]
        if unknown:
            raise InputError(f"columns: no field {unknown[0]!r}; one of {', '.join(FIELDS)}")
        missing = [field for field in OBLIGATORY if field not in self.columns]
        if missing:
            raise InputError(f"columns: nothing is mapped to {', '.join(missing)}")
        if self.unit is not None and self.unit not in UNITS:
            raise InputError(f"columns: unit {self.unit!r}; one of {', '.join(UNITS)}")


def parse_mapping(text: str) -> ColumnMapping:
    """A mapping from `timestamp=created_at@ms,input_length=usage.in,output_length=usage.out`.

    Raises:
        InputError: another form, or see `ColumnMapping`.
    """
    columns: dict[str, str] = {}
    unit = None
    for part in text.split(","):
        field, equals, column = part.strip().partition("=")
        if not equals or not column:
            raise InputError(f"columns {part!r}: FIELD=COLUMN, such as input_length=prompt_tokens")
        if field == "timestamp" and "@" in column:
            column, _, unit = column.rpartition("@")
        columns[field] = column
    return ColumnMapping(columns=columns, unit=unit)


def suggested(names: list[str]) -> dict[str, str]:
    """What each field's column might be, by the names alone; fields without a suggestion are left out."""
    found: dict[str, str] = {}
    for field, pattern in _SUGGESTIVE.items():
        for name in names:
            plain = re.sub(r"[\s.-]+", "_", name.rsplit(".", 1)[-1].strip())
            snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", plain).lower()
            if name not in found.values() and re.fullmatch(pattern, snake):
                found[field] = name
                break
    return found
