"""Going on after a conductor was killed: what the bench file holds, and whether it belongs to these files."""

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
"""Begin anew; or go on, with what broke off, or with what came out invalid too."""
SCHEDULE_FORM_FACT = "schedule_form"
"""Of an experiment's facts: how its due times were made; files of older builds lack it, and have form 1."""
_HASH_SHOWN = 12
_KEPT = ("done", "skipped")
"""A run that the user skipped stays skipped; stopped, failed and broken ones are done again."""


def own_experiments(bench: BenchFile) -> list[ExperimentEntry]:
    """What a conductor of ours began in it; what another tool measured and was added has no plan."""
    return [entry for entry in bench.experiments() if entry.toml]


def stored_experiment(entry: ExperimentEntry, where: str) -> Experiment:
    """Return the experiment as it was begun: the times of its requests are made as they were then.

    Raises:
        InputError: what is stored can't be read.
    """
    experiment = Experiment.from_toml(entry.toml, where=where)
    return with_schedule_form(experiment, entry.facts.get(SCHEDULE_FORM_FACT, 1))


def with_schedule_form(experiment: Experiment, form: Any) -> Experiment:
    """Return the experiment with its schedules in this form, unless it names one itself."""
    load = experiment.load
    if load.schedule_form is not None:
        return experiment
    return msgspec.structs.replace(experiment, load=msgspec.structs.replace(load, schedule_form=form))


def in_stored_form(bench: Path, experiments: Sequence[Experiment]) -> list[Experiment]:
    """Return the experiments with their schedules in the form of those that the bench file already holds.

    Raises:
        InputError: no bench file that can be read.
    """
    with BenchFile.open(bench) as file:
        forms = [entry.facts.get(SCHEDULE_FORM_FACT, 1) for entry in own_experiments(file)]
    return [with_schedule_form(each, forms[0]) for each in experiments] if forms else list(experiments)


def check_resumable(bench: BenchFile, experiments: Sequence[Experiment], trace_sha256: str) -> None:
    """Whether the bench file was begun with these experiments and this trace.

    Raises:
        InputError: it wasn't; names what differs.
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


def _differences(held: Experiment, asked: Experiment) -> list[str]:
    """Return the paths of the settings that differ.

    What is masked in the bench file can't be compared and counts as equal; so does a file that was moved and
    kept its name. The trace itself is compared by its hash.
    """
    before, after = msgspec.to_builtins(held), msgspec.to_builtins(asked)
    for table, key in (("trace", "file"), ("quality", "prompts")):
        was, now = (side.get(table) or {} for side in (before, after))
        if was.get(key) and now.get(key) and Path(was[key]).name == Path(now[key]).name:
            now[key] = was[key]
    return differences(before, _masked_alike(before, after))


def _masked_alike(held: Any, asked: Any) -> Any:
    if isinstance(held, dict) and isinstance(asked, dict):
        return {key: _masked_alike(held.get(key), value) for key, value in asked.items()}
    if isinstance(held, list) and isinstance(asked, list) and len(held) == len(asked):
        return [_masked_alike(one, other) for one, other in zip(held, asked, strict=True)]
    return held if isinstance(held, str) and MASK in held else asked


def run_key(run: Run | RunEntry) -> bytes:
    """What makes two runs the same one: configuration, rate, repeat."""
    controls = run.config if isinstance(run, RunEntry) else run.configuration.controls
    return msgspec.json.encode([sorted(controls.items()), run.rate, run.concurrency, run.repeat])


def finished_runs(bench: BenchFile) -> dict[bytes, RunEntry]:
    """The runs that came to their end or were skipped, by `run_key`."""
    return {run_key(run): run for run in bench.runs() if run.status in _KEPT}


def is_invalid(run: RunEntry) -> bool:
    """Whether it came to its end and nothing can be concluded from it."""
    return run.status == "done" and run.summary is not None and run.summary.get("valid") is False


def finish_broken_runs(bench: BenchFile) -> list[str]:
    """End what a killed conductor left running, as partial, with the figures of what it had; their names."""
    broken = [run for run in bench.runs() if run.status == "running"]
    for run in broken:
        summary = recompute(bench, run.id) if bench.request_count(run.id) else None
        facts = machine_facts(bench.machine_samples(run.id), float("inf"))
        # The figures rest on the frame, which says from now on where the run was stopped.
        frame = run.frame and frame_of(bench, run)
        bench.update_run(run.id, facts={**run.facts, **facts}, frame=frame)
        bench.finish_run(run.id, "partial", summary, inputs=run.inputs or RunInputs())
    return [run.name for run in broken]
