"""The folder of a session on a cluster: a bench file of each experiment, and a record of every try.

A bench file gets its name only once it is complete, so a killed driver leaves only whole ones. A copy of
what a lost try had measured is kept in `replaced`.
"""

import contextlib
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Literal

import msgspec

from workbench.base import (
    UNREADABLE,
    Message,
    Place,
    Record,
    Refusal,
    WorkFailure,
    message,
    require_writable_folder,
    utc_now,
    write_atomic,
)
from workbench.experiments.cluster.node_messages import NodeFilePart, NodeOrder, OrderOrigin
from workbench.experiments.spec.experiment import Experiment
from workbench.experiments.spec.experiment_text import write_into
from workbench.experiments.spec.read_experiments import BASE
from workbench.results import BenchFile
from workbench.servers.processes import ProcessIdentity, find, identify_process

_SUFFIX = ".bench"


class ClusterTry(Record, frozen=True, kw_only=True):
    """One try of an experiment on a node."""

    name: str
    number: int
    node: str
    """Empty if none was reserved."""
    digest: str
    """`NodeOrder.digest` of what was carried out."""
    started_utc: str
    ended_utc: str | None = None
    status: Literal["running", "done", "stopped", "failed", "replaced"] = "running"
    why: str = ""
    """Reason that it was replaced or failed."""

    def ended(self, status: str, why: object = "") -> "ClusterTry":
        """Return the try as it ended."""
        return msgspec.convert(
            {**msgspec.structs.asdict(self), "status": status, "why": str(why), "ended_utc": utc_now()},
            ClusterTry,
        )


class SessionFolder:
    """The folder, claimed by one driver at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._tries = folder / "tries"

    @contextlib.contextmanager
    def claimed(self, *, resume: bool) -> Iterator[None]:
        """Claim the folder for this process.

        Raises:
            Refusal: the folder has a session but `resume` is false, or has none but `resume` is true; or
                another driver lives.
        """
        place = Place(file=str(self.folder))
        if not resume and any(self._tries.glob("*-*.json")):
            raise Refusal("experiments.cluster_began", place)
        # A driver that was killed before its first try has left an empty folder of tries.
        if resume and not self._tries.is_dir():
            raise Refusal("experiments.cluster_not_begun", place)
        require_writable_folder(self._tries)
        mark = self._tries / "driver.json"
        with contextlib.suppress(OSError, *UNREADABLE):
            other = msgspec.json.decode(mark.read_bytes(), type=ProcessIdentity)
            if other.pid != os.getpid() and find(other) is not None:
                raise Refusal("experiments.cluster_other_driver", place, process=other.pid)
        write_atomic(mark, msgspec.json.encode(identify_process(os.getpid())))
        try:
            yield
        finally:
            mark.unlink(missing_ok=True)

    def bench(self, name: str) -> Path:
        """Return the path of an experiment's bench file."""
        return self.folder / f"{name}{_SUFFIX}"

    def tries(self, name: str) -> list[ClusterTry]:
        """Return the tries of an experiment, in their order."""
        found = []
        for path in self._tries.glob("*.json"):
            with contextlib.suppress(OSError, *UNREADABLE):
                found.append(msgspec.json.decode(path.read_bytes(), type=ClusterTry))
        return sorted((each for each in found if each.name == name), key=lambda each: each.number)

    def write(self, record: ClusterTry) -> None:
        """Store a try.

        Raises:
            WorkFailure: it can't be written.
        """
        content = msgspec.json.format(msgspec.json.encode(record), indent=1)
        try:
            write_atomic(self._tries / f"{record.name}-{record.number}.json", content)
        except Refusal as error:
            raise WorkFailure("base.unwritable_file", error.place, cause=error.values["cause"]) from error

    def finished(self, order: NodeOrder) -> ClusterTry | None:
        """Return the try that finished the order; None: it has to be carried out.

        Tries of a driver that was killed become replaced, and so does a result that isn't `done`.

        Raises:
            Refusal: it was finished with other settings, or the bench file is unreadable.
            WorkFailure: what it left can't be stored as replaced.
        """
        last: ClusterTry | None = None
        for last in self.tries(order.name):
            if last.status == "running" and not self.bench(order.name).exists():
                self.replace(last, message("experiments.cluster_driver_ended"))
        if last is None or not self.bench(order.name).exists():
            return None
        with BenchFile.open(self.bench(order.name)) as bench:
            status = next((entry.status for entry in bench.experiments() if entry.status != "done"), "done")
        last = last.ended(status) if last.status == "running" else last
        self.write(last)
        if status != "done":
            self.replace(last, last.why)
            return None
        if last.digest != order.digest():
            raise Refusal(
                "experiments.cluster_other_experiment", Place(file=str(self.folder)), name=order.name
            )
        return last

    def receive(self, record: ClusterTry) -> "IncomingFiles":
        """Return the empty place of the files that a try sends.

        Raises:
            WorkFailure: it can't be made.
        """
        return IncomingFiles(self._incoming(record), record)

    def replace(self, record: ClusterTry, why: Message | str) -> None:
        """Keep what a try has left as replaced.

        Raises:
            WorkFailure: it can't be stored.
        """
        kept, name = self.folder / "replaced", f"{record.name}-try{record.number}{_SUFFIX}"
        for left in (self._incoming(record) / f"{record.name}{_SUFFIX}", self.bench(record.name)):
            if left.exists():
                with _local_writes(kept / name):
                    kept.mkdir(exist_ok=True)
                    left.replace(kept / name)
        shutil.rmtree(self._incoming(record), ignore_errors=True)
        self.write(record.ended("replaced", why))

    def keep(self, files: "IncomingFiles", origin: OrderOrigin) -> bool:
        """Give the complete files of a try their names, the bench file last; return whether there is one.

        Raises:
            WorkbenchError: the bench file is damaged, or a file can't be stored.
        """
        record, bench = files.record, files.folder / f"{files.record.name}{_SUFFIX}"
        there = bench.exists()
        if there:
            _note_origin(bench, {"node": record.node}, origin)
            for path in sorted(each for each in files.folder.iterdir() if each != bench):
                _move(path, self.folder / path.name)
            with _local_writes(self.bench(record.name)):
                bench.replace(self.bench(record.name))
        shutil.rmtree(files.folder, ignore_errors=True)
        return there

    def _incoming(self, record: ClusterTry) -> Path:
        return self._tries / f"{record.name}-{record.number}"


class IncomingFiles:
    """The files that a try sends; a file has its name once it is complete."""

    def __init__(self, folder: Path, record: ClusterTry) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        with _local_writes(folder):
            folder.mkdir(parents=True)
        self.folder = folder
        self.record = record
        self._open: dict[str, BinaryIO] = {}

    def add(self, part: NodeFilePart) -> None:
        """Append the next bytes of a file.

        Raises:
            WorkFailure: it can't be written.
        """
        path = self.folder / part.name
        with _local_writes(path):
            if part.name not in self._open:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._open[part.name] = self._part(path).open("wb")
            self._open[part.name].write(part.data)
            if part.last:
                self._open.pop(part.name).close()
                self._part(path).replace(path)

    def close(self) -> None:
        """Remove the files that are incomplete."""
        for name, file in self._open.items():
            # A full disk may refuse the last bytes of what is removed here.
            with contextlib.suppress(OSError):
                file.close()
            with contextlib.suppress(OSError):
                self._part(self.folder / name).unlink(missing_ok=True)
        self._open.clear()

    @staticmethod
    def _part(path: Path) -> Path:
        return path.with_name(f"{path.name}.part")


@contextlib.contextmanager
def _local_writes(path: Path) -> Iterator[None]:
    """Turn errors of this machine's disk into failures, so that none counts as a lost node."""
    try:
        yield
    except OSError as error:
        cause = error.strerror or str(error)
        raise WorkFailure("base.unwritable_file", Place(file=str(path)), cause=cause) from error


def _note_origin(path: Path, facts: Mapping[str, Any], origin: OrderOrigin) -> None:
    """Store the node, the user's own paths, and the folder here that they start from."""
    with BenchFile.open(path, read_only=False) as bench:
        bench.set_meta(BASE, str(origin.base.resolve()))
        for entry in bench.experiments():
            toml = _with_own_paths(entry.toml, origin.experiment) if entry.toml else entry.toml
            bench.update_experiment(entry.id, toml=toml, facts={**entry.facts, **facts})
        bench.flush()


def _with_own_paths(toml: str, experiment: Experiment) -> str:
    own: dict[str, dict[str, str]] = {}
    if experiment.trace.file is not None:
        own["trace"] = {"file": experiment.trace.file}
    if experiment.quality is not None:
        own["quality"] = {"prompts": experiment.quality.prompts}
    return write_into(toml, own) if own else toml


def _move(path: Path, to: Path) -> None:
    with _local_writes(to):
        if to.is_dir():
            shutil.rmtree(to)
        path.replace(to)
