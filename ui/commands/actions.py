"""The window's commands as records; menus, toolbar and command palette are built from them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar

from ui.look.icons import icon
from ui.look.theme import Theme

Keys = QKeySequence.StandardKey


@dataclass(frozen=True)
class ActionSpec:
    """One command: its name, menu, shortcut and icon."""

    id: str
    text: str
    """With mnemonic; ends in an ellipsis if the command asks for more."""
    tip: str
    """One sentence for the status bar."""
    menu: str
    """Title of its menu; a change of `group` within a menu draws a separator."""
    group: int = 0
    shortcut: "QKeySequence.StandardKey | str | None" = None
    icon: str | None = None
    checkable: bool = False
    role: QAction.MenuRole = QAction.MenuRole.NoRole


def _n(text: str) -> str:
    """Mark `text` for translation in the context actions."""
    return str(QT_TRANSLATE_NOOP("actions", text))


SPECS = (
    ActionSpec(
        "file.new",
        _n("&New experiment"),
        _n("Start a new experiment with defaults"),
        "&File",
        0,
        Keys.New,
        "new",
    ),
    ActionSpec(
        "file.open",
        _n("&Open…"),
        _n("Open an experiment, a bench file, a trace or a pack"),
        "&File",
        0,
        Keys.Open,
        "open",
    ),
    ActionSpec("file.save", _n("&Save"), _n("Save the experiment"), "&File", 1, Keys.Save, "save"),
    ActionSpec(
        "file.save_as", _n("Save &as…"), _n("Save the experiment under another name"), "&File", 1, Keys.SaveAs
    ),
    ActionSpec(
        "file.duplicate",
        _n("&Duplicate"),
        _n("Continue with a copy that has no file yet"),
        "&File",
        1,
        "Ctrl+Shift+D",
    ),
    ActionSpec(
        "file.export_csv",
        _n("&Export…"),
        _n("Write the scorecard as CSV or workbook, a report, or a pack to verify"),
        "&File",
        2,
        "Ctrl+E",
        "export",
    ),
    ActionSpec(
        "file.compare",
        _n("Compare s&ystems…"),
        _n("Compare bench files of several systems with your offers and the demand"),
        "&File",
        2,
    ),
    ActionSpec(
        "file.questions",
        _n("Before &going live…"),
        _n("Five questions, answered from these results, or the experiments that answer them"),
        "&File",
        2,
    ),
    ActionSpec(
        "file.quit",
        _n("&Quit"),
        _n("Close the window"),
        "&File",
        3,
        Keys.Quit,
        role=QAction.MenuRole.QuitRole,
    ),
    ActionSpec(
        "edit.undo",
        _n("&Undo"),
        _n("Undo the last change of the experiment"),
        "&Edit",
        0,
        Keys.Undo,
        "undo",
    ),
    ActionSpec(
        "edit.redo", _n("&Redo"), _n("Redo the change that was undone"), "&Edit", 0, Keys.Redo, "redo"
    ),
    ActionSpec(
        "edit.copy",
        _n("&Copy"),
        _n("Copy the selected scorecard rows with their headers"),
        "&Edit",
        1,
        None,
        "copy",
    ),
    ActionSpec("run.start", _n("&Run plan"), _n("Run the experiment's plan"), "&Run", 0, "F5", "run"),
    ActionSpec(
        "run.stop", _n("&Stop"), _n("Stop now; finished runs are kept"), "&Run", 0, "Shift+F5", "stop"
    ),
    ActionSpec(
        "run.stop_after", _n("Stop &after this run"), _n("Finish the present run, then stop"), "&Run", 0
    ),
    ActionSpec(
        "run.skip",
        _n("S&kip run"),
        _n("Skip the present run and continue with the next"),
        "&Run",
        0,
        "Ctrl+F5",
        "skip",
    ),
    ActionSpec(
        "run.go_on",
        _n("&Go on with this plan"),
        _n("Resume the shown plan, in the same bench file"),
        "&Run",
        1,
    ),
    ActionSpec(
        "run.again",
        _n("Do &invalid runs again"),
        _n("Repeat the shown plan's invalid runs, and run what is left of it"),
        "&Run",
        1,
    ),
    ActionSpec(
        "run.tune",
        _n("&Tune for me…"),
        _n("Change one control of the form's server at a time, until none is expected to gain more"),
        "&Run",
        2,
    ),
    ActionSpec(
        "run.watch",
        _n("&Watch the server"),
        _n("Send nothing; show what limits the server under its own traffic"),
        "&Run",
        2,
    ),
    ActionSpec(
        "run.demo",
        _n("Run the &demo"),
        _n("A simulated H100: three runs, about a minute"),
        "&Demo",
        0,
        "Ctrl+D",
    ),
    ActionSpec("demo.seats", _n("&Sequence slots"), _n("How many chats may run at once?"), "&Demo", 1),
    ActionSpec(
        "demo.token-budget",
        _n("The &token budget"),
        _n("A long document among chats: who feels it?"),
        "&Demo",
        1,
    ),
    ActionSpec(
        "demo.kv-cliff", _n("The &KV cliff"), _n("More jobs than the KV cache holds: let all in?"), "&Demo", 1
    ),
    ActionSpec(
        "demo.bounded-queue",
        _n("The &bounded queue"),
        _n("A burst comes: should all wait, or some hear no at once?"),
        "&Demo",
        1,
    ),
    ActionSpec(
        "demo.static-and-continuous",
        _n("Static against &continuous batching"),
        _n("A short chat arrives while a document is answered"),
        "&Demo",
        1,
    ),
    ActionSpec("demo.next", _n("&Go on"), _n("Next step of the demo"), "&Demo", 2, "Space"),
    ActionSpec("demo.back", _n("Go &back"), _n("Step of the demo before this one"), "&Demo", 2, "Backspace"),
    ActionSpec("demo.slower", _n("S&lower"), _n("Slow the demo down"), "&Demo", 2, "Ctrl+,"),
    ActionSpec("demo.faster", _n("&Faster"), _n("Speed the demo up"), "&Demo", 2, "Ctrl+."),
    ActionSpec("demo.restart", _n("&Restart"), _n("Return to the demo's question"), "&Demo", 2),
    ActionSpec("demo.blank", _n("&Black screen"), _n("Blacken the window or show it again"), "&Demo", 2, "B"),
    ActionSpec("demo.export", _n("E&xport as animation…"), _n("Write the demo as GIF, or MP4"), "&Demo", 2),
    ActionSpec("demo.end", _n("&End the demo"), _n("End the demo and restore the window"), "&Demo", 2, "Esc"),
    ActionSpec(
        "view.follow",
        _n("&Follow"),
        _n("Show the whole run as it grows"),
        "&View",
        0,
        "Ctrl+Shift+Space",
        "follow",
        checkable=True,
    ),
    ActionSpec(
        "view.pause",
        _n("&Pause plots"),
        _n("Freeze the plots; the run continues"),
        "&View",
        0,
        "Ctrl+Space",
        "pause",
        checkable=True,
    ),
    ActionSpec(
        "view.behind",
        _n("&Earlier run behind…"),
        _n("Draw a run of another bench file in gray behind the plots"),
        "&View",
        0,
    ),
    ActionSpec("view.baseline", _n("&Baseline behind"), _n("Draw the baseline in gray again"), "&View", 0),
    ActionSpec(
        "view.chart",
        _n("&Comparison chart"),
        _n("Chart of any two scorecard columns"),
        "&View",
        1,
        "Ctrl+G",
        checkable=True,
    ),
    ActionSpec(
        "view.tune", _n("Arrange to &tune"), _n("Show all panels in the first layout"), "&View", 2, "Ctrl+1"
    ),
    ActionSpec("view.demo", _n("Arrange to show"), _n("Large plots and insights"), "&View", 2, "Ctrl+2"),
    ActionSpec(
        "view.review", _n("Arrange to re&view"), _n("Large scorecard and chart"), "&View", 2, "Ctrl+3"
    ),
    ActionSpec(
        "view.steps",
        _n("Arrange to e&xplain"),
        _n("Steps of the scheduler, large: why a request was slow"),
        "&View",
        2,
        "Ctrl+4",
    ),
    ActionSpec(
        "view.next_panel",
        _n("&Next panel"),
        _n("Focus the next visible panel"),
        "&View",
        3,
        "F6",
    ),
    ActionSpec(
        "view.previous_panel",
        _n("P&revious panel"),
        _n("Focus the previous visible panel"),
        "&View",
        3,
        "Shift+F6",
    ),
    ActionSpec(
        "view.system", _n("As the s&ystem"), _n("Follow the system's appearance"), "&View", 4, checkable=True
    ),
    ActionSpec("view.light", _n("&Light"), _n("Always light"), "&View", 4, checkable=True),
    ActionSpec("view.dark", _n("&Dark"), _n("Always dark"), "&View", 4, checkable=True),
    ActionSpec(
        "edit.preferences",
        _n("&Preferences…"),
        _n("Settings of the window"),
        "&Edit",
        2,
        Keys.Preferences,
        role=QAction.MenuRole.PreferencesRole,
    ),
    ActionSpec(
        "help.guide", _n("&User guide"), _n("The window, panel by panel"), "&Help", 0, Keys.HelpContents
    ),
    ActionSpec(
        "help.figures",
        _n("&What the figures mean"),
        _n("How every figure is defined"),
        "&Help",
        0,
        "Shift+F1",
    ),
    ActionSpec(
        "help.palette",
        _n("&Find a command…"),
        _n("Type a part of a command's name"),
        "&Help",
        1,
        "Ctrl+Shift+P",
    ),
    ActionSpec(
        "help.about",
        _n("&About vLLM Workbench"),
        _n("Versions, for a problem report"),
        "&Help",
        2,
        role=QAction.MenuRole.AboutRole,
    ),
)


class Actions(QObject):
    """The window's `QAction`s by id."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme
        self._actions = {spec.id: self._make(spec) for spec in SPECS}
        theme.changed.connect(self._tint)
        self._tint()

    def __getitem__(self, id_: str) -> QAction:
        return self._actions[id_]

    def connect_all(self, callbacks: Mapping[str, Callable[[], object]]) -> None:
        """Connect commands to functions without arguments."""
        for id_, callback in callbacks.items():
            self._actions[id_].triggered.connect(lambda _checked=False, call=callback: call())

    def all(self) -> list[QAction]:
        """Return all actions in menu order."""
        return list(self._actions.values())

    def fill(self, bar: QMenuBar) -> dict[str, QMenu]:
        """Build the menus; return them by their untranslated titles."""
        menus: dict[str, QMenu] = {}
        groups: dict[str, int] = {}
        for spec in SPECS:
            if spec.menu not in menus:
                menus[spec.menu] = bar.addMenu(_translated(spec.menu))
            elif groups[spec.menu] != spec.group:
                menus[spec.menu].addSeparator()
            groups[spec.menu] = spec.group
            menus[spec.menu].addAction(self._actions[spec.id])
        return menus

    def _make(self, spec: ActionSpec) -> QAction:
        action = QAction(_translated(spec.text), self)
        action.setIconText(re.sub(r"\(&.\)|&|…", "", _translated(spec.text)))
        action.setObjectName(spec.id)
        action.setStatusTip(_translated(spec.tip))
        action.setCheckable(spec.checkable)
        action.setMenuRole(spec.role)
        if spec.shortcut is not None:
            action.setShortcut(QKeySequence(spec.shortcut))
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        action.setToolTip(_translated(spec.tip) + (f" ({keys})" if keys else ""))
        return action

    def _tint(self) -> None:
        for spec in SPECS:
            if spec.icon:
                self._actions[spec.id].setIcon(icon(spec.icon, self._theme.text))


def _translated(text: str) -> str:
    return QCoreApplication.translate("actions", text)
