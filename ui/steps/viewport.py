"""The visible span of time: zoom and pan, kept within the record. No Qt."""

from dataclasses import dataclass

_LEAST_STEPS = 1.5
"""Steps of the mean length that the closest view shows."""


@dataclass(frozen=True, slots=True)
class Viewport:
    """A span of time within a whole."""

    whole_begin: float
    whole_end: float
    begin: float
    end: float
    least_s: float

    @classmethod
    def of_whole(cls, begin: float, end: float, steps: int) -> "Viewport":
        """Return the view of everything; `steps` are the number of steps in it."""
        end = max(end, begin + 1e-6)
        return cls(begin, end, begin, end, (end - begin) / max(1, steps) * _LEAST_STEPS)

    @property
    def span(self) -> float:
        """Length in seconds."""
        return self.end - self.begin

    @property
    def is_whole(self) -> bool:
        """True if it shows everything."""
        return self.span >= (self.whole_end - self.whole_begin) * (1 - 1e-9)

    def zoomed(self, factor: float, around: float) -> "Viewport":
        """Return it `factor` times as close, with `around` at the same place."""
        whole = self.whole_end - self.whole_begin
        span = min(max(self.span / factor, min(self.least_s, whole)), whole)
        share = (around - self.begin) / self.span
        return self.at(around - share * span, span)

    def moved(self, seconds: float) -> "Viewport":
        """Return it moved to later times."""
        return self.at(self.begin + seconds, self.span)

    def at(self, begin: float, span: float) -> "Viewport":
        """Return the view of a span, moved into the whole."""
        span = min(
            max(span, min(self.least_s, self.whole_end - self.whole_begin)), self.whole_end - self.whole_begin
        )
        begin = min(max(begin, self.whole_begin), self.whole_end - span)
        return Viewport(self.whole_begin, self.whole_end, begin, begin + span, self.least_s)

    def grown(self, begin: float, end: float, steps: int) -> "Viewport":
        """Return the same view of a record that has grown."""
        return Viewport.of_whole(begin, end, steps).at(self.begin, self.span)

    def at_end(self, span: float) -> "Viewport":
        """Return the view of the newest `span` seconds."""
        return self.at(self.whole_end - span, span)

    def centred(self, t: float) -> "Viewport":
        """Return it with `t` in the middle."""
        return self.at(t - self.span / 2, self.span)
