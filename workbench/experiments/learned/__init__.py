"""Models learned from runs: step models from the user's own runs, and predictions by them."""
