"""The waiting queue: a deque under fcfs, a heap under priority (rule 1.1)."""

import heapq
from collections import deque
from collections.abc import Iterable, Iterator

from workbench.engine.scheduler.request import Request


class FcfsQueue:
    """First come, first served; a preempted request goes back to the front."""

    def __init__(self) -> None:
        self._queue: deque[Request] = deque()

    def __len__(self) -> int:
        return len(self._queue)

    def __iter__(self) -> Iterator[Request]:
        return iter(self._queue)

    def push(self, request: Request) -> None:
        """Add an arrival."""
        self._queue.append(request)

    def head(self) -> Request:
        """The next candidate; the queue must not be empty."""
        return self._queue[0]

    def pop(self) -> Request:
        """Take the next candidate out."""
        return self._queue.popleft()

    def put_back(self, request: Request) -> None:
        """Return a preempted request: to the front."""
        self._queue.appendleft(request)

    def put_back_all(self, requests: Iterable[Request]) -> None:
        """Return requests that were set aside: to the front, in their order."""
        self._queue.extendleft(reversed(list(requests)))

    def remove(self, request: Request) -> None:
        """Take out one that ended while it waited."""
        self._queue.remove(request)


class PriorityQueue:
    """Most urgent first, by (priority, arrival time, id as a string)."""

    def __init__(self) -> None:
        self._heap: list[tuple[tuple[int, float, str], Request]] = []

    def __len__(self) -> int:
        return len(self._heap)

    def __iter__(self) -> Iterator[Request]:
        return (request for _, request in sorted(self._heap, key=lambda entry: entry[0]))

    def push(self, request: Request) -> None:
        """Add an arrival."""
        heapq.heappush(self._heap, (request.urgency, request))

    def head(self) -> Request:
        """The next candidate; the queue must not be empty."""
        return self._heap[0][1]

    def pop(self) -> Request:
        """Take the next candidate out."""
        return heapq.heappop(self._heap)[1]

    def put_back(self, request: Request) -> None:
        """Return a preempted request: to its place by urgency."""
        self.push(request)

    def put_back_all(self, requests: Iterable[Request]) -> None:
        """Return requests that were set aside."""
        for request in requests:
            self.push(request)

    def remove(self, request: Request) -> None:
        """Take out one that ended while it waited."""
        self._heap = [entry for entry in self._heap if entry[1] is not request]
        heapq.heapify(self._heap)


WaitingQueue = FcfsQueue | PriorityQueue
