"""Detect that scrapes of a run come from several processes, by a restart or behind one address."""

from workbench.base import Message, message
from workbench.telemetry.metrics_page import MetricsPage
from workbench.vllm_dialect import METRICS, MetricKind

_COUNTERS = tuple(metric for metric in METRICS if metric.kind is MetricKind.COUNTER)


class ScrapeOrigin:
    """Compares the pages of a run, fed in order."""

    def __init__(self) -> None:
        self._starts: list[float] = []
        """Start times of the process, one for each change."""
        self._totals: dict[str, float] = {}
        self._falls: dict[str, list[tuple[float, float]]] = {}
        """Counter to its falls (before, after) that no later start explains."""

    def feed(self, page: MetricsPage) -> None:
        """Compare the next page with those before."""
        began_later = self._note_start(page.process_start)
        for counter in _COUNTERS:
            total = page.total(counter)
            if total is None:
                continue
            before = self._totals.get(counter.name)
            if before is not None and total < before and not began_later:
                self._falls.setdefault(counter.name, []).append((before, total))
            self._totals[counter.name] = total

    def _note_start(self, start: float | None) -> bool:
        """Note the process's start; return whether it is another process that began later."""
        if start is None or (self._starts and start == self._starts[-1]):
            return False
        began_later = bool(self._starts) and start > max(self._starts)
        self._starts.append(start)
        return began_later

    def several(self) -> Message | None:
        """Return the sign of several processes that answer in turn; None: there is none.

        A restarted process begins later and counts from 0 once. Several processes go back and forth.
        """
        for place, start in enumerate(self._starts[1:], start=1):
            if start <= max(self._starts[:place]):
                count, apart = len(set(self._starts)), abs(start - self._starts[place - 1])
                return message("results.starts_alternate", processes=count, apart_s=apart)
        for name, falls in self._falls.items():
            if len(falls) > 1:
                high, low = falls[0]
                return message("results.counter_alternates", name=name, high=high, low=low)
        return None

    def restarted(self) -> Message | None:
        """Return the sign of a restart between two pages; None: there is none."""
        if len(self._starts) > 1:
            return message("results.process_began_later", seconds=self._starts[1] - self._starts[0])
        for name, ((before, after), *_) in self._falls.items():
            return message("results.counter_fell", name=name, before=before, after=after)
        return None
