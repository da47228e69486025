"""The verifier of packs: `export --verify` and `pack check` say what it finds."""

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from workbench.base import InputError, Message, Record, Refusal, WorkbenchError, message
from workbench.experiments.compare.pack import (
    experiments_with_trace,
    packed_trace,
    trace_member,
    trace_problems,
)
from workbench.experiments.findings.run_ledgers import ledger_problems
from workbench.experiments.packs.carry_out import ORDER_MEMBER
from workbench.experiments.packs.check_order import order_findings, target_notes
from workbench.experiments.packs.check_rows import RunRows, copied_rows, row_findings, rows_of
from workbench.experiments.packs.check_server import server_findings
from workbench.experiments.packs.check_steps import step_findings
from workbench.experiments.packs.check_times import time_findings
from workbench.experiments.packs.evidence import EVIDENCE_FILE, SessionEvidence, sessions_in
from workbench.experiments.packs.order import Order, read_order
from workbench.experiments.plan.resume import stored_experiment
from workbench.experiments.run.events import as_data
from workbench.results import (
    BenchFile,
    PackKey,
    Signer,
    raw_rows,
    read_members,
    same_fingerprint,
    signer_of,
    verify_contents,
)
from workbench.results.exports.pack import REQUIRED
from workbench.results.recomputed_figures import other_definitions
from workbench.traces import Trace

_MEASURED = ("done", "replaced", "partial")

NOT_PROVEN = (
    message("packs.limit_server"),
    message("packs.limit_everything"),
    message("packs.limit_hardware"),
    message("packs.limit_key"),
)
"""Limits of proof of any pack."""


class PackVerdict(Record, frozen=True, kw_only=True):
    """The verdict on a result."""

    findings: list[Message]
    """Violations; empty: everything holds."""
    notes: list[Message]
    """Remarks that don't count against the result."""
    signer: Signer | None = None
    order_id: str | None = None
    sessions: list[SessionEvidence] = msgspec.field(default_factory=list)


def check_pack(path: Path) -> list[Message]:
    """Return everything in a pack that contradicts its raw rows, its traces or itself.

    Raises:
        Refusal: the file is no pack.
    """
    contents = read_members(path, REQUIRED)
    found = verify_contents(contents)
    signer = signer_of(contents)
    if isinstance(signer, Message) and signer.kind != "exports.not_signed":
        found.append(signer)
    with raw_rows(contents) as bench:
        return [*found, *_contradictions(bench, contents)]


def check_result(path: Path, *, order: Path | None = None, vendor_key: str | None = None) -> PackVerdict:
    """Check the result of an order: the pack itself, its signature, and the order.

    Args:
        path: the result.
        order: the order's file; None: the one in the result.
        vendor_key: the fingerprint of the key that must have signed it; None: any key.

    Raises:
        Refusal: a file can't be opened, or the order is none.
    """
    asked = None if order is None else read_order(order)
    try:
        contents = read_members(path, REQUIRED)
        found = verify_contents(contents)
        with raw_rows(contents) as bench:
            return _verdict(bench, contents, found, asked, vendor_key)
    except WorkbenchError as error:
        if not path.is_file():
            raise
        return PackVerdict(findings=[_finding(error)], notes=[])


def _finding(error: WorkbenchError) -> Message:
    said = as_data(error)
    return said if isinstance(said, Message) else message("packs.unreadable", why=said)


def _verdict(
    bench: BenchFile,
    contents: Mapping[str, bytes],
    found: list[Message],
    asked: Order | None,
    vendor_key: str | None,
) -> PackVerdict:
    notes: list[Message] = []
    signer = signer_of(contents)
    if isinstance(signer, Message):
        found.append(signer)
    elif vendor_key is None:
        notes.append(message("packs.unknown_signer", fingerprint=signer.fingerprint))
    elif not same_fingerprint(signer.fingerprint, vendor_key):
        found.append(message("packs.other_signer", fingerprint=signer.fingerprint, wanted=vendor_key))
    definitions = other_definitions(bench)
    if definitions is not None:
        notes.append(definitions)
    sessions = sessions_in(contents.get(EVIDENCE_FILE))
    order = _order_of(contents, asked, found, notes)
    found += _contradictions(bench, contents, sessions, order)
    if order is not None:
        found += order_findings(bench, order, contents, sessions)
        notes += target_notes(order, bench)
    return PackVerdict(
        findings=found,
        notes=notes,
        signer=signer if isinstance(signer, Signer) else None,
        order_id=None if order is None else order.terms.id,
        sessions=sessions,
    )


def _order_of(
    contents: Mapping[str, bytes], asked: Order | None, found: list[Message], notes: list[Message]
) -> Order | None:
    """Return the order that the result is held against: the given one, else the one in the result."""
    inside = contents.get(ORDER_MEMBER)
    if asked is not None:
        if inside is not None and inside != asked.content:
            found.append(message("packs.other_order"))
        return asked
    if inside is None:
        found.append(message("packs.order_absent"))
        return None
    with tempfile.TemporaryDirectory(prefix="vllm-workbench-") as folder:
        file = Path(folder) / ORDER_MEMBER
        file.write_bytes(inside)
        try:
            order = read_order(file)
        except Refusal as error:
            found.append(_finding(error))
            return None
    if order.signer is None or not same_fingerprint(
        order.signer.fingerprint, PackKey.of_this_user().fingerprint
    ):
        notes.append(message("packs.order_of_the_result"))
    return order


def _contradictions(
    bench: BenchFile,
    contents: Mapping[str, bytes],
    sessions: list[SessionEvidence] | None = None,
    order: Order | None = None,
) -> list[Message]:
    """Return what contradicts itself: traces and rows, rows and server, rows and step records, times."""
    found = [*trace_problems(bench, contents), *ledger_problems(bench, contents)]
    log, every = bench.log(), list(_runs_with_rows(bench, contents, found))
    for rows in every:
        found += row_findings(rows)
        found += server_findings(rows, bench.samples(rows.entry.id), log)
        found += step_findings(rows, contents)
    found += copied_rows(every)
    found += time_findings(bench, sessions or (), None if order is None else order.terms)
    return found


def _runs_with_rows(
    bench: BenchFile, contents: Mapping[str, bytes], found: list[Message]
) -> Iterator[RunRows]:
    """Yield the runs whose trace is in the pack; add another trace or schedule to `found`."""
    for entry in experiments_with_trace(bench):
        trace = _trace(contents.get(trace_member(entry)))
        if trace is None:
            continue
        experiment = stored_experiment(entry, f"experiment {entry.id}")
        for run in bench.runs(entry.id):
            if run.status in _MEASURED and run.trace_sha256 is not None:
                rows = rows_of(bench, run, experiment, trace)
                if isinstance(rows, RunRows):
                    yield rows
                else:
                    found.append(rows)


def _trace(content: bytes | None) -> Trace | None:
    """Return the trace; None if it is absent or unreadable, which `trace_problems` says."""
    try:
        return None if content is None else packed_trace(content)
    except InputError:
        return None
