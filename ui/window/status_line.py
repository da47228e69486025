"""The status bar's text: server, offered and completed rate, client delay."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from ui.language import number_text
from ui.live import LiveState

if TYPE_CHECKING:
    # For the type checker only: the core loads after the window is up.
    from workbench.experiments import ClientCalibrated


def _t(text: str) -> str:
    """Return `text` in the user's language."""
    return QCoreApplication.translate("status line", text)


def status_text(state: LiveState, *, stale: bool) -> str:
    """Return one line on the present state, from the newest sample."""
    if state.phase == "empty":
        return _t("no server")
    if state.phase == "demo":
        said = _t("demo {0}: replayed exactly on {1}, simulated")
        return said.format(state.name, state.profile)
    parts = [_t("bench file {0}").format(Path(state.bench).name) if state.read_only else _server(state)]
    if stale:
        parts.append(_t("no news for some seconds: the data is old"))
    run = state.current_run()
    if state.live and state.index and state.runs and not state.watch:
        parts.append(_t("run {0}/{1}").format(state.index, len(state.runs)))
    if run and len(run.series) and state.live:
        offered, completed = run.now("offered_rps"), run.now("completed_rps")
        if offered is not None or completed is not None:
            rates = (number_text.significant(rate) for rate in (offered, completed))
            parts.append(_t("offered {0} completed {1} req/s").format(*rates))
        delay = run.now("client_delay_p99_ms")
        if delay is not None:
            parts.append(_t("client delay p99 {0} ms").format(number_text.significant(delay, 2)))
        host = run.machine.last("host_cpu")
        if host is not None:
            parts.append(_t("host CPU {0} %").format(number_text.count(host * 100)))
    if state.calibration is not None and state.live:
        parts.append(_resolves(state.calibration))
    if not state.live and not state.read_only and state.runs:
        parts.append(_t("results in {0}").format(Path(state.bench).name))
    if state.live and state.progress and not state.watch:
        parts.append(_t("{0} left").format(number_text.clock(state.plan_left_s)))
    return " · ".join(parts)


def _resolves(told: "ClientCalibrated") -> str:
    """Return the smallest differences that the load generator resolves."""
    if told.state == "running":
        return _t("calibrating the client, about {0}").format(number_text.span(told.expected_s or 0.0))
    ttft, itl = (told.columns.get(f"client_floor_{name}_ms") for name in ("ttft", "itl"))
    if told.state == "failed" or ttft is None or itl is None:
        return _t("client not calibrated")
    said = _t("client resolves TTFT {0} ms, ITL {1} ms")
    return said.format(number_text.significant(ttft, 2), number_text.significant(itl, 2))


def _n(text: str) -> str:
    """Mark `text` for translation in the context of the status line."""
    return str(QT_TRANSLATE_NOOP("status line", text))


_SERVERS = {
    "idle": _n("server idle"),
    "starting": _n("server starting"),
    "ready": _n("server ready"),
    "busy": _n("server busy"),
    "degraded": _n("server degraded"),
    "stopping": _n("server stopping"),
    "stopped": _n("server stopped"),
    "failed": _n("server failed"),
    "unknown": _n("server unknown"),
    "connecting": _n("connecting to the server"),
    "connected": _n("server connected"),
    "disconnecting": _n("disconnecting from the server"),
    "disconnected": _n("server disconnected"),
}


def _server(state: LiveState) -> str:
    known = _SERVERS.get(state.server_word)
    return _t(known) if known else f"server {state.server_word}"
