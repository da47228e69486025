"""The step record of a stored run, to be forked."""

from pathlib import Path

from workbench.base import Place, Refusal
from workbench.engine import Recording
from workbench.experiments.findings.step_indexes import record_parts
from workbench.experiments.run.step_records import RecordPart, sent_request_id
from workbench.results import BenchFile, RequestRecord
from workbench.results.bench.entries import RunEntry
from workbench.vllm_dialect import AnyStepLine, RequestAdded, StepHeader, read_steps


def bench_recording(path: Path, run_name: str | None = None) -> Recording:
    """Return the record of a run's first engine, from its server's start to the run's end.

    Args:
        path: a bench file.
        run_name: one of its runs; None: the first that recorded its steps.

    Raises:
        Refusal: there is no such run or record, or it is gone or damaged.
    """
    with BenchFile.open(path) as bench:
        run = _run_of(bench, run_name)
        parts, zero = record_parts(bench.path, run)
        records = bench.requests(run.id)
    lines, begin = _lines_of(parts[0])
    header = lines[0]
    if not isinstance(header, StepHeader):
        raise Refusal("engine.no_header", Place(file=str(parts[0].file), line=1))
    by_id = {record.request_id: record for record in records}
    names = {
        line.id: sent
        for line in lines[begin:]
        if isinstance(line, RequestAdded) and (sent := sent_request_id(line.id, by_id)) is not None
    }
    return Recording(
        lines,
        str(parts[0].file),
        begin=begin,
        zero=header.zero + (zero - header.zero) * header.time_scale,
        classes={engine_id: by_id[sent].cls for engine_id, sent in names.items()},
        names=names,
        follows=_sessions(names, by_id),
        concurrency=run.concurrency,
    )


def _run_of(bench: BenchFile, name: str | None) -> RunEntry:
    runs = bench.counted_runs()
    if name is None:
        recorded = [run for run in runs.values() if run.facts.get("steps_file")]
        if recorded or runs:
            return (recorded or list(runs.values()))[0]
    elif name in runs:
        return runs[name]
    place = Place(file=str(bench.path), key="run")
    raise Refusal("experiments.no_such_run_named", place, run=name or "", known=list(runs))


def _lines_of(part: RecordPart) -> tuple[list[AnyStepLine], int]:
    """Return the record's lines up to the part's end, and the index of the part's first."""
    try:
        with part.file.open("rb") as record:
            data = record.read(part.end)
    except OSError as error:
        raise Refusal("base.unreadable_file", Place(file=str(part.file)), cause=error.strerror) from error
    data = data[: data.rfind(b"\n") + 1]
    lines = list(read_steps(data.splitlines(), where=str(part.file)))
    return lines, max(1, data[: part.begin].count(b"\n"))


def _sessions(names: dict[str, str], records: dict[str, RequestRecord]) -> dict[str, str]:
    """Return the request before each in its session."""
    turns = {
        (record.session_id, record.turn): engine_id
        for engine_id, sent in names.items()
        if (record := records[sent]).session_id is not None and record.turn is not None
    }
    return {
        engine_id: turns[session, turn - 1]
        for (session, turn), engine_id in turns.items()
        if (session, turn - 1) in turns
    }
