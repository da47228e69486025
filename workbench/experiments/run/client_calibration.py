"""Measure the load generator's own error before a session, once a day for each path of the load.

The path is the one of the runs: within this machine, through the tunnel to a machine over SSH, or within that
machine if the load workers run there. A null server takes the place of the server.
"""

from collections.abc import Callable
from typing import Any

from workbench.base import Message, WorkbenchError, message
from workbench.experiments.run.channel import Emit, UserRequests, run_until_set
from workbench.experiments.run.events import ClientCalibrated, as_data, notice
from workbench.experiments.run.load_path import LoadPath, describe_path, load_path_of
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
    stored_resolution,
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
    path = load_path_of(target)
    known = recent_resolution(path.url, machine=path.machine)
    # The path over SSH can be measured, so this machine's own resolution is no substitute.
    if known is not None and (target.kind != "ssh" or known.path == path.url):
        emit(ClientCalibrated(state="kept", columns=resolution_facts(target)))
        _note_left_out_path(target, known, emit)
        return
    emit(ClientCalibrated(state="running", expected_s=QUICK_TAKES_S))
    emit(notice("info", message("experiments.calibrating", where=path.words, seconds=QUICK_TAKES_S)))
    resolution = await _measured(target, path, emit, requests)
    if resolution is None:
        emit(ClientCalibrated(state="failed"))
        return
    columns = resolution_facts(target)
    store(columns)
    emit(ClientCalibrated(state="done", columns=columns))
    calibrated = message(
        "experiments.calibrated",
        where=path.words,
        ttft_ms=resolution.ttft_floor_ms,
        itl_ms=resolution.itl_floor_ms,
    )
    emit(notice("info", calibrated))
    if resolution.path_ms is not None:
        emit(notice("info", message("experiments.path_adds", host=path.host, path_ms=resolution.path_ms)))
    _note_left_out_path(target, resolution, emit)


async def calibrate_whole(target: TargetSpec) -> Calibration:
    """Calibrate the path to a target at all rates and keep the result.

    Raises:
        InputError: the target's machine can't be reached, or the result can't be kept.
        WorkbenchError: the null server doesn't start or doesn't answer.
    """
    path = load_path_of(target)
    if target.kind != "ssh":
        found = await calibrate()
        store_resolution(found, None)
        return found
    found = await calibrate_remotely(target, calibrate)
    store_resolution(found, path.url, machine=path.machine)
    return found


async def _measured(
    target: TargetSpec, path: LoadPath, emit: Emit, requests: UserRequests
) -> Resolution | None:
    """Measure and keep the resolution; None after a failure or a stop."""
    try:
        there = target.kind == "ssh"
        found: Calibration | None = await run_until_set(
            requests.stop, calibrate_remotely(target) if there else calibrate_quickly()
        )
        if found is None:
            return None
        resolution = store_resolution(found, path.url if there else None, machine=path.machine)
        if resolution is not None:
            return resolution
        why: Message | str = _why_too_busy(found, path)
    except WorkbenchError as error:
        why = as_data(error)
    said = message("experiments.not_calibrated", where=path.words, why=why, instead=_resolution_used(target))
    emit(notice("warning", said))
    return None


def _why_too_busy(found: Calibration, path: LoadPath) -> Message:
    if found.limited_by == "null server" and path.host is not None:
        return message("experiments.null_server_late", host=path.host)
    if path.machine is not None:
        return message("experiments.lowest_rate_not_held_there", host=path.host)
    if path.host is not None:
        return message("experiments.lowest_rate_late_on_path")
    return message("experiments.lowest_rate_not_held_here")


def _resolution_used(target: TargetSpec) -> Message | None:
    """Return which resolution the runs have if their path wasn't measured."""
    if target.kind != "ssh":
        return None
    path = load_path_of(target)
    resolution = stored_resolution(path.url, machine=path.machine)
    if resolution is None:
        return message("experiments.resolution_unknown")
    return message("experiments.resolution_of", path=describe_path(resolution))


def _note_left_out_path(target: TargetSpec, resolution: Resolution, emit: Emit) -> None:
    """Note that the path to an attached server isn't measured: nothing can be started on its machine."""
    host = path_not_measured(resolution, target.url)
    if host is None:
        return
    emit(notice("info", message("experiments.path_not_measured", host=host)))
