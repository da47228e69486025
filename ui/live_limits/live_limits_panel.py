"""The live limits panel: limits of the running server that change at once, without a restart."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from ui.language.texts import said
from ui.live import Changed, LiveState
from ui.live_limits.limit_row import LimitRow
from ui.look.scrolling import scroll
from ui.look.theme import Theme
from ui.window.panel import Panel
from workbench.controls import LIVE_LIMITS

if TYPE_CHECKING:
    from workbench.servers import LiveLimit

_LINES = 12
"""Height in lines of text, the same in every state, so that nothing above moves."""
NOT_ASKED_FOR = "servers.live_limits_off"
"""Kind of the reason of a server whose target doesn't set `live_limits`."""


class LiveLimitsPanel(Panel):
    """`limit_wanted(name, value)` when a slider was set; `allow_wanted` to allow changes in the next plan."""

    limit_wanted = Signal(str, int)
    allow_wanted = Signal()
    summary_changed = Signal(str)
    """Number of limits that can change now."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._state = LiveState()
        self._seen_changes = 0
        self.rows = {name: LimitRow(name, theme) for name in LIVE_LIMITS}
        self.note = QLabel()
        self.note.setWordWrap(True)
        self.allow = QPushButton(self.tr("Allow from the next plan on"))
        self._lay_out()
        for name, row in self.rows.items():
            row.wanted.connect(lambda value, chosen=name: self.limit_wanted.emit(chosen, value))
        self.allow.clicked.connect(self.allow_wanted)
        self.refresh()

    def _lay_out(self) -> None:
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(10, 4, 10, 4)
        column.setSpacing(2)
        column.addWidget(self.note)
        column.addWidget(self.allow, 0, Qt.AlignmentFlag.AlignLeft)
        for row in self.rows.values():
            column.addWidget(row)
        column.addStretch(1)
        scroll(self, content)
        self.setFixedHeight(_LINES * self.fontMetrics().height())
        self.setAccessibleName(self.tr("Limits of the running server"))

    def show_state(self, state: LiveState) -> None:
        """Show another plan."""
        self._state, self._seen_changes = state, len(state.limit_changes)
        self.refresh()

    def on_change(self, changed: Changed) -> None:
        """Refresh after a change of the limits or the server's state."""
        if changed & (Changed.LIMITS | Changed.SERVER | Changed.END | Changed.PLAN):
            self.refresh()
        if changed & Changed.LIMITS:
            self._say_refusals()

    def refresh(self) -> None:
        """Show the present limits."""
        state = self._state
        told = state.live_limits if state.live and state.server in {"ready", "busy"} else {}
        reasons = {limit.reason for limit in told.values()}
        common = next(iter(told.values())) if len(reasons) == 1 and None not in reasons else None
        changeable = bool(told) and common is None
        self.note.setText(self._note(told=bool(told), common=common))
        self.allow.setVisible(common is not None and _is_off(common))
        for name, row in self.rows.items():
            row.setVisible(changeable)
            row.show_limit(told.get(name), self.tr("not reported by this server"))
        can = self.tr("{0} can change now").format(sum(limit.reason is None for limit in told.values()))
        self.summary_changed.emit(can if changeable else self.tr("none now"))

    def _note(self, *, told: bool, common: "LiveLimit | None") -> str:
        if common is not None and _is_off(common):
            return self.tr("This server was started without live limits.")
        if common is not None:
            return self.tr("Can't be changed while it runs: {0}.").format(
                said(common.reason_message or common.reason or "")
            )
        if told:
            return self.tr("A change takes effect at the next step and makes the run invalid.")
        return self.tr("Sliders appear here while a server with live limits runs.")

    def _say_refusals(self) -> None:
        news = self._state.limit_changes[self._seen_changes :]
        self._seen_changes = len(self._state.limit_changes)
        for change in news:
            if not change.accepted and change.name in self.rows:
                self.rows[change.name].refuse(change.message or change.refusal or "")


def _is_off(limit: "LiveLimit") -> bool:
    """Return True if the target could allow changes of the limit but doesn't."""
    return limit.reason_message is not None and limit.reason_message.kind == NOT_ASKED_FOR
