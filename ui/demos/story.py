"""A demo step by step, without Qt: the question, each variant and what it came to, at last the answer."""

from dataclasses import dataclass, field

QUESTION, PLAYING, SAID, ANSWER = "question", "playing", "said", "answer"


@dataclass(frozen=True)
class DemoText:
    """What a demo says, of its variants their names and what to say of each."""

    title: str
    question: str
    narration: tuple[str, ...]
    variants: tuple[tuple[str, str], ...]
    """(name, what came out)."""


@dataclass
class Story:
    """Where a telling stands; `step` goes on."""

    told: DemoText
    stage: str = QUESTION
    at: int = -1
    """Number of the variant that plays or was played last; -1: none yet."""
    revealed: bool = field(default=False)
    """Whether what the present variant came to may be read."""

    def step(self) -> str:
        """Go on to the next stage and return it; the answer is the last."""
        last = self.at == len(self.told.variants) - 1
        if self.stage == PLAYING:
            self.stage, self.revealed = SAID, True
        elif self.stage == SAID and last:
            self.stage = ANSWER
        elif self.stage in {QUESTION, SAID}:
            self.stage, self.revealed = PLAYING, False
            self.at += 1
        return self.stage

    @property
    def over(self) -> bool:
        """Whether nothing comes any more."""
        return self.stage == ANSWER

    def lines(self) -> tuple[str, ...]:
        """What stands below the question now; nothing that gives away what has not been seen."""
        if self.stage == QUESTION:
            return self.told.narration[:1]
        if self.stage == ANSWER:
            return self.told.narration
        name, said = self.told.variants[self.at]
        return (f"{name}: {said}",) if self.stage == SAID else (f"{name} …",)
