"""dialect."""
