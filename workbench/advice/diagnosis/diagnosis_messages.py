"""The texts of a diagnosis as data, for front ends that speak another language."""

from workbench.base import Message, Record


class DiagnosisMessages(Record, frozen=True, kw_only=True):
    """Messages behind the English texts of a `diagnosis` event."""

    headline: Message
    notes: list[Message]
    """Everything that is known, the most important first."""
    change: Message | None = None
    watch: Message | None = None
    """None: the figures to watch of the control."""
    cost: Message | None = None
    against_baseline: list[Message]
