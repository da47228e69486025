"""Run experiment files as a session on a Ray cluster, and write what it leaves."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from workbench.base import Place, Record, Refusal
from workbench.experiments.cluster.cluster_report import write_session_files
from workbench.experiments.cluster.driver import run_on_cluster
from workbench.experiments.cluster.node_messages import NodeOrder, OrderOrigin, order_of
from workbench.experiments.cluster.ray_cluster import ray_cluster
from workbench.experiments.cluster.session_folder import SessionFolder
from workbench.experiments.run.channel import Emit
from workbench.experiments.spec.experiment import Experiment
from workbench.experiments.spec.read_experiments import read_experiments


class SessionEnd(Record, frozen=True, kw_only=True):
    """End of a session on a cluster."""

    statuses: dict[str, str]
    """done, stopped or failed, by the name of the bench file."""
    benches: list[Path]
    """The bench files, in the order of the experiments; an experiment that never began has none."""
    csv: Path


def run_session(
    files: Sequence[Path],
    folder: Path,
    address: str,
    emit: Emit,
    *,
    resume: bool = False,
    calibrated: bool = True,
) -> SessionEnd:
    """Carry out each file on a node of a Ray cluster; its bench file and those of the others go to `folder`.

    Args:
        files: experiment files; each becomes a bench file of its name.
        folder: the session's folder.
        address: as `ray.init` takes it.
        emit: takes a notice of each step.
        resume: whether to continue the session in the folder.
        calibrated: whether each node measures its load generator's own error, unless it did within a day.

    Raises:
        Refusal: nothing was measured: a file is wrong, the folder holds another session, or the cluster
            can't take the experiments.
    """
    origins = {file.stem: OrderOrigin(_experiment(file), file.parent) for file in files}
    _require_own_names(files)
    orders = [_order(name, origin, calibrated=calibrated) for name, origin in origins.items()]
    session = SessionFolder(folder)

    async def carry_out() -> dict[str, str]:
        needs = [order.experiment.cluster for order in orders]
        async with ray_cluster(address, needs) as cluster:
            return await run_on_cluster(cluster, orders, session, origins, emit)

    with session.claimed(resume=resume):
        statuses = asyncio.run(carry_out())
        benches = [path for order in orders if (path := session.bench(order.name)).exists()]
        csv = write_session_files(
            folder, {name: origin.experiment for name, origin in origins.items()}, benches
        )
    return SessionEnd(statuses=statuses, benches=benches, csv=csv)


def _experiment(file: Path) -> Experiment:
    found: list[Experiment] = read_experiments([file])
    if len(found) != 1:
        raise Refusal("experiments.cluster_no_reproduction", Place(file=str(file), key="kind"))
    return found[0]


def _order(name: str, origin: OrderOrigin, *, calibrated: bool) -> NodeOrder:
    return order_of(name, origin.experiment, origin.base, calibrated=calibrated)


def _require_own_names(files: Sequence[Path]) -> None:
    seen: dict[str, Path] = {}
    for file in files:
        other = seen.setdefault(file.stem, file)
        if other is not file:
            raise Refusal("experiments.cluster_same_name", first=str(other), second=str(file))
