from .choice import PlotChoice as PlotChoice
from .grid import PlotGrid as PlotGrid
