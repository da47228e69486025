"""The steps panel: choice of the run, the stage, and what is selected on it."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSplitter, QToolButton, QVBoxLayout

from ui.conductor.background import Background
from ui.forms import Choice
from ui.language.texts import Sayable, said
from ui.live import Changed, LiveState
from ui.look.theme import Theme
from ui.requests.explaining import explain
from ui.steps.details import Details
from ui.steps.forking import ForkableRun, Forking
from ui.steps.legend import Legend
from ui.steps.live_steps import LiveSteps
from ui.steps.saving import save_stage
from ui.steps.stage_view import StageView
from ui.window.dialogs import ask_save
from ui.window.panel import Panel
from workbench.base import InputError

if TYPE_CHECKING:
    from ui.steps.stage_data import StageData
    from workbench.advice.blame import Blame

Reader = Callable[[Path, str], "list[StageData]"]
Explainer = Callable[[Path, str], "Blame | None"]
_MOST_CULPRITS = 8


class StepsPanel(Panel):
    """Every step of one run's scheduler, read in the background once the panel is visible."""

    request_chosen = Signal(str, str)
    """Run and id of the selected request."""
    said = Signal(str, str)
    """Level and text of a message."""

    def __init__(
        self, theme: Theme, reader: Reader | None = None, explainer: Explainer | None = None
    ) -> None:
        super().__init__()
        self._read = reader or _read
        self._explain = explainer or explain
        self._state = LiveState()
        self.run = ""
        self._stale = False
        self._chosen_here = False
        self._held = False
        """True after the user left the newest step of a growing record."""
        self._engines: list[StageData] = []
        self._ledger: Blame | None = None
        self._wanted: str | None = None
        """Id of a request to select once the record is read."""
        self._play_wanted = False
        self._wanted_span: tuple[float, float] | None = None
        """A span of time to show then."""
        self._reading, self._explaining = Background(self), Background(self)
        self._live = LiveSteps(self)
        self.stage = StageView(theme)
        self.details = Details(theme)
        self.forking = Forking(self.stage, self.details, self._forkable, theme)
        self._runs = Choice([])
        self._runs.setObjectName("runs")
        self._engine = Choice([])
        self._engine.setObjectName("engines")
        self._legend = Legend(theme)
        self._follow = QToolButton()
        self._lay_out()
        self._wire()

    def _lay_out(self) -> None:
        self._runs.setAccessibleName(self.tr("Run"))
        self._engine.setAccessibleName(self.tr("Engine"))
        self._engine.hide()
        bar = QHBoxLayout()
        bar.setContentsMargins(8, 4, 8, 4)
        bar.setSpacing(8)
        label = QLabel(self.tr("R&un"))
        label.setBuddy(self._runs)
        bar.addWidget(label)
        bar.addWidget(self._runs, 4)
        bar.addWidget(self._engine, 1)
        bar.addWidget(self._legend, 5)
        self._follow.setText(self.tr("Follow"))
        self._follow.setToolTip(self.tr("Keep the newest step in view (End)"))
        self._follow.setCheckable(True)
        self._follow.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._follow.hide()
        bar.addWidget(self._follow)
        for text, tip, call in self._buttons():
            button = QToolButton()
            button.setText(text)
            button.setToolTip(tip)
            button.setAccessibleName(tip)
            button.setAutoRaise(True)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(lambda _checked=False, act=call: act())
            bar.addWidget(button)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.addWidget(self.stage)
        split.addWidget(self.details)
        split.setStretchFactor(0, 4)
        split.setStretchFactor(1, 1)
        split.setChildrenCollapsible(False)
        width = self.fontMetrics().averageCharWidth()
        split.setSizes([width * 130, width * 46])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        layout.addWidget(split, 1)

    def _buttons(self) -> tuple[tuple[str, str, Callable[[], object]], ...]:
        return (
            ("▶", self.tr("Play the visible time (Space)"), self.stage.play),
            ("◂", self.tr("Previous step (Ctrl+Left)"), lambda: self.stage.go_to_step(-1)),
            ("▸", self.tr("Next step (Ctrl+Right)"), lambda: self.stage.go_to_step(1)),
            ("−", self.tr("Zoom out (Down)"), lambda: self.stage.zoom(1 / 2)),
            ("+", self.tr("Zoom in (Up)"), lambda: self.stage.zoom(2)),
            ("↔", self.tr("Whole run (Home)"), self.stage.show_whole),
            ("⤓", self.tr("Save picture…"), self._save),
        )

    def _wire(self) -> None:
        self._runs.chosen.connect(self.show_run)
        self._engine.chosen.connect(self._show_engine)
        self.stage.request_chosen.connect(self._on_request)
        self.stage.step_chosen.connect(self._on_step)
        self.stage.following_changed.connect(self._on_following)
        self._follow.clicked.connect(lambda on: self.stage.follow(on=on))
        self._live.read.connect(self._show_growth)
        self._live.failed.connect(self._say_failure)
        self.details.request_chosen.connect(lambda request: self.stage.choose(request, None))

    def show_state(self, state: LiveState) -> None:
        """Clear the stage for another plan."""
        self._state, self.run, self._chosen_here, self._held = state, "", False, False
        self._wanted = self._wanted_span = None
        self._reading.forget()
        self._explaining.forget()
        self._live.end()
        self.forking.forget()
        self._ledger = None
        self._show_data([], self.tr("No run yet"))
        self._fill_runs()
        self._choose_default()

    def on_change(self, changed: Changed) -> None:
        """Read again after a run began, ended or was added."""
        if changed & (Changed.PLAN | Changed.RUN | Changed.ROWS | Changed.END):
            self._fill_runs()
            before = self.run
            if not (self._chosen_here or self._held):
                self._choose_default()
            ended = self._live.active and not self._is_live(self.run)
            if ended and not self.stage.following and self.stage.scene is not None:
                view = self.stage.scene.view
                self._wanted_span = (view.begin, view.end)
            if self.run and self.run == before and (ended or not self._engines):
                self._stale = True
                self._load_if_seen()

    def on_visible(self) -> None:
        """Read the record that is due."""
        self._load_if_seen()

    def show_run(self, name: str) -> None:
        """Show this run's steps, and keep it when other runs start."""
        self._chosen_here = True
        self._show_run(name)

    def show_request(self, run: str, request: str) -> None:
        """Show a request among its steps, reading its run first if needed."""
        self._wanted = request
        if run == self.run and self._engines:
            self._choose_wanted(closer=True)
        else:
            self.show_run(run)

    def play_when_read(self) -> None:
        """Play the run once its record is read."""
        self._play_wanted = True
        self._play_if_read()

    def _play_if_read(self) -> None:
        if self._play_wanted and self.stage.scene is not None:
            self._play_wanted = False
            self.stage.setFocus()
            self.stage.play()

    def show_span(self, run: str, begin: float, end: float) -> None:
        """Show a span of time of a run, in seconds of its schedule, reading the run first if needed."""
        self._wanted, self._wanted_span = None, (begin, end)
        if run == self.run and self._engines:
            self._show_wanted_span()
        else:
            self.show_run(run)

    def follow_request(self, run: str, request: str) -> None:
        """Highlight a request that another panel selected, if its run is shown."""
        if run == self.run and self._engines:
            self._wanted = request
            self._choose_wanted(closer=False)

    def _show_run(self, name: str) -> None:
        if name in self._state.runs and name != self.run:
            self.run, self._stale = name, True
            self._runs.show_value(name)
            self._load_if_seen()

    def _is_live(self, name: str) -> bool:
        """Return True if the run's steps are being written now."""
        run = self._state.runs.get(name)
        return self._state.live and run is not None and run.status == "running" and run.recorded is not None

    def _on_following(self, following: bool) -> None:  # noqa: FBT001 - Qt's signal
        self._follow.setChecked(following)
        # Whoever looks at an earlier moment stays there when the next run begins.
        self._held = not following

    def _fill_runs(self) -> None:
        begun = [run.name for run in self._state.runs.values() if run.row or self._is_live(run.name)]
        if [self._runs.itemData(at) for at in range(self._runs.count())] != begun:
            self._runs.set_options([(name, name) for name in begun])
            self._runs.show_value(self.run)

    def _choose_default(self) -> None:
        """Show the run that is measured, or was measured last."""
        if self._state.current is not None and self._is_live(self._state.current):
            self._show_run(self._state.current)
            return
        ended = [name for name, run in self._state.runs.items() if run.row]
        if ended:
            shown = self._state.current
            self._show_run(shown if self._state.read_only and shown in ended else ended[-1])

    def _load_if_seen(self) -> None:
        if not (self._stale and self.run and self._state.bench and self.is_on_screen()):
            return
        self._stale = False
        path, run = Path(self._state.bench), self.run
        self._ledger = None
        self._live.end()
        self.forking.forget()
        self._reading.forget()
        self._explaining.forget()
        self._show_data([], self.tr("Reading the step record …"))
        recorded = self._state.runs[run].recorded
        if self._is_live(run) and recorded is not None:
            self._live.begin(recorded, self.is_on_screen)
            return
        self._reading.run(lambda: self._read(path, run), self._show_data, self._say_failure)
        self._explaining.run(lambda: self._explain(path, run), self._show_ledger, lambda _error: None)

    def _forkable(self) -> ForkableRun | None:
        """Return the shown run if its first engine is shown; a growing record can't be forked."""
        run = self._state.runs.get(self.run)
        if run is None or not self._engines or self._engine.currentData() or self._is_live(self.run):
            return None
        return ForkableRun(Path(self._state.bench), self.run, run.limits)

    def _say_failure(self, error: Sayable) -> None:
        self._show_data([], said(error))

    def _show_growth(self, engines: "list[StageData]") -> None:
        """Show a growing record up to its newest step."""
        number = self._engine.currentData() or 0
        if len(engines) != len(self._engines) or self.stage.scene is None:
            self._show_data(engines)
        self._engines = engines
        if number >= len(engines):
            return
        data, run = engines[number], self._state.runs.get(self.run)
        self._follow.show()
        self._legend.show_classes(data.arrays.classes)
        self.stage.show_growing(data, simulated=bool(run and run.simulated))

    def _show_data(self, engines: "list[StageData]", message: str = "") -> None:
        self._engines = engines
        self._engine.setVisible(len(engines) > 1)
        self._engine.set_options([(at, self.tr("engine {0}").format(at)) for at in range(len(engines))])
        self._show_engine(0, message)
        if self._wanted is not None and engines:
            self._choose_wanted(closer=True)
        if engines:
            self._show_wanted_span()
            self._play_if_read()

    def _show_wanted_span(self) -> None:
        if self._wanted_span is not None:
            self.stage.show_span(*self._wanted_span)
            self._wanted_span = None

    def _show_engine(self, number: int, message: str = "") -> None:
        run = self._state.runs.get(self.run)
        data = self._engines[number] if number < len(self._engines) else None
        self.details.show_help()
        self._follow.hide()
        self._engine.show_value(number if data else None)
        self._legend.show_classes(data.arrays.classes if data else ())
        self.stage.show_data(
            data, message or self.tr("The run has no steps."), simulated=bool(run and run.simulated)
        )

    def _choose_wanted(self, *, closer: bool) -> None:
        """Select the wanted request, on the engine that served it."""
        wanted, self._wanted = self._wanted, None
        for number, data in enumerate(self._engines):
            if wanted not in data.arrays.requests.ids:
                continue
            if self.stage.scene is None or self.stage.scene.data is not data:
                self._show_engine(number)
            request = data.arrays.requests.ids.index(wanted)
            self.stage.select_step(None)
            self._select(request)
            stays, waits = data.stays.of(request), data.waits.begin[data.waits.request == request]
            if closer and len(stays):
                self.stage.show_span(float(waits.min()), float(data.stays.end[stays[-1]]))
            return

    def _show_ledger(self, ledger: "Blame | None") -> None:
        self._ledger = ledger
        scene = self.stage.scene
        if scene is not None and scene.request is not None:
            self._select(scene.request)

    def _select(self, request: int) -> None:
        """Highlight a request and its culprits, and show its ledger."""
        self.stage.select_request(request, self._culprits_of(request))
        if self.stage.scene is not None:
            self.details.show_request(self.stage.scene, request, self._ledger)

    def _culprits_of(self, request: int) -> frozenset[int]:
        scene = self.stage.scene
        if scene is None or self._ledger is None:
            return frozenset()
        ids = scene.data.arrays.requests.ids
        found = next((one for one in self._ledger.requests if one.request == ids[request]), None)
        if found is None:
            return frozenset()
        blamed: dict[str, float] = {}
        for part in found.parts:
            for culprit in part.culprits:
                blamed[culprit.request] = blamed.get(culprit.request, 0.0) + culprit.ms
        worst = sorted(blamed, key=lambda name: -blamed[name])[:_MOST_CULPRITS]
        places = {name: at for at, name in enumerate(ids)}
        return frozenset(places[name] for name in worst if name in places)

    def _on_request(self, request: int | None) -> None:
        scene = self.stage.scene
        if scene is None or request is None:
            if scene is not None and scene.step is None:
                self.details.show_help()
            return
        self._select(request)
        self.request_chosen.emit(self.run, str(scene.data.arrays.requests.ids[request]))

    def _on_step(self, step: int | None) -> None:
        scene = self.stage.scene
        if scene is not None and step is not None and scene.request is None:
            self.details.show_step(scene, step)

    def _save(self) -> None:
        if self.stage.scene is None:
            return
        folder = Path(self._state.bench).parent if self._state.bench else Path.home()
        kinds = self.tr("Pictures (*.png *.svg)")
        ask_save(self, self.tr("Save picture"), folder / "steps.png", kinds, self.save_picture)

    def save_picture(self, path: Path) -> None:
        """Write what the stage shows as PNG, or as SVG by the file's extension."""
        try:
            save_stage(self.stage, self._legend, path)
        except InputError as error:
            self.said.emit("error", said(error))
        else:
            self.said.emit("info", self.tr("Wrote {0}").format(path))


def _read(path: Path, run: str) -> "list[StageData]":
    """Read in the background's thread, where loading the core blocks nothing."""
    from ui.steps.reading import read_stage  # noqa: PLC0415 - as said

    return read_stage(path, run)
