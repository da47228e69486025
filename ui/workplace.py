"""What the window's helpers may count on: its rooms and a few calls. The window itself makes and wires them.

Commands, docks and arrangements know a `Workplace`; `ui.main_window` knows them. So nobody knows in circles.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDockWidget, QMainWindow, QStackedWidget

from ui.actions import Actions
from ui.autosave import Autosave
from ui.demos import DemoBanner, DemoPlayer
from ui.documents import Documents
from ui.experiment import Editor
from ui.experiment.experiment_panel import ExperimentPanel
from ui.frame_clock import FrameClock
from ui.insights import HappeningPanel
from ui.live_limits import LiveStrip
from ui.log import LogWidget
from ui.message_bar import MessageBar
from ui.plots import PlotChoice
from ui.run_controller import RunController
from ui.scorecard import ScorecardWidget
from ui.settings import SettingsFile
from ui.start import StartPage
from ui.theme import Theme

if TYPE_CHECKING:
    # Its library takes as long to load as all else.
    from ui.plots import PlotGrid


class Workplace(QMainWindow):
    """A window with these parts, all there once it is made."""

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
    guide: HappeningPanel
    limits: LiveStrip
    scorecard: ScorecardWidget
    log: LogWidget
    messages: MessageBar
    banner: DemoBanner
    demos: DemoPlayer
    centre: QStackedWidget
    docks: dict[str, QDockWidget]
    plot_choice: PlotChoice

    @property
    def plots(self) -> "PlotGrid":
        """The plots, made when first needed."""
        raise NotImplementedError

    @property
    def busy(self) -> bool:
        """Whether something is carried out that needs this window."""
        raise NotImplementedError

    def show_enabled(self) -> None:
        """Commands are offered when they make sense."""
        raise NotImplementedError

    def follow_language(self) -> None:
        """The setting may say another language than the window speaks."""
        raise NotImplementedError

    def reset_layout(self) -> None:
        """Put all panels where they were at first."""
        raise NotImplementedError
