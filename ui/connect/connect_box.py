"""The address of a running server, and the card of what answered."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from ui.connect import card_text
from ui.connect.first_test import first_test
from ui.experiment.draft import Draft
from ui.language.texts import said
from ui.look.theme import Theme
from ui.server.trial import Trial
from workbench.base import InputError

if TYPE_CHECKING:
    # The core loads on first use.
    from ui.conductor.trial_report import TrialReport


class ConnectBox(QWidget):
    """Asks a server at an address what it is; offers a first test and a watch."""

    test_wanted = Signal(object)
    """A `Draft` to run now."""
    edit_wanted = Signal(object)
    """A `Draft` to put into the form."""
    watch_wanted = Signal(object)
    """A `Draft` whose server is to be watched."""
    connected = Signal(str, object)
    """Address and `EffectiveConfig` of a server that answered."""

    def __init__(self, theme: Theme, trial: Trial | None = None) -> None:
        super().__init__()
        self._theme = theme
        self.trial = trial or Trial(self)
        self.address = QLineEdit()
        self.connect_ = QPushButton(self.tr("Connect"))
        self.status = QLabel()
        self.card = QFrame()
        self.test = QPushButton(self.tr("Run a first test"))
        self.edit = QPushButton(self.tr("Set up a test"))
        self.watch = QPushButton(self.tr("Watch"))
        self._lines = {name: QLabel() for name in ("headline", "capacity", "limits", "testable", "not")}
        self._draft = Draft(target_kind="attached")
        self._answered = False
        self._lay_out()
        self._wire()

    def _lay_out(self) -> None:
        self.address.setPlaceholderText("localhost:8000")
        self.address.setAccessibleName(self.tr("Address of a running server"))
        self.address.setObjectName("address")
        self.connect_.setObjectName("connect")
        self.test.setObjectName("first_test")
        self.watch.setObjectName("watch")
        self.test.setToolTip(self.tr("4 and 16 callers at once, 30 s each; nothing on the server changes"))
        self.edit.setToolTip(self.tr("Put this server into the form"))
        self.watch.setToolTip(self.tr("Send nothing; show what limits the server under its own traffic"))
        row = QHBoxLayout()
        label = QLabel(self.tr("A &server that is running"))
        label.setBuddy(self.address)
        for part, stretch in ((label, 0), (self.address, 1), (self.connect_, 0)):
            row.addWidget(part, stretch)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(row)
        column.addWidget(self.status)
        column.addWidget(self.card)
        self.status.setWordWrap(True)
        self.status.setVisible(False)
        self._lay_out_card()

    def _lay_out_card(self) -> None:
        self.card.setFrameShape(QFrame.Shape.StyledPanel)
        self.card.setVisible(False)
        inner = QVBoxLayout(self.card)
        inner.setSpacing(4)
        for name, line in self._lines.items():
            line.setObjectName(f"card_{name}")
            line.setWordWrap(True)
            line.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        font = self._lines["headline"].font()
        font.setBold(True)
        self._lines["headline"].setFont(font)
        buttons = QHBoxLayout()
        for button in (self.test, self.watch, self.edit):
            buttons.addWidget(button)
        buttons.addStretch(1)
        # What can be done comes before the details, which may be below the fold.
        headline, *details = self._lines.values()
        inner.addWidget(headline)
        inner.addLayout(buttons)
        for line in details:
            inner.addWidget(line)

    def _wire(self) -> None:
        self.connect_.clicked.connect(self.ask)
        self.address.returnPressed.connect(self.ask)
        self.address.textEdited.connect(lambda _text: self._forget())
        self.trial.told.connect(self._on_report)
        self.trial.ended.connect(self._on_end)
        self.test.clicked.connect(lambda: self.test_wanted.emit(self._draft))
        self.edit.clicked.connect(lambda: self.edit_wanted.emit(self._draft))
        self.watch.clicked.connect(lambda: self.watch_wanted.emit(self._draft))

    def ask(self) -> None:
        """Ask the server what it is."""
        from ui.experiment.draft_file import checked_text  # noqa: PLC0415 - the core room loads when first needed
        from workbench.servers import complete_address, plain_url  # noqa: PLC0415 - as above

        if self.trial.running:
            return
        self._forget()
        try:
            url = complete_address(self.address.text())
            plain_url(url)
            draft = Draft(target_kind="attached", url=url)
            self._draft = first_test(draft, self.tr("First test of {0}"), None)
            text = checked_text(self._draft)
        except InputError as error:
            self._say(said(error), failed=True)
            return
        self.address.setText(url)
        self._say(self.tr("Connecting to {0} …").format(url))
        self.connect_.setEnabled(False)
        self.trial.start(text)

    def set_idle(self, *, idle: bool) -> None:
        """Offer tests and watches only while nothing else runs."""
        for button in (self.test, self.watch):
            button.setEnabled(idle)

    def _on_report(self, told: "TrialReport") -> None:
        if told.effective is not None:
            self._answered = True
            self._show_card(told)
        elif told.error is not None and not self._answered:
            self._say(said(told.message or told.error), failed=True)

    def _show_card(self, told: "TrialReport") -> None:
        server = told.effective
        assert server is not None
        self._draft = first_test(self._draft, self.tr("First test of {0}"), server.max_model_len)
        texts = {
            "headline": f"● {self.tr('connected')}: {card_text.headline(server)}",
            "capacity": card_text.capacity(server),
            "limits": card_text.limits(server),
            "testable": f"✓ {card_text.testable()}",
            "not": card_text.not_testable(told),
        }
        for name, text in texts.items():
            self._lines[name].setText(text)
            self._lines[name].setVisible(bool(text))
        self.watch.setVisible(server.has_metrics)
        self.status.setVisible(False)
        self.card.setVisible(True)
        self.connected.emit(self._draft.url, server)
        self.test.setFocus()

    def _on_end(self) -> None:
        self.connect_.setEnabled(True)
        if not self._answered and self.status.text().endswith("…"):
            self._say(self.tr("The server gave no answer."), failed=True)

    def _forget(self) -> None:
        """Hide the card of another address."""
        self._answered = False
        self.card.setVisible(False)
        self.status.setVisible(False)

    def _say(self, text: str, *, failed: bool = False) -> None:
        palette = self.palette()
        if failed:
            palette.setColor(palette.ColorRole.WindowText, self._theme.ink("fail"))
        self.status.setPalette(palette)
        self.status.setText(text)
        self.status.setVisible(True)
