"""The control whose limit cost the requests of a run most: by the ledger, else by the diagnosis."""

import contextlib
from collections.abc import Sequence
from pathlib import Path

from workbench.advice import diagnose
from workbench.base import InputError
from workbench.experiments.findings.diagnose_run import view_of_stored_run
from workbench.experiments.findings.explain_run import explain_run
from workbench.experiments.plan.control_choice import ControlChoice, blamed_controls
from workbench.results import BenchFile, RunEntry


def advised_controls(path: Path, run_name: str, allowed: Sequence[str]) -> list[ControlChoice]:
    """Return the controls worth a search, the best one first; empty if nothing is known.

    Args:
        path: a bench file.
        run_name: a finished run; without a record of its steps the diagnosis answers.
        allowed: controls that may change.
    """
    with BenchFile.open(path) as bench:
        run = bench.counted_runs()[run_name]
        with contextlib.suppress(InputError):
            return blamed_controls(explain_run(bench, run, culprits_of=()).totals, allowed)
        return _diagnosed_control(bench, run, allowed)


def _diagnosed_control(bench: BenchFile, run: RunEntry, allowed: Sequence[str]) -> list[ControlChoice]:
    """Return the control of the diagnosis' next change, if it may change."""
    found = diagnose(view_of_stored_run(bench, run))
    control = found.change.control if found.change is not None else None
    if control is None or control not in allowed:
        return []
    bottleneck = next(iter(found.shares), None)
    return [ControlChoice(control=control, source="diagnosis", cause=bottleneck)]
