"""Compare several measured systems, and pack a result so that others can verify it."""
