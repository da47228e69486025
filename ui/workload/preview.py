"""A workload in figures and as data for a sketch, made in a thread. No Qt."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.base import Message, Refusal, message

if TYPE_CHECKING:
    from workbench.traces import Trace, TraceCurves

Steps = tuple[tuple[str, str], ...]
"""Names of transforms with the text of their values, in order."""

MIX_REQUESTS = 2000
"""Enough for the shape of a mix, few enough to draw while a slider moves."""


@dataclass(frozen=True)
class TracePreview:
    """A workload in figures."""

    requests: int
    input_mean: float
    input_p95: float
    output_mean: float
    output_p95: float
    rate: float | None
    """Requests per second by the trace's own times; None without times."""
    classes: tuple[str, ...] = ()
    hit_ideal: float | None = None
    """Share of prompt tokens in an infinite prefix cache; None if the trace has no block ids."""
    drawing: "TraceCurves | None" = None
    notes: tuple[Message, ...] = ()
    """Dropped rows and warnings of the import."""
    warned: bool = False
    """True if a warning needs an action of the user."""


def preview(path: Path) -> TracePreview:
    """Read a trace file and summarize it.

    Raises:
        InputError: it can't be read as a trace.
    """
    return prepared(path, None, ())[1]


def prepared(path: Path, columns: str | None, steps: Steps, seed: int = 1) -> tuple["Trace", TracePreview]:
    """Read a trace file by its columns, if given, and apply transforms.

    Raises:
        InputError: it can't be read, or a step fails; names the step.
    """
    from workbench.traces import import_trace, parse_mapping  # noqa: PLC0415 - importers load when first needed

    imported = import_trace(path, columns=None if columns is None else parse_mapping(columns))
    report = imported.report
    dropped = [
        message("traces.dropped_rows", count=each.count, reason=each.reason) for each in report.dropped
    ]
    trace = _transformed(imported.trace, steps, seed)
    summary = summed_up(trace, [*dropped, *report.warnings])
    return trace, replace(summary, warned=bool(report.to_act_on))


def _transformed(trace: "Trace", steps: Steps, seed: int) -> "Trace":
    from workbench.traces import STEPS  # noqa: PLC0415 - as above

    for number, (name, value) in enumerate(steps, start=1):
        try:
            trace = STEPS[name].apply(trace, value.strip(), seed)
        except Refusal as error:
            raise Refusal("traces.in_step", step=number, problem=error.message) from error
        if not len(trace):
            raise Refusal("traces.step_empty", step=number, name=name)
    return trace


def preview_mix(mix: str, rate: float, seed: int) -> TracePreview:
    """Make a mix and summarize it.

    Raises:
        InputError: an unknown mix or weight.
    """
    from workbench.traces import make_mix  # noqa: PLC0415 - as above

    return summed_up(make_mix(mix, requests=MIX_REQUESTS, rate=rate, seed=seed), ())


def summed_up(trace: "Trace", notes: Sequence[Message]) -> TracePreview:
    """Return a trace in figures."""
    import numpy as np  # noqa: PLC0415 - away from the window's start

    from workbench.traces import mean_rate, trace_curves  # noqa: PLC0415 - as above

    rate = mean_rate(trace) if len(trace) > 1 else None
    drawn = trace_curves(trace)
    return TracePreview(
        requests=len(trace),
        input_mean=float(np.mean(trace.input_length)),
        input_p95=float(np.percentile(trace.input_length, 95)),
        output_mean=float(np.mean(trace.output_length)),
        output_p95=float(np.percentile(trace.output_length, 95)),
        rate=rate if rate and np.isfinite(rate) else None,
        classes=tuple(trace.classes.names),
        hit_ideal=drawn.ideal_hit_share,
        drawing=drawn,
        notes=tuple(notes),
    )
