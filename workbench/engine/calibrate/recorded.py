"""Steps from a step record (`engine serve --log-steps`, or the recorder inside a real vLLM)."""

from collections.abc import Sequence

from workbench.base import InputError
from workbench.dialect import AnyStepLine, Header, Scheduled, Updated
from workbench.engine.calibrate.rows import Row
from workbench.engine.check import RecordingPlayer


def recorded_rows(lines: Sequence[AnyStepLine], *, where: str, since: int = 0) -> list[Row]:
    """Every step of the record with its time: from when the engine could begin with it to its output.

    `since` leaves out the steps whose output stands in the first so many lines.

    Raises:
        InputError: no record, or one whose decisions ours differ from: its steps' contents are unknown.
    """
    if not lines or not isinstance(lines[0], Header):
        raise InputError(f"{where}, line 1: a recording begins with its header")
    player, clock, rows = RecordingPlayer(lines, where), _Clock(), []
    for number, line in enumerate(lines[1:], start=1):
        difference = player.play(line)
        if difference:
            raise InputError(
                f"{where}: our scheduler decides otherwise at call {difference.t} ({difference.field}), so "
                "its steps' contents are not known; `engine check` shows the difference"
            )
        if isinstance(line, Scheduled):
            clock.scheduled(line)
        elif isinstance(line, Updated):
            us = clock.updated(line)
            step = player.played
            if number >= since and step is not None and step.entries and us > 0:
                rows.append(Row.of(step, us))
    return rows


class _Clock:
    """When each step could begin: when the one before had ended, unless the engine had nothing to do then."""

    def __init__(self) -> None:
        self._begins: dict[int, float] = {}
        self._ended = float("-inf")
        self._busy = False

    def scheduled(self, line: Scheduled) -> None:
        """A call; the time of the call itself belongs to the step."""
        called = line.mono - line.us * 1e-6
        self._begins[line.t] = self._ended if self._busy else called
        if not line.sched:
            self._busy = False  # nothing to do: what comes next waits for a request

    def updated(self, line: Updated) -> float:
        """Microseconds of the step whose output this is."""
        begin = max(self._begins.pop(line.t), self._ended)
        self._ended, self._busy = line.mono, bool(line.run) or line.wait > 0
        return 1e6 * (line.mono - begin)
