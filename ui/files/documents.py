"""New, open and save for the experiment; asks before unsaved changes are lost."""

from collections.abc import Callable
from pathlib import Path
from zipfile import is_zipfile

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu, QMessageBox, QWidget

from ui.commands.packs import SUFFIX as PACK_SUFFIX
from ui.commands.packs import Packs
from ui.conductor.background import Background
from ui.experiment import Editor
from ui.files.settings import SettingsFile
from ui.language.texts import Sayable, said
from ui.window.dialogs import Question, ask_open, ask_save
from ui.window.message_bar import MessageBar, Remedy
from ui.workload.preview import preview
from workbench.base import InputError, WorkbenchError

DEMO_SUFFIX = ".wbdemo"


class Documents(QObject):
    """The experiment's file; files of other kinds are handed on."""

    bench_chosen = Signal(Path)
    demo_chosen = Signal(Path)
    session_chosen = Signal(Path)
    """A session file whose bench files are to be shown."""
    columns_wanted = Signal(Path, str)
    """A file that can't be read as a trace, and the reason."""

    def __init__(
        self, window: QWidget, editor: Editor, settings: SettingsFile, bar: MessageBar, results: Path
    ) -> None:
        super().__init__(window)
        self._results = results
        self._window, self.editor, self._settings, self._bar = window, editor, settings, bar
        self._background = Background(self)
        self._packs = Packs(window, bar, results, self._open_ordered, self.bench_chosen.emit)

    def title(self) -> str:
        """Return the window's title, with the place for the mark of changes."""
        name = self.editor.path.name if self.editor.path else self.editor.draft.name
        return f"{name}[*] – vLLM Workbench"

    def new(self) -> None:
        """Start a new experiment with defaults."""
        self.unless_unsaved(self.editor.begin)

    def open(self) -> None:
        """Let the user choose an experiment, a bench file, a trace or a pack."""
        kinds = self.tr("All files (*);;Experiments (*.toml);;Bench files (*.bench);;Packs (*.zip *.wbpack)")
        kinds += self.tr(";;Demos (*.wbdemo)")
        ask_open(self._window, self.tr("Open"), self._folder(), kinds, self.open_any)

    def open_any(self, path: Path) -> None:
        """Open an experiment, a bench file, a session, a demo, a pack, or else a trace."""
        if path.suffix.lower() == ".toml":
            self.unless_unsaved(lambda: self.open_path(path))
        elif path.name.endswith(".session.json"):
            self.session_chosen.emit(path)
        elif _is_bench(path):
            self.bench_chosen.emit(path)
        elif is_demo(path):
            self.demo_chosen.emit(path.absolute())
        elif path.suffix.lower() == PACK_SUFFIX:
            self._packs.open(path.absolute())
        elif is_zipfile(path):
            self._open_zip(path.absolute())
        else:
            self._open_trace(path.absolute())

    def _open_ordered(self, path: Path) -> None:
        """Open an order's experiment."""
        self.unless_unsaved(lambda: self.open_path(path))

    def _open_zip(self, path: Path) -> None:
        """Open the bench file of a pack; another zip file is a trace."""

        def show(bench: Path | None) -> None:
            if bench is None:
                self._open_trace(path)
            else:
                self._bar.dismiss("open")
                self.bench_chosen.emit(bench)

        self._background.run(
            lambda: _unpacked(path, self._results),
            show,
            lambda error: self._bar.show_message("error", error, key="open"),
        )

    def _open_trace(self, path: Path) -> None:
        """Use a trace in the experiment once it was read; show a refusal and change nothing."""

        def use(_found: object) -> None:
            self._bar.dismiss("trace")
            self._settings.remember_file(path)
            self.editor.edit(self.tr("trace {0}").format(path.name), trace_kind="file", trace_file=str(path))

        def refuse(error: Sayable) -> None:
            what = said(error)
            text = what if str(path) in what else f"{path}: {what}"
            columns = Remedy(self.tr("Name its columns…"), lambda: self.columns_wanted.emit(path, what))
            remedies = (columns,) if path.is_file() else ()
            self._bar.show_message("error", text, key="trace", remedies=remedies)

        self._background.run(lambda: preview(path), use, refuse)

    def open_path(self, path: Path) -> None:
        """Open an experiment; show a refusal and change nothing."""
        try:
            self.editor.open(path)
        except InputError as error:
            self._bar.show_message("error", error, key="open")
            return
        except OSError as error:
            self._bar.show_message("error", str(error), key="open")
            return
        self._bar.dismiss("open")
        self._settings.remember_file(path)

    def _kinds(self) -> str:
        return self.tr("Experiments (*.toml);;All files (*)")

    def save(self) -> None:
        """Save to its file, or ask for one."""
        if self.editor.path:
            self.save_to(self.editor.path)
        else:
            self.save_as()

    def save_as(self, then: Callable[[], object] | None = None) -> None:
        """Ask for a file and save to it, then go on."""
        stem = "".join(
            letter if letter.isalnum() or letter in "-_ " else "-" for letter in self.editor.draft.name
        )
        suggestion = self.editor.path or Path(self._folder()) / f"{stem.strip() or 'experiment'}.toml"

        def write(path: Path) -> None:
            if self.save_to(path) and then:
                then()

        ask_save(self._window, self.tr("Save experiment"), suggestion, self._kinds(), write)

    def save_to(self, path: Path) -> bool:
        """Save; show a refusal. Return True if it was saved."""
        try:
            self.editor.save(path)
        except WorkbenchError as error:
            self._bar.show_message("error", self.tr("Not saved: {0}").format(said(error)), key="save")
            return False
        self._bar.dismiss("save")
        self._settings.remember_file(path)
        return True

    def unless_unsaved(self, then: Callable[[], object]) -> None:
        """Call `then`, after asking what to do with unsaved changes."""
        if not self.editor.modified:
            then()
            return
        question = Question(
            self._window,
            self.tr("Save the changes to {0}?").format(self.editor.draft.name),
            self.tr("Without saving they are lost."),
        )

        def save_first() -> None:
            if self.editor.path is None:
                self.save_as(then)
            elif self.save_to(self.editor.path):
                then()

        question.add("save", self.tr("Save"), QMessageBox.ButtonRole.AcceptRole, save_first)
        question.add("discard", self.tr("Discard"), QMessageBox.ButtonRole.DestructiveRole, then)
        question.add("cancel", self.tr("Cancel"), QMessageBox.ButtonRole.RejectRole, lambda: None, safe=True)
        question.open()

    def fill_recent(self, menu: QMenu) -> None:
        """List the recent files, missing ones disabled."""
        menu.clear()
        for text in self._settings.value.recent:
            path = Path(text)
            action = menu.addAction(path.name)
            action.setToolTip(text)
            action.setStatusTip(text)
            action.setEnabled(path.exists())
            action.triggered.connect(lambda _checked=False, chosen=path: self.open_any(chosen))
        if self._settings.value.recent:
            menu.addSeparator()
            menu.addAction(self.tr("Clear list")).triggered.connect(lambda: self._settings.change(recent=()))
        else:
            menu.addAction(self.tr("No files yet")).setEnabled(False)

    def _folder(self) -> str:
        return self._settings.value.last_folder or first_folder(self._results)


def is_demo(path: Path) -> bool:
    """Return True if a file's name says that it holds a demo."""
    return path.suffix.lower() == DEMO_SUFFIX


def first_folder(results: Path) -> str:
    """Return the folder of file dialogs before any file was opened: the results, once there are any."""
    return str(results if results.is_dir() else Path.home())


def _unpacked(path: Path, results: Path) -> Path | None:
    """Return the bench file of a pack, among the results; None for another zip file."""
    from workbench.results import is_pack, unpack_bench  # noqa: PLC0415 - the core room loads when first needed

    return unpack_bench(path, results) if is_pack(path) else None


def _is_bench(path: Path) -> bool:
    if path.suffix.lower() == ".bench":
        return True
    try:
        with path.open("rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError:
        return False
