"""The scorecard as a table model: the runs of a plan, the baseline first under each load."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QObject, Qt

from ui.language import number_text
from ui.live import LiveState, RunView
from ui.look.table_columns import NOWHERE, ColumnsModel, Index, alignment
from ui.scorecard.columns import COLUMNS, IMPORTED, JUDGED, STATUSES, WATCHED, Column, translated
from ui.scorecard.verdict import (
    NOTHING,
    Concluded,
    Conclusions,
    Verdict,
    beside_baseline,
    in_words,
    interval_text,
    on_objectives,
    reasons_of,
    slope_of,
)

ALIKE = "≈"
"""Shown instead of a difference that may be the load generator's error."""
_SAID = ("objectives", "verdict")
"""Columns with a verdict."""


class Role(IntEnum):
    """Roles for the delegate and the sorting."""

    CELL = Qt.ItemDataRole.UserRole
    """A `Cell`."""
    SORT = Qt.ItemDataRole.UserRole + 1
    RUN = Qt.ItemDataRole.UserRole + 2
    """The run's name; None for a title."""
    GROUP = Qt.ItemDataRole.UserRole + 3
    """Number of the plan among the earlier ones; -1 for the present plan."""
    PLAN = Qt.ItemDataRole.UserRole + 4
    """The `LiveState` of an earlier plan; None for the present one."""


@dataclass(frozen=True)
class Cell:
    """One cell in the parts it is painted from."""

    text: str
    difference: str = ""
    improves: bool | None = None
    """True for a better value, False for a worse one, None for neither."""
    meaning: str = ""
    """Key of the theme's hues for the text; empty for the row's own color."""
    baseline: bool = False
    under_test: bool = False
    """Set only in the row's first cell, which has the accent."""
    dimmed: bool = False
    heading: bool = False
    """The title of an earlier plan, which widens no column."""

    def plain(self) -> str:
        """Return all of it as one text."""
        return f"{self.text} {self.difference}".strip()


class ScorecardModel(ColumnsModel):
    """Rows are the plan's runs; figures come from their final rows."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(COLUMNS, parent)
        self._state = LiveState()
        self._runs: list[RunView] = []
        self._conclusions = Conclusions()
        self._one_load = False

    def show_state(self, state: LiveState) -> None:
        """Show the runs of another plan, or a plan whose runs changed."""
        self.beginResetModel()
        self._state = state
        self._runs = one_a_configuration(state.runs.values())
        self._conclusions = Conclusions(state.verdicts, state.ranking)
        self._one_load = len({(run.rate, run.concurrency) for run in self._runs}) == 1
        self.endResetModel()

    def refresh(self) -> None:
        """Refresh after a change of rows or runs."""
        runs = one_a_configuration(self._state.runs.values())
        self._conclusions = Conclusions(self._state.verdicts, self._state.ranking)
        if runs != self._runs:
            self.show_state(self._state)
        elif self._runs:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._runs) - 1, len(COLUMNS) - 1))

    def rowCount(self, parent: Index = NOWHERE) -> int:
        """Qt: return the number of rows."""
        return 0 if parent.isValid() else len(self._runs)

    def title_of(self, column: Column) -> str:
        """Return the header; that of the runs says once if their figures are simulated."""
        title = column.header()
        simulated = column.key == "run" and any(run.simulated for run in self._runs)
        return self.tr("{0} (simulated)").format(title) if simulated else title

    def tip_of(self, column: Column) -> str:
        """Return the column's meaning."""
        return translated(column.tip)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Qt: return a cell's data."""
        if not index.isValid():
            return None
        run, column = self._runs[index.row()], COLUMNS[index.column()]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return self.cell(run, column).plain()
            case Qt.ItemDataRole.TextAlignmentRole:
                return alignment(column)
            case Qt.ItemDataRole.ToolTipRole:
                return self._explain(run, column) or None
            case Role.CELL:
                return self.cell(run, column)
            case Role.SORT:
                return self._sort_key(run, column)
            case Role.RUN:
                return run.name
        return None

    def concluded(self, run: RunView) -> Concluded:
        """Return the core's conclusions on this run's row; empty until the plan is done."""
        return self._conclusions.of(str(run.row.get("run") or without_repeat(run.name)))

    def verdict(self, run: RunView) -> Verdict:
        """Return the comparison with the baseline; empty until the row is final."""
        if not run.row:
            return Verdict(_status_words(run), "", "neutral")
        if run.status == IMPORTED:
            tool = self.tr("Measured by {0}.").format(run.row.get("measured_by") or run.value)
            differs = str(run.row.get("definitions_differ") or "")
            return Verdict(self.tr("not compared"), "", "neutral", f"{tool} {differs}".strip())
        if run.status == WATCHED:
            return Verdict(self.tr("watched"), "", "neutral", self.tr("Nothing was sent: no verdict."))
        behind = self._state.baseline_of(run)
        row = behind.row or None if behind else None
        verdict = beside_baseline(run.row, row, self.concluded(run), self._state.objectives)
        if run.status == "partial":
            partial = self.tr("partial")
            return Verdict(f"{partial} {verdict.text}".strip(), verdict.symbol, verdict.tone, verdict.why)
        return verdict

    def objectives(self, run: RunView) -> Verdict:
        """Return the verdict on the objectives; empty until the row is final, or for another tool's run."""
        if not run.row or run.status in (IMPORTED, WATCHED):
            return NOTHING
        return on_objectives(run.row, self._state.objectives, self.concluded(run))

    def cell(self, run: RunView, column: Column) -> Cell:
        """Return the content of one cell."""
        if column.key == "run":
            return Cell(
                self._name(run),
                baseline=run.is_baseline,
                under_test=not run.is_baseline and run.status != IMPORTED,
                dimmed=not run.row,
            )
        if column.key in _SAID:
            return self._verdict_cell(run, column)
        if not run.row:
            return Cell("")
        if column.kind == "text":
            return Cell(str(run.row.get(column.key) or ""), baseline=run.is_baseline)
        slope = slope_of(run.row)
        if slope is not None and column.key == "ttft_p95_ms":
            drift = "" if math.isnan(slope) else f" {number_text.signed(slope)} s/s"
            return Cell(self.tr("diverging") + drift, meaning="warning", baseline=run.is_baseline)
        return self._figure(run, column)

    def _name(self, run: RunView) -> str:
        """Return the run's name, without the load if all rows share it."""
        name = run.name if run.status == IMPORTED else without_repeat(run.name)
        return name.rpartition(" @ ")[0] or name if self._one_load else name

    def _figure(self, run: RunView, column: Column) -> Cell:
        value = column.value(run.row)
        if value is None:
            text = self._bounds(run.row, column) or number_text.UNKNOWN
            return Cell(text, baseline=run.is_baseline)
        difference, improves = self._difference(run, column, value)
        if column.key in JUDGED:
            # Only the core calls a random figure better or worse, and only over repeats.
            judged = self.concluded(run).on(column.key)
            improves = improves if judged is not None and judged.word in {"better", "worse"} else None
        drifting = slope_of(run.row) is not None and column.depends_on_length
        # As in exports: requests were unanswered at the end, so the true value is at least this.
        least = "≥ " if column.key in str(run.row.get("lower_bounds") or "").split() else ""
        return Cell(
            least + column.words(value),
            difference,
            improves,
            baseline=run.is_baseline,
            dimmed=bool(reasons_of(run.row)) or drifting,
        )

    def _bounds(self, row: dict[str, Any], column: Column) -> str:
        """Return the bounds of a percentile known only by its bucket, as `0.1 … 0.2`."""
        if column.key != "queue_p95_ms":
            return ""
        low, high = row.get("queue_p95_lo_ms"), row.get("queue_p95_hi_ms")
        if not isinstance(low, (int, float)):
            return ""
        upper = column.words(high * column.scale) if isinstance(high, (int, float)) else "∞"
        return f"{column.words(low * column.scale)}…{upper}"

    def _difference(self, run: RunView, column: Column, value: float) -> tuple[str, bool | None]:
        behind = self._state.baseline_of(run)
        if reasons_of(run.row) or (behind and reasons_of(behind.row)):
            return "", None
        judged = self.concluded(run).on(column.key)
        if self._unresolved(run, column):
            return ALIKE, None
        if judged is not None and judged.difference is not None and column.unit != "%":
            return interval_text(judged)
        base = column.value(behind.row) if behind and column.compared else None
        if base is None or (behind and slope_of(behind.row) is not None and column.depends_on_length):
            return "", None
        percent = number_text.signed_percent(value, base)
        if column.kind == "count" or column.unit == "%" or percent is None:
            difference = number_text.signed(value - base) if value != base else ""
        else:
            difference = percent
        if value == base or not column.better:
            return difference, None
        return difference, (value > base) == (column.better == "higher")

    def _unresolved(self, run: RunView, column: Column) -> float:
        """Return the load generator's error (ms) if the difference from the baseline is below it; else 0."""
        from workbench.results import client_resolution_ms  # noqa: PLC0415 - the core room loads with the first row

        floor = client_resolution_ms(column.key, run.row, run.row.get("time_scale") or 1.0)
        behind = self._state.baseline_of(run) if floor and column.compared else None
        value, base = run.row.get(column.key), behind.row.get(column.key) if behind else None
        if not isinstance(value, (int, float)) or not isinstance(base, (int, float)):
            return 0.0
        return floor if abs(value - base) < floor else 0.0

    def _said(self, run: RunView, column: Column) -> Verdict:
        return self.verdict(run) if column.key == "verdict" else self.objectives(run)

    def _verdict_cell(self, run: RunView, column: Column) -> Cell:
        verdict = self._said(run, column)
        meaning = {"good": "pass", "bad": "fail", "warning": "warning"}.get(verdict.tone, "")
        return Cell(str(verdict), meaning=meaning, baseline=run.is_baseline, dimmed=not run.row)

    def _explain(self, run: RunView, column: Column) -> str:
        if column.key in _SAID:
            return self._said(run, column).why
        if column.key == "run":
            held = ", ".join(f"{name} {number_text.plain(value)}" for name, value in run.limits.items())
            said = [self.tr("Controls of this run: {0}").format(held)] if held else []
            if moved := run.row.get("moved"):
                said.append(self.tr("Also moved: {0}").format(moved))
            return "\n".join(said)
        if column.depends_on_length and run.row and slope_of(run.row) is not None:
            return self.tr("This run diverges: the figure grows with its length.")
        judged = self.concluded(run).on(column.key)
        said = [in_words(judged.said)] if judged is not None else []
        if floor := self._unresolved(run, column):
            below = self.tr("{0} The difference is below the load generator's resolution of {1} ms.")
            said.append(below.format(ALIKE, number_text.significant(floor, 2)))
        return "\n".join(said)

    def _sort_key(self, run: RunView, column: Column) -> float | str:
        if column.key == "run":
            return run.name
        if column.key in _SAID:
            return str(self._said(run, column))
        if column.kind == "text":
            return str(run.row.get(column.key) or "")
        value = column.value(run.row)
        return float("inf") if value is None else value


def one_a_configuration(runs: Iterable[RunView]) -> list[RunView]:
    """Return one run for each configuration and load, in the order of the table: repeats share a row.

    The running repeat, else the last one with a final row, which covers all before it.
    """
    shown: dict[str, RunView] = {}
    for run in runs:
        # Another tool's runs of one name are not repeats.
        name = run.name if run.status == IMPORTED else without_repeat(run.name)
        held = shown.get(name)
        if held is None or run.status == "running" or (run.row and held.status != "running"):
            shown[name] = run
    return sorted(shown.values(), key=_order)


def without_repeat(name: str) -> str:
    """Return a run's name without the repeat's number."""
    return re.sub(r" #\d+$", "", name)


def _order(run: RunView) -> tuple[Any, ...]:
    load = run.rate if run.rate is not None else run.concurrency or 0
    value = run.value if isinstance(run.value, (int, float)) else 0
    return (run.status == IMPORTED, load, not run.is_baseline, run.control or "", value, run.name)


def _status_words(run: RunView) -> str:
    return translated(STATUSES[run.status]) if run.status in STATUSES else run.status
