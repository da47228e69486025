"""The log panel: level, search, copy."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from ui.live import LogLine
from ui.log.model import LEVELS, LogFilter, LogModel
from ui.look.empty_text import EmptyText
from ui.look.theme import Theme


class LogPanel(QWidget):
    """The log of the server and the conductor."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.model = LogModel(theme, self)
        self._filter = LogFilter(self)
        self._filter.setSourceModel(self.model)
        self._level = QComboBox()
        self._level.setObjectName("level")
        self._search = QLineEdit()
        self._search.setObjectName("search")
        self._copy = QPushButton(self.tr("Copy"))
        self.view = QListView()
        self._prepare_view()
        EmptyText(
            self.view, theme, self.tr("Log lines of the server and the conductor appear here"), self.model
        )
        self._lay_out()
        self._level.currentIndexChanged.connect(lambda index: self._filter.set_least(LEVELS[index]))
        self._search.textChanged.connect(self._filter.setFilterFixedString)
        self._copy.clicked.connect(self.copy)

    def _prepare_view(self) -> None:
        self.view.setModel(self._filter)
        self.view.setUniformItemSizes(True)
        self.view.setSelectionMode(QListView.SelectionMode.ExtendedSelection)
        self.view.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.view.setFrameShape(self.view.Shape.NoFrame)
        self.view.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.view.setAccessibleName(self.tr("Log"))
        shortcut = QShortcut(QKeySequence.StandardKey.Copy, self.view)
        shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
        shortcut.activated.connect(self.copy)

    def _lay_out(self) -> None:
        for level, words in zip(
            LEVELS, (self.tr("Everything"), self.tr("Warnings and errors"), self.tr("Errors")), strict=True
        ):
            self._level.addItem(words, level)
        self._level.setAccessibleName(self.tr("Minimum level"))
        self._search.setPlaceholderText(self.tr("Search the log"))
        self._search.setAccessibleName(self.tr("Search the log"))
        self._search.setClearButtonEnabled(True)
        bar = QHBoxLayout()
        bar.setContentsMargins(8, 4, 8, 4)
        label = QLabel(self.tr("&Show"))
        label.setBuddy(self._level)
        bar.addWidget(label)
        bar.addWidget(self._level)
        bar.addWidget(self._search, 1)
        bar.addWidget(self._copy)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        layout.addWidget(self.view, 1)

    def add(self, lines: list[LogLine]) -> None:
        """Add lines; stay at the end if the view was there."""
        bar = self.view.verticalScrollBar()
        at_end = bar.value() >= bar.maximum() - 4
        self.model.extend(lines)
        if at_end and self.isVisible():
            self.view.scrollToBottom()

    def showEvent(self, _event: object) -> None:
        """Qt: scroll to the end."""
        self.view.scrollToBottom()

    def lines(self) -> list[str]:
        """Return the selected lines, or all that the filter shows."""
        chosen = sorted(self.view.selectionModel().selectedRows(), key=lambda index: index.row())
        if chosen:
            return [str(index.data()) for index in chosen]
        return [str(self._filter.index(row, 0).data()) for row in range(self._filter.rowCount())]

    def copy(self) -> None:
        """Copy the selected lines, or all shown, to the clipboard."""
        QApplication.clipboard().setText("\n".join(self.lines()) + "\n")
