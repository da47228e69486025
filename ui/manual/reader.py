"""The manual's window: list of pages, back and forward, search, links between pages."""

import posixpath
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QSize, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QImage, QKeySequence, QResizeEvent, QShortcut, QTextCursor, QTextDocument
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QSplitter,
    QTextBrowser,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ui.language.translation import current_language
from ui.look.theme import Theme
from ui.manual.pages import PAGES, Page, in_language, page_of, slug

_LINE = 96
"""Average characters of a line of text."""
_LINES = 38
_SETTLE_MS = 120
"""Delay after the last change of width before pictures are loaded again."""
_LIST = 24
"""Average characters of the list of pages."""


class PageView(QTextBrowser):
    """One page; pictures fit its width, and nothing is loaded from outside the manual."""

    width_changed = Signal()
    """The page's pictures no longer fit its width."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._beside = ""
        self._width = 0
        self.setOpenLinks(False)
        self.setFrameShape(self.Shape.NoFrame)
        # A scroll bar that appears and disappears would change the width.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.document().setDocumentMargin(self.fontMetrics().height())
        self._settled = QTimer(self)
        self._settled.setSingleShot(True)
        self._settled.setInterval(_SETTLE_MS)
        self._settled.timeout.connect(self._compare_width)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: reload pictures after a change of width."""
        super().resizeEvent(event)
        self._settled.start()

    def _compare_width(self) -> None:
        if self.viewport().width() != self._width:
            self.width_changed.emit()

    def show_page(self, text: str, file: str) -> None:
        """Show a page's Markdown; picture paths start from the folder of `file`."""
        self._beside = posixpath.dirname(file)
        self._width = self.viewport().width()
        self.setMarkdown(text)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Qt: load a picture of the manual, fitted to the page."""
        url = QUrl(name)
        path = (self._folder / self._beside / url.path()).resolve()
        inside = url.isRelative() and path.is_relative_to(self._folder.resolve())
        if kind != int(QTextDocument.ResourceType.ImageResource.value) or not inside:
            return None
        picture = QImage(str(path))
        room = self._width - 3 * self.fontMetrics().height()
        if room > 0 and picture.width() > room:
            ratio = self.devicePixelRatioF()
            mode = Qt.TransformationMode.SmoothTransformation
            picture = picture.scaledToWidth(min(round(room * ratio), picture.width()), mode)
            picture.setDevicePixelRatio(max(picture.width() / room, 1.0))
        return picture

    def go_to(self, fragment: str) -> None:
        """Scroll to a link's heading, or to the top."""
        block = self.document().begin()
        while block.isValid():
            if block.blockFormat().headingLevel() and slug(block.text()) == fragment:
                cursor = QTextCursor(block)
                self.setTextCursor(cursor)
                bar = self.verticalScrollBar()
                bar.setValue(bar.value() + self.cursorRect(cursor).top())
                return
            block = block.next()
        self.verticalScrollBar().setValue(0)

    def find_next(self, text: str, *, backward: bool = False) -> bool:
        """Select the next match, wrapping at the end; return False without one."""
        flags = QTextDocument.FindFlag.FindBackward if backward else QTextDocument.FindFlag(0)
        if self.find(text, flags):
            return True
        before = self.textCursor()
        end = QTextCursor.MoveOperation.End if backward else QTextCursor.MoveOperation.Start
        self.moveCursor(end)
        if self.find(text, flags):
            return True
        self.setTextCursor(before)
        return False


class ManualReader(QDialog):
    """Stays beside the window; Escape closes it, and it reopens where it was."""

    def __init__(self, parent: QWidget, folder: Path, theme: Theme) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Manual"))
        self._folder = folder
        self._trail: list[str] = []
        self._at = -1
        self.view = PageView(folder)
        self.list = QListWidget()
        self.search = QLineEdit()
        self.said = QLabel()
        self.back = self._button("←", self.tr("Back"))
        self.forward = self._button("→", self.tr("Forward"))
        self.previous = self._button("↑", self.tr("Previous match"))
        self.next = self._button("↓", self.tr("Next match"))
        self._lay_out()
        self._wire()
        # The color of links is part of the rendered text.
        theme.changed.connect(self._show_again)
        self.view.setFocus()
        self.view.width_changed.connect(self._show_again)

    def _button(self, text: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setAutoRaise(True)
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        return button

    def _lay_out(self) -> None:
        self.list.addItems([self._title(page) for page in PAGES])
        self.list.setAccessibleName(self.tr("Pages"))
        self.list.setFrameShape(self.list.Shape.NoFrame)
        self.view.setAccessibleName(self.tr("Page"))
        self.search.setPlaceholderText(self.tr("Find on this page"))
        self.search.setAccessibleName(self.tr("Find on this page"))
        self.search.setClearButtonEnabled(True)
        bar = QHBoxLayout()
        bar.setContentsMargins(8, 6, 8, 6)
        for button in (self.back, self.forward):
            bar.addWidget(button)
        bar.addWidget(self.said, 1)
        bar.addWidget(self.search)
        for button in (self.previous, self.next):
            bar.addWidget(button)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.addWidget(self.list)
        split.addWidget(self.view)
        split.setChildrenCollapsible(False)
        split.setStretchFactor(1, 1)
        letter = self.fontMetrics().averageCharWidth()
        # Titles in another language may be longer.
        self.list.setMinimumWidth(self.list.sizeHintForColumn(0) + 2 * letter)
        split.setSizes([letter * _LIST, letter * _LINE])
        self.search.setMinimumWidth(letter * _LIST)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        layout.addWidget(split, 1)
        parent = self.parentWidget()
        room = parent.size() if parent else QSize(1366, 768)
        wanted = QSize(letter * (_LINE + _LIST), self.fontMetrics().height() * _LINES)
        self.resize(wanted.boundedTo(room * 0.85))

    def _title(self, page: Page) -> str:
        """Return a page's title, with a note if the page is in another language than the window."""
        title = QCoreApplication.translate("manual", page.title)
        translated = current_language() == "en" or self._file(page.file) != page.file
        return title if translated else self.tr("{0} (in English)").format(title)

    def _file(self, page: str) -> str:
        return in_language(self._folder, page, current_language())

    def _wire(self) -> None:
        self.list.currentRowChanged.connect(self._choose)
        self.view.anchorClicked.connect(self.follow)
        self.back.clicked.connect(lambda: self._go(-1))
        self.forward.clicked.connect(lambda: self._go(1))
        self.next.clicked.connect(self.find_next)
        self.previous.clicked.connect(self.find_previous)
        self.search.textChanged.connect(self._search_anew)
        for keys, call in (
            (QKeySequence.StandardKey.Find, self._begin_search),
            (QKeySequence.StandardKey.FindNext, self.find_next),
            (QKeySequence.StandardKey.FindPrevious, self.find_previous),
            (QKeySequence.StandardKey.Back, self.back.click),
            (QKeySequence.StandardKey.Forward, self.forward.click),
        ):
            QShortcut(QKeySequence(keys), self).activated.connect(call)
        self.search.returnPressed.connect(self.find_next)

    @property
    def page(self) -> str:
        """The shown page, as `open_page` takes it."""
        return self._trail[self._at]

    def open_page(self, target: str) -> None:
        """Show a page in the window's language, at a heading if `target` names one: `servers.md#keys`."""
        file, mark, fragment = target.partition("#")
        self._open(self._file(file) + mark + fragment)

    def _open(self, target: str) -> None:
        self._trail = [*self._trail[: self._at + 1], target]
        self._at = len(self._trail) - 1
        self._show_present()

    def follow(self, url: QUrl) -> None:
        """Follow a link to a page, a heading or the same page in another language.

        A link out of the manual is shown as text only.
        """
        present = self._trail[self._at].partition("#")[0]
        beside = posixpath.dirname(present)
        path = posixpath.normpath(posixpath.join(beside, url.path())) if url.path() else present
        target = path + (f"#{url.fragment()}" if url.hasFragment() else "")
        file = target.partition("#")[0]
        pages = {page.file for page in PAGES}
        known = file in pages or (page_of(file) in pages and (self._folder / file).is_file())
        if url.isRelative() and known and page_of(file) == page_of(present):
            self._open(target)
        elif url.isRelative() and known:
            self.open_page(target)
        else:
            self.said.setText(self.tr("Not in the manual: {0}").format(url.toString()))

    def find_next(self) -> None:
        """Go to the next match."""
        self._find(backward=False)

    def find_previous(self) -> None:
        """Go to the previous match."""
        self._find(backward=True)

    def _begin_search(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    def _search_anew(self) -> None:
        """Search while typing, from the start of the selection, so that a longer word keeps its match."""
        cursor = self.view.textCursor()
        cursor.setPosition(cursor.selectionStart())
        self.view.setTextCursor(cursor)
        self._find(backward=False)

    def _find(self, *, backward: bool) -> None:
        text = self.search.text()
        found = not text or self.view.find_next(text, backward=backward)
        self.said.setText("" if found else self.tr("Not on this page"))

    def _choose(self, row: int) -> None:
        if row >= 0:
            self.open_page(PAGES[row].file)

    def _go(self, steps: int) -> None:
        self._at = max(0, min(len(self._trail) - 1, self._at + steps))
        self._show_present()

    def _show_present(self) -> None:
        file, _, fragment = self._trail[self._at].partition("#")
        try:
            text = (self._folder / file).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            text = self.tr("The page {0} can't be read; install the program again.").format(file)
        self.view.show_page(text, file)
        self.view.go_to(fragment)
        self.said.clear()
        self.back.setEnabled(self._at > 0)
        self.forward.setEnabled(self._at + 1 < len(self._trail))
        self.list.blockSignals(True)  # noqa: FBT003 - Qt's own signature
        self.list.setCurrentRow(next(row for row, page in enumerate(PAGES) if page.file == page_of(file)))
        self.list.blockSignals(False)  # noqa: FBT003 - as above

    def _show_again(self) -> None:
        if self._at >= 0:
            bar = self.view.verticalScrollBar()
            place = bar.value()
            self._show_present()
            bar.setValue(place)
