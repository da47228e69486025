"""Findings on this machine: installs of vLLM, GPUs and their users, left-over servers."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QPushButton, QVBoxLayout

from ui.forms import beside
from ui.language.texts import said
from ui.look.theme import Theme
from ui.server.trial import DoctorRun, MachineFinding
from ui.window.panel import Panel

_AREAS = ("vllm", "gpu", "left-overs", "ports", "disk", "clock", "keyring", "qt")
"""In the order of interest; others follow."""
_SYMBOLS = {"fine": "✓", "note": "○", "wrong": "✗"}


class FindingsView(Panel):
    """A list of findings, read when first visible and on request."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._findings: list[MachineFinding] = []
        self.examination = DoctorRun(self)
        self.list = QListWidget()
        self.list.setAccessibleName(self.tr("This machine"))
        self.list.setWordWrap(True)
        self.list.setFrameShape(self.list.Shape.NoFrame)
        self.look = QPushButton(self.tr("Check again"))
        self.clean = QPushButton(self.tr("End left-over servers"))
        self.clean.setToolTip(
            self.tr("Ends only servers that this program started and whose owner has ended")
        )
        self.look.clicked.connect(lambda _checked=False: self.begin())
        self.clean.clicked.connect(lambda _checked=False: self.begin(clean=True))
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 4, 8, 4)
        column.addWidget(self.list, 1)
        column.addWidget(beside(self.look, self.clean))
        self._show()
        theme.changed.connect(self._show)

    def on_visible(self) -> None:
        """Look once."""
        if not self._findings:
            self.begin()

    def begin(self, *, clean: bool = False) -> None:
        """Look, and with `clean` end servers of earlier runs."""
        self.look.setEnabled(False)
        self.clean.setEnabled(False)
        self.list.clear()
        self.list.addItem(self.tr("Checking …"))
        self.examination.start(self._show_findings, self._fail, clean=clean)

    def _show_findings(self, findings: list[MachineFinding]) -> None:
        places = {area: place for place, area in enumerate(_AREAS)}
        self._findings = sorted(findings, key=lambda found: places.get(found.area, len(places)))
        self._show()

    def _fail(self, text: str) -> None:
        self._findings = []
        self._show()
        self.list.addItem(said(text))

    def _show(self) -> None:
        self.list.clear()
        self.look.setEnabled(not self.examination.running)
        left = any(f.area == "left-overs" and f.level == "wrong" for f in self._findings)
        self.clean.setEnabled(left)
        self.clean.setVisible(left)
        for found in self._findings:
            text = f"{_SYMBOLS.get(found.level, '○')} {said(found.area)}: {said(found.message or found.text)}"
            if found.fix:
                text += f"\n    → {said(found.fix_message or found.fix)}"
            item = QListWidgetItem(text)
            if found.level == "wrong":
                item.setForeground(self._theme.ink("fail"))
            elif found.level == "fine":
                item.setForeground(self._theme.secondary)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsSelectable)
            self.list.addItem(item)
