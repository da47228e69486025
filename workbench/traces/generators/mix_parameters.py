"""The three mixes as parameters, each with its source beside it and in docs/reference/traces.md."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from workbench.base import Place, Refusal
from workbench.traces.columns import Floats

BLOCK_TOKENS = 64
"""Block size of all mixes, so that they can be blended."""


@dataclass(frozen=True)
class QuantileCurve:
    """Values at probabilities rising from 0 to 1, linear between them.

    Raises:
        Refusal: probabilities don't rise from 0 to 1, or values fall.
    """

    points: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        rising = all(a[0] < b[0] and a[1] <= b[1] for a, b in pairwise(self.points))
        if len(self.points) < 2 or not rising or self.points[0][0] != 0 or self.points[-1][0] != 1:
            raise Refusal("traces.quantiles_order", points=str(self.points))

    def at(self, probability: Floats) -> Floats:
        """Return the values at these probabilities."""
        shares, values = zip(*self.points, strict=True)
        found: Floats = np.interp(probability, shares, values)
        return found

    def draw(self, generator: np.random.Generator, count: int) -> Floats:
        """Draw `count` independent values."""
        return self.at(generator.random(count))

    def mean(self) -> float:
        """Return the exact mean."""
        return sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(self.points))


@dataclass(frozen=True, kw_only=True)
class Mix:
    """Parameters of one group of requests: conversations that grow turn by turn.

    A prompt is the system prompt, the conversation so far, and a new message. Lengths are tokens, times
    seconds.

    Raises:
        Refusal: a parameter is out of range.
    """

    name: str
    system_prompts: tuple[int, ...]
    """Length of each system prompt; conversations share them."""
    system_weights: tuple[float, ...]
    """Relative frequency of each system prompt."""
    turns_mean: float
    """Mean turns of a conversation, geometrically distributed, at least 1."""
    first_message: QuantileCurve
    later_message: QuantileCurve
    output: QuantileCurve
    kept_output: float
    """Share of an answer that stays in the conversation (thinking is stripped)."""
    context_limit: int
    """A longer prompt restarts with a summary of a tenth of the limit and loses its prefix."""
    think_s: QuantileCurve
    """Time from the end of an answer to the next message."""
    sub_agent_share: float
    """Share of the turns that start sub-agents.

    Sub-agents are requests of one turn at the same time, under the same system prompt.
    """
    sub_agents_mean: float
    """Mean sub-agents of such a turn, geometrically distributed, at least 1."""
    burst_share: float
    """Share of the conversations that begin in bursts."""
    burst_size: float
    """Mean conversations of a burst, geometrically distributed; they begin within about a second."""
    cancelled: float
    """Share of the requests that the client cancels, at a random token of the answer."""

    def __post_init__(self) -> None:
        if not self.system_prompts or len(self.system_prompts) != len(self.system_weights):
            raise Refusal("traces.mix_system_weights", self._place("system_weights"))
        for name in ("kept_output", "sub_agent_share", "burst_share", "cancelled"):
            self._require_within(name, 0, 1)
        for name in ("turns_mean", "sub_agents_mean", "burst_size"):
            self._require_within(name, 1, 10_000)
        longest = max(self.system_prompts)
        if self.context_limit <= longest:
            place = self._place("context_limit")
            raise Refusal("base.not_above", place, value=self.context_limit, minimum=longest)

    def _require_within(self, name: str, minimum: int, maximum: int) -> None:
        value = getattr(self, name)
        if not minimum <= value <= maximum:
            raise Refusal(
                "base.out_of_range", self._place(name), value=value, minimum=minimum, maximum=maximum
            )

    def _place(self, name: str) -> Place:
        return Place(table=f"mix.{self.name}", key=name)


CHAT = Mix(
    name="chat",
    system_prompts=(192, 384, 64),
    system_weights=(0.5, 0.3, 0.2),
    turns_mean=3.5,
    first_message=QuantileCurve(((0, 4), (0.5, 80), (0.9, 500), (0.96, 3600), (1, 4000))),
    later_message=QuantileCurve(((0, 4), (0.5, 40), (0.9, 200), (1, 1200))),
    output=QuantileCurve(((0, 1), (0.25, 70), (0.5, 129), (0.75, 360), (0.95, 451), (1, 1000))),
    kept_output=1.0,
    context_limit=4096,
    think_s=QuantileCurve(((0, 2), (0.5, 20), (0.9, 90), (1, 300))),
    sub_agent_share=0.0,
    sub_agents_mean=1.0,
    burst_share=0.4,
    burst_size=4.0,
    cancelled=0.02,
)
"""Short input, short output.

Lengths and arrivals follow Azure conv 2023, whose histories are cut at about 4,096 tokens.
"""

LONG_CONTEXT = Mix(
    name="long-context",
    system_prompts=(512,),
    system_weights=(1.0,),
    turns_mean=1.6,
    first_message=QuantileCurve(((0, 100), (0.5, 4900), (0.9, 20000), (0.98, 48000), (1, 125000))),
    later_message=QuantileCurve(((0, 8), (0.5, 100), (0.9, 1200), (1, 5000))),
    output=QuantileCurve(((0, 1), (0.1, 10), (0.3, 100), (0.5, 350), (0.95, 698), (0.99, 1000), (1, 2000))),
    kept_output=1.0,
    context_limit=131_072,
    think_s=QuantileCurve(((0, 5), (0.5, 40), (0.9, 180), (1, 600))),
    sub_agent_share=0.0,
    sub_agents_mean=1.0,
    burst_share=0.5,
    burst_size=6.0,
    cancelled=0.03,
)
"""Large prefill, moderate output.

Lengths and prefix reuse follow Mooncake conversation, bursts follow Azure code.
"""

AGENT = Mix(
    name="agent",
    system_prompts=(14_080, 9_600),
    system_weights=(0.7, 0.3),
    turns_mean=30.0,
    first_message=QuantileCurve(((0, 20), (0.5, 1200), (0.9, 8000), (1, 20000))),
    later_message=QuantileCurve(((0, 20), (0.5, 300), (0.9, 2200), (1, 12000))),
    output=QuantileCurve(
        ((0, 10), (0.25, 110), (0.5, 222), (0.75, 450), (0.9, 920), (0.95, 1437), (0.99, 2500), (1, 4500))
    ),
    kept_output=0.6,
    context_limit=100_000,
    think_s=QuantileCurve(((0, 0.2), (0.5, 6), (0.9, 40), (1, 300))),
    sub_agent_share=0.1,
    sub_agents_mean=4.0,
    burst_share=0.4,
    burst_size=4.0,
    cancelled=0.05,
)
"""Repeated prefixes, variable outputs, cancellations, bursts.

The shape follows Weka, prompt sizes follow TraceLab.
"""

MIXES = {mix.name: mix for mix in (CHAT, LONG_CONTEXT, AGENT)}
