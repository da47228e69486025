"""Experiments that answer the guide's open questions, planned from a bench file.

Burst and soak use the recommended configuration, or else the baseline, at the normal rate. All other settings
stay, so that their results are comparable with the file's rows.
"""

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from workbench.advice import ChecklistAnswer, checklist, normal_rate
from workbench.base import Place, Record, Refusal
from workbench.controls import Value
from workbench.experiments.findings.soak import growth_of
from workbench.experiments.spec.experiment import Experiment
from workbench.experiments.spec.experiment_text import to_toml
from workbench.experiments.spec.read_experiments import BASE, found_prompts, found_trace
from workbench.experiments.spec.tables import Burst, LoadShape
from workbench.experiments.spec.validate import check_experiment
from workbench.results import UNJUDGED, BenchFile, RunEntry, choose, scorecard_rows

_BURST = Burst(factor=3.0, seconds=30.0, at=60.0)
_BURST_RUN_S = 180.0
_SOAK_S = 600.0
_REQUESTS = 400
"""Enough requests for a p99 and for TTFT's drift."""


class NextExperiment(Record, frozen=True, kw_only=True):
    """One question of the guide, with its answer or the experiment that would answer it."""

    answer: ChecklistAnswer
    name: str
    """One word for the question: the stem of the experiment's file."""
    toml: str | None
    """The experiment as TOML; None if the question is answered or no experiment can answer it."""


def next_experiments(path: Path) -> list[NextExperiment]:
    """Return the guide's five questions, each open one with its experiment.

    Raises:
        Refusal: the bench file is unreadable or holds no experiment.
    """
    with BenchFile.open(path) as bench:
        entries, base = [each for each in bench.experiments() if each.toml], bench.meta().get(BASE)
        if not entries:
            raise Refusal("experiments.none_to_continue", Place(file=str(path)))
        chosen = choose(bench).recommended
        rows = {str(row.cells["run"]): row.run_ids for row in scorecard_rows(bench)}
        runs = {run.id: run for run in bench.runs()}
        cells = [
            row.cells | {"grows": _growth(bench, [runs[key] for key in row.run_ids])}
            for row in scorecard_rows(bench)
            if row.cells["status"] not in UNJUDGED
        ]
        first = Experiment.from_toml(entries[0].toml, where=str(path))
    places = [*([Path(base)] if base else []), path.parent]
    original = msgspec.structs.replace(
        first, trace=found_trace(first.trace, places), quality=found_prompts(first.quality, places)
    )
    best = original.baseline if chosen is None else runs[rows[chosen.run][0]].config
    answers = checklist(cells, chosen=None if chosen is None else chosen.run)
    rate, simulated = normal_rate(cells), bool(cells and cells[0]["simulated"])
    return [
        NextExperiment(
            answer=answer,
            name=name,
            toml=_reproduction(answer, path, simulated=simulated)
            if name == "reproduce"
            else _planned(answer, name, original, dict(best), rate),
        )
        for name, answer in zip(_QUESTIONS, answers, strict=True)
    ]


def _growth(bench: BenchFile, runs: Sequence[RunEntry]) -> list[str]:
    """Return the figures that grew over the runs that were long enough, each once."""
    long_ones = [run for run in runs if (run.figures.duration_s or 0.0) >= _SOAK_S]
    grown = [str(each) for run in long_ones for each in growth_of(run, bench.samples(run.id))]
    return list(dict.fromkeys(grown))


def _reproduction(answer: ChecklistAnswer, path: Path, *, simulated: bool) -> str | None:
    """Return an experiment that repeats the plan; None for simulated runs, whose GPU target is unknown."""
    if not answer.missing or simulated:
        return None
    return f'kind = "reproduce"\nbench = {msgspec.json.encode(str(path.resolve())).decode()}\n'


def _planned(
    answer: ChecklistAnswer, name: str, original: Experiment, best: dict[str, Value], rate: float | None
) -> str | None:
    make = _QUESTIONS[name]
    if not answer.missing or make is None or rate is None:
        return None
    experiment = msgspec.structs.replace(
        make(original, best, rate),
        second=None,
        switchback=None,
        search=None,
        reproduces=None,
        name=f"{original.name}: {name}",
    )
    check_experiment(experiment, name)
    return to_toml(experiment)


def _load(original: Experiment, rate: float, *, requests: int | None, duration_s: float | None) -> LoadShape:
    load = original.load
    arrivals = "poisson" if load.arrivals in (None, "trace") and duration_s is not None else load.arrivals
    return msgspec.structs.replace(
        load, rates=[rate], ladder=None, concurrency=None, requests=requests, duration_s=duration_s,
        arrivals=arrivals,
    )  # fmt: skip


def _targets(original: Experiment, best: dict[str, Value], rate: float) -> Experiment:
    if not original.tested.values:
        # One configuration without a control under test: run it long enough for all requests.
        load = _load(original, rate, requests=None, duration_s=float(math.ceil(_REQUESTS / rate)))
        return _alone(msgspec.structs.replace(original, kind="soak", load=load, burst=None), best)
    load = _load(original, rate, requests=_REQUESTS, duration_s=None)
    return msgspec.structs.replace(original, kind="ladder", load=load, burst=None)


def _burst(original: Experiment, best: dict[str, Value], rate: float) -> Experiment:
    load = _load(original, rate, requests=None, duration_s=_BURST_RUN_S)
    return _alone(msgspec.structs.replace(original, kind="burst", load=load, burst=_BURST), best)


def _soak(original: Experiment, best: dict[str, Value], rate: float) -> Experiment:
    load = _load(original, rate, requests=None, duration_s=_SOAK_S)
    return _alone(msgspec.structs.replace(original, kind="soak", load=load, burst=None), best)


def _alone(experiment: Experiment, best: dict[str, Value]) -> Experiment:
    """Return the experiment with one configuration, run once, and no values under test."""
    control = experiment.control and msgspec.structs.replace(experiment.control, values=[])
    repeat = msgspec.structs.replace(experiment.repeat, n=1)
    return msgspec.structs.replace(experiment, baseline=best, control=control, repeat=repeat)


_QUESTIONS: dict[str, Callable[[Experiment, dict[str, Value], float], Experiment] | None] = {
    "targets": _targets,
    "burst": _burst,
    "soak": _soak,
    "reproduce": None,
    "cost": None,
}
"""Makers of the experiments, in the checklist's order; None: `_reproduction`, or the user's own offers."""
