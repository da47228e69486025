from .scorecard_panel import ScorecardPanel as ScorecardPanel
