from .log_panel import LogPanel as LogPanel
