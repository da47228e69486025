"""Arrival processes, rate profiles, and the schedule made from them."""
