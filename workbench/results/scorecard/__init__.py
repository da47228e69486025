"""The scorecard: its columns and its rows."""
