"""The version of the definitions of figures, stored in each bench file."""

DEFINITIONS = 4
"""Raise it with every change that makes a stored figure or its text differ when it is computed again.

The oldest files have no number.
"""
