"""Remedies for invalid runs, for reasons that don't imply one."""

from collections.abc import Sequence

from workbench.base import Message, message

_REMEDIES = {
    "results.client_bound": message("results.remedy_client_bound"),
    "results.machine_bound": message("results.remedy_machine_bound"),
    "results.machine_shared": message("results.remedy_machine_shared"),
    "results.short_outputs": message("results.remedy_short_outputs"),
    "results.burst_streams": message("results.remedy_burst_streams"),
    "results.no_streams": message("results.remedy_no_streams"),
    "results.unreachable": message("results.remedy_unreachable"),
    "results.warm_cache": message("results.remedy_warm_cache"),
    "results.several_processes": message("results.remedy_several_processes"),
}
_PASSING = frozenset(
    {
        "results.client_bound",
        "results.machine_bound",
        "results.machine_shared",
        "results.clock_stepped",
        "results.tunnel_lost",
    }
)
"""Reasons caused by this machine, which may not recur."""


def worth_retrying(reasons: Sequence[Message]) -> bool:
    """Return whether another try could be valid: this machine caused every reason."""
    return bool(reasons) and all(reason.kind in _PASSING for reason in reasons)


def remedies(reasons: Sequence[Message]) -> list[Message]:
    """Return the remedies, once for each kind of reason that has one."""
    kinds = dict.fromkeys(reason.kind for reason in reasons)
    return [_REMEDIES[kind] for kind in kinds if kind in _REMEDIES]
