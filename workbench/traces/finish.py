"""The rules every import ends with.

Empty rows dropped, oddities warned of, rows in order, classes for all.
"""

from dataclasses import replace

import numpy as np

from workbench.traces.arrays import Ints
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
_OFF_GRID = 0.02
"""Share of a tick by which its times may be off: clocks that snap are a few ms late themselves."""

NO_INPUT, NO_OUTPUT = "no input tokens", "no output tokens"


def finish(draft: Draft, job: Job) -> Draft:
    """The draft in order, with what belongs to its rows; the report's counts are completed."""
    report = job.report
    draft = _without_empty(draft, report)
    report.rows_kept = len(draft.trace)
    if not len(draft.trace):
        return draft
    if job.texts.seen:
        draft = replace(draft, trace=_without_text(draft.trace, job))
    _warn(draft.trace, report)
    order = np.argsort(draft.trace.timestamp_ms, kind="stable")
    if np.any(order[1:] < order[:-1]):
        report.warn("times go backwards in the file: rows were sorted by time", act=False)
        draft = _taken(draft, order)
    trace = in_order(draft.trace)
    if not draft.keep_times:
        trace = _with_turns(replace(trace, timestamp_ms=on_grain(trace.timestamp_ms)))
    return replace(draft, trace=replace(trace, classes=banded(trace.input_length, known=trace.classes)))


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


def _without_empty(draft: Draft, report: ImportReport) -> Draft:
    no_input = draft.trace.input_length == 0
    no_output = ~no_input & (draft.trace.output_length == 0)
    report.drop(NO_INPUT, int(no_input.sum()))
    report.drop(NO_OUTPUT, int(no_output.sum()))
    if not (no_input.any() or no_output.any()):
        return draft
    return _taken(draft, np.flatnonzero(~(no_input | no_output)))


def _taken(draft: Draft, index: Ints) -> Draft:
    """Rows `index` of a draft, with their latencies and texts."""
    latency, texts = draft.latency, draft.texts
    if latency is not None:
        latency = SourceLatency(ttft_ms=latency.ttft_ms[index], e2e_ms=latency.e2e_ms[index])
    if texts is not None:
        texts = tuple(texts[row] for row in index.tolist())
    return replace(draft, trace=draft.trace.take(index), latency=latency, texts=texts)


def _warn(trace: Trace, report: ImportReport) -> None:
    _warn_of_ticks(trace, report)
    if trace.hash_offsets is None:
        report.warn(
            "no prefix identity: every prompt is unique, so prefix-cache results are a lower bound", act=False
        )
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


def _warn_of_ticks(trace: Trace, report: ImportReport) -> None:
    """Times on an even grid were snapped to it; others, and one or two times in all, are bursts."""
    times = np.unique(trace.timestamp_ms)
    if len(trace) < 2 or len(times) >= TICK_SHARE * len(trace):
        return
    count, distinct, gaps = len(trace), len(times), np.diff(times)
    steps = gaps / np.median(gaps) if distinct > 2 else np.array([np.nan])
    if np.allclose(steps, np.rint(steps), rtol=0, atol=_OFF_GRID):
        report.warn(
            f"{count} requests have only {distinct} distinct times: the source snapped them to ticks, and a"
            " replay sends whole ticks at once (the transform spread-ticks spreads them)"
        )
    elif distinct > 1:
        report.warn(
            f"{count} requests have only {distinct} distinct times: those of one time are sent at once",
            act=False,
        )
    else:
        report.warn(f"all {count} requests have one time: they are sent at once", act=False)
