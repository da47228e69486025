"""Runs as one arm of a comparison that is not between a variant and its baseline."""

from collections.abc import Sequence

from workbench.results.bench.entries import RunEntry
from workbench.results.bench.queries import BenchQueries
from workbench.results.figures.frame import RunFrame
from workbench.results.statistics.difference import RESTART_SHARE, Arm, Difference, difference
from workbench.results.statistics.series import FIGURES, RESTART_SHARES, observed


def arm_of(bench: BenchQueries, runs: Sequence[RunEntry], figure: str, *, cls: str | None = None) -> Arm:
    """The repeats `runs` with their values of `figure`, a key of `FIGURES`."""
    found = []
    for run in runs:
        frame = run.frame or RunFrame(length_s=0.0, time_scale=run.time_scale)
        found.append(observed(bench.request_columns(run.id), figure, frame, cls=cls))
    return Arm(found, [run.schedule_sha256 or "" for run in runs])


def difference_in(figure: str, before: Arm, after: Arm) -> Difference | None:
    """`difference` with the quantile of the figure and what a restart is assumed to move it by."""
    share = RESTART_SHARES.get(figure, RESTART_SHARE)
    return difference(before, after, FIGURES[figure], restart_share=share)
