"""One step of a ladder judged: does the configuration bear this rate within the objectives?"""

from typing import Any

import msgspec

from workbench.results import BenchFile, Candidate, Check, ScorecardRow, choose, past_capacity, scorecard_rows

CLEARLY = 1.25
"""An objective missed by a quarter is clearly missed; nearer to it a repeat may say otherwise."""

_NOT_AS_PLANNED = ("partial", "skipped", "failed", "running")


class Rung(msgspec.Struct, frozen=True, kw_only=True):
    """What the runs so far say of one configuration at one rate."""

    run: str
    """The scorecard's row."""
    control: str | None
    value: Any
    rate: float | None
    concurrency: int | None
    bears: bool | None
    """Stable and within all objectives; None: no valid run says so, or too few requests."""
    clearly_out: bool = False
    """Diverging, or an objective clearly missed."""
    why: str = ""
    """Why it doesn't, or why nobody knows."""
    cells: dict[str, Any]


def rungs(bench: BenchFile) -> list[Rung]:
    """All rows of our own runs judged, in the scorecard's order; reads summaries only."""
    choice = choose(bench)
    everyone = [*([choice.recommended] if choice.recommended else []), *choice.others]
    by_name = {candidate.run: candidate for candidate in everyone}
    rows = [(row, by_name.get(str(row.cells["run"]))) for row in scorecard_rows(bench)]
    # What other tools measured is no candidate.
    return [_rung(row, candidate) for row, candidate in rows if candidate is not None]


def _rung(row: ScorecardRow, candidate: Candidate) -> Rung:
    cells = row.cells
    missed = [check for check in candidate.checks if check.met is False]
    bears, why = _bears(cells, candidate.checks)
    return Rung(
        run=str(cells["run"]),
        control=cells.get("control"),
        value=cells.get("value"),
        rate=cells.get("rate"),
        concurrency=cells.get("concurrency"),
        bears=bears,
        clearly_out=bears is False and (past_capacity(cells) is not None or any(map(_clearly, missed))),
        why=why,
        cells=cells,
    )


def _bears(cells: dict[str, Any], checks: list[Check]) -> tuple[bool | None, str]:
    if cells.get("completed_rps") is None or cells.get("status") in _NOT_AS_PLANNED:
        return None, f"no run ended as planned ({cells.get('status')})"
    overload = past_capacity(cells)
    if overload is not None:
        return False, overload
    if cells.get("valid") is False:
        return None, f"invalid: {cells.get('reasons')}"
    missed = [check for check in checks if check.met is False]
    if missed:
        return False, ", ".join(check.sentence() for check in missed)
    unknown = [check.sentence() for check in checks if check.met is None]
    return (None, ", ".join(unknown)) if unknown else (True, "")


def _clearly(check: Check) -> bool:
    return check.value is not None and check.value > CLEARLY * check.limit
