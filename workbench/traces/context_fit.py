"""Requests longer than the model's context are refused, dropped or clamped before the run."""

from dataclasses import dataclass, replace

import numpy as np

from workbench.base import Message, Place, Refusal, message
from workbench.traces.columns import Ints, select_ragged
from workbench.traces.trace import Trace, in_order

HOW = ("refuse", "drop", "clamp")


@dataclass(frozen=True, kw_only=True)
class FitReport:
    """Result of `fit_to_model`."""

    how: str
    max_model_len: int
    over_long: int
    """Rows whose prompt and output together exceed the context."""
    dropped: int
    clamped: int
    longest: int
    """The most tokens that a row needs."""

    def message(self) -> Message:
        """Return the result as a message."""
        values = {"count": self.over_long, "limit": self.max_model_len, "longest": self.longest}
        if self.how == "drop":
            return message("traces.fit_dropped", **values)
        if self.how == "clamp":
            return message("traces.fit_clamped", **values)
        return message("traces.fit_found", **values)

    def __str__(self) -> str:
        return str(self.message())


def fit_to_model(trace: Trace, max_model_len: int, how: str = "refuse") -> tuple[Trace, FitReport]:
    """Return a trace in which each request fits `max_model_len`, and a report.

    A request needs its prompt plus its output, as in vLLM.
    `clamp` first limits the output to half the context, then cuts the end of the prompt.

    Raises:
        Refusal: `how` is "refuse" and a request is too long; no request is left; an argument is out of range.
    """
    if how not in HOW:
        raise Refusal("base.not_one_of", Place(key="max_len"), value=how, choices=HOW)
    if max_model_len < 2:
        raise Refusal("base.too_small", Place(key="max_model_len"), value=max_model_len, minimum=2)
    total = trace.input_length + trace.output_length
    over = total > max_model_len
    count = int(over.sum())
    report = FitReport(
        how=how,
        max_model_len=max_model_len,
        over_long=count,
        dropped=count if how == "drop" else 0,
        clamped=count if how == "clamp" else 0,
        longest=int(total.max(initial=0)),
    )
    if not count:
        return trace, report
    if how == "refuse":
        raise Refusal(
            "traces.too_long_for_model",
            count=count,
            rows=len(trace),
            limit=max_model_len,
            longest=report.longest,
            first=int(np.argmax(over)),
        )
    fitted = (
        in_order(trace.select(np.flatnonzero(~over)))
        if how == "drop"
        else _clamped(trace, over, max_model_len)
    )
    if not len(fitted):
        raise Refusal("traces.no_request_fits", limit=max_model_len, shortest=int(total.min()))
    return fitted.recorded("fit", how=how, max_model_len=max_model_len, rows=count), report


def _clamped(trace: Trace, over: np.ndarray, max_model_len: int) -> Trace:
    output = np.where(over, np.minimum(trace.output_length, max_model_len // 2), trace.output_length)
    prompt = np.where(over, np.minimum(trace.input_length, max_model_len - output), trace.input_length)
    return cut_ids(replace(trace, input_length=prompt, output_length=output))


def cut_ids(trace: Trace) -> Trace:
    """Return the trace without block ids beyond the end of each prompt."""
    if trace.hash_offsets is None:
        return trace
    counts = np.diff(trace.hash_offsets)
    kept: Ints = np.minimum(counts, -(-trace.input_length // trace.header.block_tokens))
    starts = np.stack([trace.hash_offsets[:-1], trace.hash_offsets[:-1] + kept], axis=1).reshape(-1)
    spans = np.append(starts, len(trace.hash_flat))
    offsets, flat = select_ragged(spans, trace.hash_flat, np.arange(0, 2 * len(trace), 2))
    return replace(trace, hash_offsets=offsets, hash_flat=flat)
