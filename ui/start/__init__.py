"""First start."""

from ui.start.widget import StartPage

__all__ = ["StartPage"]
