"""Both futures of a fork beside the stage: the differences, with their errors."""

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from ui.language.number_text import significant
from ui.look.theme import Theme

if TYPE_CHECKING:
    from workbench.engine import Estimate, ForkResult

_SHOWN = 5
"""Requests named of those who gain and of those who lose."""


def _t(text: str) -> str:
    """Return `text` in the user's language."""
    return QCoreApplication.translate("fork page", text)


class ForkPage(QWidget):
    """Shows a fork while it is played, then its result."""

    cancelled = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.has_result = False
        """True while it shows how two futures differ."""
        self._title = QLabel()
        self._title.setObjectName("fork_title")
        self._title.setWordWrap(True)
        self._title.setMargin(8)
        self._bar = QProgressBar()
        self._bar.setObjectName("fork_progress")
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(_t("Share of both futures played"))
        self._cancel = QPushButton(_t("Cancel"))
        self._cancel.setObjectName("fork_cancel")
        self._cancel.clicked.connect(self.cancelled)
        self._text = QTextBrowser()
        self._text.setObjectName("fork")
        self._text.setFrameShape(QTextBrowser.Shape.NoFrame)
        self._text.setAccessibleName(_t("Differences of both futures"))
        row = QHBoxLayout()
        row.setContentsMargins(8, 0, 8, 4)
        row.addWidget(self._bar, 1)
        row.addWidget(self._cancel)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._title)
        column.addLayout(row)
        column.addWidget(self._text, 1)

    def show_working(self, title: str) -> None:
        """Show that a fork is played."""
        self._title.setText(title)
        self._text.clear()
        self.has_result = False
        self.show_share(0.0)
        self._set_working(working=True)

    def show_share(self, share: float) -> None:
        """Show how much is done."""
        self._bar.setRange(0, 100)
        self._bar.setValue(round(100 * share))

    def show_text(self, text: str) -> None:
        """Show a sentence in place of a result."""
        self._text.setPlainText(text)
        self.has_result = False
        self._set_working(working=False)

    def show_result(self, result: "ForkResult") -> None:
        """Show how the futures differ."""
        self._text.setHtml(fork_html(result, self._theme))
        self.has_result = True
        self._set_working(working=False)

    def _set_working(self, *, working: bool) -> None:
        self._bar.setVisible(working)
        self._cancel.setVisible(working)


def fork_html(result: "ForkResult", theme: Theme) -> str:
    """Return the differences of both futures as a page."""
    if result.differs_at is None:
        return f"<p>{_t('No decision differs, so nothing changes.')}</p>"
    differs = _t("{0} of {1} decisions as recorded; another batch from {2} s on.")
    parts = [
        f"<p>{differs.format(result.same, result.decisions, significant(result.differs_at_s, 4))}</p>",
        _table(result, theme),
        *_requests(result),
    ]
    if not all(one.certain for one in result.figures.values()):
        parts.append(f"<p>{_t('=: the recorded value is inside the band: no clear difference.')}</p>")
    if result.unfinished:
        parts.append(f"<p>{_t('{0} requests never end with the change.').format(result.unfinished)}</p>")
    modelled = _t("Modelled: {0} draws, {1} % mean error of a step. Times are of the engine alone.")
    parts.append(f"<p>{modelled.format(result.draws, significant(result.model_error_pct, 2))}</p>")
    return "".join(parts)


def _titles() -> dict[str, str]:
    return {
        "ttft_ms": _t("TTFT mean (ms)"),
        "ttft_p95_ms": _t("TTFT p95 (ms)"),
        "itl_ms": _t("ITL mean (ms)"),
        "itl_p95_ms": _t("ITL p95 (ms)"),
        "e2e_ms": _t("E2E mean (ms)"),
        "e2e_p95_ms": _t("E2E p95 (ms)"),
        "waiting_ms": _t("Waiting mean (ms)"),
        "preemptions": _t("Preemptions"),
        "span_s": _t("Last request ends (s)"),
    }


def _table(result: "ForkResult", theme: Theme) -> str:
    heads = ("", _t("Recorded"), _t("Changed"), _t("Band"), "")
    rows = ["".join(f"<th align='right' style='white-space:nowrap'>{head}</th>" for head in heads)]
    rows += [
        _row(title, result.figures[name], theme)
        for name, title in _titles().items()
        if name in result.figures
    ]
    return "<table cellspacing='0' cellpadding='3'>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"


def _row(title: str, one: "Estimate", theme: Theme) -> str:
    if not one.certain:
        mark = "="
    else:
        better = one.changed < one.recorded
        ink = theme.ink("pass" if better else "fail").name()
        mark = f"<span style='color:{ink}'>{'✓' if better else '✗'}</span>"
    cells = (
        significant(one.recorded),
        significant(one.changed),
        f"{significant(one.low)}–{significant(one.high)}",
        mark,
    )
    plain = "style='white-space:nowrap'"
    return f"<td {plain}>{title}</td>" + "".join(f"<td align='right' {plain}>{cell}</td>" for cell in cells)


def _requests(result: "ForkResult") -> list[str]:
    found = []
    for title, changes in ((_t("Faster requests"), result.gain), (_t("Slower requests"), result.lose)):
        if not changes:
            continue
        lines = [
            f"{escape(each.request[-12:])} ({escape(each.cls)}): {significant(each.recorded_ms)} → "
            f"{significant(each.changed_ms)} ms"
            for each in changes[:_SHOWN]
        ]
        found.append(f"<p><b>{title}</b><br>{'<br>'.join(lines)}</p>")
    return found
