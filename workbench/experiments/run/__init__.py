"""Carry out a plan: conductor, server session, load, recording, events."""
