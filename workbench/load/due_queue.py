"""Due times of requests: fixed ones, those of a session's next turn, those of a closed loop's slots."""

import heapq
from bisect import bisect_right
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence

import msgspec

from workbench.load.messages import LoadRequest

_MOST_BUILT_FOR_SLOTS = 64


class DueQueue:
    """Due times of one worker's requests, in seconds since the schedule's start.

    Open loop (`slots` None): requests have fixed times or follow others (`LoadRequest.after`). Closed loop: a
    slot takes the next request when its last one ended; with `endless` the requests repeat until `length_s`
    is over.
    """

    def __init__(
        self,
        requests: Sequence[LoadRequest],
        *,
        slots: int | None,
        length_s: float | None,
        endless: bool = False,
    ) -> None:
        self._length_s = length_s
        self._closed = slots is not None
        measured = [request for request in requests if not request.warmup]
        fixed = [request for request in requests if request.warmup]
        self._followers: defaultdict[int, list[LoadRequest]] = defaultdict(list)
        if not self._closed:
            for request in measured:
                (fixed if request.after is None else self._followers[request.after]).append(request)
        fixed.sort(key=_due)
        self._fixed = fixed
        self._dues = [_due(request) for request in fixed]
        self._at = 0
        """Number of fixed requests that fell due."""
        self._given = 0
        """Number of fixed requests given out to be built."""
        self._new: list[tuple[float, LoadRequest]] = []
        self._soon: list[tuple[float, int, LoadRequest]] = []
        """Heap of requests whose due time became known during the run."""
        self.last_due = self._dues[-1] if fixed else 0.0
        """The latest due time known so far."""
        self._slots = _SlotQueue(measured if self._closed else [], endless=endless)
        for _ in range(slots or 0):
            self._next_slot(0.0)

    def next_due(self) -> float | None:
        """Return the next due time; None: no request falls due before another ends."""
        dues = [self._dues[self._at]] if self._at < len(self._dues) else []
        if self._soon:
            dues.append(self._soon[0][0])
        return min(dues, default=None)

    def pop(self, until: float) -> tuple[LoadRequest, float] | None:
        """Return the next request that is due by `until`, with its due time."""
        due = self.next_due()
        if due is None or due > until:
            return None
        if self._soon and self._soon[0][0] == due:
            _, _, request = heapq.heappop(self._soon)
            return request, due
        request = self._fixed[self._at]
        self._at += 1
        return request, due

    def ended(self, request: LoadRequest, done: float) -> bool:
        """Note that a request ended at `done`; returns whether others got their due times by it."""
        if request.warmup:
            return False
        if self._closed:
            return self._next_slot(done)
        turns = self._followers.pop(request.index, [])
        for turn in turns:
            self._push(turn, max(done, _due(turn)) if turn.think_s is None else done + turn.think_s)
        return bool(turns)

    def due_within(self, since: float, until: float) -> int:
        """Return how many requests are known to fall due between two times."""
        fixed = bisect_right(self._dues, until) - max(self._at, bisect_right(self._dues, since))
        return max(0, fixed) + sum(since <= due <= until for due, _, _ in self._soon[:256])

    def to_build(self, horizon: float) -> Iterator[LoadRequest]:
        """Yield the requests that fall due by `horizon`, each once."""
        while self._given < len(self._fixed) and self._dues[self._given] <= horizon:
            yield self._fixed[self._given]
            self._given += 1
        new, self._new = self._new, []
        for due, request in new:
            if due <= horizon:
                yield request
            else:
                self._new.append((due, request))
        yield from self._slots.peek_new(_MOST_BUILT_FOR_SLOTS)

    def remaining(self) -> list[tuple[LoadRequest, float | None]]:
        """Return all requests that never fell due, with their due time if it is known."""
        known: list[tuple[LoadRequest, float | None]] = [
            (request, due) for due, _, request in sorted(self._soon)
        ]
        known += zip(self._fixed[self._at :], self._dues[self._at :], strict=True)
        behind = [request for turns in self._followers.values() for request in turns]
        return [*known, *((request, None) for request in (*behind, *self._slots.rest()))]

    @property
    def empty(self) -> bool:
        """No more requests can fall due."""
        return self._at >= len(self._fixed) and not (self._soon or self._followers or self._slots)

    def _next_slot(self, done: float) -> bool:
        if self._length_s is not None and done >= self._length_s:
            self._slots.clear()  # the duration is over: the loop ends
        request = self._slots.pop()
        if request is None:
            return False
        self._push(request, done + (request.think_s or 0.0))
        return True

    def _push(self, request: LoadRequest, due: float) -> None:
        heapq.heappush(self._soon, (due, request.index, request))
        self._new.append((due, request))
        self.last_due = max(self.last_due, due)


class _SlotQueue:
    """Requests that slots take one after the other; `endless`: the first follows the last again."""

    def __init__(self, requests: Sequence[LoadRequest], *, endless: bool) -> None:
        self._requests = requests
        self._endless = endless and bool(requests)
        self._source = self._all()
        self._ahead: deque[LoadRequest] = deque()
        self._peeked = 0
        """Number of `_ahead` given out to be built."""
        self._cleared = not requests

    def pop(self) -> LoadRequest | None:
        """Return the next request."""
        self._fill(1)
        if not self._ahead:
            return None
        self._peeked = max(0, self._peeked - 1)
        return self._ahead.popleft()

    def peek_new(self, count: int) -> Iterator[LoadRequest]:
        """Yield those of the next `count` requests that it did not yield before."""
        self._fill(count)
        for place in range(self._peeked, len(self._ahead)):
            yield self._ahead[place]
        self._peeked = len(self._ahead)

    def clear(self) -> None:
        """Give out no more requests."""
        self._cleared = True
        self._ahead.clear()

    def rest(self) -> list[LoadRequest]:
        """Return the requests left of a given number; none if a duration bounds the loop."""
        if self._endless or self._cleared:
            return []
        self._fill(len(self._requests))
        return list(self._ahead)

    def __bool__(self) -> bool:
        self._fill(1)
        return bool(self._ahead)

    def _fill(self, count: int) -> None:
        while not self._cleared and len(self._ahead) < count:
            request = next(self._source, None)
            if request is None:
                return
            self._ahead.append(request)

    def _all(self) -> Iterator[LoadRequest]:
        yield from self._requests
        stride = max((request.pass_length for request in self._requests), default=0)
        turn = 0
        while self._endless:
            turn += 1
            for request in self._requests:
                yield msgspec.structs.replace(
                    request, index=request.index + turn * stride, cycle=request.cycle + turn
                )


def _due(request: LoadRequest) -> float:
    return request.due_s or 0.0
