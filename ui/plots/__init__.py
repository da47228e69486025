"""The live plots."""

from ui.plots.grid import PlotGrid

__all__ = ["PlotGrid"]
