"""Causes of slow requests in a stored run, from its step record and its requests."""

from collections.abc import Collection, Iterable, Sequence

from workbench.advice.blame import OTHER, Blame, Cause, RequestStamps, StepIndex, blame, fit_step_costs
from workbench.experiments.findings.step_indexes import Progress, open_step_indexes, record_parts
from workbench.experiments.run.step_records import sent_request_id
from workbench.results import BenchFile, RequestRecord
from workbench.results.bench.entries import RunEntry
from workbench.vllm_dialect import StepHeader


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
    _, zero = record_parts(bench.path, run)
    indexes = open_step_indexes(bench, run, progress)
    return explain_records(bench.requests(run.id), indexes, zero, culprits_of=culprits_of)


def explain_records(
    requests: Iterable[RequestRecord],
    indexes: Sequence[StepIndex],
    zero: float,
    *,
    culprits_of: Collection[str] | None = None,
) -> Blame:
    """Split each request's time into its causes, by the steps of each engine.

    Args:
        requests: the run's requests.
        indexes: its steps, one index for each engine.
        zero: the schedule's start on the engines' clock.
        culprits_of: as for `explain_run`.
    """
    records = {record.request_id: record for record in requests}
    measured = [name for name, record in records.items() if record.phase == "measured"]
    left = dict.fromkeys(measured)
    ledgers = []
    for index in indexes:
        sent = _sent_ids(index, records)
        mine = {name: engine_id for engine_id, name in sent.items() if name in left}
        last = index is indexes[-1]
        chosen = [records[name] for name in left if name in mine or last]
        stamps = [_stamps(record, mine.get(record.request_id), index.header, zero) for record in chosen]
        beside = {
            engine_id: (name, records[name].cls) for engine_id, name in sent.items() if name not in mine
        }
        model = fit_step_costs(index)
        ledgers.append(blame(index, stamps, model, culprits_of=culprits_of, beside=beside))
        left = {name: None for name in left if name not in mine}
    return _together(ledgers, measured)


def names_and_classes(bench: BenchFile, run: RunEntry, index: StepIndex) -> tuple[list[str], list[str]]:
    """Return the client's id and the class of each request of an index; the engine's id for others."""
    records = {record.request_id: record for record in bench.requests(run.id)}
    sent = _sent_ids(index, records)
    names = [sent.get(engine_id, engine_id) for engine_id in index.requests.ids]
    return names, [records[name].cls if name in records else OTHER for name in names]


def _sent_ids(index: StepIndex, known: Collection[str]) -> dict[str, str]:
    """Return the client's id for the engine's ids of requests that we sent."""
    pairs = ((engine_id, sent_request_id(engine_id, known)) for engine_id in index.requests.ids)
    return {engine_id: name for engine_id, name in pairs if name is not None}


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
