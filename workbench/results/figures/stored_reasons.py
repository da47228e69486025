"""The reasons of a stored summary as messages, also from files older than their kinds."""

from collections.abc import Mapping
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
    told = summary or {}
    messages = told.get("reason_messages")
    if messages is not None:
        return msgspec.convert(messages, list[Message])
    return [reason_of(text) for text in told.get("reasons") or []]


def reason_of(text: str) -> Message:
    """Return the message of a reason known only by its English text."""
    if text.startswith(_LIMITS_CHANGED):
        return message("results.limits_changed", changes=[text.removeprefix(_LIMITS_CHANGED)])
    for begin, (kind, field) in _FIRST_WORDS.items():
        if text.startswith(begin):
            return Message(kind, {field: text.removeprefix(begin)})
    return message("results.other_reason", text=text)
