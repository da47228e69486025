"""Trace and log formats, one module each."""
