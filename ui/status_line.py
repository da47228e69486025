"""The status bar's words: server, offered and completed rate, client delay."""

from pathlib import Path

from ui import words
from ui.live import LiveState


def status_words(state: LiveState, *, stale: bool) -> str:
    """One line on the state of things, from the newest sample."""
    if state.phase == "empty":
        return "no server"
    if state.phase == "demo":
        return f"demo {state.name}: replayed exactly on {state.profile}, figures {words.SIMULATED} simulated"
    parts = [f"server {state.server}"] if not state.read_only else [f"bench file {Path(state.bench).name}"]
    if stale:
        parts.append("no news for some seconds: what is shown is old")
    run = state.current_run()
    if state.live and state.index and state.runs:
        parts.append(f"run {state.index}/{len(state.runs)}")
    if run and len(run.series) and state.live:
        series = run.series
        mark = words.SIMULATED if run.simulated else ""
        offered, completed = series.last("offered_rps"), series.last("completed_rps")
        if offered is not None or completed is not None:
            rates = (mark + words.significant(rate) for rate in (offered, completed))
            parts.append("offered {} completed {} req/s".format(*rates))
        delay = series.last("client_delay_p99_ms")
        if delay is not None:
            parts.append(f"client delay p99 {words.significant(delay, 2)} ms")
        host = run.machine.last("host_cpu")
        if host is not None:
            parts.append(f"host CPU {words.count(host * 100)} %")
    if not state.live and not state.read_only and state.runs:
        parts.append(f"results in {Path(state.bench).name}")
    if state.live and state.progress:
        parts.append(f"{words.clock(state.progress.plan_left_s)} left")
    return " · ".join(parts)
