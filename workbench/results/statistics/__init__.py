"""Conclusions from the figures: differences with intervals, verdicts, the recommended configuration."""
