"""Reads the step record of a run that is measured now, again and again, in a thread. No Qt."""

from pathlib import Path
from typing import TYPE_CHECKING

from ui.steps.stage_data import StageData, stage_data
from ui.steps.step_arrays import KnownRequest, arrays_of
from workbench.advice.blame import newest_part
from workbench.experiments import FollowedSteps, sent_request_number

if TYPE_CHECKING:
    from workbench.experiments import StepsRecorded


MOST_ENTRIES = 300_000
"""Most entries (one request in one step) that are drawn, so that drawing takes no longer in a long run."""


class LiveReader:
    """The records of a run's engines; each read continues where the last one ended."""

    def __init__(self, recorded: "StepsRecorded") -> None:
        self._classes, self._row_classes = recorded.classes, recorded.row_classes
        self._engines = [FollowedSteps(Path(file), begin, recorded.zero) for file, begin in recorded.records]
        self._known: list[dict[str, KnownRequest]] = [{} for _ in self._engines]

    def read(self) -> list[StageData] | None:
        """Return what the stage draws, one for each engine; None if nothing was written since the last read.

        Raises:
            Refusal: a record can't be read.
        """
        grown = [engine.read() for engine in self._engines]
        if not any(grown):
            return None
        return [
            stage
            for engine, known in zip(self._engines, self._known, strict=True)
            if (stage := self._stage(engine, known)) is not None
        ]

    def _stage(self, engine: FollowedSteps, known: dict[str, KnownRequest]) -> StageData | None:
        index = engine.index()
        if index is None or not len(index.steps):
            return None
        for name in index.requests.ids[len(known) :]:
            known[name] = self._request(name)
        return stage_data(arrays_of(newest_part(index, MOST_ENTRIES), known))

    def _request(self, engine_id: str) -> KnownRequest:
        sent = sent_request_number(engine_id)
        if sent is None:
            return KnownRequest(engine_id, -1, "")
        name, number = sent
        return KnownRequest(name, number, self._class_of(number))

    def _class_of(self, number: int) -> str:
        if not self._row_classes:
            return self._classes[0] if self._classes else ""
        place = self._row_classes[number % len(self._row_classes)]
        return self._classes[place] if place >= 0 else ""
