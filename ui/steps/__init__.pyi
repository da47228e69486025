from .steps_panel import StepsPanel as StepsPanel
