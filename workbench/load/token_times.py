"""Arrival times of a stream's tokens, in at most six bytes a token if each event carries one."""

from array import array

_MOST = 0xFFFF
"""Most tokens of one read in a uint16; more never fit into a socket read."""


class TokenTimes:
    """Arrivals of tokens by the socket read that carried them.

    A client can't time the tokens of one read apart, whether the server wrote one event or several. So a
    read is one entry, for any number of events.

    An arrival has two counts: tokens by the server's running count, and events with output. The second is
    kept only if they differ. In the end one of them holds: `by_events`, `without_counts`, or the running
    count.
    """

    __slots__ = (
        "_counts", "_events", "_first_events", "_gaps", "_shown", "first", "first_count", "last", "total",
    )  # fmt: skip

    def __init__(self) -> None:
        self.first: float | None = None
        self.last: float | None = None
        self.first_count = 0
        self.total = 0
        self._gaps = array("f")
        self._counts = array("H")
        self._events: array[int] | None = None
        """Events of each arrival after the first; None: always as many as tokens."""
        self._first_events = self._shown = 0
        """Events of the first arrival and of all, if they are counted separately."""

    def arrive(self, stamp: float, tokens: int, events: int = 1) -> None:
        """Add `tokens` in `events` with output, from the read stamped `stamp` (seconds)."""
        if tokens != events or self._events is not None:
            self._arrive_apart(stamp, tokens, events)
            return
        self.total += tokens
        last = self.last
        if last is None:
            self.first = self.last = stamp
            self.first_count = tokens
        elif stamp > last:
            self._gaps.append((stamp - last) * 1e3)
            self._counts.append(tokens)
            self.last = stamp
        elif self._counts:
            self._counts[-1] = min(_MOST, self._counts[-1] + tokens)
        else:
            self.first_count += tokens

    def _arrive_apart(self, stamp: float, tokens: int, events: int) -> None:
        if self._events is None:
            self._events, self._first_events, self._shown = self._counts[:], self.first_count, self.total
        self.total += tokens
        self._shown += events
        last = self.last
        if last is None:
            self.first = self.last = stamp
            self.first_count, self._first_events = tokens, events
        elif stamp > last:
            self._gaps.append((stamp - last) * 1e3)
            self._counts.append(min(tokens, _MOST))
            self._events.append(events)
            self.last = stamp
        elif self._counts:
            self._counts[-1] = min(_MOST, self._counts[-1] + tokens)
            self._events[-1] = min(_MOST, self._events[-1] + events)
        else:
            self.first_count += tokens
            self._first_events += events

    @property
    def events(self) -> int:
        """Events with output."""
        return self.total if self._events is None else self._shown

    @property
    def arrivals(self) -> int:
        """Reads that carried tokens."""
        return len(self._gaps) + (self.first is not None)

    def by_counts(self) -> None:
        """Use the running count: a read without a new token is no arrival, except the first."""
        if self._events is not None:
            self._drop_empty(self._counts, keep_first=True)
            self._events = None

    def by_events(self) -> None:
        """Count each event with output as one token."""
        if self._events is not None:
            self._counts, self.first_count, self.total = self._events, self._first_events, self._shown
            self._events = None
            self._drop_empty(self._counts, keep_first=self.first_count > 0)

    def without_counts(self, total: int) -> None:
        """Set `total` tokens for these events, without the tokens of each."""
        self.by_events()
        self.total = total
        self._counts = array("H", bytes(2 * len(self._counts)))
        if not self._counts:
            self.first_count = total

    def gaps_ms(self) -> bytes:
        """Return gaps between arrivals, float32 little-endian milliseconds."""
        return _little(self._gaps)

    def gap_tokens(self) -> bytes:
        """Return the tokens of each arrival after the first, uint16 little-endian; empty: one each."""
        if self._counts.count(1) == len(self._counts):
            return b""
        return _little(self._counts)

    def _drop_empty(self, counts: "array[int]", *, keep_first: bool) -> None:
        """Join the gaps before and after each arrival without tokens."""
        if self.first is None or (keep_first and 0 not in counts):
            return
        gaps, kept, first = array("f"), array("H"), self.first
        open_ms, begun = 0.0, keep_first
        for gap, count in zip(self._gaps, counts, strict=True):
            open_ms += gap
            if count and begun:
                gaps.append(open_ms)
                kept.append(count)
            elif count:
                first, self.first_count, begun = first + open_ms / 1e3, count, True
            open_ms = 0.0 if count else open_ms
        self._gaps, self._counts = gaps, kept
        if not begun:
            self.first = self.last = None
            return
        assert self.last is not None
        self.first, self.last = first, self.last - open_ms / 1e3


def _little(values: "array[float] | array[int]") -> bytes:
    if array("H", [1]).tobytes() != b"\x01\x00":  # a big-endian machine
        values = values[:]
        values.byteswap()
    return values.tobytes()
