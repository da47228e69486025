"""A pack with its traces, so that others can replay the same requests on another system."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from workbench.base import InputError, Message, Place, Refusal, message
from workbench.experiments.findings.run_ledgers import ledger_members
from workbench.experiments.plan.workload import read_workload
from workbench.experiments.run.events import as_data
from workbench.experiments.spec.experiment import Experiment
from workbench.experiments.spec.read_experiments import BASE, found_trace
from workbench.results import BenchFile, ExperimentEntry, write_pack
from workbench.traces import Trace, canonical_bytes, read_trace

_FOLDER = "traces/"
_ABSENT = f"{_FOLDER}absent.txt"
_SHA = "trace_sha256"


def pack(bench: BenchFile, path: Path) -> list[Message]:
    """Write the pack with traces, steps and ledgers, and return the traces and step records that are absent.

    A trace holds lengths, times, sessions and ids of shared prefixes, and no texts. It is read or generated
    again, and packed if its hash is that of the replayed trace.

    Raises:
        Refusal: the folder doesn't exist or can't be written to.
    """
    members, absent = pack_members(bench)
    write_pack(bench, path, more=members)
    return absent


def pack_members(bench: BenchFile) -> tuple[dict[str, bytes], list[Message]]:
    """Return the traces and ledgers of a pack by their names in it, and what is absent."""
    members, absent = _traces(bench)
    if absent:
        members[_ABSENT] = "".join(f"{line}\n" for line in absent).encode()
    ledgers, unrecorded = ledger_members(bench)
    return {**members, **ledgers}, [*absent, *unrecorded]


def packed_trace(content: bytes) -> Trace:
    """Read a trace from its member of a pack.

    Raises:
        InputError: it is no trace.
    """
    with tempfile.TemporaryDirectory(prefix="vllm-workbench-") as folder:
        file = Path(folder) / "trace.jsonl"
        file.write_bytes(content)
        return read_trace(file)


def trace_problems(bench: BenchFile, contents: Mapping[str, bytes]) -> Iterator[Message]:
    """Yield the traces in a pack that its runs did not replay."""
    replayed = {trace_member(entry): entry for entry in experiments_with_trace(bench)}
    for name, content in contents.items():
        if not (name.startswith(_FOLDER) and name.endswith(".jsonl")):
            continue
        entry = replayed.get(name)
        if entry is None:
            yield message("experiments.trace_of_no_run", name=name)
            continue
        try:
            if (
                trace_member(entry)
                != f"{_FOLDER}{packed_trace(content).sha256(_experiment(entry).trace.seed)}.jsonl"
            ):
                yield message("experiments.trace_differs", name=name)
        except InputError as error:
            yield message("experiments.trace_not_compared", name=name, why=as_data(error))


def _traces(bench: BenchFile) -> tuple[dict[str, bytes], list[Message]]:
    """Return the canonical traces by their name in the pack, and the absent ones."""
    places = _places(bench)
    members: dict[str, bytes] = {}
    absent: dict[str, Message] = {}
    for entry in experiments_with_trace(bench):
        name = trace_member(entry)
        if name in members:
            continue
        try:
            members[name] = canonical_bytes(_replayed(entry, places))
            absent.pop(name, None)
        except InputError as error:
            absent[name] = message(
                "experiments.trace_absent", name=entry.name, sha256=entry.facts[_SHA], problem=as_data(error)
            )
    return members, list(absent.values())


def _replayed(entry: ExperimentEntry, places: Sequence[Path]) -> Trace:
    """Read or generate the trace of an experiment again.

    Raises:
        Refusal: it can't be read, or differs from the trace that was replayed.
    """
    experiment = _experiment(entry)
    trace = read_workload(found_trace(experiment.trace, places), experiment.load).trace
    if trace.sha256(experiment.trace.seed) != entry.facts[_SHA]:
        if experiment.trace.file is None:
            raise Refusal("experiments.made_trace_changed")
        raise Refusal("experiments.trace_file_changed", Place(file=experiment.trace.file))
    return trace


def _experiment(entry: ExperimentEntry) -> Experiment:
    return Experiment.from_toml(entry.toml, where=f"experiment {entry.id}")


def experiments_with_trace(bench: BenchFile) -> Iterator[ExperimentEntry]:
    """Yield the experiments that replayed a trace; imported results of other tools have none."""
    return (entry for entry in bench.experiments() if entry.facts.get(_SHA) and entry.toml)


def trace_member(entry: ExperimentEntry) -> str:
    """Return the name of the experiment's trace in a pack."""
    return f"{_FOLDER}{entry.facts[_SHA]}.jsonl"


def _places(bench: BenchFile) -> list[Path]:
    """Return the folders of the experiment's file then and of the bench file now, to find trace files."""
    base = bench.meta().get(BASE)
    return [*([Path(base)] if base else []), bench.path.parent]
