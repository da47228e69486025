"""The scorecard's rows of this plan and of earlier ones, grouped by plan; a group folds to its title."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QSortFilterProxyModel, Qt

from ui.language import number_text
from ui.live import LiveState
from ui.look.table_columns import NOWHERE, ColumnsModel, Index
from ui.scorecard.columns import COLUMNS
from ui.scorecard.model import Cell, Role, ScorecardModel

MOST_EARLIER = 5
"""Earlier plans that stay in the table; their curves stay in memory."""
_PRESENT = -1
_TITLE = -1


@dataclass
class EarlierPlan:
    """The rows of a plan that was shown before."""

    state: LiveState
    rows: ScorecardModel
    folded: bool = False

    def title(self) -> str:
        """Return the plan's name with the cluster's node that ran it and what it tested."""
        tested: dict[str, dict[str, None]] = {}
        for run in self.state.runs.values():
            if run.control is not None:
                tested.setdefault(run.control, {})[number_text.plain(run.value)] = None
        said = "; ".join(f"{control} {', '.join(values)}" for control, values in tested.items())
        name = self.state.name or Path(self.state.bench).stem
        nodes = dict.fromkeys(str(run.row["node"]) for run in self.state.runs.values() if run.row.get("node"))
        name = " · ".join([name, *nodes])
        return f"{name}: {said}" if said else name


class GroupedModel(ColumnsModel):
    """The present plan's rows first, then each earlier plan's title and rows."""

    def __init__(self, present: ScorecardModel, parent: QObject | None = None) -> None:
        super().__init__(COLUMNS, parent)
        self._present = present
        self.earlier: list[EarlierPlan] = []
        self.most = MOST_EARLIER
        """Number of earlier plans that stay."""
        present.modelAboutToBeReset.connect(self.beginResetModel)
        present.modelReset.connect(self.endResetModel)
        present.dataChanged.connect(self._forward)

    def _forward(self, first: Index, last: Index) -> None:
        self.dataChanged.emit(self.index(first.row(), first.column()), self.index(last.row(), last.column()))

    def keep(self, state: LiveState, *, beside: LiveState) -> None:
        """Keep a plan's rows when `beside` is shown instead; a plan that is shown again is no earlier one."""
        kept = [plan for plan in self.earlier if plan.state.bench != beside.bench]
        measured = any(run.row for run in state.runs.values())
        if measured and state.bench != beside.bench and state.phase != "demo":
            rows = ScorecardModel(self)
            rows.show_state(state)
            kept = [EarlierPlan(state, rows), *(plan for plan in kept if plan.state.bench != state.bench)]
        if kept != self.earlier:
            self.beginResetModel()
            self.earlier = kept[: self.most]
            self.endResetModel()

    def fold(self, row: int) -> None:
        """Fold or unfold the group of a title."""
        group, at = self._place(row)
        if at == _TITLE:
            self.beginResetModel()
            self.earlier[group].folded = not self.earlier[group].folded
            self.endResetModel()

    def _place(self, row: int) -> tuple[int, int]:
        """Return the group and the row within it."""
        if row < self._present.rowCount():
            return _PRESENT, row
        row -= self._present.rowCount()
        for group, plan in enumerate(self.earlier):
            height = 1 + (0 if plan.folded else plan.rows.rowCount())
            if row < height:
                return group, row - 1
            row -= height
        raise IndexError(row)

    def rowCount(self, parent: Index = NOWHERE) -> int:
        """Qt: return the number of rows."""
        if parent.isValid():
            return 0
        earlier = sum(1 + (0 if plan.folded else plan.rows.rowCount()) for plan in self.earlier)
        return self._present.rowCount() + earlier

    def title_of(self, column: Any) -> str:
        """Return the header's text."""
        return self._present.title_of(column)

    def tip_of(self, column: Any) -> str:
        """Return the column's meaning."""
        return self._present.tip_of(column)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Qt: a title can be pressed, not selected."""
        if index.isValid() and self._place(index.row())[1] == _TITLE:
            return Qt.ItemFlag.ItemIsEnabled
        return super().flags(index)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Qt: return a cell's data."""
        if not index.isValid():
            return None
        group, at = self._place(index.row())
        if role == Role.GROUP:
            return group
        if group == _PRESENT:
            return self._present.data(self._present.index(at, index.column()), role)
        plan = self.earlier[group]
        if role == Role.PLAN:
            return plan.state
        if at != _TITLE:
            return plan.rows.data(plan.rows.index(at, index.column()), role)
        return self._title_data(plan, index.column(), role)

    @staticmethod
    def _title_data(plan: EarlierPlan, column: int, role: int) -> Any:
        text = f"{'▸' if plan.folded else '▾'} {plan.title()}" if column == 0 else ""
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole | Role.SORT:
                return text
            case Qt.ItemDataRole.ToolTipRole:
                return f"{plan.title()}\n{plan.state.bench}"
            case Role.CELL:
                return Cell(text, heading=True, dimmed=True)
        return None


class GroupedOrder(QSortFilterProxyModel):
    """Sorts and filters the rows within each plan; plans and titles keep their places."""

    def lessThan(self, left: Index, right: Index) -> bool:
        """Qt: return True if `left` comes first."""
        first, second = left.data(Role.GROUP), right.data(Role.GROUP)
        up = self.sortOrder() == Qt.SortOrder.AscendingOrder
        if first != second:
            return (first < second) is up
        titles = left.data(Role.RUN) is None, right.data(Role.RUN) is None
        if any(titles):
            return titles[0] is up
        return super().lessThan(left, right)
