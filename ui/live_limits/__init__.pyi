from .live_limits_panel import LiveLimitsPanel as LiveLimitsPanel
