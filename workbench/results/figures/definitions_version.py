"""Which definitions of figures a bench file was written with."""

DEFINITIONS = 3
"""Raise it with every change by which a stored figure comes out otherwise when it is computed again.

Files of builds before there was a number have none.
"""
