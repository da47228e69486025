"""Causes of slow requests in a stored run, from its step record and its requests."""

from collections.abc import Collection, Mapping

import msgspec

from workbench.advice.blame import (
    Blame,
    Cause,
    RequestStamps,
    blame,
    fit_step_costs,
    idle_between_steps_us,
)
from workbench.base import Record
from workbench.engine import WhatIf, what_if
from workbench.experiments.findings.step_indexes import (
    Progress,
    open_step_indexes,
    record_lines,
    record_parts,
)
from workbench.experiments.run.step_records import sent_request_id
from workbench.profiles import StepModel
from workbench.results import BenchFile, RequestRecord
from workbench.results.bench.entries import RunEntry
from workbench.vllm_dialect import AnyStepLine, StepHeader, read_steps


def explain_run(
    bench: BenchFile,
    run: RunEntry,
    *,
    culprits_of: Collection[str] | None = None,
    progress: Progress | None = None,
) -> Blame:
    """Split each request's time into its causes.

    Args:
        bench: the file that holds the run; the step record is in a folder beside it.
        run: a run whose scheduler's steps were recorded.
        culprits_of: ids of the requests whose culprits are named; None names those of all.
        progress: called now and then while the record is read for the first time.

    Raises:
        Refusal: the run has no record of steps, or it is gone or damaged.
    """
    indexes = open_step_indexes(bench, run, progress)
    _, zero = record_parts(bench.path, run)
    records = [record for record in bench.requests(run.id) if record.phase == "measured"]
    ledgers = []
    left = {record.request_id: record for record in records}
    for index in indexes:
        mine = {}
        for engine_id in index.requests.ids:
            name = sent_request_id(engine_id, left)
            if name is not None:
                mine[name] = engine_id
        last = index is indexes[-1]
        chosen = [record for record in left.values() if record.request_id in mine or last]
        stamps = [_stamps(record, mine.get(record.request_id), index.header, zero) for record in chosen]
        ledgers.append(blame(index, stamps, fit_step_costs(index), culprits_of=culprits_of))
        left = {name: record for name, record in left.items() if name not in mine}
    return _together(ledgers, [record.request_id for record in records])


class Prediction(Record, frozen=True, kw_only=True):
    """Effect of one change on a recorded run, predicted by the embedded engine."""

    cause: Cause | None
    """The cause that the change removes; None for a change from the user."""
    changes: dict[str, int | bool | str]
    result: WhatIf


def predict(bench: BenchFile, run: RunEntry, changes: Mapping[str, int | bool | str]) -> Prediction:
    """Replay a run with settings changed.

    Raises:
        Refusal: there is no record, or the change is unknown or impossible.
    """
    lines, model = _first_record(bench, run)
    result = what_if(lines, model, changes, where=run.name)
    return Prediction(cause=None, changes=dict(changes), result=result)


def predict_without_largest_cause(bench: BenchFile, run: RunEntry, ledger: Blame) -> Prediction | None:
    """Replay a run without the cause that cost most; None if no setting removes any of its causes."""
    lines, model = _first_record(bench, run)
    header = lines[0]
    assert isinstance(header, StepHeader)
    for cause, _ in sorted(ledger.totals.items(), key=lambda pair: -pair[1]):
        changes = _undo(cause, header)
        if changes:
            result = what_if(lines, model, changes, where=run.name)
            # A change that changes nothing is no answer.
            if result.after.e2e_ms != result.before.e2e_ms:
                return Prediction(cause=cause, changes=changes, result=result)
    return None


def _undo(cause: Cause, header: StepHeader) -> dict[str, int | bool | str]:
    match cause:
        case "sequence_limit":
            return {"max_num_seqs": 2 * (header.max_num_active_seqs or header.max_num_seqs)}
        case "token_budget":
            return {"max_num_batched_tokens": 2 * header.max_num_batched_tokens}
        case "kv_blocks" | "preempted_wait" | "recompute":
            return {"num_gpu_blocks": header.num_gpu_blocks * 3 // 2}
        case "others_prefill" if header.enable_chunked_prefill and not header.long_prefill_token_threshold:
            return {"long_prefill_token_threshold": max(256, header.max_num_batched_tokens // 4)}
        case _:
            return {}


def _first_record(bench: BenchFile, run: RunEntry) -> tuple[list[AnyStepLine], StepModel]:
    """Return the record of the run's first engine, and the cost of its steps with the time between them."""
    (first, *_), _ = record_parts(bench.path, run)
    lines = list(read_steps(record_lines(first), where=str(first.file)))
    index = open_step_indexes(bench, run)[0]
    model = fit_step_costs(index)
    return lines, msgspec.structs.replace(model, a=model.a + idle_between_steps_us(index))


def _stamps(record: RequestRecord, engine_id: str | None, header: StepHeader, zero: float) -> RequestStamps:
    """Put a request's stamps on the record's clock."""

    def at(stamp: float | None) -> float | None:
        if stamp is None:
            return None
        wall = zero + stamp
        return header.zero + (wall - header.zero) * header.time_scale

    due = at(record.due)
    assert due is not None
    return RequestStamps(
        id=record.request_id,
        engine_id=engine_id,
        cls=record.cls,
        due=due,
        released=at(record.released),
        sent=at(record.sent),
        done=at(record.done),
    )


def _together(ledgers: list[Blame], order: list[str]) -> Blame:
    if len(ledgers) == 1:
        return ledgers[0]
    requests = {request.request: request for ledger in ledgers for request in ledger.requests}
    totals: dict[Cause, float] = {}
    matrix: dict[str, dict[str, float]] = {}
    for ledger in ledgers:
        for cause, ms in ledger.totals.items():
            totals[cause] = totals.get(cause, 0.0) + ms
        for victim, row in ledger.matrix.items():
            for culprit, ms in row.items():
                own = matrix.setdefault(victim, {})
                own[culprit] = own.get(culprit, 0.0) + ms
    return Blame(requests=[requests[name] for name in order], totals=totals, matrix=matrix)
