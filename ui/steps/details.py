"""Beside the stage: the selected request's ledger, or the selected step's requests."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QLabel, QStackedWidget, QTextBrowser, QVBoxLayout, QWidget

from ui.look.theme import Theme
from ui.requests.blame_view import BlameView
from ui.steps.marks import class_of, name_of
from ui.steps.scene import Scene
from ui.steps.story import paragraph, step_page

if TYPE_CHECKING:
    from workbench.advice.blame import Blame


class Details(QStackedWidget):
    """Shows one of: help, a request, a step."""

    request_chosen = Signal(int)
    """Place of a request in the record."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._story = QLabel()
        self._story.setObjectName("story")
        self._story.setWordWrap(True)
        self._story.setMargin(8)
        self._blame = BlameView(theme)
        request = QWidget()
        column = QVBoxLayout(request)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._story)
        column.addWidget(self._blame, 1)
        self._step = QTextBrowser()
        self._step.setObjectName("step")
        self._step.setFrameShape(QTextBrowser.Shape.NoFrame)
        self._step.setOpenLinks(False)
        self._step.setWordWrapMode(QTextOption.WrapMode.WordWrap)
        self._step.setAccessibleName(self.tr("Requests of the step"))
        self._step.anchorClicked.connect(self._follow)
        for page in (self._step, request):
            self.addWidget(page)
        self._request_page = request

    def show_help(self) -> None:
        """Show what can be done."""
        self._step.setPlainText(
            self.tr(
                "Click a bar to see where that request's time went.\n"
                "Click a column below to see what its step did.\n"
                "Right click a moment: what if a limit had changed there?\n\n"
                "Wheel or ↑ ↓: zoom. Drag or ← →: move. Ctrl+← →: step by step. Home: the whole run."
            )
        )
        self.setCurrentWidget(self._step)

    def show_step(self, scene: Scene, step: int) -> None:
        """Show a step's requests."""
        self._step.setHtml(step_page(scene, step))
        self.setCurrentWidget(self._step)

    def show_request(self, scene: Scene, request: int, ledger: "Blame | None") -> None:
        """Show where a request's time went."""
        ids = scene.data.arrays.requests.ids
        found = None
        if ledger is not None:
            found = next((one for one in ledger.requests if one.request == ids[request]), None)
        self._blame.setVisible(found is not None and found.e2e_ms is not None)
        if ledger is None or found is None or found.e2e_ms is None:
            words = f"{name_of(scene, request)} {class_of(scene, request)}".strip()
            self._story.setText(
                self.tr("{0}: its end isn't in the results, so its time isn't split.").format(words)
            )
        else:
            names = {name: name_of(scene, at) for at, name in enumerate(ids)}
            self._story.setText(paragraph(name_of(scene, request), found.cls, found, names))
            self._blame.show_request(ledger, found.request, names=names)
        self.setCurrentWidget(self._request_page)

    def _follow(self, link: QUrl) -> None:
        self.request_chosen.emit(int(link.toString()))
