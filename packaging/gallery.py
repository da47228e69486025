"""Every widget of the window in every state: a contact sheet for each theme.

python packaging/gallery.py FOLDER [--language zh_CN]     at whatever scale this process has (QT_SCALE_FACTOR)
"""

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFont, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QWidget

from ui.app import make_application
from ui.insights import InsightsPanel
from ui.language.translation import set_language
from ui.live import COLUMNS, LiveState, RunSeries, RunView
from ui.live.bottlenecks import Diagnosed, NextChange, Stretch
from ui.live_limits import LiveLimitsPanel
from ui.look.theme import Theme
from ui.plots import PlotGrid
from ui.scorecard import ScorecardPanel
from ui.verdict import VerdictBar
from ui.window.message_bar import MessageBar, Remedy
from ui.window.run_bar import RunBar
from workbench.experiments import Progress

CAPTION = 18
GAP = 12
SHEET = 1460
ROW = {
    "completed_rps": 6.85,
    "ttft_p95_ms": 14_300.0,
    "valid": True,
    "diverging": True,
    "ttft_drift_s_per_s": 0.6,
}
PHASES = ("empty", "starting", "running", "finished", "missed", "invalid", "failed", "stopped")
"""The states of a plan that each widget is shown in."""


def series(limit: float, rate: float) -> RunSeries:
    """Samples of a queue model: `limit` slots serve 7.3 requests a second with 16."""
    held = RunSeries()
    for step in range(1, 161):
        t = step * 0.25
        served = limit / 2.19
        waiting = max(0.0, rate - served) * t
        values = {
            "running": min(limit, rate * 2.19), "waiting": waiting, "kv_usage": min(0.97, 0.05 * t),
            "ttft_p50_ms": 40 + 700 * waiting / served, "ttft_p95_ms": 90 + 1000 * waiting / served,
            "queue_ms": 900 * waiting / served, "prefill_ms": 25.0, "outside_ms": 8.0, "itl_p50_ms": 9.0,
            "itl_p95_ms": 13.0, "input_tok_s": 300 * min(rate, served),
            "output_tok_s": 256 * min(rate, served),
            "preemptions": float(step // 40), "rejected": float(step // 60), "offered_rps": rate,
            "completed_rps": min(rate, served), "admission_wait_ms": 4.0,
        }  # fmt: skip
        held.append_values(t, [values.get(name) for name in COLUMNS])
    return held


def state_of(phase: str) -> LiveState:
    """A plan of a baseline and one variant in a phase."""
    if phase == "empty":
        return LiveState()
    live = phase in {"starting", "running"}
    state = LiveState(
        phase=phase if live or phase in {"failed", "stopped"} else "finished", name="Sequence limit"
    )
    state.simulated, state.profile = True, "h100_sxm/Llama-3.1-8B/tp1"
    state.objectives = {"ttft_p95_ms": 1000.0}
    base = RunView(
        "baseline @ 12 req/s", rate=12.0, duration_s=40.0, simulated=True, limits={"max_num_seqs": 16}
    )
    own = RunView(
        "max_num_seqs = 32 @ 12 req/s", control="max_num_seqs", value=32, rate=12.0, duration_s=40.0,
        simulated=True, limits={"max_num_seqs": 32},
    )  # fmt: skip
    state.runs = {base.name: base, own.name: own}
    if phase == "starting":
        state.server, state.server_detail = "starting", "loading weights"
        return state
    base.series, base.status, base.row = series(16, 12), "done", dict(ROW)
    own.series, state.current, state.index = series(32, 12), own.name, 2
    if phase == "running":
        own.status, state.server = "running", "busy"
        progress = Progress(run=own.name, phase="measuring", run_elapsed_s=20, run_left_s=20, plan_left_s=23)
        state.apply(progress)
        return state
    missed = {"ttft_p95_ms": 1500.0} if phase == "missed" else {}
    spoilt = {"valid": False, "reasons": ["client-bound: client delay p99 83 ms > 10 ms"]}
    own.status = "partial" if phase == "stopped" else "done"
    own.row = {
        **ROW, "completed_rps": 10.8, "ttft_p95_ms": 402.0, "diverging": False, **missed,
        **(spoilt if phase == "invalid" else {}),
    }  # fmt: skip
    own.diagnosed = Diagnosed(
        headline="Sequence limit 24 % of the time.",
        timeline=(Stretch(0, 30, "none"), Stretch(30, 40, "seats")),
        shares={"none": 0.76, "seats": 0.24},
        change=NextChange("max_num_seqs 32 → 64.", "max_num_seqs", 64, cost="longer steps"),
    )
    return state


def widgets(theme: Theme) -> Iterator[tuple[str, QWidget]]:
    """Yield each widget in each state, with its caption."""
    for phase in PHASES:
        state = state_of(phase)
        scorecard = ScorecardPanel(theme)
        scorecard.show_state(state)
        bar = VerdictBar(theme, scorecard.model)
        bar.show_state(state)
        run_bar = RunBar(theme)
        run_bar.show_state(state)
        insights = InsightsPanel(theme)
        insights.show_state(state)
        grid = PlotGrid(theme)
        grid.set_state(state)
        for name, widget, size in (
            ("Verdict", bar, (1000, bar.height())),
            ("Run", run_bar, (430, 28)),
            ("Scorecard", scorecard, (1000, 90)),
            ("Insights", insights, (350, 300)),
            ("Plots", grid, (736, 460)),
        ):
            widget.resize(*size)
            yield f"{name}: {phase}", widget
    for level in ("info", "warning", "error"):
        messages = MessageBar(theme)
        messages.show_message("info", "An older message.")
        messages.show_message(
            level, "The server ended: out of memory.", remedies=(Remedy("Go on", lambda: None),)
        )
        messages.resize(700, messages.height())
        yield f"Message: {level}", messages
    limits = LiveLimitsPanel(theme)
    limits.resize(350, limits.height())
    yield "Live limits: no server", limits


def sheet_of(theme: Theme, path: Path) -> None:
    """Write all widgets on one sheet, in rows."""
    shot: list[tuple[QRect, str, QPixmap]] = []
    left, top, tallest = GAP, GAP, 0
    for caption, widget in widgets(theme):
        widget.show()
        for _ in range(4):
            QApplication.processEvents()
        if isinstance(widget, PlotGrid):
            widget.draw_all()
        picture = widget.grab()
        widget.close()
        if left + widget.width() > SHEET and left > GAP:
            left, top, tallest = GAP, top + tallest + GAP, 0
        shot.append((QRect(left, top, widget.width(), widget.height() + CAPTION), caption, picture))
        left += widget.width() + GAP
        tallest = max(tallest, widget.height() + CAPTION)
    ratio = shot[0][2].devicePixelRatio()
    sheet = QPixmap(round(SHEET * ratio), round((top + tallest + GAP) * ratio))
    sheet.setDevicePixelRatio(ratio)
    sheet.fill(theme.background)
    painter = QPainter(sheet)
    font = QFont(QApplication.font())
    painter.setFont(font)
    painter.setPen(theme.secondary)
    for place, caption, picture in shot:
        painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, caption)
        painter.drawPixmap(place.left(), place.top() + CAPTION, picture)
    painter.end()
    if not sheet.save(str(path)):
        raise SystemExit(f"{path}: can't be written")
    print(path)


def main() -> int:
    """Write the sheets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--language", default="en")
    asked = parser.parse_args()
    application = make_application(sys.argv[:1])
    set_language(application, asked.language)
    theme = Theme(application)
    asked.folder.mkdir(parents=True, exist_ok=True)
    for appearance in ("light", "dark"):
        theme.pin(appearance)
        sheet_of(theme, asked.folder / f"gallery-{asked.language}-{appearance}.png")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
