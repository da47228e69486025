from .widget import ScorecardWidget as ScorecardWidget
