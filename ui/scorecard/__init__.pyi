from .scorecard_panel import ScorecardWidget as ScorecardWidget
