"""A finished run looked at by `advice`: which limit bound when, and what to change next."""

from collections.abc import Mapping, Sequence

import msgspec

from workbench.advice import Diagnosis, RunView, diagnose
from workbench.controls import values_in_force
from workbench.experiments.run.events import RunDiagnosed
from workbench.experiments.run.measurement import Measurement
from workbench.experiments.run.prepared_run import PreparedRun
from workbench.experiments.run.run_figures import RunFigures
from workbench.experiments.run.step_records import RunSteps
from workbench.experiments.spec.experiment import Experiment
from workbench.results import LimitChange, MachineSample

_LATENCIES = ("ttft_p95_ms", "itl_p95_ms", "e2e_p95_ms", "queue_p95_ms")


def view_of(
    experiment: Experiment,
    held: PreparedRun,
    measurement: Measurement,
    figured: RunFigures,
    steps: RunSteps | None = None,
    machine: Sequence[MachineSample] = (),
    changes: Sequence[LimitChange] = (),
) -> RunView:
    """The run as a diagnosis sees it, with the limits that were in force.

    `changes` were made to limits of the running server since the run began, by whomever.
    """
    stated = experiment.objectives.stated()
    run, effective = held.run, held.effective
    server = measurement.server
    # Scrapes of several processes show no server.
    mixed = server is not None and server.mixed is not None
    return RunView(
        samples=() if mixed else measurement.samples,
        limits=values_in_force(
            run.configuration.controls, effective.arguments, started_by_us=held.server.command is not None
        ),
        changes=changes,
        figures=figured.summary.to_json(),
        records=measurement.records,
        kv_cache_tokens=effective.kv_cache_tokens,
        concurrency=run.concurrency,
        objectives=_latencies(stated),
        class_objectives={
            name: _latencies(limits.stated()) for name, limits in experiment.objectives.classes.items()
        },
        length_s=figured.frame.length_s,
        time_scale=figured.frame.time_scale,
        name=run.name,
        vllm_version=effective.version,
        server_lost=figured.inputs.conditions.server_lost is not None,
        machine=machine,
        step_waits=steps.waits if steps else (),
        step_tokens_max=steps.tokens_max if steps else None,
    )


def _latencies(stated: Mapping[str, float]) -> dict[str, float]:
    return {name: stated[name] for name in _LATENCIES if name in stated}


def diagnosed(
    view: RunView, impossible: Sequence[str] = (), against_baseline: Sequence[str] = ()
) -> RunDiagnosed:
    """The diagnosis as an event; figures that can't be right come before what was made of them."""
    diagnosis: Diagnosis = diagnose(view)
    return RunDiagnosed(
        run=view.name,
        headline=diagnosis.headline,
        strip=[msgspec.to_builtins(segment) for segment in diagnosis.strip],
        shares=diagnosis.shares,
        next_change=diagnosis.change.text if diagnosis.change else None,
        sentences=[*impossible, *diagnosis.sentences()],
        change=msgspec.to_builtins(diagnosis.change) if diagnosis.change else None,
        against_baseline=list(against_baseline),
        impossible=list(impossible),
        findings=[msgspec.to_builtins(finding) for finding in diagnosis.findings],
        reaches=[msgspec.to_builtins(reach) for reach in diagnosis.reaches],
        classes=diagnosis.classes,
        unseen=diagnosis.unseen,
    )
