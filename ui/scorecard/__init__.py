"""The scorecard's room."""

from ui.scorecard.widget import ScorecardWidget

__all__ = ["ScorecardWidget"]
