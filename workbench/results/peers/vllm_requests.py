"""The single requests of a detailed `vllm bench serve` result, and the figures that need them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.base import Place, Refusal
from workbench.results.figures.drift import Drift, drift
from workbench.results.figures.latencies import accepted
from workbench.results.figures.request_columns import COLUMN_NAMES, Bools, RequestColumns
from workbench.results.objectives import Objectives
from workbench.results.peers.peer_run import ResultFields
from workbench.results.percentiles import Distribution, Floats, distribution
from workbench.results.run_records import Outcome

_OBJECTS = ("request_id", "cls", "phase", "outcome", "error", "input_mode", "gaps_ms", "gap_tokens")


@dataclass(frozen=True, kw_only=True)
class VllmRequests:
    """All sent requests, in order; times in seconds, NaN: unknown."""

    good: Bools
    """Completed with at least one token."""
    empty: int
    """Answers without an error and without a token; its summary counts them, with a TTFT of 0."""
    ttft: Floats
    latency: Floats
    output: Floats
    prompt: Floats
    gaps: list[list[float]]
    """Gaps between events, by request."""
    start: Floats
    """The client's clock, with any zero."""
    queued: Floats
    """Wait in the client before the send."""

    def __len__(self) -> int:
        return len(self.good)

    def series(self) -> dict[str, Distribution]:
        """Return all latency series of the arrays, without failed requests."""
        ttft, latency, output = (values[self.good] for values in (self.ttft, self.latency, self.output))
        gaps = [each for each, fine in zip(self.gaps, self.good.tolist(), strict=True) if fine]
        several = output >= 2
        found = {
            "ttft_ms": ttft * 1e3,
            "e2e_ms": latency * 1e3,
            "tpot_ms": (latency - ttft)[several] / (output[several] - 1) * 1e3,
            "admission_wait_ms": self.queued * 1e3,
        }
        series = {name: distribution(known) for name, values in found.items() if len(known := _known(values))}
        if any(gaps):
            series["event_gap_ms"] = _pooled(gaps)
        if "event_gap_ms" in series and self._one_token_an_event(gaps, output):
            # A gap between events is then one between tokens.
            series["itl_ms"] = series["event_gap_ms"]
        return series

    @staticmethod
    def _one_token_an_event(gaps: Sequence[Sequence[float]], output: Floats) -> bool:
        return all(len(each) + 1 == count for each, count in zip(gaps, output.tolist(), strict=True))

    def token_counts(self) -> dict[str, Distribution]:
        """Return prompt and output tokens of completed requests."""
        counts = {"input_tokens": self.prompt[self.good], "output_tokens": self.output[self.good]}
        return {name: distribution(known) for name, values in counts.items() if len(known := _known(values))}

    @property
    def completed(self) -> int:
        """The number of completed requests."""
        return int(self.good.sum())

    def drift(self) -> Drift | None:
        """Return the drift of TTFT; None: too few requests, or no start times."""
        if np.isnan(self.start).any() or not len(self):
            return None
        columns = self._columns()
        return drift(columns, scale=1.0, ended=float(np.nanmax(columns.done)))

    def accepted(self, objectives: Objectives) -> int:
        """Return the number of requests completed within the objectives, from their start in its loop."""
        return int(np.count_nonzero(accepted(self._columns(), objectives, scale=1.0)))

    def _columns(self) -> RequestColumns:
        """Return the requests as our columns; due when the client's loop got to them, as far as known."""
        n = len(self)
        start = np.where(np.isnan(self.start), 0.0, self.start)
        due = start - np.where(np.isnan(self.queued), 0.0, self.queued)
        due = due - (due.min() if n else 0.0)
        sent = due + np.where(np.isnan(self.queued), 0.0, self.queued)
        columns: dict[str, Any] = {
            name: np.empty(n, dtype=object) if name in _OBJECTS else np.full(n, np.nan)
            for name in COLUMN_NAMES
        }
        outcome = np.where(self.good, Outcome.COMPLETED.value, Outcome.FAILED.value)
        columns["outcome"][:] = outcome.tolist()
        columns["cls"][:] = ""
        columns["gaps_ms"][:] = [(1e3 * np.array(each)).astype("<f4").tobytes() for each in self.gaps]
        columns["gap_tokens"][:] = b""
        columns |= {
            "due": due,
            "sent": sent,
            "first_token": np.where(self.good, sent + self.ttft, np.nan),
            "done": np.where(self.good, sent + self.latency, sent),
        }
        return RequestColumns(**columns)


def read_requests(fields: ResultFields) -> VllmRequests | None:
    """Return the requests of a result; None: it keeps only its summary.

    Raises:
        Refusal: an array of another kind or length.
    """
    if not fields.content.get("ttfts") or not fields.content.get("itls"):
        return None
    ttft = np.array(fields.numbers("ttfts"))
    gaps = [ResultFields({"itls": each}, fields.where).numbers("itls") for each in fields.items("itls")]
    n = len(ttft)
    _check(fields, "itls", len(gaps), n)
    output = _numbers(fields, "output_lens", n)
    latency = _numbers(fields, "latencies", n)
    # Results up to 0.11 have no latencies: they end with the last event.
    latency = np.where(np.isnan(latency), ttft + np.array([sum(each) for each in gaps]), latency)
    answered = np.array(
        [first > 0 or bool(each) for first, each in zip(ttft.tolist(), gaps, strict=True)], np.bool_
    )
    answered |= output > 0
    fine = _without_error(fields, n)
    return VllmRequests(
        good=answered & fine,
        empty=int(np.count_nonzero(fine & ~answered)) if fields.items("errors") else 0,
        # Answers that aren't streamed have no first token: it writes 0.
        ttft=np.where(ttft > 0, ttft, np.nan),
        latency=latency,
        output=output,
        prompt=_numbers(fields, "input_lens", n),
        gaps=gaps,
        start=_numbers(fields, "start_times", n),
        queued=_numbers(fields, "queue_times", n),
    )


def _without_error(fields: ResultFields, n: int) -> Bools:
    """Return which requests have no error; all, if errors aren't kept."""
    errors = fields.items("errors")
    if not errors:
        return np.ones(n, np.bool_)
    _check(fields, "errors", len(errors), n)
    return np.array([not error for error in errors], np.bool_)


def _numbers(fields: ResultFields, name: str, n: int) -> Floats:
    values = np.array(fields.numbers(name))
    if not len(values):
        return np.full(n, np.nan)
    _check(fields, name, len(values), n)
    return values


def _check(fields: ResultFields, name: str, length: int, n: int) -> None:
    if length != n:
        place = Place(file=fields.where, key=name)
        raise Refusal("peers.lengths_differ", place, length=length, requests=n)


def _known(values: Floats) -> Floats:
    return values[~np.isnan(values)]


def _pooled(gaps: Sequence[Sequence[float]]) -> Distribution:
    pooled = np.array([gap for each in gaps for gap in each], np.float64)
    return distribution(pooled * 1e3, requests=sum(bool(each) for each in gaps))
