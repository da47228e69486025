from .banner import DemoBanner as DemoBanner
from .player import DemoPlayer as DemoPlayer
from .reel import Reel as Reel
from .story import Story as Story
