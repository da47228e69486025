"""The menu of teaching demos: start, next step, speed, end."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QByteArray, QObject
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QProgressDialog

from ui.demos import DemoFilms, DemoPlayer
from ui.demos.export import DemoExport, animation_kinds
from ui.language.texts import Sayable
from ui.live import Changed, LiveState
from ui.window import arrangements
from ui.window.dialogs import ask_save
from ui.window.presenting import BLANK_KEYS
from ui.window.window_parts import WindowParts
from workbench.base import InputError

WHILE_TOLD = (
    "demo.next",
    "demo.back",
    "demo.slower",
    "demo.faster",
    "demo.restart",
    "demo.blank",
    "demo.export",
    "demo.end",
)
"""Commands enabled only during a demo; at other times their keys belong to other widgets."""
PLOT_BESIDE = {
    "seats": "ttft",
    "token-budget": "itl",
    "kv-cliff": "tokens",
    "bounded-queue": "ttft",
    "static-and-continuous": "ttft",
}
"""The plot that a demo is about, below its stage."""
_USUAL_PLOT = "ttft"
DEMOS = tuple(PLOT_BESIDE)
"""Files of `resources/demos`, the simplest first; each has an action `demo.<name>`."""


class DemoCommands(QObject):
    """Connects the player, the banner and the window."""

    def __init__(self, window: WindowParts, player: DemoPlayer) -> None:
        super().__init__(window)
        self._window, self._player = window, player
        self._before: QByteArray | None = None
        self._was: tuple[LiveState, str | None] = (LiveState(), None)
        """The state shown before the demo, and the chosen run."""

    def connect_all(self) -> None:
        """Connect actions, banner and player."""
        window, player, banner = self._window, self._player, self._window.banner
        calls = {
            "demo.next": player.step,
            "demo.back": player.step_back,
            "demo.slower": lambda: player.change_speed(-1),
            "demo.faster": lambda: player.change_speed(1),
            "demo.restart": player.restart,
            "demo.blank": window.presentation.toggle_blank,
            "demo.export": self._ask_export,
            "demo.end": player.end,
        }
        # The keys of a presenter's remote.
        window.actions_["demo.next"].setShortcuts([QKeySequence("Space"), QKeySequence("PgDown")])
        window.actions_["demo.back"].setShortcuts([QKeySequence("Backspace"), QKeySequence("PgUp")])
        window.actions_["demo.blank"].setShortcuts([QKeySequence(key) for key in BLANK_KEYS])
        window.actions_.connect_all(calls | {f"demo.{name}": partial(self.start, name) for name in DEMOS})
        # While the menu bar is hidden, its keys work by the window alone.
        window.addActions([window.actions_[id_] for id_ in WHILE_TOLD])
        banner.next_wanted.connect(player.step)
        banner.slower_wanted.connect(calls["demo.slower"])
        banner.faster_wanted.connect(calls["demo.faster"])
        banner.end_wanted.connect(player.end)
        player.loaded.connect(self._begin)
        player.failed.connect(self._say_failure)
        player.stage_changed.connect(self._show_stage)
        player.moved.connect(lambda: window.runs.changed.emit(Changed.SAMPLES))
        player.moved.connect(lambda: window.demo_stage.show_player(player))
        player.ended.connect(self._leave)
        window.runs.state_replaced.connect(self._end_if_replaced)
        window.presentation.ended.connect(self.show_enabled)
        window.documents.demo_chosen.connect(lambda path: self.start(str(path)))
        self.show_enabled()

    def start(self, name: str) -> None:
        """Start this demo."""
        if not self._window.runs.running:
            self._window.messages.show_later(self.tr("Preparing the demo …"), key="demo")
            self._player.load(name)

    def present(self, path: Path) -> None:
        """Start the demo of a file full screen, on a second display if there is one."""
        self._window.presentation.begin()
        self.start(str(path))

    def _ask_export(self) -> None:
        reel = self._player.reel
        if reel is None:
            return
        window = self._window
        kinds = ";;".join(f"{ending[1:].upper()} (*{ending})" for ending in animation_kinds())
        folder = Path(window.settings.value.last_folder or Path.home())
        ask_save(
            window,
            self.tr("Export as animation"),
            folder / f"{reel.name}.gif",
            kinds,
            lambda path: self.export(reel, path),
        )

    def export(self, reel: DemoFilms, path: Path) -> DemoExport | None:
        """Write the demo's animation, with progress and a way to cancel; None if it can't be written."""
        window = self._window
        messages = window.messages
        export = DemoExport(self, window.theme, reel, path)
        try:
            export.start()
        except InputError as error:
            messages.show_message("error", error, key="export")
            export.deleteLater()
            return None
        progress = QProgressDialog(
            self.tr("Writing {0} …").format(path.name), self.tr("Cancel"), 0, 0, window
        )
        progress.setAutoReset(False)

        def show(done: int, of: int) -> None:
            progress.setMaximum(of)
            progress.setValue(done)

        def leave() -> None:
            progress.canceled.disconnect()
            progress.close()
            progress.deleteLater()
            export.deleteLater()

        def cancel() -> None:
            export.cancel()
            leave()

        def end(level: str, what: Sayable) -> None:
            leave()
            messages.show_message(level, what, key="export")

        export.progressed.connect(show)
        export.done.connect(lambda done: end("info", self.tr("Wrote {0}").format(done)))
        export.failed.connect(lambda error: end("error", error))
        progress.canceled.connect(cancel)
        # Closing the dialog cancels the export.
        window.closed.connect(progress.close)
        progress.show()
        return export

    def show_enabled(self) -> None:
        """Enable the demo's keys during a demo, and demos while no plan runs."""
        actions, told = self._window.actions_, self._player.story is not None
        for id_ in WHILE_TOLD:
            actions[id_].setEnabled(told)
        if not self._window.presentation.has_keys:
            # A remote's F5 restarts the demo, and must start no plan.
            actions["run.start"].setShortcut(QKeySequence() if told else QKeySequence("F5"))
            actions["demo.restart"].setShortcut(QKeySequence("F5") if told else QKeySequence())
        for name in DEMOS:
            actions[f"demo.{name}"].setEnabled(not self._window.runs.running)

    def _say_failure(self, error: Sayable) -> None:
        self._window.presentation.end()
        self._window.messages.show_message("error", error, key="demo")

    def _begin(self, reel: DemoFilms) -> None:
        window = self._window
        window.messages.dismiss("demo")
        if self._before is None:
            self._before = window.saveState()
            self._was = (window.runs.state, window.plots.chosen)
        window.runs.show_bench(reel.state)
        window.plots.show_plots((PLOT_BESIDE.get(reel.name, _USUAL_PLOT),))
        arrangements.demo(window)

    def _show_stage(self) -> None:
        window, player = self._window, self._player
        window.banner.show_player(player)
        window.demo_stage.show_player(player)
        self.show_enabled()
        if player.reel is None or player.story is None:
            return
        window.plots.refresh_run()
        at = player.story.at
        window.plots.choose_behind(player.reel.names[at - 1] if at > 0 else None)
        window.runs.changed.emit(Changed.RUN | Changed.ROWS)
        window.clock.start()

    def _end_if_replaced(self) -> None:
        reel = self._player.reel
        if reel is not None and self._window.runs.state is not reel.state:
            self._player.end()

    def _leave(self) -> None:
        window = self._window
        window.presentation.end()
        window.banner.show_player(self._player)
        window.demo_stage.show_player(self._player)
        window.plots.show_plots(window.plot_choice.shown())
        arrangements.scale(window, 1.0)
        if self._before is not None:
            window.restoreState(self._before)
            self._before = None
            arrangements.tidy_soon(window)
        if window.runs.state.phase == "demo":
            state, chosen = self._was
            window.runs.show_bench(state)
            if chosen in state.runs:
                window.scorecard.run_chosen.emit(chosen)
        self._was = (LiveState(), None)
        self.show_enabled()
