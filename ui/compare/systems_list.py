"""The bench files to compare, each with its offer."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QScrollArea, QToolButton, QVBoxLayout, QWidget

from ui.forms import Choice, beside
from ui.look.elided_label import ElidedLabel


class SystemRow(QWidget):
    """One bench file: its name, its offer and a button to remove it."""

    changed = Signal()
    removed = Signal(object)
    """The row itself."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.label = ElidedLabel()
        self.label.show_text(path.stem, str(path))
        self.offer = Choice([(None, self.tr("the offer for its card"))])
        self.offer.setAccessibleName(self.tr("Offer of {0}").format(path.stem))
        self.offer.chosen.connect(self.changed)
        self.remove = QToolButton()
        self.remove.setText("×")
        self.remove.setAutoRaise(True)
        self.remove.setToolTip(self.tr("Remove {0}").format(path.stem))
        self.remove.setAccessibleName(self.remove.toolTip())
        self.remove.clicked.connect(self._leave)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.label, 2)
        row.addWidget(self.offer, 3)
        row.addWidget(self.remove)

    def show_offers(self, names: Sequence[str]) -> None:
        """Set the choice of offers; a chosen one that is gone is deselected."""
        chosen = self.offer.currentData()
        self.offer.set_options([(None, self.tr("the offer for its card")), *((name, name) for name in names)])
        self.offer.show_value(chosen if chosen in names else None)

    def _leave(self) -> None:
        self.removed.emit(self)


class SystemsList(QWidget):
    """The rows; `changed` with every file and choice, `add_wanted` from the button."""

    changed = Signal()
    add_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._names: tuple[str, ...] = ()
        self.add = QPushButton(self.tr("&Add bench files…"))
        self.add.clicked.connect(self.add_wanted)
        content = QWidget()
        self._rows = QVBoxLayout(content)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(2)
        self._rows.addStretch(1)
        area = QScrollArea()
        area.setWidget(content)
        area.setWidgetResizable(True)
        area.setFrameShape(area.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setAccessibleName(self.tr("Systems"))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(area, 1)
        column.addWidget(beside(self.add))

    def rows(self) -> list[SystemRow]:
        """Return the rows from top to bottom."""
        items = [self._rows.itemAt(at) for at in range(self._rows.count())]
        widgets = [item.widget() for item in items if item is not None]
        return [widget for widget in widgets if isinstance(widget, SystemRow)]

    def add_files(self, paths: Sequence[Path]) -> None:
        """Add files that are not in the list yet."""
        known = {row.path for row in self.rows()}
        for path in dict.fromkeys(path for path in paths if path not in known):
            row = SystemRow(path)
            row.show_offers(self._names)
            row.changed.connect(self.changed)
            row.removed.connect(self._remove)
            self._rows.insertWidget(self._rows.count() - 1, row)
        self.changed.emit()

    def show_offers(self, names: Sequence[str]) -> None:
        """Set the choice of offers in every row."""
        self._names = tuple(names)
        for row in self.rows():
            row.show_offers(names)

    def show_titles(self, titles: Mapping[str, str]) -> None:
        """Name the rows by GPU and model; `titles` are by the files' paths."""
        for row in self.rows():
            title = titles.get(str(row.path))
            if title is not None:
                row.label.show_text(title, str(row.path))

    def entries(self) -> tuple[tuple[Path, str | None], ...]:
        """Return each file with the name of its offer; None for the offer of its card."""
        return tuple((row.path, row.offer.currentData()) for row in self.rows())

    def _remove(self, row: SystemRow) -> None:
        self._rows.removeWidget(row)
        row.hide()
        row.deleteLater()
        self.add.setFocus()
        self.changed.emit()
