"""The server panel: remembered targets, the server's phases and command, a trial, this machine."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QPushButton,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from ui.experiment import Editor
from ui.forms import beside
from ui.language.number_text import plain
from ui.language.texts import said
from ui.live import Changed, LiveState
from ui.look.empty_text import EmptyText
from ui.look.theme import Theme
from ui.server.ability_lines import ability_lines
from ui.server.findings import FindingsView
from ui.server.memory import MemoryView
from ui.server.remedies import fixed
from ui.server.targets import TargetsFile, name_of, target_of, with_target
from ui.server.trial import Trial
from ui.window.panel import Panel
from workbench.base import InputError, Message, WorkbenchError

if TYPE_CHECKING:
    # The core loads on first use.
    from ui.conductor.trial_report import TrialReport
    from workbench.servers import EffectiveConfig
from workbench.servers import control_changes
from workbench.vllm_dialect import ControlChange

_MOST_FIXES = 2


class ServerPanel(Panel):
    """Shows the plan's server, or a trial's."""

    said = Signal(str, str)
    """Level and text for the message bar."""
    failed = Signal(str)
    """The server failed, and `remedies` has fixes."""
    control_wanted = Signal(str)
    """The control of the baseline to show."""

    def __init__(self, theme: Theme, editor: Editor, path: Path, trial: Trial | None = None) -> None:
        super().__init__()
        self._theme, self.editor = theme, editor
        self._tried: dict[str, Any] = {}
        self._state = LiveState()
        self._file = TargetsFile(path)
        self.trial = trial or Trial(self)
        self._phases: list[tuple[Message | str, float]] = []
        self._started: float | None = None
        """End of the last phase."""
        self._failed: Message | str = ""
        self.targets = QListWidget()
        self.status = QLabel()
        self.phases = QLabel()
        self.effective = QLabel()
        self.abilities = QLabel()
        """The abilities of this version."""
        self.command = QLineEdit()
        self.findings = FindingsView(theme)
        self.memory = MemoryView(theme, editor)
        self.test = QPushButton(self.tr("Try it out"))
        self.copy = QPushButton(self.tr("Copy"))
        self.remember = QPushButton(self.tr("Remember"))
        self.forget = QPushButton(self.tr("Forget"))
        self.fixes = [QPushButton() for _ in range(_MOST_FIXES)]
        self._lay_out()
        self._wire()
        self._fill_targets()

    def _lay_out(self) -> None:
        self.targets.setAccessibleName(self.tr("Remembered servers"))
        self.targets.setToolTip(self.tr("Double-click or Enter uses it in the experiment"))
        self.targets.setFrameShape(self.targets.Shape.NoFrame)
        EmptyText(self.targets, self._theme, self.tr("Remembered servers appear here"))
        self.command.setReadOnly(True)
        self.command.setAccessibleName(self.tr("Command of the server"))
        for label in (self.phases, self.effective, self.abilities):
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.status.setWordWrap(True)
        split = QSplitter(Qt.Orientation.Horizontal)
        for part in (self._left(), self._middle(), self.memory, self.findings):
            split.addWidget(part)
        split.setChildrenCollapsible(False)
        for place, stretch in enumerate((2, 4, 5, 4)):
            split.setStretchFactor(place, stretch)
        split.setSizes([180, 320, 440, 320])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(split)

    def _left(self) -> QWidget:
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(8, 4, 4, 4)
        column.addWidget(self.targets, 1)
        column.addWidget(beside(self.remember, self.forget))
        return left

    def _middle(self) -> QWidget:
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(4, 4, 4, 4)
        column.setSpacing(4)
        row = QHBoxLayout()
        row.addWidget(self.test)
        for button in self.fixes:
            row.addWidget(button)
        row.addStretch(1)
        column.addLayout(row)
        column.addWidget(self._texts(), 1)
        column.addWidget(beside(self.command, self.copy))
        return middle

    def _texts(self) -> QScrollArea:
        content = QWidget()
        lines = QVBoxLayout(content)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.setSpacing(4)
        for label in (self.status, self.phases, self.effective, self.abilities):
            lines.addWidget(label)
        lines.addStretch(1)
        area = QScrollArea()
        area.setWidget(content)
        area.setWidgetResizable(True)
        area.setFrameShape(area.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        return area

    def _wire(self) -> None:
        calls: list[tuple[QPushButton, Callable[[], object]]] = [
            (self.remember, self.remember_target),
            (self.forget, self.forget_target),
            (self.test, self.try_out),
            (self.copy, lambda: QApplication.clipboard().setText(self.command.text())),
        ]
        for button, call in calls:
            button.clicked.connect(lambda _checked=False, go=call: go())
        for place, button in enumerate(self.fixes):
            button.clicked.connect(lambda _checked=False, at=place: self._fix(at))
        self.targets.itemActivated.connect(lambda item: self.use_target(item.text()))
        self.trial.told.connect(self._on_trial)
        self.trial.ended.connect(self._show)
        self.editor.changed.connect(self._clear_outdated_trial)
        self._show()

    def on_visible(self) -> None:
        """Update the machine's findings and the memory."""
        self.findings.notify_visible()
        self.memory.notify_visible()

    def show_state(self, state: LiveState) -> None:
        """Show another plan or a bench file."""
        self._state = state
        self._begin()
        self._show()

    def on_change(self, changed: Changed) -> None:
        """Show a change of the plan's server."""
        if changed & Changed.SERVER:
            self.show_server_state(self._state.server, self._state.server_detail)
            self.memory.show_server_memory(self._state.memory)

    def try_out(self) -> None:
        """Start the form's server and stop it again; a second call ends the trial."""
        if self.trial.running:
            self.trial.stop()
            self.status.setText(self.tr("Stopping the server …"))
            return
        if self._state.live:
            self.said.emit("warning", self.tr("A plan is running; try a server when it is done."))
            return
        try:
            text = self.editor.text()
        except WorkbenchError as error:
            self.said.emit("error", said(error))
            return
        self._tried = target_of(self.editor.draft)
        self._begin()
        self.show_server_state("starting", "")
        self.trial.start(text)
        self._show()

    def _clear_outdated_trial(self) -> None:
        """Clear the trial's results once the form has another server."""
        if not self.trial.running:
            self._show()
        if not self._tried or self.trial.running or self._tried == target_of(self.editor.draft):
            return
        self._tried = {}
        self._begin()
        self.status.clear()
        self._show()

    def _begin(self) -> None:
        self._phases, self._failed, self._started = [], "", None
        self.effective.clear()
        self.abilities.clear()
        self.command.clear()

    def _on_trial(self, told: "TrialReport") -> None:
        """Show a message of the trial."""
        if told.command:
            self._show_command(told.command)
        if told.state is not None:
            self.show_server_state(told.state, told.message or told.detail)
        elif told.memory is not None:
            self.memory.show_server_memory(told.memory)
        elif told.effective is not None:
            self.effective.setText(_effective_words(told.effective))
            if self._attached():
                self.editor.learn_server(self._tried["url"], dict(told.effective.arguments))
            self.abilities.setText(ability_lines(told))
        elif told.error is not None:
            self.show_server_state("failed", told.message or told.error)

    def show_server_state(self, state: str, detail: Message | str) -> None:
        """Show a state of the server and time its phase."""
        now = time.monotonic()
        if state == "starting" and self._started is not None:
            # The next configuration's server.
            self._phases, self._started = [], None
        if state == "starting" and detail:
            name = _phase_in(detail)
            if not self._phases or self._phases[-1][0] != name:
                self._phases.append((name, now))
        if state != "starting" and self._started is None:
            self._started = now
        if state == "failed":
            self._failed = detail or self._failed
        elif state in {"starting", "ready", "busy"}:
            self._failed = ""
        self._show_status(state, detail)
        self._show()
        if state == "failed" and self._found_fixes():
            self.failed.emit(said(self._failed))

    def _show_status(self, state: str, detail: Message | str) -> None:
        named = {
            "idle": self.tr("○ no server yet"),
            "starting": self.tr("◔ starting"),
            "ready": self.tr("● ready"),
            "busy": self.tr("◉ busy"),
            "degraded": self.tr("◑ in trouble"),
            "stopping": self.tr("◔ stopping"),
            "stopped": self.tr("○ stopped"),
            "failed": self.tr("✗ failed"),
            "unknown": self.tr("○ unknown"),
        }
        if self._attached():
            named |= {
                "starting": self.tr("◔ connecting"),
                "ready": self.tr("● connected"),
                "stopping": self.tr("◔ disconnecting"),
                "stopped": self.tr("○ disconnected"),
            }
        if state == "stopped" and self._failed:
            return
        text = named.get(state, state)
        self.status.setText(f"{text}: {said(detail)}" if detail else text)
        self.status.setAccessibleName(self.status.text())

    def _attached(self) -> bool:
        """Return True if the shown server is of others: the tried one, else the plan's."""
        return self._tried.get("target_kind") == "attached" if self._tried else self._state.attached

    def _show(self) -> None:
        if not self.status.text():
            self._show_status(self._state.server, self._state.server_detail)
        starts = [*(at for _, at in self._phases[1:]), self._started or time.monotonic()]
        spans = (
            [
                f"{said(name)} {max(0.0, end - at):.1f} s"
                for (name, at), end in zip(self._phases, starts, strict=True)
            ]
            if self._phases
            else []
        )
        self.phases.setText(" → ".join(spans))
        self.phases.setVisible(bool(spans))
        self.effective.setVisible(bool(self.effective.text()))
        self.abilities.setVisible(bool(self.abilities.text()))
        if self._state.server_command and not self.trial.running:
            self._show_command(self._state.server_command)
        connect = self.editor.draft.target_kind == "attached"
        offer = self.tr("Connect") if connect else self.tr("Try it out")
        self.test.setText(self.tr("End the trial") if self.trial.running else offer)
        self.test.setToolTip(
            self.tr("Ask the server what it is and what it uses")
            if connect
            else self.tr("Start the form's server, read back its settings, stop it")
        )
        self.copy.setEnabled(bool(self.command.text()))
        self._show_fixes()

    def _show_command(self, command: str) -> None:
        if command != self.command.text():
            self.command.setText(command)
            self.command.setCursorPosition(0)
            self.command.setToolTip(command)

    def _found_fixes(self) -> tuple[ControlChange, ...]:
        return control_changes(self._failed)[:_MOST_FIXES] if isinstance(self._failed, Message) else ()

    def _show_fixes(self) -> None:
        found = self._found_fixes()
        for place, button in enumerate(self.fixes):
            button.setVisible(place < len(found))
            if place < len(found):
                fix = found[place]
                button.setText(self._fix_words(fix))

    def _fix_words(self, fix: ControlChange) -> str:
        if fix.value is None:
            return self.tr("Change {0}").format(fix.control)
        return self.tr("Use {0} {1}").format(fix.control, plain(fix.value))

    def remedies(self) -> list[tuple[str, Callable[[], object]]]:
        """Return the fixes of the failure as texts and functions."""
        return [
            (self._fix_words(fix), lambda at=place: self._fix(at))  # type: ignore[misc]  # bound now
            for place, fix in enumerate(self._found_fixes())
        ]

    def _fix(self, place: int) -> None:
        fix = self._found_fixes()[place]
        if fix.value is not None:
            label = self.tr("{0} {1}, as the server suggested").format(fix.control, plain(fix.value))
            self.editor.replace(fixed(self.editor.draft, fix), label)
        self.control_wanted.emit(fix.control)

    def _fill_targets(self) -> None:
        self.targets.clear()
        self.targets.addItems(list(self._file.read()))
        self.forget.setEnabled(self.targets.count() > 0)
        if self._file.complaint:
            self.said.emit("warning", self._file.complaint)

    def remember_target(self) -> None:
        """Store the form's server."""
        try:
            self._file.remember(name_of(self.editor.draft) or self.tr("server"), self.editor.draft)
        except InputError as error:
            self.said.emit("error", said(error))
        self._fill_targets()

    def forget_target(self) -> None:
        """Remove the chosen server from the list; the server itself is not touched."""
        row = self.targets.currentRow()
        if row < 0:
            return
        try:
            self._file.forget(self.targets.item(row).text())
        except InputError as error:
            self.said.emit("error", said(error))
        self._fill_targets()

    def use_target(self, name: str) -> None:
        """Put a remembered server into the form, without checking that it still exists."""
        fields = self._file.read().get(name)
        if fields is None:
            self.said.emit("error", self.tr("{0} is not in the list any more.").format(name))
            self._fill_targets()
            return
        try:
            self.editor.replace(with_target(self.editor.draft, fields), self.tr("server {0}").format(name))
        except InputError as error:
            self.said.emit("error", f"{name}: {said(error)}")


def _phase_in(detail: Message | str) -> Message | str:
    """Return the phase of a start, without its percentage."""
    phase = detail.values.get("phase") if isinstance(detail, Message) else None
    return phase if isinstance(phase, Message) else detail


def _effective_words(effective: "EffectiveConfig") -> str:
    """Return the server's effective settings in one line."""
    parts = [
        f"vLLM {effective.version}" if effective.version else "",
        effective.model or "",
        f"max_model_len {effective.max_model_len}" if effective.max_model_len else "",
        f"KV {effective.kv_cache_tokens:,} tokens" if effective.kv_cache_tokens else "",
    ]
    parts += [f"{name} {plain(value)}" for name, value in effective.arguments.items()]
    return ", ".join(part for part in parts if part)
