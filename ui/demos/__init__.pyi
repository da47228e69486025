from .banner import DemoBanner as DemoBanner
from .films import DemoFilms as DemoFilms
from .player import DemoPlayer as DemoPlayer
from .stage import DemoStage as DemoStage
from .story import Story as Story
