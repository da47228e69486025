"""The demo experiments: settings, narration, and numbers that a test holds them to."""

from workbench.engine.demos.demo import Demo, Expectation, Variant, list_demos, load_demo
from workbench.engine.demos.figures import FIGURES, demo_figure
from workbench.engine.demos.filming import Film, film
from workbench.engine.demos.play import Played, play

__all__ = [
    "FIGURES",
    "Demo",
    "Expectation",
    "Film",
    "Played",
    "Variant",
    "demo_figure",
    "film",
    "list_demos",
    "load_demo",
    "play",
]
