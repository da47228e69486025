"""The lines that the trial of a server prints. No Qt."""

import msgspec

from workbench.base import Message
from workbench.experiments import MemoryReported
from workbench.servers import Ability, EffectiveConfig


class TrialReport(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of the trial's output; only what it tells is set."""

    state: str | None = None
    """The server's new state."""
    detail: str = ""
    message: Message | None = None
    """The detail or the error as data."""
    log: str | None = None
    """A line of the server's log."""
    effective: EffectiveConfig | None = None
    """The settings that the server uses, once it is ready."""
    abilities: tuple[Ability, ...] = ()
    command: str | None = None
    url: str | None = None
    memory: MemoryReported | None = None
    error: str | None = None
    """The reason why the trial failed."""
