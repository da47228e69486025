"""A gate for CI: the required verdicts that a bench file does not give, and the reasons."""

from collections.abc import Callable, Sequence
from pathlib import Path

from workbench.base import Message, message
from workbench.experiments.findings.repeat_groups import word_message
from workbench.experiments.findings.summary import conclusions_of
from workbench.results import REPLACED, UNJUDGED, BenchFile, VerdictKind, choose

NAMED = 3
"""Largest number of runs or verdicts named in one reason."""


def unmet(path: Path, required: Sequence[str]) -> list[Message]:
    """Return a reason for each required verdict that the bench file does not give.

    Args:
        path: a bench file whose plan has ended.
        required: names of `VERDICTS`.

    Raises:
        InputError: no bench file, or one that can't be read.
    """
    with BenchFile.open(path) as bench:
        reasons = {name: VERDICTS[name](bench) for name in dict.fromkeys(required)}
    return [
        message("experiments.verdict_unmet", verdict=name, reason=reason)
        for name, reason in reasons.items()
        if reason is not None
    ]


def _valid(bench: BenchFile) -> Message | None:
    runs = [run for run in bench.runs() if run.status not in (REPLACED, *UNJUDGED)]
    bad = [run.name for run in runs if not run.figures.valid]
    if not runs:
        return message("experiments.no_runs")
    return message("experiments.runs_invalid", count=len(bad), runs=_first(bad)) if bad else None


def _objectives(bench: BenchFile) -> Message | None:
    choice = choose(bench)
    if choice.recommended is not None:
        return None
    against = [
        message("experiments.run_state", run=each.run, state=each.against[0])
        for each in choice.others
        if each.against
    ]
    return message("experiments.none_meets_objectives", runs=_first(against))


def _better(bench: BenchFile) -> Message | None:
    words: dict[str, list[VerdictKind]] = {}
    for each in conclusions_of(bench).verdicts:
        words.setdefault(each.variant, []).append(each.word)
    if any(VerdictKind.BETTER in seen and VerdictKind.WORSE not in seen for seen in words.values()):
        return None
    return message("experiments.none_better", count=len(words))


def _not_worse(bench: BenchFile) -> Message | None:
    verdicts = conclusions_of(bench).verdicts
    if not verdicts:
        return message("experiments.nothing_compared")
    proven = (VerdictKind.BETTER, VerdictKind.NO_DIFFERENCE)
    open_ = [
        message(
            "experiments.figure_verdict",
            variant=each.variant,
            figure=each.figure,
            word=word_message(each.word),
        )
        for each in verdicts
        if each.word not in proven
    ]
    return message("experiments.not_proven", count=len(open_), verdicts=_first(open_)) if open_ else None


def _first(named: Sequence[str | Message]) -> list[str | Message]:
    return [*named[:NAMED], *(["…"] if len(named) > NAMED else [])]


VERDICTS: dict[str, Callable[[BenchFile], Message | None]] = {
    "valid": _valid,
    "objectives": _objectives,
    "better": _better,
    "not_worse": _not_worse,
}
"""Verdicts that `run --require` takes:

- valid: every run is,
- objectives: a configuration meets all of them,
- better: a variant is better in one figure and worse in none,
- not_worse: every figure of every variant is proven better or no different.
"""
