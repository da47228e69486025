"""How much memory the form's server would take, before it is started; then beside what its log says."""

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

from ui.background import Background
from ui.core_words import Sayable
from ui.experiment.draft import Draft
from ui.experiment.editor import Editor
from ui.number_text import count, plain
from ui.remarks import remark
from ui.room import Room
from ui.server.command import sound_baseline
from ui.server.gpu_choice import GpuChoice
from ui.server.memory_rows import MemoryRow, headline, rows
from ui.theme import Theme
from workbench.base import Message

if TYPE_CHECKING:
    # The core room loads when first needed.
    from workbench.experiments import Gpu

_AFTER_MS = 300
"""Typing goes on; the model's files need not be read at each key."""
_HERE = ("local", "container")
"""Kinds whose GPU is this machine's."""


@dataclass(frozen=True)
class Asked:
    """All that the estimate depends on."""

    kind: str
    model: str
    args: str
    executable: str
    baseline: tuple[tuple[str, Any], ...]
    gpu: str
    """As chosen or typed; "": this machine's."""


@dataclass(frozen=True)
class Sized:
    """An answer."""

    gpu: "Gpu | None"
    estimate: dict[str, Any]


class MemoryView(Room):
    """The GPU to size on, the figures in two or three columns, and what they rest on."""

    def __init__(self, theme: Theme, editor: Editor) -> None:
        super().__init__()
        self._theme, self._editor = theme, editor
        self._asked: Asked | None = None
        self._told: Mapping[str, Any] | None = None
        """What is shown of a server; None: an estimate alone is."""
        self._last: Mapping[str, Any] | None = None
        self._shown: dict[str, Any] = {}
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
        self._lay_out()
        self.gpu.changed.connect(self.show_draft)
        self.use.clicked.connect(lambda _checked=False: self._use())
        editor.changed.connect(self.show_draft)
        theme.changed.connect(self._tint)
        self._show_figures({}, None)

    def _lay_out(self) -> None:
        self.setAccessibleName(self.tr("Memory of the server"))
        self.use.setToolTip(self.tr("Put the longest length that fits into the baseline"))
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

    def looked_at(self) -> None:
        """The estimate is wanted once somebody can see it."""
        self.gpu.fill()
        self.show_draft()

    def show_draft(self) -> None:
        """The form or the GPU changed: estimate anew what depends on it, away from the window."""
        asked = asked_of(self._editor.draft, self.gpu.text())
        if asked == self._asked or not self.is_seen():
            return
        self._asked, self._told = asked, None
        self._background.forget()
        self._show_figures({}, None)
        self.said.setText(self.tr("Estimating …"))
        self._timer.start()

    def show_told(self, told: Mapping[str, Any] | None) -> None:
        """What a server's log says beside its estimate, as the event's fields; None: nothing new."""
        if told is None or told is self._last:
            return
        self._last = self._told = told
        self._timer.stop()
        self._background.forget()
        self._asked = asked_of(self._editor.draft, self.gpu.text())
        estimate = told.get("estimate") or {}
        self._show_figures(estimate, told.get("server"))
        if told.get("why"):
            self.said.setText(remark(told["why"]))

    def _begin(self) -> None:
        asked = self._asked
        if asked is not None:
            self._background.run(lambda: size(asked), self._take, self._fail)

    def _take(self, found: Sized) -> None:
        self.gpu.show_detected(found.gpu.name if found.gpu else "")
        self._show_figures(found.estimate, None)
        if found.gpu is None and not self.said.text():
            self.said.setText(
                self.tr("Name the GPU, or its memory such as 24 GiB: without it only these are known.")
            )

    def _fail(self, error: Sayable) -> None:
        self._show_figures({}, None)
        self.said.setText(remark(error))

    def _show_figures(self, estimate: Mapping[str, Any], server: Mapping[str, Any] | None) -> None:
        self._shown = dict(estimate)
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
                # Out of sight at once: until the event loop deletes it, it would lie under its successor.
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
        """The figures as they are shown, line by line."""
        lines = []
        for place in range(self._grid.rowCount()):
            items = [self._grid.itemAtPosition(place, column) for column in range(4)]
            labels = [item.widget() for item in items if item is not None]
            lines.append([label.text() for label in labels if isinstance(label, QLabel)])
        return [line for line in lines if line]

    def _use(self) -> None:
        longest = self._shown.get("max_model_len_fits")
        if longest:
            draft = self._editor.draft.with_baseline("max_model_len", longest)
            self._editor.replace(draft, self.tr("{0} {1}, as fits").format("max_model_len", plain(longest)))

    def _tint(self) -> None:
        server = self._told.get("server") if self._told else None
        words = self.said.text()
        self._show_figures(self._shown, server)
        self.said.setText(words)

    @staticmethod
    def _colour(label: QLabel, colour: QColor | None) -> None:
        palette = label.palette()
        palette.setColor(palette.ColorRole.WindowText, colour or QApplication.palette().windowText().color())
        label.setPalette(palette)


def asked_of(draft: Draft, gpu: str) -> Asked:
    """What the estimate depends on in the form."""
    baseline = tuple(sorted(sound_baseline(draft).items()))
    return Asked(draft.target_kind, draft.model, draft.args, draft.executable, baseline, gpu)


def size(asked: Asked) -> Sized:
    """By the core, in the background's thread.

    Raises:
        InputError: it can't be sized; says why.
    """
    from workbench.experiments import foretold_memory, gpu_called, gpu_here  # noqa: PLC0415 - slow to load
    from workbench.servers import TargetSpec  # noqa: PLC0415 - as above

    gpu = gpu_called(asked.gpu) if asked.gpu else gpu_here() if asked.kind in _HERE else None
    target = TargetSpec(
        kind=asked.kind,  # type: ignore[arg-type]  # one of the form's
        model=asked.model or None,
        args=_split(asked.args),
        executable=asked.executable or None,
    )
    return Sized(gpu, foretold_memory(target, dict(asked.baseline), gpu).told())


def _notes(estimate: Mapping[str, Any]) -> list[str]:
    """Return what an estimate rests on, in the window's language; older files have English notes."""
    told = estimate.get("messages")
    if told is None:
        return [remark(note) for note in estimate.get("notes") or ()]
    return [remark(note) for note in msgspec.convert(told, list[Message])]


def _split(args: str) -> list[str]:
    try:
        return shlex.split(args)
    except ValueError:
        return args.split()
