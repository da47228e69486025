"""Distributions given by a few of their quantiles: what public statistics state, and nothing more."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from workbench.base import Refusal
from workbench.traces.columns import Floats


@dataclass(frozen=True)
class Quantiles:
    """Values at rising probabilities from 0 to 1, straight lines between them.

    Raises:
        InputError: probabilities that don't rise from 0 to 1, or values that fall.
    """

    points: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        rising = all(a[0] < b[0] and a[1] <= b[1] for a, b in pairwise(self.points))
        if len(self.points) < 2 or not rising or self.points[0][0] != 0 or self.points[-1][0] != 1:
            raise Refusal("traces.quantiles_order", points=str(self.points))

    def at(self, probability: Floats) -> Floats:
        """The values below which these shares lie."""
        shares, values = zip(*self.points, strict=True)
        found: Floats = np.interp(probability, shares, values)
        return found

    def draw(self, generator: np.random.Generator, count: int) -> Floats:
        """So many independent values."""
        return self.at(generator.random(count))

    def mean(self) -> float:
        """The exact mean."""
        return sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(self.points))
