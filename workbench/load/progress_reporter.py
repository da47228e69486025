"""What a worker tells the conductor: records as they end, counts some times a second."""

from collections import Counter
from collections.abc import Callable, Iterable

from workbench.load.in_flight import Flight
from workbench.load.messages import FromWorker, Records, WorkerSnapshot
from workbench.results.run_records import Outcome, RequestRecord


class Reporter:
    """Counts, and batches of records; warm-up requests enter no count."""

    def __init__(self, say: Callable[[FromWorker], None]) -> None:
        self._say = say
        self._batch: list[RequestRecord] = []
        self._outcomes: Counter[str] = Counter()
        self._due = self._sent = 0
        self._events = 0
        self._ttft_ms: list[float] = []
        self._delay_ms: list[float] = []

    def fell_due(self, flight: Flight) -> None:
        """It is due now."""
        self._due += not flight.ask.warmup

    def first_token(self, flight: Flight) -> None:
        """Its first token has been seen."""
        if not flight.ask.warmup and flight.reply.tokens.first is not None:
            self._ttft_ms.append((flight.reply.tokens.first - flight.due) * 1e3)

    def ended(self, flight: Flight, record: RequestRecord) -> None:
        """It ended."""
        self._batch.append(record)
        if flight.ask.warmup:
            return
        self._outcomes[Outcome(record.outcome).value] += 1
        self._sent += flight.sent is not None
        self._events += flight.reply.tokens.arrivals
        if flight.sent is not None and flight.released is not None:
            self._delay_ms.append((flight.sent - flight.released) * 1e3)

    def flush(self) -> None:
        """Hand over the records that ended since the last call."""
        if self._batch:
            self._say(Records(records=self._batch))
            self._batch = []

    def snapshot(self, open_flights: Iterable[Flight], zero: float) -> None:
        """Hand over the counts."""
        measured = [flight for flight in open_flights if not flight.ask.warmup]
        awaiting = [flight.due for flight in measured if flight.reply.tokens.first is None]
        self._say(
            WorkerSnapshot(
                due=self._due,
                sent=self._sent + sum(flight.sent is not None for flight in measured),
                in_flight=sum(flight.in_flight for flight in measured),
                awaiting_first_token=len(awaiting),
                oldest_due=min(awaiting) - zero if awaiting else None,
                outcomes=dict(self._outcomes),
                events=self._events + sum(flight.reply.tokens.arrivals for flight in measured),
                new_ttft_ms=self._ttft_ms,
                new_client_delay_ms=self._delay_ms,
            )
        )
        self._ttft_ms, self._delay_ms = [], []
