"""Request records as arrays, so that figures over 100,000 requests take milliseconds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base import Refusal
from workbench.results.percentiles import Floats
from workbench.results.run_records import Outcome, RequestRecord, may_be_unknown

Bools = NDArray[np.bool_]
Objects = NDArray[np.object_]


@dataclass(frozen=True, slots=True)
class RequestColumns:
    """One entry for each scheduled request, shape (n,). Stamps are wall seconds; NaN: unknown."""

    index: Floats
    row: Floats
    request_id: Objects
    cls: Objects
    phase: Objects
    outcome: Objects
    error: Objects
    """Text, or None without an error."""
    input_mode: Objects
    input_tokens: Floats
    output_tokens: Floats
    due: Floats
    released: Floats
    sent: Floats
    first_token: Floats
    last_token: Floats
    done: Floats
    connect_ms: Floats
    retries: Floats
    """Times that a request was sent again."""
    prompt_tokens: Floats
    completion_tokens: Floats
    tokens: Floats
    queue_ms: Floats
    prefill_ms: Floats
    requeue_wait_ms: Floats
    gaps_ms: Objects
    """Bytes, float32 little-endian, as in `RequestRecord`."""
    gap_tokens: Objects
    """Bytes, uint16 little-endian; empty: one token an event."""

    def __len__(self) -> int:
        return len(self.due)

    def select(self, mask: Bools) -> "RequestColumns":
        """Return the requests that `mask` (shape (n,)) selects."""
        return RequestColumns(**{name: getattr(self, name)[mask] for name in COLUMN_NAMES})

    def of_outcome(self, outcome: str) -> Bools:
        """Return which requests have this outcome."""
        return np.asarray(self.outcome == str(outcome), dtype=np.bool_)

    @property
    def never_left(self) -> Bools:
        """Requests that the load generator failed to send; they are no errors of the server.

        A request that the cap on requests in flight held to the end has no `released` and doesn't count.
        """
        return self.of_outcome(Outcome.UNFINISHED) & np.isnan(self.sent) & ~np.isnan(self.released)

    @property
    def output_counted(self) -> Floats:
        """Output tokens received: the server's usage, else counted in the stream."""
        return np.where(np.isnan(self.completion_tokens), self.tokens, self.completion_tokens)

    @property
    def input_counted(self) -> Floats:
        """Prompt tokens: the server's usage; a prompt sent as ids has as many as were sent."""
        sent_as_ids = np.where(self.input_mode == "ids", self.input_tokens, np.nan)
        return np.where(np.isnan(self.prompt_tokens), sent_as_ids, self.prompt_tokens)


COLUMN_NAMES = tuple(field.name for field in fields(RequestColumns))
_OBJECTS = frozenset(field.name for field in fields(RequestColumns) if field.type is Objects)


def columns_from_records(records: Iterable[RequestRecord]) -> RequestColumns:
    """Convert records in their order."""
    return columns_from_rows([tuple(getattr(record, name) for name in COLUMN_NAMES) for record in records])


def columns_from_rows(rows: Sequence[tuple[object, ...]]) -> RequestColumns:
    """Convert tuples in the order of `COLUMN_NAMES`; None becomes NaN in a number column."""
    by_column = zip(*rows, strict=True) if rows else iter([()] * len(COLUMN_NAMES))
    columns: dict[str, Any] = {
        name: _column(name, values) for name, values in zip(COLUMN_NAMES, by_column, strict=True)
    }
    return RequestColumns(**columns)


def _column(name: str, values: tuple[object, ...]) -> Floats | Objects:
    if name in _OBJECTS:
        column = np.empty(len(values), dtype=object)
        if name in _ITEM_BYTES:
            _check_bytes(name, values)
        elif not all(value is None or isinstance(value, str) for value in values):
            raise Refusal("results.column_not_text", name=name)
        column[:] = [str(value) for value in values] if name == "outcome" else values
        return column
    try:
        numbers = np.array(values, dtype=np.float64)
    except (ValueError, TypeError, OverflowError) as error:
        raise Refusal("results.column_not_numbers", name=name) from error
    if name in may_be_unknown(RequestRecord):
        # Older builds stored a server's values unchecked.
        numbers[np.isinf(numbers)] = np.nan
    if np.any(np.abs(numbers) > LARGEST):
        raise Refusal("results.column_too_large", name=name, largest=LARGEST)
    return numbers


LARGEST = 1e18
"""The largest possible measurement; a damaged file may hold more, which would break sums."""


_ITEM_BYTES = {"gaps_ms": 4, "gap_tokens": 2}


def _check_bytes(name: str, values: tuple[object, ...]) -> None:
    size = _ITEM_BYTES[name]
    if not all(isinstance(value, bytes) and len(value) % size == 0 for value in values):
        raise Refusal("results.column_not_bytes", name=name, size=size)
