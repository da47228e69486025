"""What the window's commands do, one method each; the action registry calls them."""

import platform
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, qVersion
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMessageBox

from ui import arrangements
from ui.background import Background
from ui.conductor_client import Ended
from ui.dialogs import ask_save
from ui.export import CsvExport
from ui.live import LiveState, RunView
from ui.message_bar import Remedy
from ui.palette import CommandPalette
from workbench import __version__
from workbench.base import InputError, WorkbenchError

if TYPE_CHECKING:
    from ui.main_window import MainWindow

CSV_FILES = "CSV (*.csv)"


class Commands(QObject):
    """Between the registry and the rooms."""

    def __init__(self, window: "MainWindow") -> None:
        super().__init__(window)
        self._window = window
        self._background = Background(self)
        self._export = CsvExport(self)
        self._last_start: tuple[str, list[tuple[str, str]]] | None = None

    def connect_all(self) -> None:
        """Wire every action."""
        window, runs, documents, editor = (
            self._window, self._window.runs, self._window.documents, self._window.editor,
        )  # fmt: skip
        window.actions_.connect_all(
            {
                "file.new": documents.new,
                "file.open": documents.open,
                "file.bench": documents.open_bench,
                "file.save": documents.save,
                "file.save_as": documents.save_as,
                "file.duplicate": editor.duplicate,
                "file.export_csv": self.export_csv,
                "file.quit": window.close,
                "edit.undo": editor.undo,
                "edit.redo": editor.redo,
                "edit.copy": window.scorecard.copy,
                "run.start": self.run_plan,
                "run.stop": runs.stop,
                "run.stop_after": runs.stop_after_run,
                "run.skip": runs.skip,
                "run.demo": self.run_demo,
                "view.tune": lambda: arrangements.tune(window),
                "view.demo": lambda: arrangements.demo(window),
                "view.review": lambda: arrangements.review(window),
                "help.palette": self.find_command,
                "help.about": self.about,
            }
        )
        self._connect_view()
        page = window.start_page
        page.demo_wanted.connect(self.run_demo)
        page.own_server_wanted.connect(lambda: self._show_section(0, "target_kind", target_kind="local"))
        page.own_trace_wanted.connect(lambda: self._show_section(1, "trace_file", trace_kind="file"))
        page.bench_wanted.connect(documents.open_bench)
        window.experiment.run_wanted.connect(self.run_plan)

    def _connect_view(self) -> None:
        actions, plots = self._window.actions_, self._window.plots
        actions["view.follow"].setChecked(True)
        actions["view.follow"].toggled.connect(lambda on: plots.set_following(on=on))
        actions["view.pause"].toggled.connect(lambda on: plots.set_paused(on=on))
        actions["view.chart"].toggled.connect(lambda on: self._window.scorecard.show_chart(on=on))
        group = QActionGroup(self)
        for appearance in ("system", "light", "dark"):
            action = actions[f"view.{appearance}"]
            group.addAction(action)
            action.setChecked(self._window.settings.value.appearance == appearance)
            action.triggered.connect(lambda _checked=False, chosen=appearance: self.set_appearance(chosen))

    def set_appearance(self, appearance: str) -> None:
        """Light, dark or as the system, now and at later starts."""
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
            self._complain(str(error), "run")
            self._window.experiment.show_first_problem()
            return
        self._start(editor.draft.name, [("experiment.toml", text)])

    def run_demo(self) -> None:
        """Start the demo; the form shows the half of it that changes the sequence limit."""
        from ui import demo  # noqa: PLC0415 - the core room loads when first needed

        window = self._window
        try:
            files = demo.demo_files(window.settings.value.demo_seconds)
            if not window.editor.modified and window.editor.path is None:
                window.editor.begin(demo.demo_draft())
        except WorkbenchError as error:
            self._complain(str(error), "run")
            return
        self._start(demo.DEMO_NAME, files)

    def _start(self, name: str, files: list[tuple[str, str]]) -> None:
        if self._window.runs.running:
            return
        self._last_start = (name, files)
        try:
            self._window.runs.start(name, files)
        except InputError as error:
            self._complain(str(error), "run")
        else:
            self._window.messages.dismiss("run")

    def say_end(self, ended: Ended) -> None:
        """The conductor is gone: say how, where that was not its plan's end."""
        state = self._window.runs.state
        self._window.show_enabled()
        if state.phase != "failed":
            return
        last = ended.errors[-1].removeprefix("error: ") if ended.errors else ""
        kept = sum(bool(run.row) for run in state.runs.values())
        text = (
            self.tr("The plan did not start: {0}").format(last or ended.in_words())
            if not state.runs
            else self.tr(
                "The conductor {0} before the plan was done. {1} of {2} runs are kept in {3}. {4}"
            ).format(ended.in_words(), kept, len(state.runs), Path(state.bench).name, last)
        )
        remedies = (Remedy(self.tr("Run again"), self._restart),) if self._last_start else ()
        self._window.messages.show_message("error", text.strip(), key="run", remedies=remedies)

    def _restart(self) -> None:
        if self._last_start:
            self._start(*self._last_start)

    def choose_run(self, name: str) -> None:
        """Show a run's plots; in a bench file they are read first."""
        plots, state = self._window.plots, self._window.runs.state
        run = state.runs[name]
        behind = state.baseline_of(run)
        chosen = None if name == state.current and state.live else name
        self._with_series([run] if behind is None else [run, behind], lambda: plots.choose_run(chosen))

    def choose_behind(self, name: str) -> None:
        """Draw a run behind the others."""
        run = self._window.runs.state.runs[name]
        self._with_series([run], lambda: self._window.plots.choose_behind(name))

    def _with_series(self, runs: Sequence[RunView], then: Callable[[], object]) -> None:
        """Go on once these runs' curves are there."""
        window, state = self._window, self._window.runs.state
        missing = [run for run in runs if state.read_only and not len(run.series)]

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
        window = self._window
        if window.runs.running:
            self._complain(
                self.tr("A plan is being carried out; open the bench file when it is done."), "bench"
            )
            return

        def show(state: LiveState) -> None:
            window.settings.remember_file(path)
            window.messages.dismiss("bench")
            window.runs.show_bench(state)
            self._show_experiment(state)
            if state.runs:
                self.choose_run(state.current or next(iter(state.runs)))

        self._background.run(lambda: _read_bench(path), show, lambda text: self._complain(text, "bench"))

    def _show_experiment(self, state: LiveState) -> None:
        """The form shows what the file was measured with, where nothing of the user's is in it."""
        editor = self._window.editor
        from ui.experiment.toml import draft_of_text  # noqa: PLC0415 - loaded by now, with the file

        if not state.experiments or editor.modified or editor.path is not None:
            return
        with suppress(InputError):
            # A file of another version may hold what this one refuses; its results show all the same.
            editor.begin(draft_of_text(state.experiments[-1], state.bench))

    def export_csv(self) -> None:
        """Write the scorecard of what is shown."""
        window = self._window
        bench = Path(window.runs.state.bench)
        folder = Path(window.settings.value.last_folder or bench.parent)

        def write(target: Path) -> None:
            self._export.start(
                bench,
                target,
                lambda done: window.messages.show_message(
                    "info", self.tr("Wrote {0}").format(done), key="export"
                ),
                lambda text: self._complain(self.tr("Not exported: {0}").format(text), "export"),
            )

        ask_save(window, self.tr("Export CSV"), folder / f"{bench.stem}.csv", CSV_FILES, write)

    def find_command(self) -> None:
        """Open the palette."""
        CommandPalette(self._window, self._window.actions_.all()).open()

    def about(self) -> None:
        """Versions, to be copied into a report."""
        import pyqtgraph as pg  # noqa: PLC0415 - loaded already; only its version is asked

        lines = [
            f"vLLM Workbench {__version__}",
            f"Python {platform.python_version()}, Qt {qVersion()}, pyqtgraph {pg.__version__}",
            f"{platform.system()} {platform.release()} {platform.machine()}",
            self.tr("Apache-2.0. Qt is used under the LGPL."),
        ]
        box = QMessageBox(self._window)
        box.setWindowTitle(self.tr("About vLLM Workbench"))
        box.setText("\n".join(lines))
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()

    def _show_section(self, number: int, field: str, **fields: str) -> None:
        section, body, _ = self._window.experiment.sections[number]
        self._window.docks["experiment"].show()
        section.unfold()
        self._window.editor.edit(self.tr("begin with my own"), **fields)
        body.focus(field)

    def _complain(self, text: str, key: str = "problem") -> None:
        self._window.messages.show_message("error", text, key=key)


def _read_bench(path: Path) -> LiveState:
    """In the background's thread, where loading the core's rooms stops nobody."""
    from ui.bench_reader import read_bench  # noqa: PLC0415 - as said

    return read_bench(path)


def _fill_series(path: Path, runs: Sequence[RunView]) -> None:
    from ui.bench_reader import fill_series  # noqa: PLC0415 - as above

    fill_series(path, runs)
