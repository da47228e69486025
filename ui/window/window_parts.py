"""The panels and calls of the window that its helpers use; the main window makes and wires them.

Commands, docks and arrangements import `WindowParts`, and the main window imports them: no import cycle.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDockWidget, QMainWindow, QStackedWidget

from ui.commands.actions import Actions
from ui.conductor.frame_clock import FrameClock
from ui.conductor.run_controller import RunController
from ui.demos import DemoBanner, DemoPlayer, DemoStage
from ui.experiment import Editor
from ui.experiment.experiment_panel import ExperimentPanel
from ui.files.autosave import Autosave
from ui.files.documents import Documents
from ui.files.settings import SettingsFile
from ui.insights import InsightsPanel
from ui.live_limits import LiveLimitsPanel
from ui.log import LogPanel
from ui.look.theme import Theme
from ui.plots import PlotChoice
from ui.scorecard import ScorecardPanel
from ui.start import StartPage
from ui.verdict import VerdictBar
from ui.window.message_bar import MessageBar
from ui.window.presenting import Presentation

if TYPE_CHECKING:
    # Its library takes long to load.
    from ui.plots import PlotGrid


class WindowParts(QMainWindow):
    """A window with these parts, complete once it is made."""

    closed = Signal()

    settings: SettingsFile
    theme: Theme
    clock: FrameClock
    editor: Editor
    runs: RunController
    actions_: Actions
    documents: Documents
    autosave: Autosave

    start_page: StartPage
    experiment: ExperimentPanel
    insights: InsightsPanel
    live_limits: LiveLimitsPanel
    scorecard: ScorecardPanel
    log: LogPanel
    messages: MessageBar
    verdict: VerdictBar
    banner: DemoBanner
    demos: DemoPlayer
    demo_stage: DemoStage
    presentation: Presentation
    centre: QStackedWidget
    docks: dict[str, QDockWidget]
    plot_choice: PlotChoice

    @property
    def plots(self) -> "PlotGrid":
        """The plots, made when first needed."""
        raise NotImplementedError

    @property
    def busy(self) -> bool:
        """True while something needs this window."""
        raise NotImplementedError

    def show_enabled(self) -> None:
        """Enable the commands that make sense now."""
        raise NotImplementedError

    def follow_language(self) -> None:
        """Apply the language setting."""
        raise NotImplementedError

    def reset_layout(self) -> None:
        """Restore the first layout."""
        raise NotImplementedError
