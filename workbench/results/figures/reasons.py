"""Reasons why a run is invalid: read from stored summaries, and their remedies."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from workbench.base import Message, message

_FIRST_WORDS = {
    "server lost: ": ("results.server_lost", "cause"),
    "nothing measured: ": ("results.nothing_measured", "found"),
    "client-bound: ": ("results.client_bound", "found"),
    "machine-bound: ": ("results.machine_bound", "found"),
    "off schedule: ": ("results.off_schedule", "found"),
    "short outputs: ": ("results.short_outputs", "found"),
    "tokens not checkable: ": ("results.tokens_not_checkable", "found"),
    "token counts differ from usage in ": ("results.token_counts_differ", "found"),
    "prompt tokens differ from usage in ": ("results.prompt_tokens_differ", "found"),
    "burst streams: ": ("results.burst_streams", "found"),
    "no streams: ": ("results.no_streams", "found"),
    "configuration differs: ": ("results.configuration_differs", "found"),
    "warm cache: ": ("results.warm_cache", "found"),
    "clock stepped or machine slept: ": ("results.clock_stepped", "found"),
    "server restarted during the run: ": ("results.server_restarted", "sign"),
    "metrics missing: ": ("results.metrics_missing", "found"),
}
"""First words of reasons in files that hold only texts, with the kind and the field of the rest."""
_LIMITS_CHANGED = "limits changed during the run: "


def stored_reasons(summary: Mapping[str, Any] | None) -> list[Message]:
    """Return why a run is invalid by its stored summary; empty: valid, or no summary.

    Each message renders to the text stored beside it.
    """
    stored = summary or {}
    messages = stored.get("reason_messages")
    if messages is not None:
        return msgspec.convert(messages, list[Message])
    return [reason_of(text) for text in stored.get("reasons") or []]


def reason_of(text: str) -> Message:
    """Return the message of a reason known only by its English text."""
    if text.startswith(_LIMITS_CHANGED):
        return message("results.limits_changed", changes=[text.removeprefix(_LIMITS_CHANGED)])
    for begin, (kind, field) in _FIRST_WORDS.items():
        if text.startswith(begin):
            return Message(kind, {field: text.removeprefix(begin)})
    return message("results.other_reason", text=text)


# Remedies for reasons that don't imply one.

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
