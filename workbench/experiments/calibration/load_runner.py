"""Run the loads of a calibration against a server, one after the other."""

import asyncio
import secrets

from workbench.base import Message, Refusal, message
from workbench.load import LoadOptions, Target, run_load
from workbench.results import Outcome, RequestRecord
from workbench.servers import EffectiveConfig
from workbench.traces import Schedule, Trace

_DRAIN_S = 600.0
_STRAY = 0.01
"""Share of requests that may fail, such as on an idle connection that the server just closed."""


class LoadRunner:
    """Runs one load after the other; no prompt shares a prefix with a prompt of any load.

    Args:
        target: where the load goes.
        effective: effective configuration of the server.
    """

    def __init__(self, target: Target, effective: EffectiveConfig) -> None:
        self.time_scale = effective.time_scale or 1.0
        """Server seconds in a wall second."""
        self.notes: list[Message] = []
        """Failures that don't spoil the calibration."""
        self._target = target
        self._vocab_size = effective.vocab_size
        self._loads = 0
        self._continuous: bool | None = None
        self._seed = secrets.randbelow(1 << 30)

    async def run(
        self, trace: Trace, schedule: Schedule, *, limit_s: float | None = None
    ) -> list[RequestRecord]:
        """Run one load and return its records; cut open requests off after `limit_s` server seconds.

        Raises:
            Refusal: the server refused or failed more than a few requests.
        """
        self._loads += 1
        options = LoadOptions(
            seed=self._seed + self._loads,
            vocab_size=self._vocab_size,
            time_scale=self.time_scale,
            drain_s=_DRAIN_S,
            continuous_usage=self._continuous,
            cache_salt=f"calibration-{self._seed}-{self._loads}",
        )
        records: list[RequestRecord] = []
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        timer = None if limit_s is None else loop.call_later(limit_s / self.time_scale, stop.set)
        try:
            outcome = await run_load(
                self._target, trace, schedule, options,
                on_records=records.extend, on_snapshot=lambda _: None, stop=stop,
            )  # fmt: skip
        finally:
            if timer is not None:
                timer.cancel()
        self._continuous = outcome.continuous_usage
        return self._without_strays(records)

    def _without_strays(self, records: list[RequestRecord]) -> list[RequestRecord]:
        bad = [record for record in records if record.outcome in {Outcome.FAILED, Outcome.REJECTED}]
        if not bad:
            return records
        first = bad[0]
        said = message(
            "experiments.calibration_requests_failed",
            failed=len(bad),
            of=len(records),
            outcome=str(first.outcome),
            error=first.error or first.status,
        )
        if len(bad) > _STRAY * len(records):
            raise Refusal("experiments.calibration_failed", why=said)
        self.notes.append(message("experiments.requests_left_out", said=said))
        return [record for record in records if record not in bad]
