"""Rules that all imports share: broken rows, missing times, empty rows, order, turns, classes, warnings."""

from dataclasses import replace
from typing import NoReturn

import numpy as np

from workbench.base import message
from workbench.base.messages import Given
from workbench.traces.columns import Floats, Ints
from workbench.traces.context_fit import cut_ids
from workbench.traces.generators.synthetic import SYNTHETIC_GAP_MS
from workbench.traces.importers.importer import Draft, ImportJob
from workbench.traces.io.import_report import ImportReport, SourceLatency
from workbench.traces.length_classes import banded
from workbench.traces.prompt_texts import renumbered
from workbench.traces.trace import Trace, in_order, previous_turn
from workbench.traces.trace_limits import on_grain

TICK_SHARE = 0.5
"""Share of distinct times among the rows below which the source may have rounded them to ticks."""
_OFF_GRID = 0.02
"""Share of a tick by which its times may be off: such clocks are a few ms late themselves."""


def report_broken_rows(job: ImportJob, *, limited: bool) -> None:
    """Warn of rows that can't be read, with their lines.

    Args:
        job: the import.
        limited: refuse the file if half of its rows or more are broken.

    Raises:
        Refusal: half of the rows or more are broken.
    """
    broken, report = job.report.broken, job.report
    if not broken.count:
        return
    found: dict[str, Given] = {
        "count": broken.count,
        "rows": report.rows_read,
        "counts": job.source.counts,
        "lines": broken.named(),
        "problem": broken.problem,
    }
    if limited and 2 * broken.count >= report.rows_read:
        if broken.count == 1:
            job.source.refuse(message("traces.row_broken", **found), line=broken.lines[0])
        job.source.refuse(message("traces.too_many_broken", **found), line=broken.lines[0])
    one = broken.count == 1
    report.warn(message("traces.broken_row", **found) if one else message("traces.broken_rows", **found))


def refuse_empty(job: ImportJob) -> NoReturn:
    """Refuse a table without a readable row.

    Raises:
        Refusal: always.
    """
    report_broken_rows(job, limited=True)
    job.source.refuse(message("traces.no_rows"))


def without_times(draft: Draft, report: ImportReport) -> Draft:
    """Give a draft one arrival a second in file order.

    Later turns follow the end of their previous one.
    """
    trace = draft.trace
    previous = previous_turn(trace)
    begins = previous < 0
    times: Floats = np.cumsum(begins, dtype=np.float64) * SYNTHETIC_GAP_MS - SYNTHETIC_GAP_MS
    report.warn(message("traces.no_arrival_times"))
    if begins.all():
        return replace(draft, trace=replace(trace, timestamp_ms=times))
    begin_of_row = np.arange(len(trace))
    for row in np.flatnonzero(~begins):
        begin_of_row[row] = begin_of_row[previous[row]]
    delay = np.where(begins, np.nan, 0.0)
    return replace(draft, trace=replace(trace, timestamp_ms=times[begin_of_row], delay_ms=delay))


def finish(draft: Draft, job: ImportJob) -> Draft:
    """Return the draft sorted, with turns and classes; complete the report's counts."""
    report = job.report
    draft = _without_empty(draft, report)
    report.rows_kept = len(draft.trace)
    if not len(draft.trace):
        return draft
    if job.texts.any_text:
        draft = replace(draft, trace=_without_text(draft.trace, job))
    _warn(draft.trace, report)
    order = np.argsort(draft.trace.timestamp_ms, kind="stable")
    if np.any(order[1:] < order[:-1]):
        report.warn(message("traces.sorted_by_time"), act=False)
        draft = _select_rows(draft, order)
    trace = in_order(draft.trace)
    if not draft.keep_times:
        trace = _with_turns(replace(trace, timestamp_ms=on_grain(trace.timestamp_ms)))
    return replace(draft, trace=replace(trace, classes=banded(trace.input_length, known=trace.classes)))


def _without_text(trace: Trace, job: ImportJob) -> Trace:
    """Cut ids of texts to their prompts, and renumber them unless the user gave a salt."""
    job.report.note(message("traces.texts_dropped"))
    job.report.note(message("traces.invented_prompts"))
    trace = cut_ids(trace)
    return trace if job.texts.salt else replace(trace, hash_flat=renumbered(trace.hash_flat))


def _with_turns(trace: Trace) -> Trace:
    """Number turns from 0 in the order of arrival if the source has sessions but no turns."""
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
    report.drop(message("traces.no_input_tokens"), int(no_input.sum()))
    report.drop(message("traces.no_output_tokens"), int(no_output.sum()))
    if not (no_input.any() or no_output.any()):
        return draft
    return _select_rows(draft, np.flatnonzero(~(no_input | no_output)))


def _select_rows(draft: Draft, index: Ints) -> Draft:
    """Return rows `index` of a draft, with their latencies and texts."""
    latency, texts = draft.latency, draft.texts
    if latency is not None:
        latency = SourceLatency(ttft_ms=latency.ttft_ms[index], e2e_ms=latency.e2e_ms[index])
    if texts is not None:
        texts = tuple(texts[row] for row in index.tolist())
    return replace(draft, trace=draft.trace.select(index), latency=latency, texts=texts)


def _warn(trace: Trace, report: ImportReport) -> None:
    _warn_of_ticks(trace, report)
    if trace.hash_offsets is None:
        report.warn(message("traces.no_prefix_ids"), act=False)
        return
    counts = np.diff(trace.hash_offsets)
    needed = -(-trace.input_length // trace.header.block_tokens)
    if np.any(counts > needed):
        report.warn(message("traces.more_ids_than_blocks", count=int((counts > needed).sum())))
    # Sources that identify whole blocks only have one block fewer.
    partly = int(((counts > 0) & (counts < needed - 1)).sum())
    if partly:
        report.warn(message("traces.fewer_ids_than_blocks", count=partly))


def _warn_of_ticks(trace: Trace, report: ImportReport) -> None:
    """Warn of times on an even grid, which are ticks, and of others that coincide, which are bursts."""
    times = np.unique(trace.timestamp_ms)
    if len(trace) < 2 or len(times) >= TICK_SHARE * len(trace):
        return
    count, distinct, gaps = len(trace), len(times), np.diff(times)
    steps = gaps / np.median(gaps) if distinct > 2 else np.array([np.nan])
    if np.allclose(steps, np.rint(steps), rtol=0, atol=_OFF_GRID):
        report.warn(message("traces.times_in_ticks", count=count, distinct=distinct))
    elif distinct > 1:
        report.warn(message("traces.times_in_bursts", count=count, distinct=distinct), act=False)
    else:
        report.warn(message("traces.one_time", count=count), act=False)
