"""Records of a diagnosis: findings with their evidence, headroom of limits, the next change."""

from typing import Any, Literal

import msgspec

from workbench.advice.diagnosis.bottleneck import NO_LIMIT, Bottleneck
from workbench.base import ENGLISH, Message, Record, message, render
from workbench.controls import CONTROLS

NEAR = 0.9
"""Share of a limit from which on it may have been reached between two samples."""

Confidence = Literal["high", "medium", "low"]


class Segment(Record, frozen=True, kw_only=True):
    """A stretch of the run with one bottleneck; seconds of the run."""

    start: float
    end: float
    bottleneck: Bottleneck = msgspec.field(name="bound")


class Change(Record, frozen=True, kw_only=True):
    """One thing to try next. `control` is None if no control helps."""

    control: str | None
    value: Any
    """The value to try; None: only a direction is known."""
    text: Message
    watch: Message | None = None
    """Figures to watch; None: those of the control."""
    cost: Message | None = None
    """Possible cost; None: none known."""
    predicted: Message | None = None
    """Effect by a replay of the run's recorded steps; None: not replayed."""

    def watch_text(self, language: str = ENGLISH) -> str:
        """Return the figures to watch in words; empty: none."""
        if self.watch is not None:
            return render(self.watch, language)
        return CONTROLS[self.control].words(language).watch if self.control in CONTROLS else ""


class Finding(Record, frozen=True, kw_only=True):
    """One statement with its evidence."""

    rule: str
    bottleneck: Bottleneck | None = msgspec.field(name="bound")
    verdict: Message
    evidence: list[Message]
    moments: list[tuple[float, float]]
    """The longest stretches, at most five, seconds of the run. Empty: the run as a whole."""
    share: float | None
    """Share of the run's time."""
    confidence: Confidence
    change: Change | None
    source: str


class Headroom(Record, frozen=True, kw_only=True):
    """Distance between a limit and what the run reached."""

    control: str
    limit: float
    reached: float | None
    """Largest value seen; None: unknown."""
    verdict: Message

    @property
    def near(self) -> bool:
        """True if the limit was reached, or may have been between two samples."""
        return is_near(self.reached, self.limit)


def is_near(most: float | None, limit: float) -> bool:
    """Return True if a limit was reached, or may have been between two samples."""
    return most is not None and (most > NEAR * limit or limit - most < 2)


class Diagnosis(Record, frozen=True, kw_only=True):
    """Bottlenecks along a run with evidence, and the next single change."""

    headline: Message
    timeline: list[Segment]
    shares: dict[str, float]
    """Share of the run's time by bottleneck, largest first."""
    findings: list[Finding]
    """The most important first."""
    headrooms: list[Headroom]
    classes: dict[str, list[Message]]
    change: Change | None
    unseen: list[Message]
    """Figures that were missing."""

    @property
    def main(self) -> Bottleneck:
        """The bottleneck that lasted longest; NONE without any."""
        return next(
            (limit for name in self.shares if (limit := Bottleneck(name)) not in NO_LIMIT), Bottleneck.NONE
        )

    def notes(self) -> list[Message]:
        """Return everything that is known, the most important first."""
        notes = [self.headline]
        for finding in self.findings:
            notes += [finding.verdict, *finding.evidence]
            if finding.confidence != "high":
                notes.append(message("advice.confidence", confidence=finding.confidence))
        if self.change is not None:
            notes.append(message("advice.next_change", change=self.change.text))
            if self.change.watch is not None:
                notes.append(message("advice.watch", figures=self.change.watch))
            elif self.change.control is not None:
                notes.append(message("advice.watch", figures=self.change.watch_text()))
            if self.change.cost is not None:
                notes.append(message("advice.may_cost", cost=self.change.cost))
            if self.change.predicted is not None:
                notes.append(self.change.predicted)
        notes += [each.verdict for each in self.headrooms]
        for name, told in self.classes.items():
            notes += [message("advice.of_class", name=name, note=note) for note in told]
        return [*notes, *self.unseen]


def as_texts(value: Any) -> Any:
    """Return records as plain JSON values with every message in English."""
    if isinstance(value, Message):
        return str(value)
    if isinstance(value, Change):
        texts = {key: as_texts(getattr(value, key)) for key in ("control", "value", "text")}
        if value.predicted is not None:
            texts["predicted"] = str(value.predicted)
        return {**texts, "watch": value.watch_text(), "cost": "" if value.cost is None else str(value.cost)}
    if isinstance(value, msgspec.Struct):
        fields = msgspec.structs.fields(value)
        return {field.encode_name: as_texts(getattr(value, field.name)) for field in fields}
    if isinstance(value, list | tuple):
        return [as_texts(each) for each in value]
    if isinstance(value, dict):
        return {key: as_texts(each) for key, each in value.items()}
    return msgspec.to_builtins(value)
