"""Carry out an order on this machine, and write its signed result."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from workbench.base import (
    Message,
    Place,
    Refusal,
    WorkbenchError,
    message,
    read_toml_file,
    require_writable_folder,
    write_atomic,
)
from workbench.experiments.compare.pack import pack_members
from workbench.experiments.packs.evidence import EVIDENCE_FILE, SessionClock, evidence_bytes, sessions_in
from workbench.experiments.packs.order import Order, unpack_order
from workbench.experiments.plan.plan import expected_s, make_plan
from workbench.experiments.run.channel import Emit
from workbench.experiments.run.events import as_data, notice
from workbench.experiments.run.execute import run_experiments
from workbench.experiments.run.load_path import load_path_of
from workbench.experiments.spec.experiment import Experiment
from workbench.load import QUICK_TAKES_S, calibrate_quickly, recent_resolution, store_resolution
from workbench.results import BenchFile, PackKey, write_pack
from workbench.servers import TargetSpec, check_target

ORDER_MEMBER = "order.wbpack"
"""The order, byte for byte, in its result; left out if it holds prompts."""
_STEPS = "steps/"


def read_target(word: str) -> TargetSpec:
    """Return the target that a user names: a URL, `embedded`, or a file with the table [target].

    Raises:
        Refusal: the file can't be read, or holds no target.
    """
    if "://" in word:
        target = TargetSpec(kind="attached", url=word)
    elif word == "embedded":
        target = TargetSpec(kind="embedded")
    else:
        content = read_toml_file(Path(word))
        try:
            target = msgspec.convert(content.get("target", content), TargetSpec)
        except msgspec.ValidationError as error:
            place = Place(file=word, table="target")
            raise Refusal("packs.no_target", place, problem=str(error)) from error
    check_target(target, where=word)
    return target


def ordered_experiments(order: Order, target: TargetSpec | None) -> list[Experiment]:
    """Return the order's experiments on this machine's target; None: on the order's own.

    The recording of steps, live limits and fixed KV blocks are the order's.

    Raises:
        Refusal: the order is for a running server, which only the user can name.
    """
    own = order.experiments[0].target
    if target is None and own.kind == "attached":
        raise Refusal("packs.target_needed", Place(key="target"))
    if target is None:
        return list(order.experiments)
    asked: dict[str, Any] = {}
    if target.kind != "attached":
        asked = {name: getattr(own, name) for name in ("record_steps", "live_limits", "kv")}
    target = msgspec.structs.replace(target, **asked)
    return [msgspec.structs.replace(each, target=target) for each in order.experiments]


def order_takes_s(order: Order) -> float:
    """Return the expected seconds of the order's runs on its own target."""
    plan = make_plan(order.experiments)
    return sum(expected_s(plan, plan.runs))


def carry_out(
    order: Order,
    experiments: Sequence[Experiment],
    work: Path,
    emit: Emit,
    *,
    checks: Sequence[dict[str, Any]] = (),
) -> str:
    """Carry out the order in the folder `work`, and return `done`, `stopped` or `failed`.

    A second call goes on with the runs that are left.

    Args:
        order: the order.
        experiments: its experiments on this machine's target.
        work: the folder of the bench file, the traces and the evidence.
        emit: takes the events.
        checks: the findings of `doctor`.

    Raises:
        Refusal: the folder has runs of another order.
        InputError: as `run_experiments`; nothing was measured.
    """
    require_writable_folder(work)
    if any(session.order_sha256 != order.sha256 for session in sessions_in(_evidence(work))):
        raise Refusal("packs.work_of_other_order", Place(file=str(work)))
    unpack_order(order, work)
    session = SessionClock(order.sha256, experiments[0].target, checks)
    _calibrate(experiments[0].target, emit)
    bench = bench_of(work)
    try:
        return run_experiments(
            experiments, bench, emit, base=work, resume="unfinished" if bench.exists() else "no"
        )
    finally:
        if bench.exists():
            before = sessions_in(_evidence(work))
            write_atomic(work / EVIDENCE_FILE, evidence_bytes([*before, session.finish()]))


def bench_of(work: Path) -> Path:
    """Return the bench file of an order's folder."""
    return work / "result.bench"


def _evidence(work: Path) -> bytes | None:
    file = work / EVIDENCE_FILE
    return file.read_bytes() if file.exists() else None


def _calibrate(target: TargetSpec, emit: Emit) -> None:
    """Calibrate this machine's load generator if the conductor doesn't: it skips a simulated server."""
    if target.kind != "embedded" or recent_resolution() is not None:
        return
    where = load_path_of(target).words
    emit(notice("info", message("experiments.calibrating", where=where, seconds=QUICK_TAKES_S)))
    why: Message | str | None = None
    try:
        if store_resolution(asyncio.run(calibrate_quickly()), None) is None:
            why = message("experiments.lowest_rate_not_held_here")
    except WorkbenchError as error:
        why = as_data(error)
    if why is not None:
        emit(notice("warning", message("experiments.not_calibrated", where=where, why=why, instead=None)))


def write_result(order: Order, work: Path, path: Path, key: PackKey) -> None:
    """Write the signed result of what was carried out in `work`.

    Raises:
        Refusal: the file can't be written.
    """
    with BenchFile.open(bench_of(work)) as bench:
        more = dict(pack_members(bench)[0])
        if not order.terms.texts:
            # Prompts stay with the buyer, who has the order.
            more[ORDER_MEMBER] = order.content
        more[EVIDENCE_FILE] = _evidence(work) or evidence_bytes([])
        if "step_record" in order.terms.evidence:
            more |= _step_records(bench)
        write_pack(bench, path, more=more, key=key)


def _step_records(bench: BenchFile) -> Mapping[str, bytes]:
    """Return the schedulers' step records by their names in the pack."""
    files = {str(run.facts["steps_file"]) for run in bench.runs() if run.facts.get("steps_file")}
    found = {name: bench.path.parent / name for name in sorted(files)}
    return {f"{_STEPS}{file.name}": file.read_bytes() for file in found.values() if file.is_file()}
