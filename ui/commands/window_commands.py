"""The functions of the window's commands; the action registry calls them."""

from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QApplication

from ui.commands.result_commands import ResultCommands
from ui.conductor.conductor_client import Ended
from ui.experiment.draft import Draft, suggested_values
from ui.files.autosave import UnsavedEdits
from ui.insights.narration import narrate
from ui.language.texts import Sayable, said_all
from ui.live import Changed, RunView
from ui.live.bottlenecks import NextChange
from ui.look.announcing import announce
from ui.plots import PlotChoice
from ui.plots.specs import FIRST_SHOWN
from ui.window import arrangements
from ui.window import panel_focus as panes
from ui.window.message_bar import Remedy
from ui.window.overlay import Overlay
from ui.window.preferences import PreferencesDialog
from ui.window.window_parts import WindowParts
from workbench.base import InputError, WorkbenchError
from workbench.controls import CONTROLS

if TYPE_CHECKING:
    from ui.files.settings import EnginePlots
    from ui.plots import PlotGrid


class Commands(QObject):
    """Connects the action registry with the panels."""

    def __init__(self, window: WindowParts) -> None:
        super().__init__(window)
        self._window = window
        self.results = ResultCommands(window)
        self.overlay = Overlay(window)
        self._last_start: tuple[str, list[tuple[str, str]]] | None = None
        self._halves: dict[str, Draft] = {}
        """The demo's experiments as drafts, by the control under test."""

    def connect_all(self) -> None:
        """Connect every action."""
        window, runs, documents, editor = (
            self._window, self._window.runs, self._window.documents, self._window.editor,
        )  # fmt: skip
        window.actions_.connect_all(
            {
                "file.new": documents.new,
                "file.open": documents.open,
                "file.save": documents.save,
                "file.save_as": documents.save_as,
                "file.duplicate": editor.duplicate,
                "file.export_csv": self.results.export_csv,
                "file.compare": self.results.compare_systems,
                "file.questions": self.results.ask_questions,
                "file.quit": window.close,
                "edit.undo": editor.undo,
                "edit.redo": editor.redo,
                "edit.copy": window.scorecard.copy,
                "edit.preferences": self.preferences,
                "run.start": self.run_plan,
                "run.go_on": lambda: self.go_on(invalid=False),
                "run.again": lambda: self.go_on(invalid=True),
                "run.stop": runs.stop,
                "run.stop_after": runs.stop_after_run,
                "run.skip": runs.skip,
                "run.demo": self.run_demo,
                "view.behind": self.overlay.choose,
                "view.baseline": self.overlay.clear,
                "view.tune": lambda: arrangements.tune(window),
                "view.demo": lambda: arrangements.demo(window),
                "view.review": lambda: arrangements.review(window),
                "view.steps": lambda: arrangements.steps(window),
                "view.next_panel": lambda: panes.focus_panel(window, 1),
                "view.previous_panel": lambda: panes.focus_panel(window, -1),
            }
        )
        self._connect_view()
        self._connect_rooms()

    def _connect_rooms(self) -> None:
        """Connect the buttons and signals of panels."""
        window, editor = self._window, self._window.editor
        page = window.start_page
        page.demo_wanted.connect(self.run_demo)
        page.own_server_wanted.connect(lambda: self._show_section(0, "target_kind", target_kind="local"))
        page.own_trace_wanted.connect(lambda: self._show_section(1, "trace_file", trace_kind="file"))
        window.experiment.run_wanted.connect(self.run_plan)
        window.insights.test_wanted.connect(self.run_next)
        window.verdict.run_wanted.connect(self.run_next)
        window.verdict.edit_wanted.connect(self.edit_next)
        window.runs.changed.connect(self._follow_demo)
        window.live_limits.limit_wanted.connect(window.runs.set_limit)
        window.live_limits.allow_wanted.connect(
            lambda: editor.edit(self.tr("allow live limits"), live_limits=True)
        )

    def _connect_view(self) -> None:
        actions = self._window.actions_
        actions["view.follow"].setChecked(True)
        actions["view.chart"].toggled.connect(lambda on: self._window.scorecard.show_chart(on=on))
        group = QActionGroup(self)
        for appearance in ("system", "light", "dark"):
            action = actions[f"view.{appearance}"]
            group.addAction(action)
            action.setChecked(self._window.settings.value.appearance == appearance)
            action.triggered.connect(lambda _checked=False, chosen=appearance: self.set_appearance(chosen))

    def connect_plots(self, plots: "PlotGrid") -> None:
        """Connect the plots once they are made."""
        follow, pause = self._window.actions_["view.follow"], self._window.actions_["view.pause"]
        follow.toggled.connect(lambda on: plots.set_following(on=on))
        pause.toggled.connect(lambda on: plots.set_paused(on=on))
        plots.following_changed.connect(follow.setChecked)
        plots.run_chosen.connect(lambda name: self._window.insights.choose_run(name, plots.other_plan))
        plots.main_chosen.connect(self._window.plot_choice.keep_main)
        plots.steps_wanted.connect(self.results.show_steps)
        plots.menu.engines_chosen.connect(lambda how: self._show_engines(plots, how))
        plots.main_chosen.connect(lambda _id: self._window.clock.start())

    def _show_engines(self, plots: "PlotGrid", how: "EnginePlots") -> None:
        """Show each engine in this way, now and after the next start."""
        self._window.settings.change(engine_plots=how)
        plots.show_engines(how)
        self._window.clock.start()

    def connect_plot_choice(self, choice: PlotChoice) -> None:
        """Show the plots that the user checks."""

        def show(ids: tuple[str, ...]) -> None:
            self._window.plots.show_plots(choice.choose(ids))
            self._window.clock.start()

        for action in choice.actions.values():
            action.triggered.connect(lambda _checked=False: show(choice.checked()))
        choice.all.triggered.connect(lambda _checked=False: show(tuple(choice.actions)))

        def by_question() -> None:
            # A second click unchecks; only another main plot does.
            choice.keep_main("")
            self._window.plots.keep_main("")
            self._window.clock.start()

        choice.by_question.triggered.connect(lambda _checked=False: by_question())
        choice.first.triggered.connect(lambda _checked=False: show(FIRST_SHOWN))

    def set_appearance(self, appearance: str) -> None:
        """Set light, dark or the system's appearance, now and for later starts."""
        settings = self._window.settings.change(appearance=appearance)
        self._window.theme.pin(settings.appearance)

    def show_undo(self) -> None:
        """Name the steps that undo and redo would take."""
        editor, actions = self._window.editor, self._window.actions_
        for id_, label, word in (
            ("edit.undo", editor.undo_label(), self.tr("&Undo")),
            ("edit.redo", editor.redo_label(), self.tr("&Redo")),
        ):
            actions[id_].setEnabled(label is not None)
            actions[id_].setText(f"{word}: {label}" if label else word)

    def run_plan(self) -> None:
        """Start the draft's plan."""
        editor = self._window.editor
        try:
            text = editor.text()
        except WorkbenchError as error:
            self._complain(error, "run")
            self._window.experiment.show_first_problem()
            return
        self._start(editor.draft.name, [("experiment.toml", text)])

    def run_demo(self) -> None:
        """Start the demo; show in the form the experiment that is measured."""
        from ui import demo  # noqa: PLC0415 - the core room loads when first needed

        window = self._window
        try:
            seconds = window.settings.value.demo_seconds
            files = demo.demo_files(seconds)
            if not window.editor.modified and window.editor.path is None:
                self._halves = demo.demo_drafts(seconds)
                window.editor.begin(demo.demo_draft(seconds))
        except WorkbenchError as error:
            self._complain(error, "run")
            return
        self._start(demo.DEMO_NAME, files)

    def _follow_demo(self, changed: Changed) -> None:
        """Show the experiment of the present run in the form, unless the user changed the form."""
        editor, state = self._window.editor, self._window.runs.state
        run = state.current_run()
        half = self._halves.get(run.control) if run is not None and run.control else None
        if half is None or not changed & Changed.RUN or not state.live:
            return
        untouched = not editor.modified and editor.path is None
        if untouched and editor.draft != half and editor.draft in self._halves.values():
            editor.begin(half)

    def run_next(self, run: RunView, change: NextChange) -> None:
        """Run the advised change on the settings of `run`; the form shows the same experiment."""
        if self._window.runs.running:
            return
        self.edit_next(run, change)
        self.run_plan()

    def edit_next(self, run: RunView, change: NextChange) -> None:
        """Put the advised change under test in the form, on the settings of `run`."""
        window = self._window
        assert change.control is not None
        draft = self._draft_behind(run)
        if run.control in CONTROLS:
            draft = draft.with_baseline(run.control, run.value)
        value = change.value
        values = (value,) if value is not None else suggested_values(change.control, None)
        label = self.tr("test {0} next").format(change.control)
        window.editor.replace(draft.with_fields(control=change.control, values=values), label)
        window.docks["experiment"].show()
        window.experiment.show_control()

    def _draft_behind(self, run: RunView) -> Draft:
        """Return the experiment that measured `run`, wherever the form is now; the form's without one."""
        from ui.experiment.draft_file import draft_of_text  # noqa: PLC0415 - loaded by now, with the run

        state, editor = self._window.runs.state, self._window.editor
        folder = Path(state.bench).parent
        places = [*([Path(state.base)] if state.base else []), folder]
        for text in state.experiments:
            with suppress(InputError):
                draft = draft_of_text(text, state.bench, places)
                if draft.name == run.experiment or len(state.experiments) == 1:
                    return draft
        return editor.draft

    def _start(self, name: str, files: list[tuple[str, str]]) -> None:
        if self._window.runs.running:
            return
        self._last_start = (name, files)
        try:
            self._window.runs.start(name, files)
        except WorkbenchError as error:
            self._complain(error, "run")
        else:
            self._window.messages.dismiss("run")

    def go_on(self, *, invalid: bool) -> None:
        """Resume the shown plan, in its bench file."""
        state = self._window.runs.state
        if self._window.runs.running:
            return
        try:
            self._window.runs.go_on(invalid=invalid)
        except WorkbenchError as error:
            self._complain(error, "run")
        else:
            if state.read_only:
                self._last_start = None  # of another plan
            self._window.messages.dismiss("run")

    def say_end(self, ended: Ended) -> None:
        """Show how the conductor ended, if its plan was not done."""
        state = self._window.runs.state
        self._window.show_enabled()
        if self._window.settings.value.notify:
            QApplication.alert(self._window)
        if state.phase != "failed":
            # The toolbar shows it; screen readers need it said.
            announce(self._window, " ".join(said_all(narrate(state).sentences)))
            self._offer_again()
            return
        last = ended.errors[-1].removeprefix("error: ") if ended.errors else ""
        kept = sum(bool(run.row) for run in state.runs.values())
        text = (
            self.tr("The watch did not start: {0}").format(last or ended.in_words())
            if state.watch and not state.runs
            else self.tr("The plan did not start: {0}").format(last or ended.in_words())
            if not state.runs
            else self.tr(
                "The conductor {0} before the plan was done. {1} of {2} runs are kept in {3}. {4}"
            ).format(ended.in_words(), kept, len(state.runs), Path(state.bench).name, last)
        )
        again = kept and state.can_go_on
        on = (Remedy(self.tr("Go on"), partial(self.go_on, invalid=False)),) if again else ()
        anew = (Remedy(self.tr("Run again"), self._restart),) if self._last_start and not state.watch else ()
        remedies = (*on, *anew)
        self._window.messages.show_message("error", text.strip(), key="run", remedies=remedies)

    def _offer_again(self) -> None:
        """Offer to repeat invalid runs, which may be valid on a quieter machine."""
        invalid = self._window.runs.state.invalid
        if not invalid:
            return
        text = self.tr(
            "Invalid runs: {0}. They allow no conclusion; the scorecard shows the reasons."
        ).format(len(invalid))
        again = Remedy(self.tr("Repeat them"), partial(self.go_on, invalid=True))
        self._window.messages.show_message("info", text, key="run", remedies=(again,))

    def _restart(self) -> None:
        if self._last_start:
            self._start(*self._last_start)

    def preferences(self) -> None:
        """Open the preferences."""
        window = self._window
        dialog = PreferencesDialog(window, window.settings, window.theme)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.changed.connect(self.apply_settings)
        dialog.open()

    def apply_settings(self) -> None:
        """Apply the settings as they are now."""
        appearance = self._window.settings.value.appearance
        self._window.actions_[f"view.{appearance}"].setChecked(True)
        self._window.theme.pin(appearance)
        self._window.follow_language()

    def offer_draft(self) -> None:
        """Offer the unsaved edits of an earlier window until they are restored or discarded."""
        window = self._window
        kept = window.autosave.found()
        if kept is None:
            return
        name = Path(kept.path).name if kept.path else kept.draft.name
        text = self.tr("Unsaved changes to {0} were kept when the window last ended.").format(name)
        remedies = (
            Remedy(self.tr("Restore them"), partial(self._bring_back, kept)),
            Remedy(self.tr("Discard them"), window.autosave.forget),
        )
        window.messages.show_message("info", text, key="draft", remedies=remedies)

    def _bring_back(self, kept: UnsavedEdits) -> None:
        """Restore the edits, on their file if it still exists, after asking about the form's content."""

        def bring() -> None:
            editor = self._window.editor
            if kept.path is not None:
                # The file's text keeps comments and keys without a field.
                with suppress(InputError, OSError):
                    editor.open(Path(kept.path))
            editor.replace(kept.draft, self.tr("restored changes"))
            self._window.autosave.save()

        self._window.documents.unless_unsaved(bring)

    def _show_section(self, number: int, field: str, **fields: str) -> None:
        section, body, _ = self._window.experiment.sections[number]
        self._window.docks["experiment"].show()
        section.unfold()
        self._window.editor.edit(self.tr("start with my own data"), **fields)
        body.focus(field)

    def _complain(self, error: Sayable, key: str = "problem") -> None:
        self._window.messages.show_message("error", error, key=key)
