"""Measure what the load generator itself can resolve on this machine."""
