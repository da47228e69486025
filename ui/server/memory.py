"""The memory that the form's server would take, before its start; then beside the figures in its log."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QApplication,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from ui.conductor.background import Background
from ui.experiment.draft import Draft
from ui.experiment.editor import Editor
from ui.language.number_text import count, plain
from ui.language.remarks import remark
from ui.language.texts import Sayable
from ui.look.theme import Theme
from ui.server.command import sound_baseline
from ui.server.gpu_choice import GpuChoice
from ui.server.memory_rows import MemoryRow, headline, rows
from ui.window.panel import Panel
from workbench.base import Message

if TYPE_CHECKING:
    # The core loads on first use.
    from workbench.experiments import MemoryReported, SizingGpu

_AFTER_MS = 300
"""Delay while typing, so that the model's files are not read at each key."""
_HERE = ("local", "container")
"""Kinds that use this machine's GPU."""


@dataclass(frozen=True)
class SizingInput:
    """Everything the estimate depends on."""

    kind: str
    model: str
    args: str
    executable: str
    baseline: tuple[tuple[str, Any], ...]
    gpu: str
    """GPU as chosen or typed; "" for this machine's."""


@dataclass(frozen=True)
class SizingResult:
    """GPU and estimate."""

    gpu: "SizingGpu | None"
    estimate: dict[str, Any]


class MemoryView(Panel):
    """The GPU, the figures in two or three columns, and their basis."""

    def __init__(self, theme: Theme, editor: Editor) -> None:
        super().__init__()
        self._theme, self.editor = theme, editor
        self._asked: SizingInput | None = None
        self._told: MemoryReported | None = None
        """A server's memory event; None while only an estimate is shown."""
        self._last: MemoryReported | None = None
        self.estimate: dict[str, Any] = {}
        self._background = Background(self)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_AFTER_MS)
        self._timer.timeout.connect(self._begin)
        self.gpu = GpuChoice()
        self.use = QPushButton()
        self.said = QLabel()
        self.notes = QLabel()
        self._grid = QGridLayout()
        self._area = QScrollArea()
        self._area.setObjectName("figures")
        self._lay_out()
        self.gpu.changed.connect(self.show_draft)
        self.use.clicked.connect(lambda _checked=False: self._use())
        editor.changed.connect(self.show_draft)
        theme.changed.connect(self._tint)
        self.show_figures({}, None)

    def _lay_out(self) -> None:
        self.setAccessibleName(self.tr("Memory of the server"))
        self.use.setToolTip(self.tr("Set the longest length that fits in the baseline"))
        self.use.setVisible(False)
        for label in (self.said, self.notes):
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        caption = QLabel(self.tr("&Memory on"))
        caption.setBuddy(self.gpu)
        content = QWidget()
        lines = QVBoxLayout(content)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.setSpacing(4)
        lines.addWidget(self.said)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(1)
        self._grid.setColumnStretch(3, 1)
        lines.addLayout(self._grid)
        lines.addWidget(self.notes)
        lines.addStretch(1)
        area = self._area
        area.setWidget(content)
        area.setWidgetResizable(True)
        area.setFrameShape(area.Shape.NoFrame)
        area.setAccessibleName(self.tr("Memory of the server"))
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 4, 4, 4)
        column.setSpacing(4)
        row = QHBoxLayout()
        row.addWidget(caption)
        row.addWidget(self.gpu, 1)
        row.addWidget(self.use)
        column.addLayout(row)
        column.addWidget(area, 1)

    def on_visible(self) -> None:
        """Start the estimate once it is visible."""
        self.gpu.fill()
        self.show_draft()

    def show_draft(self) -> None:
        """Estimate again, in the background, after a change of the form or the GPU."""
        asked = sizing_input(self.editor.draft, self.gpu.text())
        if asked == self._asked or not self.is_on_screen():
            return
        self._asked, self._told = asked, None
        self._background.forget()
        self.show_figures({}, None)
        self.said.setText(self.tr("Estimating …"))
        self._timer.start()

    def show_server_memory(self, told: "MemoryReported | None") -> None:
        """Show a server's figures beside their estimate; None changes nothing."""
        if told is None or told is self._last:
            return
        self._last = self._told = told
        self._timer.stop()
        self._background.forget()
        self._asked = sizing_input(self.editor.draft, self.gpu.text())
        self.show_figures(told.estimate or {}, told.server)
        if told.why:
            self.said.setText(remark(told.message or told.why))

    def _begin(self) -> None:
        asked = self._asked
        if asked is not None:
            self._background.run(lambda: size(asked), self._show_size, self._fail)

    def _show_size(self, found: SizingResult) -> None:
        self.gpu.show_detected(found.gpu.name if found.gpu else "")
        self.show_figures(found.estimate, None)
        if found.gpu is None and not self.said.text():
            self.said.setText(
                self.tr("Choose the GPU, or type its memory such as 24 GiB, for the other figures.")
            )

    def _fail(self, error: Sayable) -> None:
        self.show_figures({}, None)
        self.said.setText(remark(error))

    def show_figures(self, estimate: Mapping[str, Any], server: Mapping[str, Any] | None) -> None:
        """Show an estimate in place of the last one, beside the server's own figures."""
        self.estimate = dict(estimate)
        words, fits = headline(estimate)
        self.said.setText(words)
        self._colour(self.said, self._theme.ink("fail") if fits is False else None)
        longest = estimate.get("max_model_len_fits") or 0
        self.use.setVisible(fits is False and longest > 0)
        self.use.setText(self.tr("Use max_model_len {0}").format(count(longest)))
        self._fill(rows(estimate, server), with_server=server is not None)
        self.notes.setText(" ".join(_notes(estimate)))
        self._colour(self.notes, self._theme.secondary)

    def _fill(self, lines: Sequence[MemoryRow], *, with_server: bool) -> None:
        while (item := self._grid.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                # Hidden at once: it would lie under its successor until the event loop deletes it.
                widget.hide()
                widget.deleteLater()
        head = (
            [("", self.tr("Estimated"), self.tr("Server"), self.tr("Off by"))]
            if with_server and lines
            else []
        )
        cells = [(row.title, row.estimated, row.server, row.difference) for row in lines]
        for place, line in enumerate([*head, *cells]):
            for column, text in enumerate(line if with_server else line[:2]):
                label = QLabel(text)
                label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
                if column == 0 or (head and place == 0):
                    self._colour(label, self._theme.secondary)
                self._grid.addWidget(label, place, column)
        self._area.setAccessibleDescription("; ".join(" ".join(line) for line in cells))

    def texts(self) -> list[list[str]]:
        """Return the shown figures line by line."""
        lines = []
        for place in range(self._grid.rowCount()):
            items = [self._grid.itemAtPosition(place, column) for column in range(4)]
            labels = [item.widget() for item in items if item is not None]
            lines.append([label.text() for label in labels if isinstance(label, QLabel)])
        return [line for line in lines if line]

    def _use(self) -> None:
        longest = self.estimate.get("max_model_len_fits")
        if longest:
            draft = self.editor.draft.with_baseline("max_model_len", longest)
            self.editor.replace(
                draft, self.tr("{0} {1}, the longest that fits").format("max_model_len", plain(longest))
            )

    def _tint(self) -> None:
        server = self._told.server if self._told else None
        words = self.said.text()
        self.show_figures(self.estimate, server)
        self.said.setText(words)

    @staticmethod
    def _colour(label: QLabel, colour: QColor | None) -> None:
        palette = label.palette()
        palette.setColor(palette.ColorRole.WindowText, colour or QApplication.palette().windowText().color())
        label.setPalette(palette)


def sizing_input(draft: Draft, gpu: str) -> SizingInput:
    """Return the form's values that the estimate depends on."""
    baseline = tuple(sorted(sound_baseline(draft).items()))
    return SizingInput(draft.target_kind, draft.model, draft.args, draft.executable, baseline, gpu)


def size(asked: SizingInput) -> SizingResult:
    """Estimate in the background's thread.

    Raises:
        InputError: the server can't be sized.
    """
    from workbench.experiments import estimate_memory, local_gpu, parse_gpu  # noqa: PLC0415 - slow to load
    from workbench.servers import TargetSpec  # noqa: PLC0415 - as above

    gpu = parse_gpu(asked.gpu) if asked.gpu else local_gpu() if asked.kind in _HERE else None
    target = TargetSpec(
        kind=asked.kind,  # type: ignore[arg-type]  # one of the form's
        model=asked.model or None,
        args=_split(asked.args),
        executable=asked.executable or None,
    )
    return SizingResult(gpu, estimate_memory(target, dict(asked.baseline), gpu).to_dict())


def _notes(estimate: Mapping[str, Any]) -> list[str]:
    """Return the notes of an estimate in the window's language; older files have English notes."""
    told = estimate.get("messages")
    if told is None:
        return [remark(note) for note in estimate.get("notes") or ()]
    return [remark(note) for note in msgspec.convert(told, list[Message])]


def _split(args: str) -> list[str]:
    try:
        return shlex.split(args)
    except ValueError:
        return args.split()
