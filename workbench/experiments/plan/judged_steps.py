"""Judgments of the runs so far, one for each row of the scorecard."""

from typing import Any

import msgspec

from workbench.base import Message, message
from workbench.results import BenchFile, Candidate, Check, ScorecardRow, choose, past_capacity, scorecard_rows

CLEARLY = 1.25
"""A figure beyond its limit by this factor is clearly out; nearer to the limit a repeat may meet it."""

_NOT_AS_PLANNED = ("partial", "skipped", "failed", "running")


class JudgedStep(msgspec.Struct, frozen=True, kw_only=True):
    """The judgment of the runs so far on one configuration at one rate."""

    run: str
    """Name of the scorecard's row."""
    control: str | None
    value: Any
    rate: float | None
    concurrency: int | None
    sustained: bool | None
    """True: stable and within all objectives; None: no valid run, or too few requests to decide."""
    clearly_out: bool = False
    """Diverging, or an objective is clearly missed."""
    why: Message | str = ""
    """The reason if `sustained` is False or None."""
    cells: dict[str, Any]


def judge_steps(bench: BenchFile) -> list[JudgedStep]:
    """Judge all rows of our own runs, in the scorecard's order; reads summaries only."""
    choice = choose(bench)
    everyone = [*([choice.recommended] if choice.recommended else []), *choice.others]
    by_name = {candidate.run: candidate for candidate in everyone}
    rows = [(row, by_name.get(str(row.cells["run"]))) for row in scorecard_rows(bench)]
    # Rows of other tools are no candidates.
    return [_judged(row, candidate) for row, candidate in rows if candidate is not None]


def _judged(row: ScorecardRow, candidate: Candidate) -> JudgedStep:
    cells = row.cells
    missed = [check for check in candidate.checks if check.met is False]
    sustained, why = _is_sustained(cells, candidate.checks)
    return JudgedStep(
        run=str(cells["run"]),
        control=cells.get("control"),
        value=cells.get("value"),
        rate=cells.get("rate"),
        concurrency=cells.get("concurrency"),
        sustained=sustained,
        clearly_out=sustained is False and (past_capacity(cells) is not None or any(map(_clearly, missed))),
        why=why,
        cells=cells,
    )


def _is_sustained(cells: dict[str, Any], checks: list[Check]) -> tuple[bool | None, Message | str]:
    if cells.get("completed_rps") is None or cells.get("status") in _NOT_AS_PLANNED:
        return None, message("experiments.no_run_as_planned", status=cells.get("status"))
    overload = past_capacity(cells)
    if overload is not None:
        return False, overload
    if cells.get("valid") is False:
        return None, message("experiments.invalid_because", reasons=cells.get("reasons"))
    missed = [check for check in checks if check.met is False]
    if missed:
        return False, message("experiments.listed", parts=[check.sentence() for check in missed])
    unknown = [check.sentence() for check in checks if check.met is None]
    return (None, message("experiments.listed", parts=unknown)) if unknown else (True, "")


def _clearly(check: Check) -> bool:
    return check.value is not None and check.value > CLEARLY * check.limit
