"""Measure the load generator's own error before a session, once a day for each path of the load.

The path is the one of the runs: within this machine, through the tunnel to a machine over SSH, or within that
machine if the load workers run there. A null server takes the place of the server.
"""

from collections.abc import Callable
from typing import Any

from workbench.base import Message, WorkbenchError, message
from workbench.experiments.run.channel import Emit, UserRequests, run_until_set
from workbench.experiments.run.events import ClientCalibrated, as_data, notice
from workbench.experiments.run.load_path import LoadPath, load_path_of
from workbench.experiments.run.remote_workers import calibrate_remotely
from workbench.experiments.run.run_settings import resolution_facts
from workbench.load import (
    QUICK_TAKES_S,
    Calibration,
    Resolution,
    calibrate,
    calibrate_quickly,
    path_not_measured,
    recent_resolution,
    store_resolution,
)
from workbench.servers import TargetSpec


async def calibrate_first(
    target: TargetSpec, emit: Emit, requests: UserRequests, store: Callable[[dict[str, Any]], None]
) -> None:
    """Measure the resolution on the load's path, unless that was done within a day.

    `store` takes the scorecard columns of a new measurement. A simulated server is skipped: the error of its
    step times is far larger.
    """
    if target.kind == "embedded":
        return
    way = load_path_of(target)
    known = recent_resolution(way.url, machine=way.machine)
    # The path over SSH can be measured, so this machine's own resolution is no substitute.
    if known is not None and (target.kind != "ssh" or known.path == way.url):
        emit(ClientCalibrated(state="kept", columns=resolution_facts(target)))
        _say_what_is_left_out(target, known, emit)
        return
    emit(ClientCalibrated(state="running", expected_s=QUICK_TAKES_S))
    emit(notice("info", message("experiments.calibrating", where=way.words, seconds=QUICK_TAKES_S)))
    floor = await _measured(target, way, emit, requests)
    if floor is None:
        emit(ClientCalibrated(state="failed"))
        return
    columns = resolution_facts(target)
    store(columns)
    emit(ClientCalibrated(state="done", columns=columns))
    resolution = message(
        "experiments.calibrated", where=way.words, ttft_ms=floor.ttft_floor_ms, itl_ms=floor.itl_floor_ms
    )
    emit(notice("info", resolution))
    if floor.path_ms is not None:
        emit(notice("info", message("experiments.path_adds", host=way.host, path_ms=floor.path_ms)))
    _say_what_is_left_out(target, floor, emit)


async def calibrate_whole(target: TargetSpec) -> Calibration:
    """Calibrate the path to a target at all rates and keep the result.

    Raises:
        InputError: the target's machine can't be reached, or the result can't be kept.
        WorkbenchError: the null server doesn't start or doesn't answer.
    """
    way = load_path_of(target)
    if target.kind != "ssh":
        found = await calibrate()
        store_resolution(found, None)
        return found
    found = await calibrate_remotely(target, calibrate)
    store_resolution(found, way.url, machine=way.machine)
    return found


async def _measured(
    target: TargetSpec, way: LoadPath, emit: Emit, requests: UserRequests
) -> Resolution | None:
    """Measure and keep the resolution; None after a failure or a stop."""
    try:
        there = target.kind == "ssh"
        found: Calibration | None = await run_until_set(
            requests.stop, calibrate_remotely(target) if there else calibrate_quickly()
        )
        if found is None:
            return None
        floor = store_resolution(found, way.url if there else None, machine=way.machine)
        if floor is not None:
            return floor
        why: Message | str = _busy(found, way)
    except WorkbenchError as error:
        why = as_data(error)
    said = message("experiments.not_calibrated", where=way.words, why=why, instead=_instead(target))
    emit(notice("warning", said))
    return None


def _busy(found: Calibration, way: LoadPath) -> Message:
    if found.limited_by == "null server" and way.host is not None:
        return message("experiments.null_server_late", host=way.host)
    if way.machine is not None:
        return message("experiments.lowest_rate_not_held_there", host=way.host)
    if way.host is not None:
        return message("experiments.lowest_rate_late_on_path")
    return message("experiments.lowest_rate_not_held_here")


def _instead(target: TargetSpec) -> Message | None:
    """Return which resolution the runs have if their path wasn't measured."""
    if target.kind != "ssh":
        return None
    facts = resolution_facts(target)
    if not facts:
        return message("experiments.resolution_unknown")
    return message("experiments.resolution_of", path=facts["calibrated_path"])


def _say_what_is_left_out(target: TargetSpec, floor: Resolution, emit: Emit) -> None:
    """Note that the path to an attached server isn't measured: nothing can be started on its machine."""
    host = path_not_measured(floor, target.url)
    if host is None:
        return
    emit(notice("info", message("experiments.path_left_out", host=host)))
