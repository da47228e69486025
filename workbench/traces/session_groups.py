"""Groups of rows in a trace: sessions and their turns."""

import numpy as np

from workbench.traces.columns import Ints
from workbench.traces.trace import Trace


def previous_turn(trace: Trace) -> Ints:
    """Return for each row the previous row of its session, -1 for a first turn or a row without a session."""
    previous = np.full(len(trace), -1)
    if trace.sessions is None:
        return previous
    codes = trace.sessions.codes
    order = np.argsort(codes, kind="stable")
    follows = (codes[order][1:] == codes[order][:-1]) & (codes[order][1:] >= 0)
    previous[order[1:][follows]] = order[:-1][follows]
    return previous


def session_of_row(trace: Trace) -> Ints:
    """Return a number for each session, and one for each row without a session."""
    if trace.sessions is None:
        return np.arange(len(trace))
    codes = trace.sessions.codes.astype(np.int64)
    alone = codes < 0
    codes[alone] = len(trace.sessions.names) + np.arange(int(alone.sum()))
    return codes
