"""Queues of waiting requests (rule 1.1), as in vLLM's `v1/core/sched/request_queue.py`."""

import heapq
from collections import deque
from collections.abc import Iterable, Iterator

from workbench.engine.scheduler.request import Request


class FCFSRequestQueue:
    """First come, first served; preempted and skipped requests go back to the front."""

    def __init__(self) -> None:
        self._queue: deque[Request] = deque()

    def __len__(self) -> int:
        return len(self._queue)

    def __iter__(self) -> Iterator[Request]:
        return iter(self._queue)

    def add_request(self, request: Request) -> None:
        """Add an arrival."""
        self._queue.append(request)

    def peek_request(self) -> Request:
        """Return the next candidate; the queue must not be empty."""
        return self._queue[0]

    def pop_request(self) -> Request:
        """Remove and return the next candidate."""
        return self._queue.popleft()

    def prepend_request(self, request: Request) -> None:
        """Put a preempted request back at the front."""
        self._queue.appendleft(request)

    def prepend_requests(self, requests: Iterable[Request]) -> None:
        """Put skipped requests back one after the other: the last of them is the next candidate."""
        self._queue.extendleft(requests)

    def remove_request(self, request: Request) -> None:
        """Remove a request that ended while it waited."""
        self._queue.remove(request)


class PriorityRequestQueue:
    """A heap: most urgent first, by (priority, arrival time, id as a string)."""

    def __init__(self) -> None:
        self._heap: list[tuple[tuple[int, float, str], Request]] = []

    def __len__(self) -> int:
        return len(self._heap)

    def __iter__(self) -> Iterator[Request]:
        return (request for _, request in sorted(self._heap, key=lambda entry: entry[0]))

    def add_request(self, request: Request) -> None:
        """Add an arrival."""
        heapq.heappush(self._heap, (request.priority_order, request))

    def peek_request(self) -> Request:
        """Return the next candidate; the queue must not be empty."""
        return self._heap[0][1]

    def pop_request(self) -> Request:
        """Remove and return the next candidate."""
        return heapq.heappop(self._heap)[1]

    def prepend_request(self, request: Request) -> None:
        """Put a preempted request back at its place: a heap has no front."""
        self.add_request(request)

    def prepend_requests(self, requests: Iterable[Request]) -> None:
        """Put skipped requests back at their places."""
        for request in requests:
            self.add_request(request)

    def remove_request(self, request: Request) -> None:
        """Remove a request that ended while it waited."""
        self._heap = [entry for entry in self._heap if entry[1] is not request]
        heapq.heapify(self._heap)


RequestQueue = FCFSRequestQueue | PriorityRequestQueue


def create_request_queue(policy: str) -> RequestQueue:
    """Return an empty queue for a policy; static batching takes requests in order of arrival."""
    return PriorityRequestQueue() if policy == "priority" else FCFSRequestQueue()
