"""The start page: a button for the demo, and ways to start with one's own data."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFont, QPalette, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from ui.icons import icon
from ui.theme import Theme

_HEADING = 1.25
_BUTTON = 1.15


class StartPage(QWidget):
    """Shown while there is nothing to plot."""

    demo_wanted = Signal()
    own_server_wanted = Signal()
    own_trace_wanted = Signal()
    bench_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._heading = QLabel(self.tr("Which scheduler settings should this server run?"))
        self._text = QLabel(
            self.tr(
                "The workbench changes one control at a time, replays the same requests against each value,"
                " and keeps a scorecard. The demo does it on a simulated H100: it needs no GPU and takes"
                " about a minute."
            )
        )
        self.demo = QPushButton(self.tr("Run the demo"))
        self.own_server = QPushButton(self.tr("Use my server"))
        self.own_trace = QPushButton(self.tr("Use my trace"))
        self.bench = QPushButton(self.tr("Open a bench file"))
        self._lay_out()
        self.demo.clicked.connect(self.demo_wanted)
        self.own_server.clicked.connect(self.own_server_wanted)
        self.own_trace.clicked.connect(self.own_trace_wanted)
        self.bench.clicked.connect(self.bench_wanted)
        theme.changed.connect(self._tint)
        self._tint()

    def _lay_out(self) -> None:
        heading = QFont(self.font())
        heading.setPointSizeF(heading.pointSizeF() * _HEADING)
        heading.setWeight(QFont.Weight.DemiBold)
        self._heading.setFont(heading)
        big = QFont(self.font())
        big.setPointSizeF(big.pointSizeF() * _BUTTON)
        self.demo.setFont(big)
        self.demo.setDefault(True)
        em = self.fontMetrics().height()
        self.demo.setMinimumSize(em * 13, round(em * 2.8))
        self.demo.setIconSize(QSize(em, em))
        for label in (self._heading, self._text):
            label.setWordWrap(True)
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        column = QWidget()
        column.setMaximumWidth(em * 34)
        column.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        inner = QVBoxLayout(column)
        inner.setSpacing(em)
        inner.addWidget(self._heading)
        inner.addWidget(self._text)
        inner.addWidget(self.demo, 0, Qt.AlignmentFlag.AlignHCenter)
        others = QHBoxLayout()
        others.setSpacing(8)
        others.addStretch(1)
        for button in (self.own_server, self.own_trace, self.bench):
            others.addWidget(button)
        others.addStretch(1)
        inner.addLayout(others)
        outer = QVBoxLayout(self)
        outer.addStretch(2)
        middle = QHBoxLayout()
        middle.addStretch(1)
        middle.addWidget(column, 8)
        middle.addStretch(1)
        outer.addLayout(middle)
        outer.addStretch(3)

    def showEvent(self, event: QShowEvent) -> None:
        """Qt: focus the demo button, so that Enter starts it."""
        super().showEvent(event)
        self.demo.setFocus()

    def _tint(self) -> None:
        # From the application: this page's own palette changes only after the theme's signal.
        self.demo.setIcon(icon("run", QApplication.palette().color(QPalette.ColorRole.ButtonText)))
