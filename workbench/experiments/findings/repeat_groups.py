"""Groups of repeats to compare, the figures to compare, and figures as texts."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from workbench.base import Message, Record, message
from workbench.results import FIGURES, BenchFile, Objectives, RunEntry, VerdictKind, scorecard_rows

_BY_DEFAULT = ("ttft_p95_ms", "itl_p95_ms", "e2e_p95_ms")


class RepeatGroup(Record, frozen=True, kw_only=True):
    """A scorecard row with its valid runs that ended as planned."""

    name: str
    runs: list[RunEntry]
    diverging: bool

    @property
    def key(self) -> bytes:
        """Configuration and load, to find the same row in another file."""
        run = self.runs[0]
        return msgspec.json.encode([sorted(run.config.items()), run.rate, run.concurrency])


def repeat_groups(bench: BenchFile) -> list[RepeatGroup]:
    """Return the rows that have a valid run."""
    runs: Mapping[int, RunEntry] = {run.id: run for run in bench.runs()}
    found = []
    for row in scorecard_rows(bench):
        own = [runs[key] for key in row.run_ids if runs[key].status == "done" and runs[key].summary]
        valid = [run for run in own if run.figures.valid]
        if valid:
            diverging = any(run.figures.diverging for run in valid)
            found.append(RepeatGroup(name=str(row.cells["run"]), runs=valid, diverging=diverging))
    return found


def figures_for(objectives: Sequence[Objectives]) -> list[str]:
    """Return the figures with an objective; without any objective, the latencies."""
    stated = {name for each in objectives for name in each.stated()}
    return [name for name in FIGURES if name in stated] or list(_BY_DEFAULT)


# Figures as texts.

FIGURE_NAMES: dict[str, Message] = {
    "ttft_p95_ms": message("experiments.figure_ttft"),
    "itl_p95_ms": message("experiments.figure_itl"),
    "e2e_p95_ms": message("experiments.figure_e2e"),
    "queue_p95_ms": message("experiments.figure_queue"),
    "error_rate": message("experiments.figure_error_rate"),
}


def duration(milliseconds: float) -> str:
    """Return a time with three digits, in milliseconds or seconds."""
    if abs(milliseconds) >= 1000:
        return f"{milliseconds / 1000:.3g} s"
    return f"{milliseconds:.3g} ms"


def share(value: float) -> str:
    """Return a share in percent: 0.031 as 3.1 %."""
    return f"{100 * value:.3g} %"


def figure_value(figure: str, value: float) -> str:
    """Return a figure's value with its unit."""
    return share(value) if figure == "error_rate" else duration(value)


def control_value(value: Any) -> Message | str:
    """Return a control's value as text; None is vLLM's own default."""
    if value is None:
        return message("experiments.default_value")
    return str(value).lower() if isinstance(value, bool) else str(value)


def word_message(word: VerdictKind) -> Message:
    """Return a verdict's word."""
    return _WORDS[word]


_WORDS = {
    VerdictKind.BETTER: message("results.better"),
    VerdictKind.WORSE: message("results.worse"),
    VerdictKind.NO_DIFFERENCE: message("results.no_difference"),
    VerdictKind.CANT_TELL: message("results.cant_tell"),
}
