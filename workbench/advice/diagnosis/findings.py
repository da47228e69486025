"""What a diagnosis says: findings with their evidence, limits that were never reached, the next change."""

from typing import Any, Literal

from workbench.advice.diagnosis.bottleneck import Bottleneck
from workbench.advice.diagnosis.bottleneck_timeline import Segment
from workbench.base import Record

NEAR = 0.9
"""Share of a limit from which on nobody can say that it was never reached."""

Confidence = Literal["high", "medium", "low"]


class Change(Record, frozen=True, kw_only=True):
    """One thing to try next. `control` is None where no control helps."""

    control: str | None
    value: Any
    """The value to try; None where only a direction can be said."""
    text: str
    watch: str
    cost: str
    """What it may cost; empty: nothing known."""


class Finding(Record, frozen=True, kw_only=True):
    """One statement with its evidence."""

    rule: str
    bound: Bottleneck | None
    verdict: str
    evidence: list[str]
    moments: list[tuple[float, float]]
    """When, in seconds of the run; at most five, the longest ones. Empty: of the run as a whole."""
    share: float | None
    """Of the run's time."""
    confidence: Confidence
    change: Change | None
    source: str


class Reach(Record, frozen=True, kw_only=True):
    """How near a limit the run came."""

    control: str
    limit: float
    reached: float | None
    """The most that was seen; None: it can't be seen from here."""
    verdict: str

    @property
    def near(self) -> bool:
        """Whether the limit was reached, or so nearly that it may have been between two looks."""
        most = self.reached
        return most is not None and (most > NEAR * self.limit or self.limit - most < 2)


class Diagnosis(Record, frozen=True, kw_only=True):
    """Which limit bound when, with evidence, and the next single change."""

    headline: str
    strip: list[Segment]
    shares: dict[str, float]
    """By bound, of the run's time, largest first."""
    findings: list[Finding]
    """The most important first."""
    reaches: list[Reach]
    classes: dict[str, list[str]]
    change: Change | None
    unseen: list[str]
    """What could not be looked at."""

    @property
    def main(self) -> Bottleneck:
        """The limit that held longest; NONE where none did."""
        for name in self.shares:
            if Bottleneck(name) not in {Bottleneck.NONE, Bottleneck.IDLE, Bottleneck.UNKNOWN}:
                return Bottleneck(name)
        return Bottleneck.NONE

    def sentences(self) -> list[str]:
        """Short and plain, for a console or a narrow panel."""
        said = [self.headline]
        for finding in self.findings:
            said += [finding.verdict, *finding.evidence]
            said += [] if finding.confidence == "high" else [f"Confidence in this: {finding.confidence}."]
        if self.change is not None:
            said.append(f"Next: {self.change.text}")
            said += [f"Watch {self.change.watch}."] if self.change.watch else []
            said += [f"It may cost: {self.change.cost}."] if self.change.cost else []
        said += [reach.verdict for reach in self.reaches]
        for name, sentences in self.classes.items():
            said += [f"{name}: {sentence}" for sentence in sentences]
        return [*said, *self.unseen]
