"""Sending again what was refused: the way real callers pass overload on (as the OpenAI client does it)."""

import random

from workbench.load.flight import Flight
from workbench.load.options import LoadOptions
from workbench.results.records import Outcome, RequestRecord

_LONGEST_WAIT_S = 8.0
_LEAST_SHARE = 0.75
"""Of the wait; the rest is left to chance, so that callers refused together don't return together."""
_TRANSIENT = frozenset({408, 409, 429})


class RetryPolicy:
    """Which requests are sent again, and when."""

    def __init__(self, options: LoadOptions, worker: int) -> None:
        self.most = options.max_retries
        self._first_wait_s = options.retry_backoff_s
        self._time_scale = options.time_scale
        self._random = random.Random(f"{options.seed} {worker}")  # noqa: S311 - spreads load, keeps no secret

    def wait_s(self, flight: Flight, record: RequestRecord) -> float | None:
        """Wall seconds until this request, ended as `record` says, is sent again; None: it is not."""
        if flight.retries >= self.most or record.first_token is not None or not _may_pass(record):
            return None
        wait = min(_LONGEST_WAIT_S, self._first_wait_s * 2.0**flight.retries)
        return wait * self._random.uniform(_LEAST_SHARE, 1.0) / self._time_scale


def _may_pass(record: RequestRecord) -> bool:
    """Whether it may succeed later: overload, a broken server or connection; not a bad request."""
    if record.outcome == Outcome.REJECTED:
        return True
    if record.outcome != Outcome.FAILED:
        return False
    status = record.status
    return status is None or status < 400 or status in _TRANSIENT or status >= 500
