from .widget import LiveStrip as LiveStrip
