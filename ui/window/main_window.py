"""The window: panels as docks around the plots, one frame clock, one action registry."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QShowEvent
from PySide6.QtWidgets import (
    QMainWindow,
    QMenu,
    QStackedWidget,
    QToolBar,
    QVBoxLayout,
    QWidget,
)

from ui.commands.actions import Actions
from ui.commands.demo_commands import DemoCommands
from ui.commands.help_commands import HelpCommands
from ui.commands.home_commands import HomeCommands
from ui.commands.window_commands import Commands
from ui.conductor.conductor_client import ConductorClient
from ui.conductor.frame_clock import FrameClock
from ui.conductor.run_controller import RunController
from ui.demos import DemoBanner, DemoPlayer, DemoStage
from ui.experiment import Editor
from ui.experiment.experiment_panel import ExperimentPanel
from ui.files.autosave import Autosave
from ui.files.documents import Documents
from ui.files.folders import ProfileFolders
from ui.files.settings import SettingsFile
from ui.forms.section import Section
from ui.insights import InsightsPanel
from ui.language.language_switch import LanguageSwitch
from ui.live import Changed
from ui.live_limits import LiveLimitsPanel
from ui.log import LogPanel
from ui.look.elided_label import ElidedLabel
from ui.look.theme import Theme
from ui.plots import PlotChoice
from ui.scorecard import ScorecardPanel
from ui.server.trial import Trial
from ui.start import StartPage
from ui.tuning import TuneCommands
from ui.verdict import VerdictBar
from ui.window import arrangements
from ui.window.closing import Closing
from ui.window.docks import make_docks
from ui.window.geometry import HasLayout, LayoutFile, Stateful, first_size, window_parts
from ui.window.message_bar import MessageBar
from ui.window.panel import Panel
from ui.window.presenting import Presentation
from ui.window.run_bar import RunBar
from ui.window.status_line import status_text
from ui.window.window_parts import WindowParts

if TYPE_CHECKING:
    from ui.plots import PlotGrid

_MESSAGES_A_TICK = 3


class MainWindow(WindowParts):
    """One window, one profile."""

    def __init__(
        self,
        folders: ProfileFolders,
        settings: SettingsFile,
        theme: Theme,
        client: ConductorClient | None = None,
    ) -> None:
        super().__init__()
        self.settings, self.theme = settings, theme
        self.clock = FrameClock(self)
        self.editor = Editor(self)
        self.runs = RunController(folders.data / "benches", self.clock, client)
        self.actions_ = Actions(theme, self)
        self.presentation = Presentation(self)
        self._layout_file = LayoutFile(folders.config / "layout.json")
        self._make_rooms()
        self.documents = Documents(self, self.editor, settings, self.messages, self.runs.results)
        self.autosave = Autosave(self.editor, folders.config / "draft.json")
        self.closing = Closing(self, self.documents, self.runs)
        self.commands = Commands(self)
        self.home_commands = HomeCommands(self)
        self.demo_commands = DemoCommands(self, self.demos)
        self.help_commands = HelpCommands(self)
        self.tune_commands = TuneCommands(self)
        self.language = LanguageSwitch(self)
        self._arrange()
        self._wire()
        first_size(self)
        self._first_docks = self.saveState()
        self._is_first = not self._layout_file.restore(self._stateful())
        self._show_state()
        self._show_draft()
        self.commands.offer_draft()
        if settings.complaint:
            self.messages.show_message("warning", settings.complaint)

    def _make_rooms(self) -> None:
        self.start_page = StartPage(self.theme)
        self._plots: PlotGrid | None = None
        self.experiment = ExperimentPanel(self.editor, self.theme)
        self.insights = InsightsPanel(self.theme)
        self.live_limits = LiveLimitsPanel(self.theme)
        limits = Section(self.tr("Live limits"), self.live_limits, self.theme)
        self.live_limits.summary_changed.connect(limits.set_summary)
        self.insights.add_section(limits)
        self.live_limits.refresh()
        self.scorecard = ScorecardPanel(self.theme)
        self.log = LogPanel(self.theme)
        self.messages = MessageBar(self.theme)
        self.verdict = VerdictBar(self.theme, self.scorecard.model)
        self.banner = DemoBanner(self.theme)
        self.demos = DemoPlayer(self)
        self.demo_stage = DemoStage(self.theme)
        self.run_bar = RunBar(self.theme)
        self.status = ElidedLabel()
        self.centre = QStackedWidget()

    @property
    def plots(self) -> "PlotGrid":
        """The plots, made when first needed, since their library takes long to load."""
        if self._plots is None:
            from ui.plots import PlotGrid  # noqa: PLC0415 - as said

            self._plots = PlotGrid(self.theme)
            self._plots.menu.said.connect(
                lambda level, text: self.messages.show_message(level, text, key="plot")
            )
            self._plots.show_plots(self.plot_choice.shown())
            self._plots.keep_main(self.plot_choice.main)
            self._plots.show_engines(self.settings.value.engine_plots)
            self.centre.addWidget(self._plots)
            self.commands.connect_plots(self._plots)
        return self._plots

    def _arrange(self) -> None:
        self.setObjectName("main")
        self.setAcceptDrops(True)
        self.setDockOptions(QMainWindow.DockOption.AllowTabbedDocks | QMainWindow.DockOption.AllowNestedDocks)
        self.centre.addWidget(self.start_page)
        centre = QWidget()
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.banner)
        column.addWidget(self.demo_stage, 5)
        column.addWidget(self.centre, 2)
        self.setCentralWidget(centre)
        self.docks = make_docks(self)
        arrangements.tidy_soon(self)
        contents = [dock.widget() for dock in self.docks.values()]
        self._rooms = [self.live_limits, *(room for room in contents if isinstance(room, Panel))]
        self._arrange_bars()

    def _arrange_bars(self) -> None:
        menus = self.actions_.fill(self.menuBar())
        recent = self.tr("Open &recent")
        menu = menus["&File"]
        submenu = menu.addMenu(recent)
        menu.insertMenu(self.actions_["file.save"], submenu)
        submenu.aboutToShow.connect(lambda: self.documents.fill_recent(submenu))
        view = menus["&View"]
        first = view.actions()[0]
        for dock in self.docks.values():
            view.insertAction(first, dock.toggleViewAction())
        plots = QMenu(self.tr("&Plots"), view)
        view.insertMenu(first, plots)
        self.plot_choice = PlotChoice(plots, self.settings)
        self.commands.connect_plot_choice(self.plot_choice)
        view.insertSeparator(first)
        bar = QToolBar(self.tr("Run"))
        bar.setObjectName("run_bar")
        bar.setMovable(False)
        bar.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        em = self.fontMetrics().height()
        bar.setIconSize(bar.iconSize().scaled(em, em, Qt.AspectRatioMode.KeepAspectRatio))
        for id_ in ("run.start", "run.stop", "run.skip"):
            bar.addAction(self.actions_[id_])
        bar.addSeparator()
        bar.addWidget(self.run_bar)
        self.addToolBar(bar)
        self._arrange_answers()
        self.statusBar().addWidget(self.status, 1)
        self.statusBar().setSizeGripEnabled(False)

    def _arrange_answers(self) -> None:
        """Put verdict and messages under the toolbar; both keep their height in every state."""
        answers = QWidget()
        column = QVBoxLayout(answers)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.verdict)
        column.addWidget(self.messages)
        bar = QToolBar(self.tr("Verdict and messages"))
        bar.setObjectName("answers")
        bar.setMovable(False)
        bar.addWidget(answers)
        bar.toggleViewAction().setVisible(False)
        self.addToolBarBreak()
        self.addToolBar(bar)

    def _wire(self) -> None:
        self.commands.connect_all()
        self.home_commands.connect_all()
        self.demo_commands.connect_all()
        self.help_commands.connect_all()
        self.tune_commands.connect_all()
        self.clock.tick.connect(self.tick)
        self.editor.changed.connect(self._show_draft)
        self.runs.changed.connect(self._on_change)
        self.runs.state_replaced.connect(self._show_state)
        self.runs.ended.connect(self.commands.say_end)
        self.runs.stale_changed.connect(self._show_stale)
        self.scorecard.run_chosen.connect(self.commands.results.choose_run)
        self.scorecard.behind_chosen.connect(self.commands.results.choose_behind)
        self.scorecard.earlier_chosen.connect(self.commands.results.choose_earlier)
        self.scorecard.earlier_behind.connect(self.commands.results.choose_earlier_behind)
        self.documents.bench_chosen.connect(self.commands.results.open_bench)
        self.documents.session_chosen.connect(self.commands.results.open_session)
        self.documents.columns_wanted.connect(self.experiment.workload.prepare_file)
        self.closing.released.connect(self.close, Qt.ConnectionType.QueuedConnection)

    def tick(self) -> None:
        """Draw one frame in each panel that changed; stop the clock once nothing moves."""
        self.demos.tick()
        if self._plots:
            self._plots.tick()
        if self.runs.state.live or self.demos.playing:
            for room in self._rooms:
                room.tick()
        state = self.runs.state
        for _ in range(min(_MESSAGES_A_TICK, len(state.messages))):
            message = state.messages.popleft()
            self.messages.show_message(message.level, message.said, passing=message.level == "info")
        if (state.log and self.log.isVisible()) or len(state.log) > 500 or not self.runs.running:
            self._move_log_lines()
        moving = self.runs.running or self.demos.playing or bool(self._plots and self._plots.dirty)
        if not moving and not state.messages:
            self.clock.stop()

    def _move_log_lines(self) -> None:
        lines = list(self.runs.state.log)
        self.runs.state.log.clear()
        self.log.add(lines)

    def _on_change(self, changed: Changed) -> None:
        for room in self._rooms:
            room.on_change(changed)
        if changed & (Changed.PLAN | Changed.ROWS):
            self.scorecard.refresh()
        if changed & ~(Changed.SAMPLES | Changed.PROGRESS | Changed.LOG | Changed.MESSAGES):
            self.verdict.refresh()
        if changed & (Changed.PLAN | Changed.RUN | Changed.SERVER):
            self.plots.refresh_run()
        if changed & Changed.LIMITS:
            self.plots.refresh_run()
        if changed & (Changed.SAMPLES | Changed.DIAGNOSIS | Changed.SNAPSHOT):
            self.plots.mark_dirty()
        if changed & (Changed.PLAN | Changed.RUN | Changed.SERVER | Changed.END | Changed.SNAPSHOT):
            self._show_progress()
        if changed & (Changed.RUN | Changed.PLAN | Changed.END):
            self.show_enabled()

    def _show_state(self) -> None:
        """Show another plan or a bench file."""
        state = self.runs.state
        if state.phase == "empty":
            self.centre.setCurrentWidget(self.start_page)
        else:
            self.plots.set_state(state)
            self.centre.setCurrentWidget(self.plots)
        self.scorecard.show_state(state)
        self.verdict.show_state(state)
        for room in self._rooms:
            room.show_state(state)
        self._show_progress()
        self.show_enabled()
        self.clock.start()

    def _show_progress(self) -> None:
        self.run_bar.show_state(self.runs.state)
        self.status.show_text(status_text(self.runs.state, stale=self.runs.stale), self.runs.state.bench)

    def _show_stale(self, stale: bool) -> None:  # noqa: FBT001 - a signal's argument
        self.plots.caption.set_stale(stale=stale)
        self._show_progress()

    def _show_draft(self) -> None:
        self.setWindowTitle(self.documents.title())
        self.setWindowModified(self.editor.modified)
        self.show_enabled()

    def show_enabled(self) -> None:
        """Enable the commands that make sense now."""
        state = self.runs.state
        idle = not self.runs.running and not self.tune_commands.tuning
        for id_, on in {
            "run.start": idle and not self.editor.problems,
            "run.demo": idle,
            "run.tune": idle and not self.editor.problems,
            "run.watch": idle and self.editor.draft.target_kind == "attached" and bool(self.editor.draft.url),
            "run.go_on": idle and bool(state.bench) and state.can_go_on,
            "run.again": idle and bool(state.bench) and bool(state.invalid),
            "run.stop": state.live and state.phase != "stopping",
            "run.stop_after": state.phase == "running" and not state.watch,
            "run.skip": state.phase == "running" and not state.watch,
            "file.export_csv": bool(state.bench) and any(run.row for run in state.runs.values()),
            "file.questions": bool(state.bench) and any(run.row for run in state.runs.values()),
            "edit.copy": bool(state.runs),
            "view.behind": bool(state.runs),
            "view.baseline": bool(state.runs),
        }.items():
            self.actions_[id_].setEnabled(on)
        self.commands.show_undo()
        self.demo_commands.show_enabled()
        for offers in (self.experiment, self.start_page, self.verdict, self.insights, self.tune_commands):
            offers.set_idle(idle=idle)

    @property
    def busy(self) -> bool:
        """True while a plan or the trial of a server needs this window."""
        return self.runs.running or any(trial.running for trial in self.findChildren(Trial))

    def follow_language(self) -> None:
        """Apply the language setting."""
        self.language.follow()

    def keep_layout(self) -> None:
        """Store the layout for the next window."""
        self._layout_file.save(self._stateful())

    def reset_layout(self) -> None:
        """Restore the first layout."""
        self.restoreState(self._first_docks)

    def _stateful(self) -> list[Stateful]:
        contents = {name: dock.widget() for name, dock in self.docks.items()}
        tables = [
            Stateful(name, content.save_layout, content.restore_layout)
            for name, content in contents.items()
            if isinstance(content, HasLayout)
        ]
        return [*window_parts(self), *tables]

    def showEvent(self, event: QShowEvent) -> None:
        """Qt: fit the first layout to the window's first size."""
        if self._is_first:
            self._is_first = False
            arrangements.fit_narrow(self)
            self._first_docks = self.saveState()
        super().showEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Qt: update the theme after a change of the palette."""
        if event.type() in {
            QEvent.Type.PaletteChange,
            QEvent.Type.ApplicationPaletteChange,
            QEvent.Type.ThemeChange,
        }:
            self.theme.refresh()
        super().changeEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Qt: accept one local file."""
        urls = event.mimeData().urls()
        if len(urls) == 1 and urls[0].isLocalFile():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Qt: open the dropped file."""
        self.documents.open_any(Path(event.mimeData().urls()[0].toLocalFile()))

    def closeEvent(self, event: QCloseEvent) -> None:
        """Qt: close once it is allowed."""
        if not self.closing.may_close:
            self.closing.ask()
        if not self.closing.may_close:
            event.ignore()
            return
        self.clock.stop()
        self.keep_layout()
        self.autosave.end()
        event.accept()
        self.closed.emit()
