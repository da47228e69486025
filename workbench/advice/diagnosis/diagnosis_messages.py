"""The texts of a diagnosis as data, for front ends that speak another language."""

from workbench.base import Message, Record


class DiagnosisMessages(Record, frozen=True, kw_only=True):
    """Messages behind the English texts of a `diagnosis` event."""

    headline: Message
    notes: list[Message]
    """Everything that is known, the most important first."""
    change: Message | None = None
    watch: Message | None = None
    """The figures to watch; None stands for the control's own."""
    cost: Message | None = None
    against_baseline: list[Message]
