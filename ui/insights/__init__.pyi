from .bottleneck_timeline import BoundStrip as BoundStrip
from .insights_panel import HappeningPanel as HappeningPanel
