"""Logs that people already have."""
