"""What would make an invalid run valid, where the reason alone doesn't say it."""

from collections.abc import Sequence

_REMEDIES = {
    "client-bound": "more load processes (workers), a lower rate, or a quieter machine for the client",
    "machine-bound": "a lower time_scale of the simulated engine, or a quieter machine",
    "short outputs": "requests without a stop condition of their own: the server must take ignore_eos",
    "burst streams": "no buffering proxy between client and server, such as proxy_buffering off in nginx",
    "no streams": "the server itself, or a gateway that passes streams on",
    "warm cache": "a new cache_salt, or an emptied prefix cache, before the run",
}

_PASSING = ("client-bound", "machine-bound", "clock stepped or machine slept")
"""The load generator's machine did it, and may not do it again."""


def may_pass(reasons: Sequence[str]) -> bool:
    """Whether another try could be valid: all that is wrong with a run is of a moment of this machine."""
    return bool(reasons) and all(reason.startswith(_PASSING) for reason in reasons)


def remedies(reasons: Sequence[str]) -> list[str]:
    """What would help, once for each kind of reason that has an answer."""
    kinds = {reason.partition(":")[0]: None for reason in reasons}
    return [_REMEDIES[kind] for kind in kinds if kind in _REMEDIES]
