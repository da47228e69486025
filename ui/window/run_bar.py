"""The toolbar's right half: server, trace, position in the plan, time left."""

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.language import number_text, texts
from ui.live import LiveState
from ui.look.theme import Theme, blend

_BAR_WIDTH = 16
"""Average characters."""
_GAP = 14

SERVER_SYMBOLS = {
    "idle": ("○", ""),
    "starting": ("◔", "waiting"),
    "ready": ("●", "pass"),
    "busy": ("◉", "pass"),
    "degraded": ("◑", "warning"),
    "stopping": ("◔", "waiting"),
    "stopped": ("○", ""),
    "failed": ("✗", "fail"),
}
"""Symbol and color of a server's state."""


class RunBar(QWidget):
    """One painted line; without room its left parts are left out."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._state = LiveState()
        self._shown: list[str] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumWidth(80)
        theme.changed.connect(self.update)

    def show_state(self, state: LiveState) -> None:
        """Show the position in this plan."""
        self._state = state
        # As of now: the time left would go on by itself until the next paint.
        texts = self._shown = [text for text, _ in self.parts()]
        self.setAccessibleName(", ".join(texts))
        self.setToolTip("\n".join(texts))
        self.update()

    def parts(self) -> list[tuple[str, QColor]]:
        """Return the line's parts with colors, the least important first."""
        state, theme = self._state, self._theme
        plain = self.palette().color(self.palette().ColorRole.WindowText)
        if state.phase == "empty":
            return []
        mark = f" ({self.tr('simulated')})" if state.simulated else ""
        symbol, meaning = SERVER_SYMBOLS.get(state.server, ("○", ""))
        parts = []
        if state.trace:
            parts.append(
                (
                    self.tr("trace: {0} {1}")
                    .format(
                        number_text.elided(texts.said(state.trace), 28),
                        state.trace_sha256[:4] + "…" if state.trace_sha256 else "",
                    )
                    .strip(),
                    plain,
                )
            )
        if state.target:
            parts.append((number_text.elided(state.profile or state.target, 40) + mark, plain))
        if state.live and state.runs:
            colour = theme.ink(meaning) if meaning else plain
            parts.append((f"{symbol} {texts.said(state.server_word)}", colour))
        parts.append((self._where(), plain))
        return [part for part in parts if part[0]]

    def _where(self) -> str:
        state = self._state
        if not state.live and not state.runs:
            return self.tr("did not start")
        if not state.live:
            return {
                "finished": self.tr("finished"),
                "stopped": self.tr("stopped; finished runs are kept"),
                "failed": self.tr("ended early; measured runs are kept"),
                "opened": self.tr("bench file, read-only"),
            }.get(state.phase, "")
        if state.phase == "stopping":
            return self.tr("stopping …")
        run, progress = state.current_run(), state.progress
        of = len(state.runs)
        if state.watch:
            seconds = progress.run_elapsed_s if progress else 0.0
            return self.tr("watching for {0}").format(number_text.clock(seconds))
        left = self.tr("{0} left").format(number_text.clock(state.plan_left_s)) if progress else ""
        number = self.tr("run {0}/{1}").format(state.index, of) if of and state.index else ""
        phase = "" if not progress or progress.phase == "measuring" else texts.said(state.phase_word)
        name = number_text.elided(run.name, 34) if run and not phase else phase
        return " · ".join(part for part in (number, name, left) if part)

    def share(self) -> float | None:
        """Return the share of the plan that is done, 0 to 1; None if unknown."""
        state = self._state
        if not state.live or not state.runs or state.watch:
            return None
        progress = state.progress
        if progress is None or not state.index:
            return 0.0
        total = progress.run_elapsed_s + progress.run_left_s
        within = progress.run_elapsed_s / total if total > 0 else 0.0
        return min(1.0, (state.index - 1 + min(within, 1.0)) / len(state.runs))

    def sizeHint(self) -> QSize:
        """Qt: return the wanted size."""
        return QSize(400, self.fontMetrics().height() + 8)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint the widget."""
        painter = QPainter(self)
        metrics = QFontMetrics(self.font())
        right = self.width() - 8
        share = self.share()
        if share is not None:
            right = self._paint_bar(painter, metrics, right, share)
        least = metrics.averageCharWidth() * 12
        colours = [colour for _, colour in self.parts()]
        if len(colours) != len(self._shown):
            # The state went on; its text comes with the next `show_state`.
            colours = [self.palette().color(self.palette().ColorRole.WindowText)] * len(self._shown)
        for text, colour in reversed(list(zip(self._shown, colours, strict=True))):
            if right < least:
                break
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, right)
            width = metrics.horizontalAdvance(shown)
            painter.setPen(colour)
            place = QRect(right - width, 0, width + 1, self.height())
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, shown)
            right -= width + _GAP
        painter.end()

    def _paint_bar(self, painter: QPainter, metrics: QFontMetrics, right: int, share: float) -> int:
        width = metrics.averageCharWidth() * _BAR_WIDTH
        bar = QRect(right - width, self.height() // 2 - 2, width, 4)
        window = self.palette().color(self.palette().ColorRole.Window)
        painter.fillRect(bar, blend(self.palette().color(self.palette().ColorRole.WindowText), window, 0.22))
        painter.fillRect(
            QRect(bar.left(), bar.top(), round(width * share), bar.height()), self._theme.mark("running")
        )
        return bar.left() - _GAP
