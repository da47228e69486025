"""The rules every import ends with.

Empty rows dropped, oddities warned of, rows in order, classes for all.
"""

from dataclasses import replace

import numpy as np

from workbench.traces.bands import banded
from workbench.traces.fit import cut_ids
from workbench.traces.importers.formats import Draft, Job
from workbench.traces.report import ImportReport, SourceLatency
from workbench.traces.sessions import previous_turn
from workbench.traces.texts import renumbered
from workbench.traces.times import on_grain
from workbench.traces.trace import Trace, in_order

TICK_SHARE = 0.5
"""Fewer distinct times than this share of the rows: the source snapped them to ticks."""

NO_INPUT, NO_OUTPUT = "no input tokens", "no output tokens"


def finish(draft: Draft, job: Job) -> tuple[Trace, SourceLatency | None]:
    """The trace that a draft becomes, with its latencies in the same order.

    The report's counts are completed.
    """
    report = job.report
    trace, latency = _without_empty(draft, report)
    report.rows_kept = len(trace)
    if not len(trace):
        return trace, latency
    if job.texts.seen:
        trace = _without_text(trace, job)
    _warn(trace, report)
    order = np.argsort(trace.timestamp_ms, kind="stable")
    if np.any(order[1:] < order[:-1]):
        report.warn("times go backwards in the file: rows were sorted by time")
        trace, latency = trace.take(order), _taken(latency, order)
    trace = in_order(trace)
    if not draft.keep_times:
        trace = replace(trace, timestamp_ms=on_grain(trace.timestamp_ms))
    trace = replace(trace, classes=banded(trace.input_length, known=trace.classes))
    return trace if draft.keep_times else _with_turns(trace), latency


def _without_text(trace: Trace, job: Job) -> Trace:
    """Ids of texts cut to their prompts, and numbered anew where no salt of the user's made them."""
    job.report.note("kept of the texts: lengths and salted ids of prefix blocks; no text")
    job.report.note(
        "replayed prompts are invented tokens: routing of mixture-of-experts models and acceptance of "
        "speculative decoding will differ from the real ones"
    )
    trace = cut_ids(trace)
    return trace if job.texts.salt else replace(trace, hash_flat=renumbered(trace.hash_flat))


def _with_turns(trace: Trace) -> Trace:
    """Turns numbered from 0 in the order of arrival, where the source has sessions but no turns."""
    if trace.sessions is None or trace.turn is not None:
        return trace
    previous = previous_turn(trace)
    turn = np.where(trace.sessions.codes < 0, -1, 0)
    for row in np.flatnonzero(previous >= 0):
        turn[row] = turn[previous[row]] + 1
    return replace(trace, turn=turn)


def _without_empty(draft: Draft, report: ImportReport) -> tuple[Trace, SourceLatency | None]:
    no_input = draft.trace.input_length == 0
    no_output = ~no_input & (draft.trace.output_length == 0)
    report.drop(NO_INPUT, int(no_input.sum()))
    report.drop(NO_OUTPUT, int(no_output.sum()))
    if not (no_input.any() or no_output.any()):
        return draft.trace, draft.latency
    kept = np.flatnonzero(~(no_input | no_output))
    return draft.trace.take(kept), _taken(draft.latency, kept)


def _taken(latency: SourceLatency | None, index: np.ndarray) -> SourceLatency | None:
    return latency and SourceLatency(ttft_ms=latency.ttft_ms[index], e2e_ms=latency.e2e_ms[index])


def _warn(trace: Trace, report: ImportReport) -> None:
    distinct = len(np.unique(trace.timestamp_ms))
    if len(trace) > 1 and distinct < TICK_SHARE * len(trace):
        report.warn(
            f"{len(trace)} requests have only {distinct} distinct times: the source snapped them to ticks, "
            "and a replay sends whole ticks at once (the transform spread-ticks spreads them)"
        )
    if trace.hash_offsets is None:
        report.warn("no prefix identity: every prompt is unique, so prefix-cache results are a lower bound")
        return
    counts = np.diff(trace.hash_offsets)
    needed = -(-trace.input_length // trace.header.block_tokens)
    if np.any(counts > needed):
        beyond = int((counts > needed).sum())
        report.warn(f"{beyond} rows have more hash_ids than blocks of their prompt; the rest is not used")
    # One block fewer is the rule of sources that identify whole blocks only.
    partly = int(((counts > 0) & (counts < needed - 1)).sum())
    if partly:
        report.warn(
            f"{partly} rows have fewer hash_ids than blocks of their prompt; the rest of the prompt is unique"
        )
