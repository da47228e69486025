"""Findings of each kind of experiment, from the bench file alone."""
