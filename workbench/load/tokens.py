"""When the tokens of one stream arrived, in at most six bytes a token."""

from array import array

_MOST = 0xFFFF
"""Tokens of one read that a uint16 can say; more never fit into one socket read."""


class TokenTimes:
    """Arrivals of tokens by the socket read that carried them.

    Tokens of one read arrived together as far as anyone behind a socket can know, whether the server wrote
    them as one event or as several; so a read is one entry, however many events it held.
    """

    __slots__ = ("_counts", "_gaps", "first", "first_count", "last", "total")

    def __init__(self) -> None:
        self.first: float | None = None
        self.last: float | None = None
        self.first_count = 0
        self.total = 0
        self._gaps = array("f")
        self._counts = array("H")

    def arrive(self, stamp: float, tokens: int) -> None:
        """`tokens` came with the read stamped `stamp` (seconds)."""
        self.total += tokens
        last = self.last
        if last is None:
            self.first = self.last = stamp
            self.first_count = tokens
        elif stamp > last:
            self._gaps.append((stamp - last) * 1e3)
            self._counts.append(min(tokens, _MOST))
            self.last = stamp
        elif self._counts:
            self._counts[-1] = min(_MOST, self._counts[-1] + tokens)
        else:
            self.first_count += tokens

    @property
    def arrivals(self) -> int:
        """Reads that carried tokens."""
        return len(self._gaps) + (self.first is not None)

    def spread(self, total: int) -> None:
        """Share `total` tokens over the arrivals, where only the sum is known: the first carries one."""
        later = len(self._counts)
        self.total = total
        if not later:
            self.first_count = total
            return
        self.first_count = min(1, total)
        rest = total - self.first_count
        self._counts = array(
            "H", (min(_MOST, (i + 1) * rest // later - i * rest // later) for i in range(later))
        )

    def gaps_ms(self) -> bytes:
        """Gaps between arrivals, float32 little-endian milliseconds."""
        return _little(self._gaps)

    def gap_tokens(self) -> bytes:
        """Tokens that each arrival after the first carried, uint16 little-endian; empty: one each."""
        if self._counts.count(1) == len(self._counts):
            return b""
        return _little(self._counts)


def _little(values: "array[float] | array[int]") -> bytes:
    if array("H", [1]).tobytes() != b"\x01\x00":  # a big-endian machine
        values = values[:]
        values.byteswap()
    return values.tobytes()
