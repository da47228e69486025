"""What a trace file holds, in a few words; read away from the window's own thread. No Qt here."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class TracePreview:
    """A trace in figures."""

    requests: int
    input_mean: float
    input_p95: float
    output_mean: float
    output_p95: float
    rate: float | None
    """Requests a second by the trace's own times; None without times."""


def preview(path: Path) -> TracePreview:
    """Read a trace file and sum it up.

    Raises:
        InputError: it can't be read as a trace.
    """
    import numpy as np  # noqa: PLC0415 - away from the window's start

    from workbench.traces import mean_rate, read_trace  # noqa: PLC0415 - importers load when first needed

    trace = read_trace(path)
    rate = mean_rate(trace) if len(trace) > 1 else None
    return TracePreview(
        requests=len(trace),
        input_mean=float(np.mean(trace.input_length)),
        input_p95=float(np.percentile(trace.input_length, 95)),
        output_mean=float(np.mean(trace.output_length)),
        output_p95=float(np.percentile(trace.output_length, 95)),
        rate=rate if rate and np.isfinite(rate) else None,
    )
