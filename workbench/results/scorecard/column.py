"""A scorecard column: name, unit, definition, source, and how a cell comes from the repeats."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.controls import values_in_force
from workbench.results.bench.entries import IMPORTED, ExperimentEntry, RunEntry
from workbench.results.bench.stored_figures import StoredFigures
from workbench.results.percentiles import spread


@dataclass(frozen=True, slots=True)
class RunFacts:
    """One run's data for the cells of its row."""

    run: RunEntry
    experiment: ExperimentEntry
    baseline: RunEntry | None
    """A run of the baseline in the same file."""
    meta: Mapping[str, str]
    bench_name: str
    figures: StoredFigures
    """The run's figures; all unknown without a summary."""
    by_due: bool = True
    """Costs use requests due in the window, for all rows of the file or for none."""

    def fact(self, name: str) -> Any:
        """Return the stored value of a column, of the run, else of the experiment; None: not stored."""
        found = self.run.facts.get(name)
        return self.experiment.facts.get(name) if found is None else found

    def effective(self, name: str) -> Any:
        """Return the server's effective value, else the one asked of a server that we started."""
        ours = self.run.command is not None or self.run.status == IMPORTED
        return values_in_force(self.run.config, self.run.effective or {}, started_by_us=ours).get(name)


CellReader = Callable[[RunFacts], Any]
Combine = Callable[[Sequence[Any]], Any]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the scorecard."""

    name: str
    unit: str
    """Empty for text and plain counts."""
    definition: str
    source: str
    read: CellReader
    combine: Combine

    def cell(self, runs: Sequence[RunFacts]) -> Any:
        """Return the cell of a row of these repeats; None: unknown."""
        return self.combine([self.read(run) for run in runs]) if runs else None


def figure(read: Callable[[StoredFigures], Any]) -> CellReader:
    """Return a reader of a figure of the run."""
    return lambda run: read(run.figures)


def fact(name: str) -> CellReader:
    """Return a reader of the value that the conductor stored under the column's name."""
    return lambda run: run.fact(name)


def effective(name: str) -> CellReader:
    """Return a reader of the fact of that name, else of the server's value, else of the one asked."""
    return lambda run: run.effective(name) if run.fact(name) is None else run.fact(name)


def mean(values: Sequence[Any]) -> float | None:
    """Return the mean over repeats; unknown if one is."""
    found: float | None = _over_known(values, lambda known: float(np.mean(known)))
    return found


def total(values: Sequence[Any]) -> float | None:
    """Return the sum over repeats; unknown if one is."""
    found: float | None = _over_known(values, lambda known: float(np.sum(known)))
    return found


def largest(values: Sequence[Any]) -> Any:
    """Return the maximum over repeats; unknown if one is."""
    return _over_known(values, max)


def smallest(values: Sequence[Any]) -> Any:
    """Return the minimum over repeats; unknown if one is."""
    return _over_known(values, min)


def shared(values: Sequence[Any]) -> Any:
    """Return the value that all repeats share; else the different ones as text."""
    distinct: list[Any] = []
    for value in values:
        if value is not None and value not in distinct:
            distinct.append(value)
    if len(distinct) <= 1:
        return distinct[0] if distinct else None
    return " | ".join(as_text(value) for value in distinct)


def shared_text(values: Sequence[Any]) -> Any:
    """Return as `shared`, but texts that differ only in their figures count as one: the first is shown."""
    first = {re.sub(r"[\d.,]+", "#", str(value)): value for value in reversed(values) if value is not None}
    return shared(list(reversed(first.values())))


def all_true(values: Sequence[Any]) -> bool | None:
    """Return whether it holds for all repeats; unknown if one is."""
    return None if any(value is None for value in values) else all(values)


def any_true(values: Sequence[Any]) -> bool | None:
    """Return whether it holds for at least one repeat; unknown if none is known to and one is unknown."""
    if any(value is True for value in values):
        return True
    return None if any(value is None for value in values) else False


def interval_end(side: int) -> Combine:
    """Return one end (-1 lower, 1 upper) of the 95 % interval of the mean over repeats, by Student's t."""

    def combine(values: Sequence[Any]) -> float | None:
        known = [float(value) for value in values if value is not None]
        if len(known) < 2 or len(known) < len(values):
            return None
        from scipy import stats  # noqa: PLC0415  # slow to import, and the window lists rows without it

        margin = stats.t.ppf(0.975, len(known) - 1) * np.std(known, ddof=1) / np.sqrt(len(known))
        return float(np.mean(known) + side * margin)

    return combine


def variation(values: Sequence[Any]) -> float | None:
    """Return the coefficient of variation over repeats; None below two."""
    known = [float(value) for value in values if value is not None]
    return spread(known) if len(known) == len(values) else None


def row_name(run: RunEntry) -> str:
    """Return the run's name without the number of its repeat; an imported run keeps its whole name."""
    return run.name if run.status == IMPORTED else re.sub(r" #\d+$", "", run.name)


def row_status(run: RunEntry) -> str:
    """Return valid or invalid for a run that ended as planned, else its status."""
    if run.status != "done" or run.summary is None:
        return run.status
    return "valid" if run.figures.valid else "invalid"


def as_text(value: Any) -> str:
    """Return a value of any kind as text."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _over_known(values: Sequence[Any], combine: Callable[[Sequence[Any]], Any]) -> Any:
    if not values or any(value is None for value in values):
        return None
    result = combine(values)
    whole = (
        isinstance(result, float)
        and result.is_integer()
        and all(float(value).is_integer() for value in values)
    )
    return int(result) if whole else result
