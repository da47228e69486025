"""The live plots. `PlotGrid` brings pyqtgraph and is loaded when it is first asked for."""

from typing import TYPE_CHECKING

from ui.plots.choice import PlotChoice
from workbench.base.lazy import on_first_use

if TYPE_CHECKING:
    from ui.plots.grid import PlotGrid

__all__ = ["PlotChoice", "PlotGrid"]

__getattr__ = on_first_use(__name__, {"grid": ("PlotGrid",)})
