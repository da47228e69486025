from .log_panel import LogWidget as LogWidget
