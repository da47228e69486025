"""The teaching demos: exact replays shown in slow motion, with a question before the answer."""

from ui.demos.banner import DemoBanner
from ui.demos.player import DemoPlayer
from ui.demos.reel import Reel
from ui.demos.story import Story

__all__ = ["DemoBanner", "DemoPlayer", "Reel", "Story"]
