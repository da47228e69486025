"""Bursts of requests, as stated in experiments. No Qt."""

import tomllib
from collections.abc import Iterable
from typing import NamedTuple


class Burst(NamedTuple):
    """A time span with `factor` times the normal load; seconds since the schedule's start."""

    begin: float
    end: float
    factor: float


def bursts_of(texts: Iterable[str]) -> dict[str, Burst]:
    """Return the bursts of experiments (TOML) by the experiment's name."""
    found = {}
    for text in texts:
        try:
            told = tomllib.loads(text)
            burst = told["burst"]
            at, seconds = float(burst["at"]), float(burst["seconds"])
            found[str(told["name"])] = Burst(at, at + seconds, float(burst["factor"]))
        except (KeyError, TypeError, ValueError):
            # No burst, or another version's file: the conductor judges experiments.
            continue
    return found
