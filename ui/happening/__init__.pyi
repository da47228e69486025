from .panel import HappeningPanel as HappeningPanel
from .strip import BoundStrip as BoundStrip
