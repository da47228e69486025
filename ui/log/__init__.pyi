from .widget import LogWidget as LogWidget
