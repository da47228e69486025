"""Workloads made to public statistics: chat, long context, agents, and blends of them."""

from workbench.traces.mixes.distributions import Quantiles
from workbench.traces.mixes.generator import make_mix, parse_mix
from workbench.traces.mixes.parameters import AGENT, CHAT, LONG_CONTEXT, MIXES, Mix

__all__ = ["AGENT", "CHAT", "LONG_CONTEXT", "MIXES", "Mix", "Quantiles", "make_mix", "parse_mix"]
