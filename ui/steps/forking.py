"""The menu *What if…* of a moment on the stage, and both futures of a fork there."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QPoint, QPointF, Qt, QTimer
from PySide6.QtWidgets import QMenu

from ui.conductor.background import Background
from ui.language.number_text import plain, significant
from ui.language.texts import Sayable, said
from ui.language.translation import translate_control
from ui.look.theme import Theme
from ui.steps.fork_dialog import ForkDialog
from ui.steps.fork_page import ForkPage
from workbench.controls import CONTROLS

if TYPE_CHECKING:
    from ui.steps.details import Details
    from ui.steps.fork_work import ForkWork
    from ui.steps.stage_view import StageView
    from workbench.engine import ForkResult

_LOOK_MS = 100
"""Time between two looks at the progress."""


@dataclass(frozen=True)
class ForkableRun:
    """The run on the stage."""

    bench: Path
    run: str
    limits: Mapping[str, Any]
    """Every control's value in the run."""


class Forking(QObject):
    """Adds *What if…* to the stage.

    Args:
        stage: where the moment is chosen.
        details: shows the result.
        shown: returns the run on the stage; None if it can't be forked.
        theme: the colors.
    """

    def __init__(
        self, stage: "StageView", details: "Details", shown: Callable[[], ForkableRun | None], theme: Theme
    ) -> None:
        super().__init__(stage)
        self._stage, self._details, self._shown = stage, details, shown
        self._background = Background(self)
        self._work: ForkWork | None = None
        self._look = QTimer(self, interval=_LOOK_MS)
        self._look.timeout.connect(self._show_share)
        self.page = ForkPage(theme)
        self.page.cancelled.connect(self.cancel)
        details.addWidget(self.page)
        stage.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        stage.customContextMenuRequested.connect(self._open_menu)

    def _open_menu(self, place: QPoint) -> None:
        step = self.step_at(place)
        if step is None or self._shown() is None:
            return
        menu = QMenu(self._stage)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self.tr("&What if…"), partial(self.ask, step))
        if self.page.has_result:
            menu.addAction(self.tr("&Last differences"), partial(self._details.setCurrentWidget, self.page))
        menu.popup(self._stage.mapToGlobal(place))

    def step_at(self, place: QPoint) -> int | None:
        """Return the step at a place of the stage; beside the plot the selected one."""
        scene = self._stage.scene
        if scene is None:
            return None
        where, point = self._stage.geometry_now(), QPointF(place)
        if not where.plot.contains(point):
            return scene.step
        step = scene.data.arrays.step_at(where.t(point.x(), scene.view))
        return step if step >= 0 else None

    def ask(self, step: int) -> None:
        """Ask for the change at a step."""
        run, scene = self._shown(), self._stage.scene
        if run is None or scene is None:
            return
        steps = scene.data.arrays.steps
        moment = self.tr("{0} s, step {1}").format(
            significant(float(steps.begin[step]), 4), steps.number[step]
        )
        self._stage.select_step(step)
        dialog = ForkDialog(self._stage, moment, run.limits)
        dialog.wanted.connect(partial(self._play, run, int(steps.number[step]), moment))
        dialog.open()

    def _play(self, run: ForkableRun, step: int, moment: str, control: str, value: int) -> None:
        """Play both futures in a thread."""
        from ui.steps.fork_work import ForkWork  # noqa: PLC0415 - the engine loads when first needed

        self.cancel()
        title = translate_control(CONTROLS[control].title)
        change = f"{title} {plain(run.limits.get(control, '?'))} → {value}"
        self.page.show_working(self.tr("{0} from {1} on").format(change, moment))
        self._details.setCurrentWidget(self.page)
        self._work = work = ForkWork(run.bench, run.run, step, {control: value})
        self._look.start()
        self._background.run(work.play, self._show_result, self._show_failure)

    def cancel(self) -> None:
        """End the work without a result."""
        if self._work is not None:
            self._work.cancel()
            self._background.forget()
            self._end()
            self.page.show_text(self.tr("Cancelled."))

    def forget(self) -> None:
        """Drop the work and its page: another run is shown."""
        self.cancel()
        self.page.show_text("")

    def _show_share(self) -> None:
        if self._work is not None:
            self.page.show_share(self._work.share)

    def _show_result(self, result: "ForkResult | None") -> None:
        self._end()
        if result is not None:
            self.page.show_result(result)

    def _show_failure(self, error: Sayable) -> None:
        self._end()
        self.page.show_text(said(error))

    def _end(self) -> None:
        self._work = None
        self._look.stop()
