"""Reports of a worker to the conductor: records of ended requests, counts some times a second."""

from collections import Counter
from collections.abc import Callable, Iterable

from workbench.load.attempt import Attempt
from workbench.load.messages import FromWorker, Records, WorkerSnapshot
from workbench.results.run_records import Outcome, RequestRecord


class ProgressReporter:
    """Counts requests and batches their records; warm-up requests are not counted."""

    def __init__(self, say: Callable[[FromWorker], None]) -> None:
        self._say = say
        self._batch: list[RequestRecord] = []
        self._outcomes: Counter[str] = Counter()
        self._due = self._sent = 0
        self._events = 0
        self._ttft_ms: list[float] = []
        self._delay_ms: list[float] = []

    def fell_due(self, attempt: Attempt) -> None:
        """Count a request that fell due."""
        self._due += not attempt.request.warmup

    def first_token(self, attempt: Attempt) -> None:
        """Note the time of a first token."""
        if not attempt.request.warmup and attempt.reply.tokens.first is not None:
            self._ttft_ms.append((attempt.reply.tokens.first - attempt.due) * 1e3)

    def ended(self, attempt: Attempt, record: RequestRecord) -> None:
        """Count a request that ended and keep its record."""
        self._batch.append(record)
        if attempt.request.warmup:
            return
        self._outcomes[Outcome(record.outcome).value] += 1
        self._sent += attempt.sent is not None
        self._events += attempt.reply.tokens.arrivals
        if attempt.sent is not None and attempt.released is not None:
            self._delay_ms.append((attempt.sent - attempt.released) * 1e3)

    def flush(self) -> None:
        """Send the records of requests that ended since the last call."""
        if self._batch:
            self._say(Records(records=self._batch))
            self._batch = []

    def snapshot(self, open_attempts: Iterable[Attempt], zero: float) -> None:
        """Send the counts."""
        measured = [attempt for attempt in open_attempts if not attempt.request.warmup]
        awaiting = [attempt.due for attempt in measured if attempt.reply.tokens.first is None]
        self._say(
            WorkerSnapshot(
                due=self._due,
                sent=self._sent + sum(attempt.sent is not None for attempt in measured),
                in_flight=sum(attempt.in_flight for attempt in measured),
                awaiting_first_token=len(awaiting),
                oldest_due=min(awaiting) - zero if awaiting else None,
                outcomes=dict(self._outcomes),
                events=self._events + sum(attempt.reply.tokens.arrivals for attempt in measured),
                new_ttft_ms=self._ttft_ms,
                new_client_delay_ms=self._delay_ms,
            )
        )
        self._ttft_ms, self._delay_ms = [], []
