"""Results of a session on a cluster: one table of all bench files, and the effect of the node."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from workbench.base import Message, message, write_atomic
from workbench.experiments.findings.repeat_groups import FIGURE_NAMES
from workbench.experiments.plan.resume import own_experiments, stored_experiment
from workbench.experiments.session.chain import Session, add_first, attach
from workbench.experiments.session.session_file import SESSION_SUFFIX, write_session
from workbench.experiments.spec.experiment import Experiment
from workbench.results import COLUMNS, BenchFile, scorecard_rows, table_csv

_FIGURES = ("ttft_p95_ms", "itl_p95_ms", "e2e_p95_ms")


def session_rows(benches: Sequence[Path]) -> list[dict[str, Any]]:
    """Return the scorecard's rows of all bench files, in their order.

    Raises:
        WorkbenchError: a bench file is unreadable.
    """
    rows = []
    for path in benches:
        with BenchFile.open(path) as bench:
            rows += [row.cells for row in scorecard_rows(bench)]
    return rows


def write_session_files(folder: Path, experiments: Mapping[str, Experiment], benches: Sequence[Path]) -> Path:
    """Write `scorecard.csv` of all rows and a session file for the window; return the CSV's path."""
    csv = folder / "scorecard.csv"
    write_atomic(csv, table_csv([column.name for column in COLUMNS], session_rows(benches)))
    session = Session(name=folder.name)
    for path in benches:
        session = add_first(session, experiments[path.stem])
        session = attach(session, session.steps[-1].id, str(path.resolve()))
    write_session(session, folder / f"{folder.name}{SESSION_SUFFIX}")
    return csv


def node_effects(benches: Sequence[Path]) -> list[Message]:
    """Return how far baselines of equal experiments differ between nodes; empty if they ran on one node."""
    groups: dict[bytes, list[dict[str, Any]]] = {}
    for path in benches:
        with BenchFile.open(path) as bench:
            entries = own_experiments(bench)
            settings = stored_experiment(entries[0], str(path)).shared_settings() if entries else {}
            key = msgspec.json.encode(settings, order="sorted")
            baselines = [row.cells for row in scorecard_rows(bench) if not row.cells.get("control")]
            groups.setdefault(key, []).extend(baselines)
    return [found for rows in groups.values() for found in effects_of(rows)]


def effects_of(rows: Sequence[dict[str, Any]]) -> list[Message]:
    """Return the effects of the node on the scorecard rows of equal baselines."""
    if len({row["node"] for row in rows}) < 2:
        return []
    found = []
    for run in dict.fromkeys(str(row["run"]) for row in rows):
        own = [row for row in rows if row["run"] == run]
        found += [each for figure in _FIGURES if (each := _effect(run, figure, own)) is not None] or [
            message("experiments.cluster_node_unknown", run=run)
        ]
    return found


def _effect(run: str, figure: str, rows: Sequence[dict[str, Any]]) -> Message | None:
    by_node: dict[str, list[float]] = {}
    for row in rows:
        if row["valid"] is not False and row[figure] is not None:
            by_node.setdefault(str(row["node"]), []).append(float(row[figure]))
    means = {node: sum(values) / len(values) for node, values in by_node.items()}
    if len(means) < 2 or not min(means.values()):
        return None
    return message(
        "experiments.cluster_node_effect",
        run=run,
        figure=FIGURE_NAMES[figure],
        found=[
            message("experiments.cluster_node_figure", node=node, value=value)
            for node, value in sorted(means.items())
        ],
        percent=100 * (max(means.values()) / min(means.values()) - 1),
    )
