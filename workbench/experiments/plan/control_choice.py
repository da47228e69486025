"""Choice of the control that a step of a tuning searches, with the reason as data."""

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from workbench.advice.blame.causes import Cause
from workbench.base import Message, Record, message
from workbench.results import BenchFile

Source = Literal["ledger", "diagnosis", "gain"]
"""`ledger`: where the requests' time went; `diagnosis`: its next change; `gain`: what the model expects."""

CONTROLS_OF_CAUSE: Mapping[Cause, tuple[str, ...]] = {
    "client_admission": ("max_in_flight",),
    "sequence_limit": ("max_num_seqs", "max_in_flight"),
    "token_budget": ("max_num_batched_tokens",),
    "kv_blocks": ("num_gpu_blocks_override", "max_num_seqs", "max_in_flight"),
    "blocked_head": ("num_gpu_blocks_override", "max_num_seqs", "max_in_flight"),
    "preempted_wait": ("num_gpu_blocks_override", "max_num_seqs", "max_in_flight"),
    "recompute": ("num_gpu_blocks_override", "max_num_seqs", "max_in_flight"),
    "others_prefill": ("long_prefill_token_threshold", "max_num_batched_tokens"),
    "others_decode": ("max_num_seqs", "max_in_flight"),
}
"""Controls that change a cause, the most direct one first; other causes have none."""
_LEAST_SHARE = 0.02
"""A cause with a smaller share of the requests' time names no control."""
_KEY = "search_controls"


class ControlChoice(Record, frozen=True, kw_only=True):
    """A control worth a search."""

    control: str
    source: Source
    cause: str | None = None
    """Cause of the ledger, or bottleneck of the diagnosis."""
    share: float | None = None
    """Share of the requests' time that the cause took; None without a ledger."""

    @property
    def reason(self) -> Message:
        """Return why the control was chosen."""
        if self.source == "gain":
            return message("experiments.tune_by_gain", name=self.control)
        if self.source == "diagnosis":
            return message("experiments.tune_by_diagnosis", name=self.control)
        cause = Message(kind=f"blame.{self.cause}")
        percent = 100 * (self.share or 0.0)
        return message("experiments.tune_by_ledger", name=self.control, cause=cause, percent=percent)


def blamed_controls(totals: Mapping[Cause, float], allowed: Sequence[str]) -> list[ControlChoice]:
    """Return the controls that the causes name, the costliest cause first.

    Args:
        totals: a ledger's milliseconds by cause.
        allowed: controls that may change.
    """
    whole = sum(totals.values())
    found: dict[str, ControlChoice] = {}
    for cause, ms in sorted(totals.items(), key=lambda pair: -pair[1]):
        if not whole or ms < _LEAST_SHARE * whole:
            break
        control = next((name for name in CONTROLS_OF_CAUSE.get(cause, ()) if name in allowed), None)
        if control is not None and control not in found:
            found[control] = ControlChoice(control=control, source="ledger", cause=cause, share=ms / whole)
    return list(found.values())


def store_choices(bench: BenchFile, choices: Sequence[ControlChoice]) -> None:
    """Keep what was advised in the file, the best control first."""
    bench.set_meta(_KEY, msgspec.json.encode(choices).decode())


def choice_of(bench: BenchFile, control: str) -> ControlChoice:
    """Return why this control was searched; by what the model expects of it, if nothing advised it."""
    text = bench.meta().get(_KEY)
    stored = [] if text is None else msgspec.json.decode(text, type=list[ControlChoice])
    gain = ControlChoice(control=control, source="gain")
    return next((choice for choice in stored if choice.control == control), gain)
