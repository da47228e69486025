"""When a burst of requests comes, as an experiment states it. No Qt here."""

import tomllib
from collections.abc import Iterable
from typing import NamedTuple


class Burst(NamedTuple):
    """The load is `factor` times the normal one from `begin` to `end`, seconds since the schedule's start."""

    begin: float
    end: float
    factor: float


def bursts_of(texts: Iterable[str]) -> dict[str, Burst]:
    """Of experiments as TOML, those that have one, by the experiment's name."""
    found = {}
    for text in texts:
        try:
            told = tomllib.loads(text)
            burst = told["burst"]
            at, seconds = float(burst["at"]), float(burst["seconds"])
            found[str(told["name"])] = Burst(at, at + seconds, float(burst["factor"]))
        except (KeyError, TypeError, ValueError):
            # None, or of another version: the conductor is the one that judges experiments.
            continue
    return found
