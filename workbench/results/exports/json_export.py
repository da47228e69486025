"""The scorecard as JSON: columns and their definitions, rows, runs with all figures, verdicts, choice."""

from pathlib import Path
from typing import Any

import msgspec

from workbench.base import write_atomic
from workbench.results.bench.entries import ExperimentEntry, RunEntry
from workbench.results.bench.mask_stored import mask_stored
from workbench.results.bench.queries import BenchQueries
from workbench.results.exports.csv_export import cell
from workbench.results.scorecard.scorecard_rows import COLUMNS, scorecard_rows
from workbench.results.statistics.comparison import compare
from workbench.results.statistics.ranking import choose


def write_json(bench: BenchQueries, path: Path) -> None:
    """Write everything but the raw rows; an earlier file is replaced only by a complete one.

    Raises:
        Refusal: the folder does not exist or can't be written to.
    """
    write_atomic(path, json_text(bench))


def json_text(bench: BenchQueries) -> str:
    """Return the scorecard as indented JSON text."""
    return msgspec.json.format(msgspec.json.encode(scorecard_json(bench)), indent=1).decode() + "\n"


def scorecard_json(bench: BenchQueries) -> dict[str, Any]:
    """Return the content: plain dicts, lists, numbers, text; null is unknown."""
    return {
        "vllm_workbench_scorecard": 1,
        "bench": bench.path.name,
        # The folder of its files is private.
        "meta": {key: value for key, value in bench.meta().items() if key != "base"},
        "columns": [
            {"name": each.name, "unit": each.unit, "definition": each.definition, "source": each.source}
            for each in COLUMNS
        ],
        "rows": [
            {"run_ids": row.run_ids, "cells": {name: cell(value) for name, value in row.cells.items()}}
            for row in scorecard_rows(bench)
        ],
        "experiments": [_masked(entry) for entry in bench.experiments()],
        "runs": [_masked(run) for run in bench.runs()],
        "verdicts": [verdict.to_json() for verdict in compare(bench)],
        "choice": choose(bench).to_json(),
    }


def _masked(entry: ExperimentEntry | RunEntry) -> dict[str, Any]:
    """Return an entry as plain data, masked: an earlier build may have stored a secret."""
    return {name: mask_stored(name, value) for name, value in msgspec.to_builtins(entry).items()}
