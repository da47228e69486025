"""A run's requests as columns, with order and filter. No Qt."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Objects = NDArray[np.object_]
Bools = NDArray[np.bool_]
Places = NDArray[np.intp]


@dataclass(frozen=True)
class RequestTable:
    """Requests of one run, shape (n,) each, in the order of the schedule; NaN or empty for unknown."""

    run: str
    simulated: bool
    ended_s: float
    """End of the observation, in seconds of the schedule."""
    numbers: dict[str, Floats]
    """By the keys of `ui.requests.columns`, in the columns' units."""
    texts: dict[str, Objects]
    moments: dict[str, Floats]
    """Times in seconds of the schedule: due, sent, first_token, last_token, done."""
    waits: dict[int, tuple[tuple[float, float], ...]] = field(default_factory=dict)
    """Begin and end of waits after preemptions, from the gaps between tokens; by the request's index here."""

    def __len__(self) -> int:
        return len(self.moments["due"])

    def knows(self, key: str) -> bool:
        """Return True if any request has this figure."""
        return not bool(np.isnan(self.numbers[key]).all())


def first_known(one: Floats, other: Floats) -> Floats:
    """Return `one`, with unknown values replaced from `other`."""
    return np.where(np.isnan(one), other, one)


def waited_s(table: RequestTable) -> Floats:
    """Return the minimum wait of each request without a first token; NaN for the others, shape (n,)."""
    due, first = table.moments["due"], table.moments["first_token"]
    end = first_known(table.moments["done"], np.full(len(table), table.ended_s))
    open_ = np.isnan(first) & (table.texts["outcome"] == "unfinished") & (due < table.ended_s)
    return np.where(open_, end - due, np.nan)


def order_by(values: Floats | Objects, *, descending: bool, least: Floats | None = None) -> Places:
    """Return the rows' indices sorted by these values, stable; unknown values come last.

    `least` holds lower bounds of unknown values: a request that still waits sorts by its wait so far.
    """
    if values.dtype == object:
        _, keys = np.unique(values.astype(str), return_inverse=True)
        numbers: Floats = keys.astype(np.float64)
    else:
        numbers = values.astype(np.float64)
        if least is not None:
            # One step above: 3 s without a token are worse than an answer after 3 s.
            numbers = np.where(np.isnan(numbers), np.nextafter(least, np.inf), numbers)
    return np.argsort(-numbers if descending else numbers, kind="stable")


def matching(table: RequestTable, *, text: str, outcome: str, cls: str, warm_up: bool) -> Bools:
    """Return a mask, shape (n,), of requests with this outcome, class and text; empty ones match all."""
    mask = np.ones(len(table), dtype=np.bool_)
    if outcome:
        mask &= np.asarray(table.texts["outcome"] == outcome, dtype=np.bool_)
    if cls:
        mask &= np.asarray(table.texts["cls"] == cls, dtype=np.bool_)
    if not warm_up:
        mask &= np.asarray(table.texts["phase"] != "warmup", dtype=np.bool_)
    if text:
        mask &= _holding(table, text.casefold())
    return mask


def _holding(table: RequestTable, wanted: str) -> Bools:
    found = np.zeros(len(table), dtype=np.bool_)
    for name in ("request_id", "session_id", "error", "finish_reason", "cls"):
        found |= np.array([wanted in value.casefold() for value in table.texts[name]], dtype=np.bool_)
    return found
