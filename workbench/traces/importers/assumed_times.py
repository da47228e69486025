"""Arrival times for sources that have none."""

from dataclasses import replace

import numpy as np

from workbench.base import message
from workbench.traces.columns import Floats
from workbench.traces.generators.synthetic import SYNTHETIC_GAP_MS
from workbench.traces.importers.importer import Draft
from workbench.traces.io.import_report import ImportReport
from workbench.traces.session_groups import previous_turn


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
