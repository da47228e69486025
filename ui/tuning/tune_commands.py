"""Tune for me: starts each step of a tuning as a plan, and takes its result over."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QObject

from ui.conductor.background import Background
from ui.conductor.conductor_client import Ended
from ui.language.number_text import plain
from ui.language.texts import Sayable, said
from ui.live import Changed
from ui.session import SessionPanel
from ui.tuning.tune_dialog import TuneDialog
from ui.window.message_bar import Remedy
from ui.window.window_parts import WindowParts
from workbench.base import WorkbenchError

if TYPE_CHECKING:
    from ui.tuning.tuned_plan import TunedPlan
    from workbench.experiments import Experiment
    from workbench.experiments.session import TuneEnd

_STATUS = {"finished": "done", "stopped": "stopped"}
"""Status of a plan by the window's phase."""


class TuneCommands(QObject):
    """Connects the buttons with a tuning; one at a time."""

    def __init__(self, window: WindowParts) -> None:
        super().__init__(window)
        self._window = window
        self._background = Background(self)
        self._tuning: TunedPlan | None = None
        self._experiments: Sequence[Experiment] = ()
        """The step that is measured; empty between steps."""
        self.paused = False
        """True while a surprising result waits for an answer."""
        self._taking_over = self._stop_wanted = False
        """True while a thread works on the tuning, and after Stop in that time."""
        self._numbers: dict[int, int] = {}
        """Steps in the window's session by their number in the tuning."""

    def connect_all(self) -> None:
        """Connect the start page, the session panel and the menu."""
        window = self._window
        window.actions_.connect_all({"run.tune": self.ask})
        window.start_page.tune_wanted.connect(self.ask)
        self._room.strip.tune_wanted.connect(self.ask)
        self._room.strip.stop_wanted.connect(self.stop)
        window.runs.ended.connect(self._on_end)
        window.runs.changed.connect(self._show_progress)

    @property
    def _room(self) -> SessionPanel:
        room = self._window.docks["session"].widget()
        assert isinstance(room, SessionPanel)
        return room

    @property
    def tuning(self) -> bool:
        """True from the start of a tuning to its end, also between two plans."""
        return self._tuning is not None

    def set_idle(self, *, idle: bool) -> None:
        """Offer to tune only while nothing runs."""
        self._room.strip.set_idle(idle=idle)

    def ask(self) -> None:
        """Ask for the time budget, then tune the form's server."""
        from ui.tuning.tuned_plan import TunedPlan  # noqa: PLC0415 - the core room loads when first needed

        window = self._window
        if window.runs.running or self.tuning:
            return
        try:
            plan = TunedPlan(window.editor.text(), window.editor.draft.name, window.runs.results)
        except WorkbenchError as error:
            self._complain(error)
            window.experiment.show_first_problem()
            return
        dialog = TuneDialog(window, plan.start, plan.controls)
        dialog.wanted.connect(partial(self._begin, plan))
        dialog.open()

    def _begin(self, plan: "TunedPlan", minutes: float, gain: float) -> None:
        if self._window.runs.running or self.tuning:
            return
        self._tuning, self._numbers = plan, {}
        plan.begin(minutes, gain)
        self._window.docks["session"].show()
        self._window.messages.dismiss("tune")
        self._next()

    def _next(self) -> None:
        """Start the next step's plan, or end."""
        plan = self._tuning
        assert plan is not None
        try:
            step = plan.next()
            if not isinstance(step, list):
                self._finish(step)
                return
            self._window.runs.start(plan.step_name, plan.files(step))
        except WorkbenchError as error:
            self._give_up(error)
            return
        self._experiments = step
        self._window.messages.dismiss("run")
        self._window.show_enabled()
        self._show_progress(Changed.RUN)

    def stop(self) -> None:
        """Stop the present step; between steps, end once the measured step is taken over."""
        if self._experiments:
            self._window.runs.stop()
        elif self._taking_over:
            self._stop_wanted = True
            self._room.strip.show_progress(self.tr("Stopping after this step …"), self._share())
        elif self._tuning is not None:
            self._finish(self._tuning.stopped())

    def _take_over(self, work: "Callable[[], TuneEnd | None]") -> None:
        self._taking_over = True
        self._background.run(work, self._after_step, self._give_up)

    def _on_end(self, ended: Ended) -> None:
        """Take over the step whose plan has ended."""
        plan, experiments, state = self._tuning, self._experiments, self._window.runs.state
        if plan is None or not experiments:
            return
        self._experiments = ()
        if not any(run.row for run in state.runs.values()):
            last = ended.errors[-1].removeprefix("error: ") if ended.errors else ended.in_words()
            self._give_up(last)
            return
        bench, status = Path(state.bench), _STATUS.get(state.phase, "failed")
        self._take_over(lambda: plan.finish(experiments, bench, status))

    def _after_step(self, end: "TuneEnd | None") -> None:
        plan = self._tuning
        if plan is None:
            return
        stop_wanted, self._taking_over, self._stop_wanted = self._stop_wanted, False, False
        self._keep_step(plan)
        if stop_wanted:
            self._finish(end or plan.stopped())
        elif end is None:
            self._next()
        elif plan.surprised:
            self._pause(end)
        else:
            self._finish(end)

    def _keep_step(self, plan: "TunedPlan") -> None:
        """Add the step to the window's session, or change its note there."""
        step, history = plan.last_step, self._room.history
        if step.id in self._numbers:
            history.annotate(self._numbers[step.id], step.note)
            return
        parent = None if step.parent is None else self._numbers.get(step.parent)
        number = history.add_measured(msgspec.structs.replace(step, parent=parent))
        if number is not None:
            self._numbers[step.id] = number
            self._room.choose(number)

    def _pause(self, end: "TuneEnd") -> None:
        """Ask whether to go on after a result that contradicts what was expected."""
        self.paused = True
        text = self.tr("Tuning paused: {0}").format(said(end.reason))
        remedies = (
            Remedy(self.tr("Accept and continue"), self.go_on),
            Remedy(self.tr("End here"), partial(self._finish, end)),
        )
        self._window.messages.show_message("warning", text, key="tune", remedies=remedies)
        self._room.strip.show_progress(text, self._share())

    def go_on(self) -> None:
        """Take over the surprising result, and go on."""
        plan = self._tuning
        if plan is not None and self.paused:
            self.paused = False
            self._window.messages.dismiss("tune")
            self._take_over(plan.go_on)

    def _finish(self, end: "TuneEnd") -> None:
        """Say what was found, and put it into the form."""
        window, plan = self._window, self._tuning
        self._tuning, self._experiments, self.paused = None, (), False
        held = {} if plan is None else plan.start.baseline
        found = {name: value for name, value in end.baseline.items() if held.get(name) != value}
        words = ", ".join(f"{name} = {plain(value)}" for name, value in found.items())
        rate = (
            ""
            if end.accepted_rps is None
            else self.tr("{0} accepted requests/s").format(f"{end.accepted_rps:.3g}")
        )
        parts = (words or self.tr("settings unchanged"), rate, said(end.reason))
        text = self.tr("Tuned with {0} runs in {1} min: {2}").format(
            end.runs, f"{end.minutes:.1f}", "; ".join(part for part in parts if part)
        )
        if found:
            draft = window.editor.draft
            for name, value in found.items():
                draft = draft.with_baseline(name, value)
            window.editor.replace(draft, self.tr("settings found by tuning"))
        window.messages.show_message("info", text, key="tune")
        self._room.strip.show_idle(text)
        window.show_enabled()

    def _give_up(self, error: Sayable) -> None:
        self._tuning, self._experiments = None, ()
        self._taking_over = self._stop_wanted = False
        self._complain(error)
        self._room.strip.show_idle(said(error))
        self._window.show_enabled()

    def _complain(self, error: Sayable) -> None:
        text = self.tr("Not tuned: {0}").format(said(error))
        self._window.messages.show_message("error", text, key="tune")

    def _share(self) -> float:
        return 0.0 if self._tuning is None else self._tuning.share_used(self._window.runs.state.heard_t)

    def _show_progress(self, changed: Changed) -> None:
        plan, state = self._tuning, self._window.runs.state
        if plan is None or not self._experiments or not changed & (Changed.RUN | Changed.SNAPSHOT):
            return
        run = state.current_run()
        text = self.tr("Step {0}: run {1}, {2} of {3} min used").format(
            plan.step_number,
            state.index or 1,
            f"{plan.minutes * self._share():.1f}",
            f"{plan.minutes:g}",
        )
        self._room.strip.show_progress(text if run is None else f"{text}: {run.name}", self._share())
