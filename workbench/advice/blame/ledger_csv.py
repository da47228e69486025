"""The ledger of a run as CSV: one row for each request and part."""

import csv
import io
from collections.abc import Iterable

from workbench.advice.blame.ledger import Blame, Part
from workbench.results.exports.csv_export import guarded

COLUMNS = (
    *("run", "request", "class", "e2e_ms", "cause", "ms", "measured"),
    *("culprit", "culprit_class", "culprit_ms"),
)
"""`culprit` caused most of the part; `measured` is false for a modelled share of steps."""


def ledger_csv(ledgers: Iterable[tuple[str, Blame]]) -> str:
    """Return the rows of runs' ledgers; the unexplained rest is a part of the cause `unexplained`."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for run, ledger in ledgers:
        for request in ledger.requests:
            about = (guarded(run), guarded(request.request), guarded(request.cls), _number(request.e2e_ms))
            for part in request.parts:
                writer.writerow((*about, *_part(part)))
            if request.unexplained_ms is not None:
                writer.writerow((*about, "unexplained", _number(request.unexplained_ms), "", "", "", ""))
    return text.getvalue()


def _part(part: Part) -> tuple[str, ...]:
    worst = part.culprits[0] if part.culprits else None
    culprit = (
        ("", "", "") if worst is None else (guarded(worst.request), guarded(worst.cls), _number(worst.ms))
    )
    return (part.cause, _number(part.ms), "true" if part.measured else "false", *culprit)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value + 0.0:.3f}".replace("-0.000", "0.000")
