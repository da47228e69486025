"""What is happening: which limit binds, why the head of the queue waits, what to change next."""

from ui.happening.panel import HappeningPanel
from ui.happening.strip import BoundStrip

__all__ = ["BoundStrip", "HappeningPanel"]
