"""Detect a stuck server: it answers its health check and has work, but no figure changes.

Seen in practice: requests that wait forever with an empty pool, and running ones without tokens. The health
check succeeds all the time, so only progress shows it.
"""

from workbench.base import Message, message
from workbench.results import Sample, over_engines

PATIENCE_S = 20.0
"""Every step changes a figure, and takes well under a second even with long prompts."""


class StuckWatch:
    """Watches the scrapes, fed in order, for a time without any change."""

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self._patience_s = patience_s
        self._figures: list[tuple[float | None, ...]] = []
        self._since: float | None = None

    def feed(self, samples: list[Sample]) -> Message | None:
        """Return the finding while the server is stuck; None: it works, or has nothing to do."""
        figures = [_figures(sample) for sample in samples]
        busy = any((sample.running or 0) + (sample.waiting or 0) > 0 for sample in samples)
        if not samples or not busy or figures != self._figures:
            self._figures = figures
            self._since = samples[-1].t if samples else None
            return None
        assert self._since is not None
        still_s = samples[-1].t - self._since
        return _no_progress(samples, still_s) if still_s >= self._patience_s else None


def _figures(sample: Sample) -> tuple[float | None, ...]:
    return (
        sample.generation_tokens,
        sample.prompt_tokens,
        sample.kv_usage,
        sample.running,
        sample.succeeded,
        sample.preemptions,
    )


def _no_progress(samples: list[Sample], still_s: float) -> Message:
    """Return the finding with the known figures."""
    running, waiting = over_engines(samples, "running"), over_engines(samples, "waiting")
    kv = over_engines(samples, "kv_usage")
    known = [
        *([] if running is None else [message("telemetry.running", count=running)]),
        *([] if waiting is None else [message("telemetry.waiting", count=waiting)]),
        *([] if kv is None else [message("telemetry.kv_full", share=kv)]),
    ]
    return message("telemetry.no_progress", still_s=still_s, known=list(known))
