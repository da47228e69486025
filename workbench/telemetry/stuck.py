"""A server that answers its health check and does nothing: work is there, and no figure moves.

Seen in the field: requests waiting for ever with an empty pool, and running ones that yield no token. The
health check is content all the while, so progress is the only witness.
"""

from workbench.results import Sample

PATIENCE_S = 20.0
"""Every step moves a figure, and a step takes well under a second even with long prompts."""


class StuckWatch:
    """Fed with every scrape; says when nothing has moved for too long."""

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self._patience_s = patience_s
        self._figures: list[tuple[float | None, ...]] = []
        self._since: float | None = None

    def feed(self, samples: list[Sample]) -> str | None:
        """What is wrong, in words, as long as it is; None: it works, or has nothing to do."""
        figures = [_figures(sample) for sample in samples]
        busy = any((sample.running or 0) + (sample.waiting or 0) > 0 for sample in samples)
        if not samples or not busy or figures != self._figures:
            self._figures = figures
            self._since = samples[-1].t if samples else None
            return None
        assert self._since is not None
        still_s = samples[-1].t - self._since
        return _words(samples, still_s) if still_s >= self._patience_s else None


def _figures(sample: Sample) -> tuple[float | None, ...]:
    return (
        sample.generation_tokens,
        sample.prompt_tokens,
        sample.kv_usage,
        sample.running,
        sample.succeeded,
        sample.preemptions,
    )


def _words(samples: list[Sample], still_s: float) -> str:
    running = sum(sample.running or 0 for sample in samples)
    waiting = sum(sample.waiting or 0 for sample in samples)
    fullest = max(sample.kv_usage or 0 for sample in samples)
    return (
        f"no progress for {still_s:.0f} s: {running:.0f} running, {waiting:.0f} waiting, "
        f"KV cache {fullest:.0%} full"
    )
