"""Figures computed from stored stamps."""
