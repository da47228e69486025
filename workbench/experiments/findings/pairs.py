"""Scorecard rows as groups of repeats that can be compared, and the figures worth comparing."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from workbench.base import Record
from workbench.results import FIGURES, BenchFile, Objectives, RunEntry, scorecard_rows

_BY_DEFAULT = ("ttft_p95_ms", "itl_p95_ms", "e2e_p95_ms")


class Repeated(Record, frozen=True, kw_only=True):
    """A row with those of its runs that ended as planned and are valid."""

    name: str
    runs: list[RunEntry]
    diverging: bool

    @property
    def key(self) -> bytes:
        """Configuration and load."""
        run = self.runs[0]
        return msgspec.json.encode([sorted(run.config.items()), run.rate, run.concurrency])


def repeated(bench: BenchFile) -> list[Repeated]:
    """All rows that have a valid run."""
    runs: Mapping[int, RunEntry] = {run.id: run for run in bench.runs()}
    found = []
    for row in scorecard_rows(bench):
        own = [runs[key] for key in row.run_ids if runs[key].status == "done" and runs[key].summary]
        valid = [run for run in own if (run.summary or {}).get("valid")]
        if valid:
            diverging = any((run.summary or {}).get("diverging") for run in valid)
            found.append(Repeated(name=str(row.cells["run"]), runs=valid, diverging=diverging))
    return found


def figures_for(objectives: Sequence[Objectives]) -> list[str]:
    """Those with an objective; where none has one, the latencies."""
    stated = {name for each in objectives for name in each.stated()}
    return [name for name in FIGURES if name in stated] or list(_BY_DEFAULT)


# Figures in sentences.

FIGURE_NAMES = {
    "ttft_p95_ms": "p95 TTFT",
    "itl_p95_ms": "p95 ITL",
    "e2e_p95_ms": "p95 end to end",
    "queue_p95_ms": "p95 queue time",
    "error_rate": "error rate",
}


def duration(milliseconds: float) -> str:
    """A time for people, three digits."""
    if abs(milliseconds) >= 1000:
        return f"{milliseconds / 1000:.3g} s"
    return f"{milliseconds:.3g} ms"


def share(value: float) -> str:
    """0.031 as 3.1 %."""
    return f"{100 * value:.3g} %"


def figure_value(figure: str, value: float) -> str:
    """A figure's value in its unit."""
    return share(value) if figure == "error_rate" else duration(value)


def plain(value: Any) -> str:
    """A control's value; None is vLLM's own default."""
    if value is None:
        return "default"
    return str(value).lower() if isinstance(value, bool) else str(value)
