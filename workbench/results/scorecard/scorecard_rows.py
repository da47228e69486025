"""The scorecard of a bench file: one row for each configuration and rate, over all repeats."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from workbench.results.bench.entries import IMPORTED, UNJUDGED, RunEntry
from workbench.results.bench.queries import BenchQueries
from workbench.results.scorecard.accepted_rate import forces_ended_basis
from workbench.results.scorecard.column import Column, RunFacts
from workbench.results.scorecard.cost_columns import COST_COLUMNS, ENERGY_COLUMNS
from workbench.results.scorecard.first_columns import FIRST_COLUMNS
from workbench.results.scorecard.identity_columns import (
    IDENTITY_COLUMNS,
    MACHINE_COLUMNS,
    SOFTWARE_COLUMNS,
    WORKLOAD_COLUMNS,
)
from workbench.results.scorecard.prediction_columns import PREDICTION_COLUMNS
from workbench.results.scorecard.result_columns import (
    REPEAT_COLUMNS,
    RESULT_COLUMNS,
    SLO_COLUMNS,
    VALIDITY_COLUMNS,
)

COLUMNS: tuple[Column, ...] = (
    *FIRST_COLUMNS,
    *RESULT_COLUMNS,
    *VALIDITY_COLUMNS,
    *MACHINE_COLUMNS,
    *REPEAT_COLUMNS,
    *SLO_COLUMNS,
    *IDENTITY_COLUMNS,
    *SOFTWARE_COLUMNS,
    *WORKLOAD_COLUMNS,
    *ENERGY_COLUMNS,
    *COST_COLUMNS,
    *PREDICTION_COLUMNS,
)
"""All columns in the order of the CSV."""


@dataclass(frozen=True, slots=True)
class ScorecardRow:
    """One row: its cells by column name, and its runs."""

    cells: dict[str, Any]
    run_ids: tuple[int, ...]


def scorecard_rows(bench: BenchQueries) -> list[ScorecardRow]:
    """Return the rows, baseline first, then by control, value and rate. Reads no requests.

    A row is made of the repeats that ended as planned; without any, of the stopped ones.
    """
    rows = bench.cached_while_unchanged("scorecard", lambda: _rows(bench))
    return [ScorecardRow(dict(row.cells), row.run_ids) for row in rows]


def _rows(bench: BenchQueries) -> list[ScorecardRow]:
    experiments = {entry.id: entry for entry in bench.experiments()}
    runs, meta = bench.runs(), bench.meta()
    baseline = next((run for run in runs if run.control is None), None)
    groups = [
        [
            RunFacts(run, experiments[run.experiment_id], baseline, meta, bench.path.name, run.figures)
            for run in group
        ]
        for group in _groups(runs)
    ]
    return [_row(group) for group in _on_one_basis(groups)]


def _on_one_basis(groups: Sequence[Sequence[RunFacts]]) -> list[list[RunFacts]]:
    """Return the groups with costs by due requests if their rates are known of all compared rows."""
    counted = [facts for group in groups for facts in _counted(group)]
    by_due = not any(forces_ended_basis(facts) for facts in counted if facts.run.status not in UNJUDGED)
    return [[replace(facts, by_due=by_due) for facts in group] for group in groups]


def _row(group: Sequence[RunFacts]) -> ScorecardRow:
    counted = _counted(group)
    cells = {column.name: column.cell(counted or group) for column in COLUMNS}
    return ScorecardRow(cells | {"n": len(counted)}, tuple(facts.run.id for facts in group))


def _counted(group: Sequence[RunFacts]) -> list[RunFacts]:
    with_figures = [facts for facts in group if facts.run.summary is not None]
    return [facts for facts in with_figures if facts.run.status == "done"] or with_figures


def _groups(runs: Sequence[RunEntry]) -> list[list[RunEntry]]:
    """Group the repeats: equal in configuration, rate and all that must be constant."""
    groups: dict[tuple[bytes, bytes], list[RunEntry]] = {}
    for run in runs:
        groups.setdefault((_asked(run), _constants(run)), []).append(run)
    for asked, constants in list(groups):
        # A run that never began has no constants; it joins its repeats if there are any.
        siblings = [key for key in groups if key[0] == asked and key[1] != b"null"]
        if constants == b"null" and siblings:
            groups[siblings[0]] += groups.pop((asked, constants))
    controls = list(dict.fromkeys(run.control for run in runs if run.control is not None))
    return sorted(groups.values(), key=lambda group: _place(group[0], controls))


def _asked(run: RunEntry) -> bytes:
    if run.status == IMPORTED:
        # Two results of another tool stay apart: their systems may differ.
        return msgspec.json.encode(run.id)
    return msgspec.json.encode([sorted(run.config.items()), run.rate, run.concurrency])


def _constants(run: RunEntry) -> bytes:
    if run.trace_sha256 is None:
        return b"null"
    server = run.effective or {}
    return msgspec.json.encode(
        [
            run.trace_sha256,
            run.simulated,
            run.profile,
            run.time_scale,
            server.get("version"),
            server.get("model"),
        ]
    )


def _place(run: RunEntry, controls: Sequence[str]) -> tuple[int, float, str, float, int]:
    """Return the sort key: baseline first, controls in their first order, values and rates ascending."""
    control = controls.index(run.control) + 1 if run.control in controls else 0
    value = run.value
    size = float(value) if isinstance(value, int | float) else 0.0
    return control, size, "" if size else str(value), run.rate or float(run.concurrency or 0), run.id
