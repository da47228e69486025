"""A pack with the requests themselves: whoever gets it can replay the same trace on another system."""

import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from workbench.base import InputError, Message, Place, Refusal, message
from workbench.experiments.plan.workload import read_workload
from workbench.experiments.spec.experiment import Experiment
from workbench.experiments.spec.read_experiments import BASE, found_trace
from workbench.results import BenchFile, ExperimentEntry, verify_pack, write_pack
from workbench.traces import Trace, canonical_bytes, read_trace

_FOLDER = "traces/"
_ABSENT = f"{_FOLDER}absent.txt"
_SHA = "trace_sha256"
_RAW = "raw.bench"


def pack(bench: BenchFile, path: Path) -> list[str]:
    """Write the pack with the traces that its runs replayed; returns what is absent, a line each.

    A trace is lengths, times, sessions and ids of shared prefixes: texts of a user's own log are in none. It
    is read or made again, and packed if it is what was replayed, by its hash.

    Raises:
        InputError: the folder doesn't exist or can't be written to.
    """
    members, absent = _traces(bench)
    if absent:
        members[_ABSENT] = "".join(f"{line}\n" for line in absent).encode()
    write_pack(bench, path, more=members)
    return absent


def check_pack(path: Path) -> list[Message]:
    """Return what `verify_pack` finds, and each trace in the pack that isn't what the runs replayed.

    Raises:
        InputError: not a pack.
    """
    lines = verify_pack(path)
    with tempfile.TemporaryDirectory(prefix="vllm-workbench-") as folder, zipfile.ZipFile(path) as archive:
        with BenchFile.open(Path(archive.extract(_RAW, folder))) as bench:
            stated = {_member(entry): entry for entry in _with_trace(bench)}
        for name in archive.namelist():
            if name.startswith(_FOLDER) and name.endswith(".jsonl"):
                lines += _not_as_named(Path(archive.extract(name, folder)), name, stated.get(name))
    return lines


def _not_as_named(file: Path, name: str, entry: ExperimentEntry | None) -> list[Message]:
    """Return what is wrong with a trace of the pack; `entry` replayed the trace of that name."""
    if entry is None:
        return [message("experiments.trace_of_no_run", name=name)]
    try:
        same = name == f"{_FOLDER}{read_trace(file).sha256(_stated(entry).trace.seed)}.jsonl"
    except InputError as error:
        return [message("experiments.trace_not_compared", name=name, why=str(error))]
    return [] if same else [message("experiments.trace_differs", name=name)]


def _traces(bench: BenchFile) -> tuple[dict[str, bytes], list[str]]:
    """Canonical traces by their name in the pack, and what is missing."""
    places = _places(bench)
    members: dict[str, bytes] = {}
    absent: dict[str, str] = {}
    for entry in _with_trace(bench):
        name = _member(entry)
        if name in members:
            continue
        try:
            members[name] = canonical_bytes(_replayed(entry, places))
            absent.pop(name, None)
        except InputError as error:
            absent[name] = f"{entry.name}: the trace with hash {entry.facts[_SHA]} isn't packed: {error}"
    return members, list(absent.values())


def _replayed(entry: ExperimentEntry, places: Sequence[Path]) -> Trace:
    """The trace of an experiment, read or made anew.

    Raises:
        InputError: it can't be read, or isn't what was replayed then.
    """
    stated = _stated(entry)
    trace = read_workload(found_trace(stated.trace, places), stated.load).trace
    if trace.sha256(stated.trace.seed) != entry.facts[_SHA]:
        if stated.trace.file is None:
            raise Refusal("experiments.made_trace_changed")
        raise Refusal("experiments.trace_file_changed", Place(file=stated.trace.file))
    return trace


def _stated(entry: ExperimentEntry) -> Experiment:
    return Experiment.from_toml(entry.toml, where=f"experiment {entry.id}")


def _with_trace(bench: BenchFile) -> Iterator[ExperimentEntry]:
    """Experiments that replayed one; figures taken over from other tools have none."""
    return (entry for entry in bench.experiments() if entry.facts.get(_SHA) and entry.toml)


def _member(entry: ExperimentEntry) -> str:
    return f"{_FOLDER}{entry.facts[_SHA]}.jsonl"


def _places(bench: BenchFile) -> list[Path]:
    """Where a trace file of a relative name may lie: beside the experiment's file then, the bench now."""
    base = bench.meta().get(BASE)
    return [*([Path(base)] if base else []), bench.path.parent]
