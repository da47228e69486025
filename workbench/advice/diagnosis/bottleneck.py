"""The limits that can bind, by name and in words."""

from enum import StrEnum


class Bound(StrEnum):
    """What holds a server back at a moment."""

    SEATS = "seats"
    BUDGET = "token_budget"
    KV = "kv"
    ADMISSION = "admission"
    CLIENT = "client"
    FRONT_END = "front_end"
    BLOCKED = "blocked_head"
    OWNER = "one_request"
    STARVED = "decode_starved"
    STUCK = "stuck"
    LIVELOCK = "livelock"
    NONE = "none"
    IDLE = "idle"
    UNKNOWN = "unknown"

    @property
    def words(self) -> str:
        """For people."""
        return _TITLES[self]


_TITLES = {
    Bound.SEATS: "sequence limit",
    Bound.BUDGET: "token budget",
    Bound.KV: "KV cache",
    Bound.ADMISSION: "admission limit",
    Bound.CLIENT: "client's own limit",
    Bound.FRONT_END: "front end",
    Bound.BLOCKED: "blocked head of the queue",
    Bound.OWNER: "one request owns the pool",
    Bound.STARVED: "decode starved by prefill",
    Bound.STUCK: "stuck",
    Bound.LIVELOCK: "livelock",
    Bound.NONE: "no limit",
    Bound.IDLE: "idle",
    Bound.UNKNOWN: "not seen",
}
