"""Diagnoses of finished runs by `advice`: the bottleneck at each time, and the next change."""

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.advice import Diagnosis, DiagnosisMessages, RunView, as_texts, compare, diagnose
from workbench.base import Message
from workbench.controls import values_in_force
from workbench.experiments.run.events import RunDiagnosed
from workbench.experiments.run.measurement import Measurement
from workbench.experiments.run.prepared_run import PreparedRun
from workbench.experiments.run.run_figures import RunFigures
from workbench.experiments.run.step_records import RunSteps
from workbench.experiments.spec.experiment import Experiment
from workbench.results import BenchFile, LimitChange, MachineSample, RequestRecord, RunEntry

_LATENCIES = ("ttft_p95_ms", "itl_p95_ms", "e2e_p95_ms", "queue_p95_ms")


def view_of(
    experiment: Experiment,
    prepared: PreparedRun,
    measurement: Measurement,
    computed: RunFigures,
    steps: RunSteps | None = None,
    machine: Sequence[MachineSample] = (),
    changes: Sequence[LimitChange] = (),
) -> RunView:
    """Return the run for a diagnosis, with the limits in force.

    Args:
        experiment: the run's experiment.
        prepared: the run and its server.
        measurement: its samples and requests.
        computed: its figures.
        steps: the scheduler's steps, if they were recorded.
        machine: samples of the machine.
        changes: changes to limits of the running server since the run began.
    """
    stated = experiment.objectives.stated()
    run, effective = prepared.run, prepared.effective
    server = measurement.server
    # Samples mixed from several API server processes describe none of them.
    mixed = server is not None and server.mixed is not None
    return RunView(
        samples=() if mixed else measurement.samples,
        limits=values_in_force(
            run.configuration.controls, effective.arguments, started_by_us=prepared.server.command is not None
        ),
        changes=changes,
        figures=computed.summary.to_json(),
        records=measurement.records,
        kv_cache_tokens=effective.kv_cache_tokens,
        concurrency=run.concurrency,
        objectives=_latencies(stated),
        class_objectives={
            name: _latencies(limits.stated()) for name, limits in experiment.objectives.classes.items()
        },
        length_s=computed.frame.length_s,
        time_scale=computed.frame.time_scale,
        name=run.name,
        vllm_version=effective.version,
        server_lost=computed.inputs.conditions.server_lost is not None,
        machine=machine,
        step_waits=steps.waits if steps else (),
        step_tokens_max=steps.tokens_max if steps else None,
    )


def _latencies(stated: Mapping[str, float]) -> dict[str, float]:
    return {name: stated[name] for name in _LATENCIES if name in stated}


def diagnose_and_replay(view: RunView, steps: RunSteps | None, records: Sequence[RequestRecord]) -> Diagnosis:
    """Return the diagnosis; its next change is tried by replaying the run's steps, if they were recorded."""
    found = diagnose(view)
    if steps is None:
        return found
    # It loads scipy, which a run without a record doesn't need.
    from workbench.experiments.findings.replayed_change import with_replayed_change  # noqa: PLC0415

    return with_replayed_change(found, view, steps, records)


def diagnosis_event(
    view: RunView,
    impossible: Sequence[Message] = (),
    against_baseline: Sequence[Message] = (),
    found: Diagnosis | None = None,
) -> RunDiagnosed:
    """Return the diagnosis as an event; impossible figures come before their consequences.

    `found` is the diagnosis, if it is known already.
    """
    found = found or diagnose(view)
    notes, change = [*impossible, *found.notes()], found.change
    return RunDiagnosed(
        run=view.name,
        headline=str(found.headline),
        strip=as_texts(found.timeline),
        shares=found.shares,
        next_change=None if change is None else str(change.text),
        sentences=list(map(str, notes)),
        change=None if change is None else as_texts(change),
        against_baseline=list(map(str, against_baseline)),
        impossible=list(map(str, impossible)),
        findings=as_texts(found.findings),
        reaches=as_texts(found.headrooms),
        classes=as_texts(found.classes),
        unseen=as_texts(found.unseen),
        messages=DiagnosisMessages(
            headline=found.headline,
            notes=notes,
            change=None if change is None else change.text,
            watch=None if change is None else change.watch,
            cost=None if change is None else change.cost,
            against_baseline=list(against_baseline),
        ),
    )


def against_baseline(bench: BenchFile, run_id: int) -> list[Message]:
    """Compare a variant's run with the latest run of the baseline under the same load.

    Returns messages; empty for a baseline, or without such a run. It compares single runs; verdicts compare
    repeats.
    """
    run = bench.run(run_id)
    if run.control is None or run.status != "done" or run.summary is None:
        return []
    alike = [
        other
        for other in bench.runs()
        if other.control is None
        and other.status == "done"
        and other.summary is not None
        and (other.rate, other.concurrency) == (run.rate, run.concurrency)
    ]
    return compare(view_of_stored_run(bench, alike[-1]), view_of_stored_run(bench, run)) if alike else []


def view_of_stored_run(bench: BenchFile, run: RunEntry) -> RunView:
    """Return a stored run for a diagnosis, without recorded steps."""
    effective = {name: value for name, value in (run.effective or {}).items() if value is not None}
    kv_tokens: Any = effective.get("kv_cache_tokens")
    return RunView(
        samples=bench.samples(run.id),
        limits=values_in_force(run.config, effective, started_by_us=run.command is not None),
        changes=bench.limit_changes(run.id),
        figures=run.summary or {},
        records=bench.request_columns(run.id),
        kv_cache_tokens=kv_tokens if isinstance(kv_tokens, int) else None,
        concurrency=run.concurrency,
        length_s=run.frame.length_s if run.frame is not None else None,
        time_scale=run.time_scale,
        name=run.name,
        vllm_version=effective.get("version"),
    )
