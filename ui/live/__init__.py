"""What the window knows of a plan under way, without Qt."""

from ui.live.bursts import Burst, bursts_of
from ui.live.machine import machine_values
from ui.live.prompts import PromptTracks
from ui.live.series import COLUMNS, CURVE_POINTS, MACHINE_COLUMNS, Curves, RunSeries, decimate
from ui.live.state import LIVE_PHASES, Changed, LiveState, LogLine, RunView

__all__ = [
    "COLUMNS",
    "CURVE_POINTS",
    "LIVE_PHASES",
    "MACHINE_COLUMNS",
    "Burst",
    "Changed",
    "Curves",
    "LiveState",
    "LogLine",
    "PromptTracks",
    "RunSeries",
    "RunView",
    "bursts_of",
    "decimate",
    "machine_values",
]
