"""The limits that can hold a server back."""

from enum import StrEnum

from workbench.base import Message


class Bottleneck(StrEnum):
    """The limit that holds a server back at a moment; the values are stored in bench files."""

    SEQUENCES = "seats"
    BUDGET = "token_budget"
    KV_CACHE = "kv"
    ADMISSION = "admission"
    CLIENT = "client"
    FRONT_END = "front_end"
    UNEVEN_ENGINES = "uneven_engines"
    BLOCKED_HEAD = "blocked_head"
    ONE_REQUEST = "one_request"
    DECODE_STARVED = "decode_starved"
    STUCK = "stuck"
    LIVELOCK = "livelock"
    NONE = "none"
    IDLE = "idle"
    UNKNOWN = "unknown"

    @property
    def phrase(self) -> Message:
        """Name of the limit, without a capital."""
        return Message(kind=f"advice.limit_{self.value}")


NO_LIMIT = frozenset({Bottleneck.NONE, Bottleneck.IDLE, Bottleneck.UNKNOWN})
"""Labels of moments without a limit."""
