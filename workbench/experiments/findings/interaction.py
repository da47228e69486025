"""Findings of a 2 by 2: the effects of two controls add up, or the controls interact."""

import math
from collections.abc import Sequence

from workbench.base import Message, message
from workbench.experiments.findings.repeat_groups import (
    FIGURE_NAMES,
    RepeatGroup,
    figure_value,
    figures_for,
    repeat_groups,
)
from workbench.results import BenchFile, Difference, arm_of, difference_in


def interaction_findings(bench: BenchFile) -> list[Message]:
    """Return a finding for each figure and load that has a valid, stable run in all four corners."""
    figures = figures_for([entry.objectives for entry in bench.experiments()])
    found: list[Message] = []
    for corners in _squares(repeat_groups(bench)):
        if any(corner.diverging for corner in corners):
            found.append(message("experiments.interaction_diverging", run=corners[0].name))
            continue
        judged = [_finding(bench, corners, figure) for figure in figures]
        found += [finding for finding in judged if finding is not None]
    return found


def _squares(rows: Sequence[RepeatGroup]) -> list[tuple[RepeatGroup, RepeatGroup, RepeatGroup, RepeatGroup]]:
    """Return the baseline, the first control, the second control and both, for each load with all four."""
    loads: dict[tuple[float | None, int | None], list[RepeatGroup]] = {}
    for row in rows:
        loads.setdefault((row.runs[0].rate, row.runs[0].concurrency), []).append(row)
    found = []
    for own in loads.values():
        both = [row for row in own if " + " in (row.runs[0].control or "")]
        neither = [row for row in own if row.runs[0].control is None]
        alone = [row for row in own if row not in both and row not in neither]
        if len(both) == len(neither) == 1 and len(alone) == 2:
            first_name = (both[0].runs[0].control or "").partition(" + ")[0]
            alone.sort(key=lambda row: row.runs[0].control != first_name)
            found.append((neither[0], alone[0], alone[1], both[0]))
    return found


def _finding(
    bench: BenchFile, corners: tuple[RepeatGroup, RepeatGroup, RepeatGroup, RepeatGroup], figure: str
) -> Message | None:
    neither, first, second, both = (arm_of(bench, corner.runs, figure) for corner in corners)
    alone, beside = difference_in(figure, neither, first), difference_in(figure, second, both)
    if alone is None or beside is None:
        return None
    more, margin = beside.estimate - alone.estimate, _margin(alone, beside)
    name, other = corners[1].runs[0].control, corners[2].runs[0].control
    if abs(more) > margin:
        verdict = message("experiments.interaction_seen")
    else:
        verdict = message("experiments.interaction_not_seen")
    low, high = figure_value(figure, more - margin), figure_value(figure, more + margin)
    assumed = min((alone, beside), key=lambda found: found.repeats).assumed(figure)
    basis: list[Message | str] = [message("experiments.interval_95", low=low, high=high)]
    if assumed is not None:
        basis.append(assumed)
    return message(
        "experiments.interaction",
        figure=FIGURE_NAMES[figure],
        name=name,
        alone=_change(figure, alone),
        other=other,
        beside=_change(figure, beside),
        verdict=verdict,
        more=figure_value(figure, more),
        basis=basis,
    )


def _change(figure: str, found: Difference) -> str:
    return f"{figure_value(figure, found.baseline)} → {figure_value(figure, found.variant)}"


def _margin(alone: Difference, beside: Difference) -> float:
    """Return half the 95 % interval of the difference of two independent differences."""
    from scipy import stats  # noqa: PLC0415  # slow to import, and only a 2 by 2 needs it

    freedom = min(alone.freedom, beside.freedom)
    return float(stats.t.ppf(0.975, freedom)) * math.hypot(alone.error, beside.error)
