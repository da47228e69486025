"""The five questions answered by the core, in a background thread. No Qt."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ui.experiment import Draft
    from workbench.base import Message


@dataclass(frozen=True)
class Answered:
    """One question with its answer."""

    name: str
    """targets, burst, soak, reproduce or cost."""
    question: "str | Message"
    verdict: str
    """yes, no or `not measured yet`."""
    why: "str | Message"
    runs: tuple[str, ...]
    draft: "Draft | None"
    """The experiment that would answer it; None if answered, or if no experiment can."""


def answers_of(bench: Path) -> list[Answered]:
    """Return the answers in the guide's order.

    Raises:
        InputError: the bench file can't be read, or holds no experiment.
    """
    from ui.experiment import Draft  # noqa: PLC0415 - slow to load
    from ui.experiment.draft_file import draft_of_text  # noqa: PLC0415 - as above
    from workbench.experiments import next_experiments  # noqa: PLC0415 - as above

    def draft(name: str, toml: str | None) -> Draft | None:
        if toml is None:
            return None
        if name == "reproduce":
            # The bench file's content is read when the plan starts.
            return Draft(kind="reproduce", name=f"{bench.stem}: again", reproduces=str(bench.absolute()))
        return draft_of_text(toml, str(bench))

    return [
        Answered(
            name=each.name,
            question=each.answer.question,
            verdict=each.answer.verdict,
            why=each.answer.why,
            runs=tuple(each.answer.runs),
            draft=draft(each.name, each.toml),
        )
        for each in next_experiments(bench)
    ]
