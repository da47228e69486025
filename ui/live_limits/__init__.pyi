from .live_limits_panel import LiveStrip as LiveStrip
