"""A demo's steps, without Qt: the question, each variant with its outcome, the answer."""

from dataclasses import dataclass, field

QUESTION, PLAYING, SAID, ANSWER = "question", "playing", "said", "answer"


@dataclass(frozen=True)
class DemoText:
    """A demo's texts: title, question, narration, and each variant's name and outcome."""

    title: str
    question: str
    narration: tuple[str, ...]
    variants: tuple[tuple[str, str], ...]
    """(name, outcome)."""


@dataclass
class Story:
    """The present step of a demo; `step` advances it."""

    told: DemoText
    stage: str = QUESTION
    at: int = -1
    """Index of the variant that plays or was played last; -1 for none yet."""
    revealed: bool = field(default=False)
    """True if the outcome of the present variant may be shown."""

    def step(self) -> str:
        """Advance to the next stage and return it; the answer is the last."""
        last = self.at == len(self.told.variants) - 1
        if self.stage == PLAYING:
            self.stage, self.revealed = SAID, True
        elif self.stage == SAID and last:
            self.stage = ANSWER
        elif self.stage in {QUESTION, SAID}:
            self.stage, self.revealed = PLAYING, False
            self.at += 1
        return self.stage

    def step_back(self) -> str:
        """Return to the stage before the present one; the question is the first."""
        if self.stage == ANSWER:
            self.stage = SAID
        elif self.stage == SAID:
            self.stage, self.revealed = PLAYING, False
        elif self.stage == PLAYING:
            self.at -= 1
            self.stage, self.revealed = (SAID, True) if self.at >= 0 else (QUESTION, False)
        return self.stage

    @property
    def over(self) -> bool:
        """True at the last stage."""
        return self.stage == ANSWER

    def lines(self) -> tuple[str, ...]:
        """Return the lines below the question; they reveal nothing before it was shown."""
        if self.stage == QUESTION:
            return self.told.narration[:1]
        if self.stage == ANSWER:
            return self.told.narration
        name, said = self.told.variants[self.at]
        return (f"{name}: {said}",) if self.stage == SAID else (f"{name} …",)
