"""What the window knows of a plan under way, without Qt."""

from ui.live.machine import machine_values
from ui.live.series import COLUMNS, CURVE_POINTS, MACHINE_COLUMNS, RunSeries, decimate
from ui.live.state import LIVE_PHASES, Changed, LiveState, LogLine, RunView

__all__ = [
    "COLUMNS",
    "CURVE_POINTS",
    "LIVE_PHASES",
    "MACHINE_COLUMNS",
    "Changed",
    "LiveState",
    "LogLine",
    "RunSeries",
    "RunView",
    "decimate",
    "machine_values",
]
