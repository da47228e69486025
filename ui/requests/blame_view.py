"""The view of a request's time: one bar of its causes, and a line for each with its culprits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from ui.language import number_text
from ui.language.texts import said
from ui.look.theme import Theme, blend
from workbench.advice.blame import Blame, Cause, Culprit
from workbench.base import Message

_LEAST_SHARE = 0.005
"""Shorter parts have no line."""
_NAMED_SHARE = 0.05
"""Parts from this share on name their culprits."""
_NAMED = 3


@dataclass(frozen=True)
class Share:
    """A cause's part of the time shown."""

    cause: Cause
    ms: float
    measured: bool
    culprits: tuple[Culprit, ...] = ()


class BlameView(QWidget):
    """Shows the ledger of one request, or of a whole run."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._bar = _CauseBar(theme)
        self._names: Mapping[str, str] = {}
        self._title = QLabel()
        self._title.setObjectName("blame_title")
        self._lines = QLabel()
        self._lines.setObjectName("blame_lines")
        self._lines.setTextFormat(Qt.TextFormat.RichText)
        self._lines.setWordWrap(True)
        self._lines.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._lines.setAlignment(Qt.AlignmentFlag.AlignTop)
        scroll = QScrollArea()
        scroll.setWidget(self._lines)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(scroll.Shape.NoFrame)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 4, 8, 4)
        layout.addWidget(self._title)
        layout.addWidget(self._bar)
        layout.addWidget(scroll, 1)
        self.setAccessibleName(self.tr("Where the time went"))

    def show_request(self, ledger: Blame, request: str, *, names: Mapping[str, str] | None = None) -> None:
        """Show one request's parts; the whole run's if the ledger lacks it. `names` are shown for ids."""
        self._names = names or {}
        found = next((one for one in ledger.requests if one.request == request), None)
        if found is None or found.e2e_ms is None:
            self.show_run(ledger)
            return
        shares = [Share(part.cause, part.ms, part.measured, part.culprits) for part in found.parts]
        title = self.tr("Where its {0} ms went").format(number_text.significant(found.e2e_ms))
        self._show(title, shares, found.e2e_ms)

    def show_run(self, ledger: Blame) -> None:
        """Show the sum over all requests."""
        shares = [Share(cause, ms, measured=True) for cause, ms in ledger.totals.items()]
        total = sum(ledger.totals.values())
        title = self.tr("Where all requests' {0} s went").format(number_text.significant(total / 1000))
        self._show(title, shares, total)

    def _show(self, title: str, shares: Sequence[Share], total: float) -> None:
        self._title.setText(f"<b>{escape(title)}</b>")
        self._bar.show_shares(shares)
        ordered = sorted(shares, key=lambda share: -share.ms)
        lines = [self._line(share, total) for share in ordered if share.ms >= _LEAST_SHARE * total]
        self._lines.setText("<br>".join(lines))
        plain = [f"{_words(share.cause)} {number_text.significant(share.ms)} ms" for share in ordered[:3]]
        self.setAccessibleDescription(f"{title}: {', '.join(plain)}")

    def _name(self, culprit: Culprit) -> str:
        return self._names.get(culprit.request, culprit.request)

    def _line(self, share: Share, total: float) -> str:
        percent = f"{100 * share.ms / total:.0f} %" if total else ""
        colour = self._bar.colour_of(share.cause).name()
        text = (
            f'<span style="color:{colour}">■</span> {escape(_words(share.cause))}: '
            f"<b>{number_text.significant(share.ms)} ms</b> ({percent})"
        )
        if not share.measured:
            text += f" <i>{escape(self.tr('modeled'))}</i>"
        if share.culprits and share.ms >= _NAMED_SHARE * total:
            named = ", ".join(
                f"{self._name(each)} ({each.cls}) {number_text.significant(each.ms)} ms"
                for each in share.culprits[:_NAMED]
            )
            text += f"<br>&nbsp;&nbsp;&nbsp;{escape(self.tr('by {0}').format(named))}"
        return text


class _CauseBar(QWidget):
    """One horizontal bar, a segment for each cause in the order of a request's life."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._shares: tuple[Share, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_shares(self, shares: Sequence[Share]) -> None:
        """Draw these parts."""
        self._shares = tuple(shares)
        self.update()

    def sizeHint(self) -> QSize:
        """Qt: return the wanted size."""
        return QSize(120, round(self.fontMetrics().height() * 1.4))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint the bar."""
        total = sum(share.ms for share in self._shares)
        painter = QPainter(self)
        left = 0.0
        for share in self._shares:
            width = self.width() * share.ms / total if total else 0.0
            area = QRectF(left, 0.0, width, float(self.height()))
            colour = self.colour_of(share.cause)
            painter.fillRect(area, colour)
            if not share.measured:
                painter.fillRect(area, QBrush(self._theme.background, Qt.BrushStyle.BDiagPattern))
            left += width
        painter.end()

    def colour_of(self, cause: Cause) -> QColor:
        """Return the color of a cause: one meaning has one color everywhere."""
        theme = self._theme
        match cause:
            case "client_admission" | "client_late":
                return theme.baseline
            case "front_end" | "output_path":
                return theme.mark("outside")
            case "sequence_limit" | "token_budget" | "blocked_head" | "admission" | "not_scheduled":
                return theme.mark("waiting")
            case "kv_blocks":
                return theme.mark("kv")
            case "preempted_wait" | "recompute":
                return theme.mark("preemption")
            case "prefill_compute":
                return theme.mark("prefill")
            case "decode_compute":
                return theme.mark("decode")
            case "others_prefill" | "others_decode":
                return blend(theme.mark("preemption"), theme.background, 0.5)


def _words(cause: Cause) -> str:
    return said(Message(kind=f"blame.{cause}"))
