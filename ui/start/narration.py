"""What is happening, in sentences that follow from the figures on screen. No Qt here.

It reads only what the plots show; which limit binds and what to try next is the advice room's to say.
"""

from dataclasses import dataclass

from ui import words
from ui.live import LiveState, RunView

NEARLY_ALL = 0.95


@dataclass(frozen=True)
class Narration:
    """A heading and a few sentences."""

    heading: str
    sentences: tuple[str, ...]


def narrate(state: LiveState) -> Narration:
    """What to say about the plan right now."""
    if state.phase == "empty":
        return Narration(
            "Nothing runs", ("Start the demo, or describe an experiment on the left and run its plan.",)
        )
    run = state.current_run()
    if not state.live and not state.runs:
        return Narration("The plan did not start", ("The message above the plots says why.",))
    if state.phase == "starting" or run is None:
        return Narration("The server starts", _while_starting(state))
    if state.live and run.status == "running":
        return Narration(_under_test(run), _while_running(state, run))
    if state.live:
        return Narration("Between runs", ("The next configuration's server is started; its cache is empty.",))
    return Narration(*_at_the_end(state))


def _while_starting(state: LiveState) -> tuple[str, ...]:
    if not state.runs:
        return ("The plan is being prepared.",)
    said = [f"The server is {state.server}" + (f": {state.server_detail}." if state.server_detail else ".")]
    if state.simulated:
        said.append(
            f"It is the embedded engine, stepping as {state.profile} would; figures carry {words.SIMULATED}."
        )
    if state.runs:
        said.append(
            f"The plan has {len(state.runs)} runs, the baseline first. Each replays the same requests."
        )
    return tuple(said)


def _under_test(run: RunView) -> str:
    if run.control is None:
        return "Baseline"
    return f"{run.control} = {words.plain(run.value)}"


def _while_running(state: LiveState, run: RunView) -> tuple[str, ...]:
    series = run.series
    running, waiting, kv = series.last("running"), series.last("waiting"), series.last("kv_usage")
    said: list[str] = []
    seats = run.limits.get("max_num_seqs")
    if running is not None and waiting is not None:
        said.append(_about_seats(running, waiting, seats))
    if kv is not None:
        room = "memory is not what holds it back" if kv < 0.8 else "new requests wait for blocks"
        if kv < 0.8 or (waiting or 0) > 0:
            said.append(f"The KV cache is {words.significant(kv * 100, 2)} % full: {room}.")
    preempted = series.last("preemptions")
    if preempted:
        said.append(f"{words.count(preempted)} preemptions so far: that work is computed twice.")
    offered, completed = series.last("offered_rps"), series.last("completed_rps")
    if offered and completed is not None and series.last_time() > 15:
        said.append(_about_rate(offered, completed))
    behind = state.baseline_of(run)
    if behind:
        said.append("Grey curves are the baseline under the same requests.")
    return tuple(said) or ("The first requests are on their way.",)


def _about_seats(running: float, waiting: float, seats: object) -> str:
    if isinstance(seats, (int, float)) and running >= NEARLY_ALL * seats and waiting > 0:
        return f"All {seats} seats of max_num_seqs are taken; {words.count(waiting)} requests wait for one."
    if waiting > 0:
        return f"{words.count(running)} requests run, {words.count(waiting)} wait."
    return f"{words.count(running)} requests run, none waits: every arrival is scheduled at the next step."


def _about_rate(offered: float, completed: float) -> str:
    if completed < 0.9 * offered:
        figures = f"{words.significant(completed)} of {words.significant(offered)} req/s"
        return f"It completes {figures} offered: the rest pile up."
    return f"It keeps up with the {words.significant(offered)} req/s offered."


def _at_the_end(state: LiveState) -> tuple[str, tuple[str, ...]]:
    kept = sum(bool(run.row) for run in state.runs.values())
    heading = {
        "finished": "What was seen",
        "stopped": "Stopped",
        "failed": "It ended early",
    }.get(state.phase, "Results")
    said = list(state.report)
    if state.phase != "finished" or not said:
        said.append(f"{kept} of {len(state.runs)} runs are in the scorecard.")
    said.append("Double-click a row of the scorecard to see its plots.")
    return heading, tuple(said)
