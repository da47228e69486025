"""One step of a ladder judged: does the configuration bear this rate within the objectives?"""

from typing import Any

import msgspec

from workbench.results import BenchFile, Candidate, Check, ScorecardRow, choose, scorecard_rows

CLEARLY = 1.25
"""An objective missed by a quarter is clearly missed; nearer to it a repeat may say otherwise."""


OVERLOAD = 0.05
"""Share unanswered beyond which TTFT's drift, which needs answers, can't be asked for."""


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
    """All rows of the scorecard judged, in its order; reads summaries only."""
    choice = choose(bench)
    everyone = [*([choice.recommended] if choice.recommended else []), *choice.others]
    by_name = {candidate.run: candidate for candidate in everyone}
    return [_rung(row, by_name[str(row.cells["run"])]) for row in scorecard_rows(bench)]


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
        clearly_out=bears is False
        and (bool(cells.get("diverging")) or _abandoned(cells) or any(map(_clearly, missed))),
        why=why,
        cells=cells,
    )


def _bears(cells: dict[str, Any], checks: list[Check]) -> tuple[bool | None, str]:
    if cells.get("completed_rps") is None:
        return None, f"no run ended as planned ({cells.get('status')})"
    if cells.get("diverging"):
        slope = cells.get("ttft_drift_s_per_s")
        return False, "diverging" if slope is None else f"diverging, TTFT +{slope:.2g} s per s"
    if _abandoned(cells):
        return False, f"{cells['unfinished']:g} of {cells['requests']:g} requests unanswered after the drain"
    if cells.get("valid") is False:
        return None, f"invalid: {cells.get('reasons')}"
    missed = [check for check in checks if check.met is False]
    if missed:
        return False, ", ".join(check.sentence() for check in missed)
    unknown = [check.sentence() for check in checks if check.met is None]
    return (None, ", ".join(unknown)) if unknown else (True, "")


def _abandoned(cells: dict[str, Any]) -> bool:
    """Whether so many were unanswered after a drain as long as the schedule that it is overload."""
    unfinished, scheduled = cells.get("unfinished") or 0.0, cells.get("requests") or 0.0
    return bool(unfinished > OVERLOAD * scheduled)


def _clearly(check: Check) -> bool:
    return check.value is not None and check.value > CLEARLY * check.limit
