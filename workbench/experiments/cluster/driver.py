"""The driver of a session on a cluster: it gives each experiment to the cluster and stores what comes back.

The cluster decides where and when. A try whose node or process is lost is kept as replaced, and the
experiment is given to the cluster again.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from workbench.base import Message, WorkbenchError, WorkFailure, mask_text, message, utc_now
from workbench.experiments.cluster.node_messages import (
    NodeEnded,
    NodeEvent,
    NodeOrder,
    OrderOrigin,
    framed,
    read_from_node,
)
from workbench.experiments.cluster.session_folder import ClusterTry, IncomingFiles, SessionFolder
from workbench.experiments.run.channel import Emit
from workbench.experiments.run.events import Notice, RunFinished, as_data, decode_event, notice
from workbench.experiments.spec.tables import ClusterNeeds

MOST_TRIES = 4
"""Tries of an experiment whose nodes are lost, in one session."""
_PLACE_AGAIN_S = 5.0
"""Wait before an experiment that got no node is placed again."""
_TAIL = 2000
"""Bytes of a process's last errors that are kept."""
_ERRORS_S = 2.0
"""Wait for the errors of a process that has ended."""


class ReservedNode(Protocol):
    """A place on a node, with the resources that were asked for."""

    name: str

    async def start(self) -> Any:
        """Start `node_process` there; return it with stdin, stdout and stderr as an asyncio process has."""

    async def close(self) -> None:
        """Let the process end and free the place."""


class Cluster(Protocol):
    """Machines that take experiments."""

    def no_node_fits(self, needs: ClusterNeeds) -> bool:
        """Return True if no node has so much now, even when it is idle."""

    async def place(self, needs: ClusterNeeds) -> ReservedNode:
        """Wait for a node with free resources.

        Raises:
            ConnectionError: the node was lost while the place was made.
            Refusal: the node has another version of this program.
        """


async def run_on_cluster(
    cluster: Cluster,
    orders: Sequence[NodeOrder],
    session: SessionFolder,
    origins: Mapping[str, OrderOrigin],
    emit: Emit,
    *,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> dict[str, str]:
    """Carry out the orders that aren't finished; return how each ended: done, stopped or failed.

    Args:
        cluster: places the experiments.
        orders: the experiments.
        session: the claimed folder of the results.
        origins: what each order was made of, by its name, for later measurements from the bench files.
        emit: takes a notice of each step.
        sleep: waits before an experiment is placed again.

    Raises:
        Refusal: an experiment was finished with other settings, its bench file is unreadable, or a node has
            another version of this program.
    """
    driver = _Driver(cluster, session, origins, emit, sleep)
    tasks = [asyncio.create_task(driver.carry_out(order)) for order in orders]
    try:
        ended = await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return dict(zip((order.name for order in orders), ended, strict=True))


@dataclass(frozen=True, slots=True)
class _Lost:
    """A try whose node was lost."""

    said: Message
    why: Message | str
    wait_s: float = 0.0
    """Wait before the next try."""


class _Driver:
    def __init__(
        self,
        cluster: Cluster,
        session: SessionFolder,
        origins: Mapping[str, OrderOrigin],
        emit: Emit,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._cluster = cluster
        self._session = session
        self._origins = origins
        self._emit = emit
        self._sleep = sleep

    async def carry_out(self, order: NodeOrder) -> str:
        """Try until the experiment has ended; if this machine can't store it, it alone fails."""
        try:
            return await self._carry_out(order)
        except WorkFailure as error:
            return self._failed(order.name, as_data(error))

    async def _carry_out(self, order: NodeOrder) -> str:
        kept = self._session.finished(order)
        if kept is not None:
            self._say("info", message("experiments.cluster_kept", name=order.name, node=kept.node))
            return kept.status
        tries = self._session.tries(order.name)
        first = tries[-1].number + 1 if tries else 1
        for number in range(first, first + MOST_TRIES - 1):
            ended = await self._try(order, number)
            if isinstance(ended, str):
                return ended
            self._say("warning", message("experiments.cluster_again", lost=ended.said))
            await self._sleep(ended.wait_s)
        ended = await self._try(order, first + MOST_TRIES - 1)
        if isinstance(ended, str):
            return ended
        self._say("warning", ended.said)
        why = message("experiments.cluster_lost_often", times=MOST_TRIES, why=ended.why)
        return self._failed(order.name, why)

    def _note_lack(self, order: NodeOrder) -> None:
        """Say so if no node could ever take the experiment; one may still join the cluster."""
        needs = order.experiment.cluster
        if self._cluster.no_node_fits(needs):
            waits = message("experiments.cluster_waits", name=order.name, resources=needs_text(needs))
            self._say("warning", waits)

    async def _try(self, order: NodeOrder, number: int) -> "str | _Lost":
        """Return how the try ended, or how it was lost."""
        self._note_lack(order)
        try:
            place = await self._cluster.place(order.experiment.cluster)
        except ConnectionError as error:
            why = as_text(error)
            self._session.write(_begun(order, number, "").ended("replaced", why))
            said = message("experiments.cluster_not_placed", name=order.name, number=number, why=why)
            return _Lost(said, why, wait_s=_PLACE_AGAIN_S)
        record = _begun(order, number, place.name)
        errors = bytearray()
        try:
            async with contextlib.AsyncExitStack() as opened:
                opened.push_async_callback(place.close)
                self._session.write(record)
                self._say(
                    "info",
                    message("experiments.cluster_placed", name=order.name, node=place.name, number=number),
                )
                files = self._session.receive(record)
                opened.callback(files.close)
                ended = await self._receive(order, place, files.add, errors)
        except (EOFError, OSError) as error:
            lost = _why_lost(error, errors, order.experiment.target.secrets())
            self._session.replace(record, lost)
            said = message(
                "experiments.cluster_lost", name=order.name, node=place.name, number=number, why=lost
            )
            return _Lost(said, lost)
        except WorkFailure as error:
            return self._not_stored(record, error)
        return self._finish(files, ended)

    async def _receive(self, order: NodeOrder, place: ReservedNode, add: Any, errors: bytearray) -> NodeEnded:
        """Send the order and take what comes until the end.

        Raises:
            EOFError: the process is gone.
            OSError: the node is gone.
            WorkFailure: a file can't be stored here.
        """
        process = await place.start()
        tail = asyncio.create_task(_keep_tail(process.stderr, errors))
        try:
            process.stdin.write(framed(order))
            await process.stdin.drain()
            while True:
                said = await read_from_node(process.stdout)
                if isinstance(said, NodeEnded):
                    return said
                if isinstance(said, NodeEvent):
                    self._event(order.name, said.line)
                else:
                    add(said)
        except EOFError:
            await asyncio.wait({tail}, timeout=_ERRORS_S)
            raise
        finally:
            tail.cancel()

    def _event(self, name: str, line: bytes) -> None:
        event = decode_event(line)
        if isinstance(event, RunFinished):
            said = message("experiments.cluster_run_done", name=name, run=event.run, status=event.status)
            self._say("info", said)
        elif isinstance(event, Notice) and event.level != "info":
            about = message("experiments.cluster_said", name=name, said=event.message or event.text)
            self._say(event.level, about)

    def _finish(self, files: IncomingFiles, ended: NodeEnded) -> str:
        record = files.record
        try:
            measured = self._session.keep(files, self._origins[record.name])
        except WorkbenchError as error:
            return self._not_stored(record, error)
        if ended.why is not None or not measured:
            why = ended.why or message("experiments.cluster_process_ended")
            self._session.write(record.ended("failed", why))
            return self._failed(record.name, why)
        self._session.write(record.ended(ended.status))
        said = message("experiments.cluster_done", name=record.name, status=ended.status, node=record.node)
        self._say("info", said)
        return ended.status

    def _not_stored(self, record: ClusterTry, error: WorkbenchError) -> str:
        """End the experiment whose files can't be stored here; the other experiments go on."""
        why = as_data(error)
        # A full disk takes no record either; `--resume` then replaces the try.
        with contextlib.suppress(WorkFailure):
            self._session.replace(record, why)
        return self._failed(record.name, why)

    def _failed(self, name: str, why: Message | str) -> str:
        self._say("error", message("experiments.cluster_failed", name=name, why=why))
        return "failed"

    def _say(self, level: str, said: Message) -> None:
        self._emit(notice(level, said))


def _begun(order: NodeOrder, number: int, node: str) -> ClusterTry:
    return ClusterTry(name=order.name, number=number, node=node, digest=order.digest(), started_utc=utc_now())


async def _keep_tail(stream: Any, errors: bytearray) -> None:
    while part := await stream.read(_TAIL):
        errors += part
        del errors[:-_TAIL]


def _why_lost(error: Exception, errors: bytearray, secrets: Sequence[str]) -> Message | str:
    """Return the process's last line of errors without secrets, or what is known without one."""
    lines = errors.decode(errors="replace").strip().splitlines()
    if lines:
        return mask_text(lines[-1], secrets)
    return message("experiments.cluster_process_ended") if isinstance(error, EOFError) else as_text(error)


def as_text(error: Exception) -> str:
    """Return an error as one line."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def needs_text(needs: ClusterNeeds) -> str:
    """Return the resources as `1 CPU, 2 GPU, H100`."""
    parts = [f"{needs.num_cpus:g} CPU"]
    parts += [f"{needs.num_gpus:g} GPU"] if needs.num_gpus else []
    parts += [needs.accelerator_type] if needs.accelerator_type else []
    return ", ".join([*parts, *(f"{count:g} {name}" for name, count in needs.resources.items())])
