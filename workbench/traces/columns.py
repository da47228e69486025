"""A trace held by columns: a million rows are a few tens of megabytes and hash in a fraction of a second."""

from dataclasses import dataclass, field

from workbench.traces.arrays import NO_IDS, Floats, Ids, Ints, frozen
from workbench.traces.labels import Labels
from workbench.traces.rows import TraceHeader


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class TraceColumns:
    """What a trace holds; all arrays have one entry a row.

    Optional columns are None where no row has a value; within one, unknown is -1 (integers) or NaN.
    """

    header: TraceHeader
    timestamp_ms: Floats
    input_length: Ints
    output_length: Ints
    classes: Labels
    hash_offsets: Ints | None = None
    """Row i's block ids are `hash_flat[hash_offsets[i]:hash_offsets[i + 1]]`; n + 1 entries."""
    hash_flat: Ids = field(default_factory=lambda: NO_IDS)
    sessions: Labels | None = None
    turn: Ints | None = None
    delay_ms: Floats | None = None
    cancel_after_tokens: Ints | None = None
    cancel_after_ms: Floats | None = None
    priority: Ints | None = None

    def __post_init__(self) -> None:
        for name in ("timestamp_ms", "input_length", "output_length", "hash_flat"):
            frozen(getattr(self, name))

    def __len__(self) -> int:
        return len(self.timestamp_ms)

    def hash_ids(self, row: int) -> Ids:
        """Row's block ids; empty for a unique prompt."""
        if self.hash_offsets is None:
            return self.hash_flat[:0]
        return self.hash_flat[self.hash_offsets[row] : self.hash_offsets[row + 1]]
