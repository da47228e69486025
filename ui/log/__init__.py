"""The log's room."""

from ui.log.widget import LogWidget

__all__ = ["LogWidget"]
