"""Service-level objectives for requests and runs, overall and per class."""

import msgspec

from workbench.base import Record

_YEAR_MS = 31_536_000_000.0
_MOST_PREEMPTIONS = 1e9


class Limits(Record, frozen=True, kw_only=True):
    """Upper limits; None: no limit. Latency limits apply to each request (goodput) and to the run's p95."""

    ttft_p95_ms: float | None = None
    itl_p95_ms: float | None = None
    e2e_p95_ms: float | None = None
    queue_p95_ms: float | None = None
    """Run-level."""
    error_rate: float | None = None
    """0 to 1, run-level."""
    preemptions: float | None = None
    """Count over the run, run-level."""

    def stated(self) -> dict[str, float]:
        """Return the limits that are set, by name."""
        values = {name: getattr(self, name) for name in Limits.__struct_fields__}
        return {name: value for name, value in values.items() if value is not None}

    @staticmethod
    def most(name: str) -> float:
        """Return the largest sensible value of a limit."""
        return {"error_rate": 1.0, "preemptions": _MOST_PREEMPTIONS}.get(name, _YEAR_MS)


class Objectives(Limits, frozen=True, kw_only=True):
    """Limits for all requests, and limits of classes that replace them."""

    classes: dict[str, Limits] = msgspec.field(default_factory=dict)

    def for_class(self, name: str) -> Limits:
        """Return the limits of one class: its own, else the overall ones."""
        own = self.classes.get(name, Limits()).stated()
        return Limits(**{**self.stated(), **own})

    def to_json(self) -> dict[str, object]:
        """Return the limits that are set, in the form of an experiment file."""
        stated: dict[str, object] = dict(self.stated())
        if self.classes:
            stated["classes"] = {name: limits.stated() for name, limits in self.classes.items()}
        return stated
