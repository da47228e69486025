"""Before a session the load generator's own error is measured, once a day and placement."""

from collections.abc import Callable
from typing import Any

from workbench.base import InputError, WorkbenchError
from workbench.experiments.channel import Emit, Requests
from workbench.experiments.events import Calibrated, Message
from workbench.experiments.settings import floor_facts
from workbench.experiments.stopping import unless
from workbench.load import QUICK_TAKES_S, calibrate_quickly, fresh_floor, keep_floor
from workbench.servers import TargetSpec

_WHAT = "what differences the load generator resolves"


async def calibrate_first(
    target: TargetSpec, emit: Emit, requests: Requests, store: Callable[[dict[str, Any]], None]
) -> None:
    """Measure the floor of the place where the load comes from, unless that was done within a day.

    `store` takes the scorecard's columns of a floor that was found. Not of a simulated server: its step times
    are a model whose error is far larger. Not where the load comes from another machine, of which a
    calibration here says nothing.
    """
    if target.kind == "embedded" or target.load_python is not None:
        return
    known = fresh_floor(target.url)
    if known is not None:
        emit(Calibrated(state="kept", columns=floor_facts(target)))
        return
    emit(Calibrated(state="running", expected_s=QUICK_TAKES_S))
    emit(Message(level="info", text=f"calibrating: {_WHAT} (about {QUICK_TAKES_S:g} s, once a day)"))
    if not await _measured(emit, requests):
        emit(Calibrated(state="failed"))
        return
    columns = floor_facts(target)
    store(columns)
    emit(Calibrated(state="done", columns=columns))
    ttft, itl = columns["client_floor_ttft_ms"], columns["client_floor_itl_ms"]
    emit(Message(level="info", text=f"calibrated: {ttft:.2g} ms of TTFT, {itl:.2g} ms of ITL"))


async def _measured(emit: Emit, requests: Requests) -> bool:
    """Whether a floor was found and kept; a stop ends it at once."""
    try:
        found = await unless(requests.stop, calibrate_quickly())
        if found is None:
            return False
        if keep_floor(found, None) is not None:
            return True
        text = "not calibrated: this machine is too busy to hold even the lowest rate"
    except (WorkbenchError, InputError) as error:
        text = f"not calibrated: {error}"
    emit(Message(level="warning", text=text))
    return False
