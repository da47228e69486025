"""Resuming of a plan: the finished runs of its bench file, and the check that the file belongs to it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from workbench.base import MASK, Place, Refusal
from workbench.experiments.plan.plan import Run, differences
from workbench.experiments.run.machine_monitor import machine_facts
from workbench.experiments.spec.experiment import Experiment
from workbench.results import BenchFile, ExperimentEntry, RunEntry, RunInputs, frame_of, recompute

Resume = Literal["no", "unfinished", "invalid"]
"""Start again; or resume with the unfinished runs, or with the invalid ones too."""
SCHEDULE_FORM_FACT = "schedule_form"
"""Fact of an experiment: the form of its due times; files of older builds lack it and have form 1."""
_HASH_SHOWN = 12
_KEPT = ("done", "skipped")
"""Runs with these states are kept; stopped, failed and interrupted ones run again."""


def own_experiments(bench: BenchFile) -> list[ExperimentEntry]:
    """Return the experiments of our own plans, without imported results of other tools."""
    return [entry for entry in bench.experiments() if entry.toml]


def stored_experiment(entry: ExperimentEntry, where: str) -> Experiment:
    """Return the experiment with the form of due times that it was started with.

    Raises:
        Refusal: the stored text is unreadable.
    """
    experiment = Experiment.from_toml(entry.toml, where=where)
    return with_schedule_form(experiment, entry.facts.get(SCHEDULE_FORM_FACT, 1))


def with_schedule_form(experiment: Experiment, form: Any) -> Experiment:
    """Return the experiment with this form of due times, unless it has one already."""
    load = experiment.load
    if load.schedule_form is not None:
        return experiment
    return msgspec.structs.replace(experiment, load=msgspec.structs.replace(load, schedule_form=form))


def in_stored_form(bench: Path, experiments: Sequence[Experiment]) -> list[Experiment]:
    """Return the experiments with the form of due times that the bench file has.

    Raises:
        Refusal: the bench file is unreadable.
    """
    with BenchFile.open(bench) as file:
        forms = [entry.facts.get(SCHEDULE_FORM_FACT, 1) for entry in own_experiments(file)]
    return [with_schedule_form(each, forms[0]) for each in experiments] if forms else list(experiments)


def check_resumable(bench: BenchFile, experiments: Sequence[Experiment], trace_sha256: str) -> None:
    """Check that the bench file was started with these experiments and this trace.

    Raises:
        Refusal: names the differences.
    """
    stored = own_experiments(bench)
    names = [entry.name for entry in stored]
    asked = [experiment.name for experiment in experiments]
    if names != asked:
        place = Place(file=str(bench.path))
        raise Refusal("experiments.resume_other_files", place, stored=names, asked=asked)
    for entry, experiment in zip(stored, experiments, strict=True):
        begun_with = stored_experiment(entry, f"{bench.path}: {entry.name}")
        differing = _differences(begun_with, experiment)
        if differing:
            place = Place(file=str(bench.path))
            raise Refusal(
                "experiments.resume_other_settings", place, name=experiment.name, differing=differing
            )
        begun = entry.facts.get("trace_sha256")
        if begun != trace_sha256:
            raise Refusal(
                "experiments.resume_other_trace",
                Place(file=str(bench.path)),
                name=experiment.name,
                then=str(begun)[:_HASH_SHOWN],
                now=trace_sha256[:_HASH_SHOWN],
            )


def _differences(stored: Experiment, given: Experiment) -> list[str]:
    """Return the paths of the settings that differ.

    A masked value counts as equal, and so does a moved file with the same name. The trace's hash is compared
    elsewhere.
    """
    before, after = msgspec.to_builtins(stored), msgspec.to_builtins(given)
    for table, key in (("trace", "file"), ("quality", "prompts")):
        was, now = (side.get(table) or {} for side in (before, after))
        if was.get(key) and now.get(key) and Path(was[key]).name == Path(now[key]).name:
            now[key] = was[key]
    return differences(before, _masked_alike(before, after))


def _masked_alike(stored: Any, given: Any) -> Any:
    """Return the given content with the stored masked values."""
    if isinstance(stored, dict) and isinstance(given, dict):
        return {key: _masked_alike(stored.get(key), value) for key, value in given.items()}
    if isinstance(stored, list) and isinstance(given, list) and len(stored) == len(given):
        return [_masked_alike(one, other) for one, other in zip(stored, given, strict=True)]
    return stored if isinstance(stored, str) and MASK in stored else given


def run_key(run: Run | RunEntry) -> bytes:
    """Return the identity of a run: configuration, rate, repeat."""
    controls = run.config if isinstance(run, RunEntry) else run.configuration.controls
    return msgspec.json.encode([sorted(controls.items()), run.rate, run.concurrency, run.repeat])


def finished_runs(bench: BenchFile) -> dict[bytes, RunEntry]:
    """Return the runs that ended or were skipped, by `run_key`."""
    return {run_key(run): run for run in bench.runs() if run.status in _KEPT}


def is_invalid(run: RunEntry) -> bool:
    """Return True for a run that ended and is invalid."""
    return run.status == "done" and run.figures.valid is False


def finish_broken_runs(bench: BenchFile) -> list[str]:
    """End the runs that an interrupted process left, as partial with their figures; return their names."""
    broken = [run for run in bench.runs() if run.status == "running"]
    for run in broken:
        summary = recompute(bench, run.id) if bench.request_count(run.id) else None
        facts = machine_facts(bench.machine_samples(run.id), float("inf"))
        # The figures depend on the frame, which now holds the time of the interruption.
        frame = run.frame and frame_of(bench, run)
        bench.update_run(run.id, facts={**run.facts, **facts}, frame=frame)
        bench.finish_run(run.id, "partial", summary, inputs=run.inputs or RunInputs())
    return [run.name for run in broken]
