"""Findings of a reproduction: the same plan measured again, with a verdict for each figure."""

from collections.abc import Sequence
from pathlib import Path

from workbench.base import Message, Record, WorkbenchError, message
from workbench.experiments.findings.repeat_groups import (
    FIGURE_NAMES,
    RepeatGroup,
    figure_value,
    figures_for,
    repeat_groups,
    word_message,
)
from workbench.results import BenchFile, Difference, VerdictKind, arm_of, difference_in, holm, judge


class _Compared(Record, frozen=True, kw_only=True):
    run: str
    figure: str
    found: Difference
    minutes: float


def reproduction_findings(bench: BenchFile, earlier: str) -> list[Message]:
    """Return a finding for each row; one that names the problem if the earlier file can't be read."""
    try:
        with BenchFile.open(Path(earlier)) as before:
            return _findings(before, bench)
    except WorkbenchError as error:
        return [message("experiments.nothing_to_compare_with", problem=str(error))]


def _findings(before: BenchFile, after: BenchFile) -> list[Message]:
    then = {row.key: row for row in repeat_groups(before)}
    figures = figures_for([entry.objectives for entry in after.experiments()])
    found, compared = [], []
    for row in repeat_groups(after):
        old = then.get(row.key)
        if old is None:
            file = Path(before.path).name
            found.append(message("experiments.reproduction_no_run", run=row.name, file=file))
        elif old.runs[0].trace_sha256 != row.runs[0].trace_sha256:
            found.append(message("experiments.reproduction_other_trace", run=row.name))
        elif old.diverging and row.diverging:
            found.append(message("experiments.reproduction_diverges_again", run=row.name))
        elif old.diverging:
            found.append(message("experiments.reproduction_diverged_then", run=row.name))
        elif row.diverging:
            found.append(message("experiments.reproduction_diverges_now", run=row.name))
        else:
            compared += _compare(before, after, old, row, figures)
    return found + _judged(compared)


def _compare(
    before: BenchFile, after: BenchFile, old: RepeatGroup, row: RepeatGroup, figures: Sequence[str]
) -> list[_Compared]:
    length = max((run.figures.duration_s or 0.0) / run.time_scale for run in row.runs)
    found = []
    for figure in figures:
        change = difference_in(figure, arm_of(before, old.runs, figure), arm_of(after, row.runs, figure))
        if change is not None:
            found.append(_Compared(run=row.name, figure=figure, found=change, minutes=length / 60))
    return found


def _judged(compared: Sequence[_Compared]) -> list[Message]:
    adjusted = holm([each.found.p_value for each in compared])
    figures: dict[str, list[Message]] = {}
    words: dict[str, list[VerdictKind]] = {}
    assumptions: dict[str, Message | str] = {}
    for each, p_value in zip(compared, adjusted, strict=True):
        word, above, _ = judge(each.found, p_value, run_minutes=each.minutes)
        then, now = (figure_value(each.figure, level) for level in (each.found.baseline, each.found.variant))
        if word == VerdictKind.NO_DIFFERENCE and above is not None:
            judged = message("experiments.no_difference_above", value=figure_value(each.figure, above))
        else:
            judged = word_message(word)
        figure = message(
            "experiments.figure_judged", name=FIGURE_NAMES[each.figure], before=then, after=now, word=judged
        )
        figures.setdefault(each.run, []).append(figure)
        words.setdefault(each.run, []).append(word)
        assumed = each.found.assumed(each.figure)
        if assumed is not None and word != VerdictKind.CANT_TELL:
            assumptions.setdefault(each.run, assumed)
    return [
        message("experiments.reproduction", run=run, verdict=_together(words[run]), figures=own)
        if run not in assumptions
        else message(
            "experiments.reproduction_assumed",
            run=run,
            verdict=_together(words[run]),
            figures=own,
            assumed=assumptions[run],
        )
        for run, own in figures.items()
    ]


def _together(words: Sequence[VerdictKind]) -> Message:
    """Return the verdict of a row: one changed figure decides; one undecided figure leaves it open."""
    if any(word in (VerdictKind.BETTER, VerdictKind.WORSE) for word in words):
        return message("experiments.not_reproduced")
    if VerdictKind.CANT_TELL in words:
        return message("results.cant_tell")
    return message("experiments.reproduced")
