"""First start, and the words that go with what is seen."""

from ui.start.guide import GuidePanel
from ui.start.widget import StartPage

__all__ = ["GuidePanel", "StartPage"]
