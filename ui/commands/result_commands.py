"""Commands on results: a run's plots, a bench file, an export. Files are read in a thread."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject

from ui.commands.export import Export
from ui.conductor.background import Background
from ui.experiment import Draft
from ui.language.texts import Sayable
from ui.live import LiveState, RunView
from ui.window import arrangements
from ui.window.dialogs import ask_save
from ui.window.message_bar import Remedy
from ui.window.presenting import BLANK_KEYS
from ui.window.window_parts import WindowParts
from workbench.base import InputError, Place, Refusal


class ResultCommands(QObject):
    """Connects stored results with the panels."""

    def __init__(self, window: WindowParts) -> None:
        super().__init__(window)
        self._window = window
        self._background = Background(self)
        self._export = Export(self)

    def choose_run(self, name: str) -> None:
        """Show a run's plots, reading them first if needed."""
        plots, state = self._window.plots, self._window.runs.state
        run = state.runs[name]
        behind = state.baseline_of(run)
        chosen = None if name == state.current and state.live else name
        self._with_series([run] if behind is None else [run, behind], lambda: plots.choose_run(chosen))

    def show_steps(self, run: str, begin: float, end: float) -> None:
        """Show the scheduler's steps of a span of time."""
        from ui.steps import StepsPanel  # noqa: PLC0415 - loaded by now, with its dock

        dock = self._window.docks["steps"]
        room = dock.widget()
        assert isinstance(room, StepsPanel)
        dock.show()
        dock.raise_()
        room.show_span(run, begin, end)

    def play_steps(self) -> None:
        """Play the steps full screen once they are read, on a second display if there is one."""
        from ui.steps import StepsPanel  # noqa: PLC0415 - as above

        window = self._window
        arrangements.steps(window)
        room = window.docks["steps"].widget()
        assert isinstance(room, StepsPanel)
        show = window.presentation
        show.begin(
            {
                "PgDown": room.stage.play,
                "PgUp": room.stage.play_again,
                "F5": room.stage.play_again,
                "Esc": show.end,
                **dict.fromkeys(BLANK_KEYS, show.toggle_blank),
            }
        )
        room.stage.setFocus()
        room.play_when_read()

    def choose_behind(self, name: str) -> None:
        """Draw a run behind the others."""
        run = self._window.runs.state.runs[name]
        self._with_series([run], lambda: self._window.plots.choose_behind(name))

    def choose_earlier(self, state: LiveState, name: str) -> None:
        """Show the plots of an earlier plan's run."""
        run = state.runs[name]
        behind = state.baseline_of(run)
        runs = [run] if behind is None else [run, behind]
        self._with_series(runs, lambda: self._window.plots.choose_run(name, state), state)

    def choose_earlier_behind(self, state: LiveState, name: str) -> None:
        """Draw an earlier plan's run behind the others."""
        run = state.runs[name]
        self._with_series([run], lambda: self._window.plots.set_behind(run), state)

    def _with_series(
        self, runs: Sequence[RunView], then: Callable[[], object], state: LiveState | None = None
    ) -> None:
        """Call `then` once the curves of these runs of the shown plan, or of `state`, are read."""
        window, state = self._window, state or self._window.runs.state
        # Some runs of a resumed plan were measured before this window opened it.
        stored = [run for run in runs if state.read_only or (state.before and run.row)]
        missing = [run for run in stored if not len(run.series)]

        def go_on(_none: object) -> None:
            then()
            window.clock.start()

        if missing:
            bench = Path(state.bench)
            self._background.run(lambda: _fill_series(bench, missing), go_on, self._complain)
        else:
            go_on(None)

    def open_bench(self, path: Path) -> None:
        """Show a bench file, read-only."""
        self._open(path, lambda: [_read_bench(path)])

    def open_session(self, path: Path) -> None:
        """Show all bench files of a session as one table, read-only; the first one's plots are shown."""
        self._open(path, lambda: _read_session(path))

    def _open(self, path: Path, read: Callable[[], list[LiveState]]) -> None:
        """Show what `read` returns in a thread: the first plan, and the others as earlier ones."""
        window = self._window
        busy = self.tr("A plan is running; open the bench file when it is done.")
        if window.runs.running:
            self._complain(busy, "bench")
            return

        def show(states: list[LiveState]) -> None:
            if window.runs.running:  # Started while the file was read.
                self._complain(busy, "bench")
                return
            window.settings.remember_file(path)
            window.messages.dismiss("bench")
            window.messages.dismiss("run")  # Its remedies are for the plan that was shown before.
            window.scorecard.grouped.most = max(window.scorecard.grouped.most, len(states) - 1)
            for state in reversed(states):
                window.runs.show_bench(state)
            state = states[0]
            self._show_experiment(state)
            if state.runs:
                self.choose_run(state.current or next(iter(state.runs)))

        window.messages.show_later(self.tr("Reading {0} …").format(path.name), key="bench")
        self._background.run(read, show, lambda error: self._complain(error, "bench"))

    def _show_experiment(self, state: LiveState) -> None:
        """Show the file's experiment in the form, or offer it if the form has unsaved changes."""
        window, editor = self._window, self._window.editor
        from ui.experiment.draft_file import draft_of_text  # noqa: PLC0415 - loaded by now, with the file

        if not state.experiments:
            return
        try:
            stored = draft_of_text(state.experiments[-1], state.bench)
            # The trace's folder then, or beside the file now: the draft has no folder of its own.
            places = [*([Path(state.base)] if state.base else []), Path(state.bench).parent]
            draft = draft_of_text(state.experiments[-1], state.bench, places)
        except InputError:
            # Another version's experiment may be refused; its results are shown all the same.
            return
        if not editor.modified:
            editor.begin(draft)
        elif editor.draft not in (draft, stored):
            said = self.tr("The form shows your unsaved settings, not those of the results.")
            replace = Remedy(
                self.tr("Show the settings of the results"),
                lambda: editor.replace(draft, self.tr("settings of the results")),
            )
            window.messages.show_message("info", said, key="bench", remedies=(replace,))

    def export_csv(self) -> None:
        """Export the shown results in the format of the chosen extension."""
        window = self._window
        bench = Path(window.runs.state.bench)
        folder = Path(window.settings.value.last_folder or bench.parent)

        def write(target: Path) -> None:
            window.messages.show_later(self.tr("Writing {0} …").format(target.name), key="export")
            self._export.start(
                bench,
                target,
                lambda done: window.messages.show_message(
                    "info", self.tr("Wrote {0}").format(done), key="export"
                ),
                lambda text: self._complain(self.tr("Not exported: {0}").format(text), "export"),
            )

        kinds = ";;".join(
            (
                self.tr("Scorecard as CSV (*.csv)"),
                self.tr("Scorecard as a workbook (*.xlsx)"),
                self.tr("Report (*.html)"),
                self.tr("Figures and verdicts (*.json)"),
                self.tr("Pack to verify (*.zip)"),
            )
        )
        ask_save(window, self.tr("Export"), folder / f"{bench.stem}.csv", kinds, write)

    def compare_systems(self) -> None:
        """Open the comparison of systems with the shown results."""
        from ui.compare import CompareDialog  # noqa: PLC0415 - seldom opened

        window = self._window
        state = window.runs.state
        shown = [Path(state.bench)] if state.bench and not state.live else []
        folder = window.settings.value.last_folder or str(shown[0].parent if shown else window.runs.results)
        CompareDialog(window, window.theme, shown, Path(folder)).open()

    def ask_questions(self) -> None:
        """Open the five questions on the shown results."""
        from ui.questions import QuestionsDialog  # noqa: PLC0415 - seldom opened

        window = self._window
        dialog = QuestionsDialog(window, window.theme, Path(window.runs.state.bench))
        dialog.plan_wanted.connect(self._plan)
        dialog.compare_wanted.connect(self.compare_systems)
        dialog.open()

    def _plan(self, draft: object) -> None:
        """Show a planned experiment as a new one, so that no file is overwritten."""
        window = self._window
        assert isinstance(draft, Draft)
        window.editor.go_on_without_file(draft, self.tr("plan the missing experiment"))
        window.docks["experiment"].show()

    def _complain(self, error: Sayable, key: str = "problem") -> None:
        self._window.messages.show_message("error", error, key=key)


def _read_bench(path: Path) -> LiveState:
    """Read in the background's thread, where loading the core blocks nothing."""
    from ui.files.bench_reader import read_bench  # noqa: PLC0415 - as said

    return read_bench(path)


def _read_session(path: Path) -> list[LiveState]:
    """Read the session's bench files; one that is missing at its path is looked for beside the session.

    Raises:
        WorkbenchError: the session or a bench file is unreadable.
    """
    from workbench.experiments.session import read_session  # noqa: PLC0415 - as above

    benches = [Path(step.bench) for step in read_session(path).steps if step.bench is not None]
    if not benches:
        raise Refusal("experiments.session_without_results", Place(file=str(path)))
    return [_read_bench(each if each.exists() else path.parent / each.name) for each in benches]


def _fill_series(path: Path, runs: Sequence[RunView]) -> None:
    from ui.files.bench_reader import fill_series  # noqa: PLC0415 - as above

    fill_series(path, runs)
