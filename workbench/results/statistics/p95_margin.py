"""Check whether a p95 within its limit could have missed it with other requests of the same kind."""

import numpy as np

from workbench.base import Message, message
from workbench.results.bench.queries import BenchQueries
from workbench.results.figures.request_columns import RequestColumns
from workbench.results.figures.run_frame import RunFrame
from workbench.results.scorecard.scorecard_rows import scorecard_rows
from workbench.results.statistics.bootstrap import RunValues, block_length, draws, replicate
from workbench.results.statistics.difference import REPLICATES
from workbench.results.statistics.figure_values import FIGURES, values_of_run
from workbench.results.statistics.objective_checks import Check
from workbench.results.statistics.ranking import Candidate, Ranking

_NEAR = 1.5
"""A limit beyond this times the figure is skipped: chance hardly changes a figure so much."""


def near_limits(bench: BenchQueries, choice: Ranking) -> list[Message]:
    """Return the objectives that the recommended row meets, and could miss with other requests of its kind.

    Draws blocks of each run's own requests again. Reads the requests of its runs.
    """
    best = choice.recommended
    if best is None:
        return []
    near = [check for check in best.checks if _is_near(check)]
    runs = _columns(bench, best) if near else []
    found = [(check, max((_highest(check, *run) for run in runs), default=0.0)) for check in near]
    return [
        message("results.near_limit", name=check.name, value=check.value, most=most, limit=check.limit)
        for check, most in found
        if most > check.limit
    ]


def _is_near(check: Check) -> bool:
    within = check.met and check.value is not None and FIGURES.get(check.objective) is not None
    return bool(within) and (check.value or 0.0) * _NEAR >= check.limit


def _columns(bench: BenchQueries, best: Candidate) -> list[tuple[RequestColumns, RunFrame]]:
    ids = next((row.run_ids for row in scorecard_rows(bench) if row.cells["run"] == best.run), ())
    runs = [run for run in map(bench.run, ids) if run.status == "done" and run.summary]
    return [
        (bench.request_columns(run.id), run.frame or RunFrame(length_s=0.0, time_scale=run.time_scale))
        for run in runs
    ]


def _highest(check: Check, columns: RequestColumns, frame: RunFrame) -> float:
    """Return the value that the run's figure stays below in 95 % of the draws; 0: nothing is stored."""
    q, run = FIGURES[check.objective], values_of_run(columns, check.objective, frame, cls=check.cls)
    return 0.0 if not run.values.size else _upper(run, q)


def _upper(run: RunValues, q: float | None) -> float:
    length = block_length([run], q)
    drawn = draws(max(1, run.requests // length), REPLICATES, np.random.default_rng(1))
    return float(np.nanquantile(replicate(run, drawn, length, q), 0.95))
