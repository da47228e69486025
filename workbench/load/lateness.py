"""How late reads were looked at, and so by how much a stamp may be off.

The kernel's stamp of a read is that of its last byte. A worker that falls behind finds several events in one
read: the first of them came earlier than the stamp says, by at most the time since the socket could last have
been read. A read that holds one event is exact, however late it is looked at.
"""

from collections import Counter
from collections.abc import Mapping

PROMPT_S = 0.002
"""Reads looked at within this are not examined: less than any rule about them asks for."""
_EVENT = b"data:"


class Lateness:
    """Reads of one worker, and those whose stamp may be off, by whole milliseconds (rounded up)."""

    __slots__ = ("late_ms", "reads")

    def __init__(self) -> None:
        self.reads = 0
        self.late_ms: Counter[int] = Counter()

    def merged(self, data: bytes, late_s: float) -> None:
        """A read that was looked at `late_s` after its first byte may have come, later than `PROMPT_S`."""
        if data.count(_EVENT) > 1:
            self.late_ms[int(late_s * 1e3) + 1] += 1


def late_p99_ms(reads: int, late_ms: Mapping[int, int]) -> float | None:
    """What 99 % of all reads were not later than, in ms; 0: their stamps are exact. None: no reads."""
    if not reads:
        return None
    beyond = reads - sum(late_ms.values())
    if beyond >= 0.99 * reads:
        return 0.0
    for late in sorted(late_ms):
        beyond += late_ms[late]
        if beyond >= 0.99 * reads:
            return float(late)
    return float(max(late_ms))
