"""Plays a demo: replays it in the background, then shows variant after variant at a chosen speed."""

import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from ui.conductor.background import Background
from ui.demos.films import DemoFilms
from ui.demos.story import PLAYING, QUESTION, Story
from ui.files.documents import is_demo

SPEEDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0)
"""Simulated seconds per wall second."""
_WANTED_S = 18.0
"""Wall seconds of a replay at the initial speed."""


class DemoPlayer(QObject):
    """`loaded` with the `DemoFilms` of a demo, `stage_changed` at each step, `moved` during a replay."""

    loaded = Signal(object)
    failed = Signal(object)
    """The error (`Sayable`)."""
    stage_changed = Signal()
    moved = Signal()
    ended = Signal()

    def __init__(self, parent: QObject, clock: Callable[[], float] = time.perf_counter) -> None:
        super().__init__(parent)
        self._background = Background(self)
        self._clock = clock
        self._last = 0.0
        self._t = 0.0
        self.reel: DemoFilms | None = None
        self.story: Story | None = None
        self.speed = 1.0

    @property
    def playing(self) -> bool:
        """True while a replay runs."""
        return self.story is not None and self.story.stage == PLAYING

    @property
    def t(self) -> float:
        """The shown moment of the replay, in simulated seconds."""
        return self._t

    @property
    def current(self) -> str | None:
        """Name of the run that plays or was played last."""
        if self.reel is None or self.story is None or self.story.at < 0:
            return None
        return self.reel.names[self.story.at]

    def load(self, name: str) -> None:
        """Replay a demo, by its name or from its file; `loaded` or `failed` follows."""
        self._background.run(lambda: filmed(name), self.start_film, self.failed.emit)

    def start_film(self, reel: DemoFilms) -> None:
        """Show the first step of a demo at a speed that suits its length."""
        self.reel, self.story = reel, Story(reel.told)
        wanted = reel.length / _WANTED_S
        self.speed = min(SPEEDS, key=lambda speed: abs(speed - wanted) / speed)
        self.loaded.emit(reel)
        self.stage_changed.emit()

    def step(self) -> None:
        """Go to the next step: start the next replay, finish the present one, reveal the answer, or end."""
        story = self.story
        if story is None:
            return
        if story.over:
            self.end()
            return
        if story.stage == PLAYING:
            self._t = float("inf")
            self._show_until(self._t)
        if story.step() == PLAYING:
            self._t, self._last = 0.0, self._clock()
            self._begin_run()
        self.stage_changed.emit()

    def step_back(self) -> None:
        """Go to the step before; a replay starts again."""
        story, reel = self.story, self.reel
        if story is None or reel is None or story.stage == QUESTION:
            return
        if story.stage == PLAYING and self.current is not None:
            reel.rewind(self.current)
        stage = story.step_back()
        name = self.current
        if stage == PLAYING and name is not None:
            reel.rewind(name)
            self._t, self._last = 0.0, self._clock()
            self._begin_run()
        elif name is not None:
            self._t = float("inf")
            self._begin_run()
            self._show_until(self._t)
        self.stage_changed.emit()

    def restart(self) -> None:
        """Return to the question."""
        if self.reel is None:
            return
        for name in self.reel.names:
            self.reel.rewind(name)
        self._t, self.story = 0.0, Story(self.reel.told)
        self.stage_changed.emit()

    def tick(self) -> None:
        """Show one frame."""
        if not self.playing:
            return
        now = self._clock()
        self._t += (now - self._last) * self.speed
        self._last = now
        if self._show_until(self._t) and self.story is not None:
            self.story.step()
            self.stage_changed.emit()

    def change_speed(self, steps: int) -> None:
        """Change the speed by this many entries of `SPEEDS`."""
        place = SPEEDS.index(self.speed) + steps
        self.speed = SPEEDS[max(0, min(len(SPEEDS) - 1, place))]
        self.stage_changed.emit()

    def end(self) -> None:
        """Leave the demo."""
        self._background.forget()
        was, self.reel, self.story = self.reel, None, None
        if was is not None:
            self.ended.emit()

    def _begin_run(self) -> None:
        reel, name = self.reel, self.current
        assert reel is not None
        assert name is not None
        reel.state.current = name
        reel.state.index = reel.names.index(name) + 1
        reel.state.runs[name].status = "running"

    def _show_until(self, t: float) -> bool:
        reel, name = self.reel, self.current
        assert reel is not None
        assert name is not None
        over = reel.show_until(name, t)
        if over:
            reel.close_run(name)
        self.moved.emit()
        return over


def speed_text(speed: float) -> str:
    """Return a speed as text: 1/4, 1, 5."""
    return f"1/{round(1 / speed)}" if speed < 1 else f"{speed:g}"


def filmed(name: str) -> DemoFilms:
    """Replay a demo, by its name or from its file; takes a second or more.

    Raises:
        Refusal: there is none, or its file is not a demo.
    """
    from workbench.engine import (  # noqa: PLC0415 - loads when a demo is asked for
        film,
        load_demo,
        open_demo,
    )

    demo = open_demo(Path(name)) if is_demo(Path(name)) else load_demo(name)
    return DemoFilms(demo, [film(demo, variant) for variant in demo.variants])
