"""The version of the definitions of figures, stored in each bench file."""

DEFINITIONS = 3
"""Raise it with every change that makes a stored figure differ when it is computed again.

Older files have no number.
"""
