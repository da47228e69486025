"""What falls due when: open-loop times, turns of sessions after one another, slots of a closed loop."""

import heapq
from bisect import bisect_right
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence

import msgspec

from workbench.load.messages import Ask

_MOST_BUILT_FOR_SLOTS = 64


class Agenda:
    """The due times of one worker's requests, in seconds since the schedule's start.

    Open loop (`slots` None): requests have their times, or follow others (`Ask.after`). Closed loop: a
    slot takes the next request when its last one ended; with `endless` the requests begin again until
    `length_s` is over.
    """

    def __init__(
        self, asks: Sequence[Ask], *, slots: int | None, length_s: float | None, endless: bool = False
    ) -> None:
        self._length_s = length_s
        self._closed = slots is not None
        measured = [ask for ask in asks if not ask.warmup]
        fixed = [ask for ask in asks if ask.warmup]
        self._followers: defaultdict[int, list[Ask]] = defaultdict(list)
        if not self._closed:
            for ask in measured:
                (fixed if ask.after is None else self._followers[ask.after]).append(ask)
        fixed.sort(key=_due)
        self._fixed = fixed
        self._dues = [_due(ask) for ask in fixed]
        self._at = 0
        """Of the fixed ones, how many fell due."""
        self._given = 0
        """Of the fixed ones, how many were given out to be built."""
        self._new: list[tuple[float, Ask]] = []
        self._soon: list[tuple[float, int, Ask]] = []
        """Heap of those whose due time became known during the run."""
        self.last_due = self._dues[-1] if fixed else 0.0
        """The latest due time known so far."""
        self._slots = _SlotQueue(measured if self._closed else [], endless=endless)
        for _ in range(slots or 0):
            self._next_slot(0.0)

    def next_due(self) -> float | None:
        """When the next request falls due; None: nothing does before something ends."""
        dues = [self._dues[self._at]] if self._at < len(self._dues) else []
        if self._soon:
            dues.append(self._soon[0][0])
        return min(dues, default=None)

    def pop(self, until: float) -> tuple[Ask, float] | None:
        """The next request that is due by `until`, with its due time."""
        due = self.next_due()
        if due is None or due > until:
            return None
        if self._soon and self._soon[0][0] == due:
            _, _, ask = heapq.heappop(self._soon)
            return ask, due
        ask = self._fixed[self._at]
        self._at += 1
        return ask, due

    def ended(self, ask: Ask, done: float) -> bool:
        """A request ended at `done`; whether others thereby got their due times."""
        if ask.warmup:
            return False
        if self._closed:
            return self._next_slot(done)
        turns = self._followers.pop(ask.index, [])
        for turn in turns:
            self._push(turn, max(done, _due(turn)) if turn.think_s is None else done + turn.think_s)
        return bool(turns)

    def due_within(self, since: float, until: float) -> int:
        """How many requests fall due between two times, as far as known."""
        fixed = bisect_right(self._dues, until) - max(self._at, bisect_right(self._dues, since))
        return max(0, fixed) + sum(since <= due <= until for due, _, _ in self._soon[:256])

    def to_build(self, horizon: float) -> Iterator[Ask]:
        """Requests that fall due by `horizon` and have not been given by this before."""
        while self._given < len(self._fixed) and self._dues[self._given] <= horizon:
            yield self._fixed[self._given]
            self._given += 1
        new, self._new = self._new, []
        for due, ask in new:
            if due <= horizon:
                yield ask
            else:
                self._new.append((due, ask))
        yield from self._slots.peek_new(_MOST_BUILT_FOR_SLOTS)

    def remaining(self) -> list[tuple[Ask, float | None]]:
        """All that never fell due, with the due time where it is known."""
        known: list[tuple[Ask, float | None]] = [(ask, due) for due, _, ask in sorted(self._soon)]
        known += zip(self._fixed[self._at :], self._dues[self._at :], strict=True)
        behind = [ask for turns in self._followers.values() for ask in turns]
        return [*known, *((ask, None) for ask in (*behind, *self._slots.rest()))]

    @property
    def empty(self) -> bool:
        """Whether nothing more can fall due."""
        return self._at >= len(self._fixed) and not (self._soon or self._followers or self._slots)

    def _next_slot(self, done: float) -> bool:
        if self._length_s is not None and done >= self._length_s:
            self._slots.clear()  # the duration is over: the loop takes no more
        ask = self._slots.pop()
        if ask is None:
            return False
        self._push(ask, done + (ask.think_s or 0.0))
        return True

    def _push(self, ask: Ask, due: float) -> None:
        heapq.heappush(self._soon, (due, ask.index, ask))
        self._new.append((due, ask))
        self.last_due = max(self.last_due, due)


class _SlotQueue:
    """The requests that slots take one after the other; `endless`: from the first again after the last."""

    def __init__(self, asks: Sequence[Ask], *, endless: bool) -> None:
        self._asks = asks
        self._endless = endless and bool(asks)
        self._source = self._all()
        self._ahead: deque[Ask] = deque()
        self._peeked = 0
        """How many of `_ahead` were given to be built."""
        self._cleared = not asks

    def pop(self) -> Ask | None:
        """The next request."""
        self._fill(1)
        if not self._ahead:
            return None
        self._peeked = max(0, self._peeked - 1)
        return self._ahead.popleft()

    def peek_new(self, count: int) -> Iterator[Ask]:
        """Of the next `count`, those not given by this before."""
        self._fill(count)
        for place in range(self._peeked, len(self._ahead)):
            yield self._ahead[place]
        self._peeked = len(self._ahead)

    def clear(self) -> None:
        """No more."""
        self._cleared = True
        self._ahead.clear()

    def rest(self) -> list[Ask]:
        """All that were asked for by number and not taken; none where only a duration bounds them."""
        if self._endless or self._cleared:
            return []
        self._fill(len(self._asks))
        return list(self._ahead)

    def __bool__(self) -> bool:
        self._fill(1)
        return bool(self._ahead)

    def _fill(self, count: int) -> None:
        while not self._cleared and len(self._ahead) < count:
            ask = next(self._source, None)
            if ask is None:
                return
            self._ahead.append(ask)

    def _all(self) -> Iterator[Ask]:
        yield from self._asks
        stride = max((ask.pass_length for ask in self._asks), default=0)
        turn = 0
        while self._endless:
            turn += 1
            for ask in self._asks:
                yield msgspec.structs.replace(ask, index=ask.index + turn * stride, cycle=ask.cycle + turn)


def _due(ask: Ask) -> float:
    return ask.due_s or 0.0
