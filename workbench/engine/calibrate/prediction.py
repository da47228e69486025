"""Error of a step model on load that it was not fitted to: the same requests, replayed."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.base import Record, Refusal
from workbench.engine.replay import Quantiles, Replay, ReplayJob, quantiles
from workbench.engine.scheduler import Request, SchedulerConfig
from workbench.profiles import StepModel
from workbench.results import Outcome, RequestRecord


class Comparison(Record, frozen=True, kw_only=True):
    """A latency, measured and predicted, in milliseconds of the server."""

    measured: Quantiles
    predicted: Quantiles

    @property
    def error_pct(self) -> float:
        """Signed error of the mean."""
        return _off(self.predicted.mean, self.measured.mean)

    @property
    def band_pct(self) -> float:
        """Larger absolute error of mean and median."""
        return max(abs(self.error_pct), abs(_off(self.predicted.p50, self.measured.p50)))


class PredictedRun(Record, frozen=True, kw_only=True):
    """Measured and predicted latencies of a run."""

    requests: int
    ttft_ms: Comparison
    """Measured from sending."""
    tpot_ms: Comparison


def predict(
    records: Sequence[RequestRecord],
    config: SchedulerConfig,
    model: StepModel,
    *,
    request_overhead_us: float = 0.0,
    time_scale: float = 1.0,
) -> PredictedRun:
    """Replay sent requests at their send times.

    Args:
        records: of one run; prompts count as unique, and incomplete requests are left out on both sides.
        config: the server's settings.
        model: to be checked.
        request_overhead_us: a request's time outside the engine.
        time_scale: server seconds in a second of the records.

    Raises:
        Refusal: no request completed with two tokens or more.
    """
    done = completed(records)
    jobs = jobs_of_records(done, time_scale)
    figures = Replay(jobs, config, model, request_overhead_s=request_overhead_us * 1e-6).run()
    scale_ms = 1000 * time_scale
    return PredictedRun(
        requests=len(done),
        ttft_ms=Comparison(measured=quantiles(ttft_s(done) * scale_ms), predicted=figures.ttft_ms),
        tpot_ms=Comparison(measured=quantiles(_tpot(done) * scale_ms), predicted=figures.tpot_ms),
    )


def completed(records: Sequence[RequestRecord]) -> list[RequestRecord]:
    """Return the completed requests in their send order.

    Raises:
        Refusal: none of them has two tokens.
    """
    done = [record for record in records if record.outcome is Outcome.COMPLETED and record.sent is not None]
    if not any((record.tokens or 0) > 1 for record in done):
        raise Refusal("engine.no_mixed_completions")
    return sorted(done, key=lambda record: record.sent or 0.0)


def jobs_of_records(done: Sequence[RequestRecord], scale: float) -> list[ReplayJob]:
    """Return jobs for sent requests, the first at 0; `scale` is server seconds in a second of the records."""
    begin = done[0].sent or 0.0
    return [_job(number, record, begin, scale) for number, record in enumerate(done)]


def _job(number: int, record: RequestRecord, begin: float, scale: float) -> ReplayJob:
    assert record.sent is not None
    prompt = record.prompt_tokens or record.input_tokens
    request = Request(f"r{number}", prompt, record.tokens or record.output_tokens, arrival_time=float(number))
    return ReplayJob(due_s=(record.sent - begin) * scale, request=request)


def ttft_s(done: Sequence[RequestRecord]) -> NDArray[np.float64]:
    """Return the times from sending to first token, in seconds of the records."""
    return _stamps(done, "first_token") - _stamps(done, "sent")


def _tpot(done: Sequence[RequestRecord]) -> NDArray[np.float64]:
    several = [record for record in done if (record.tokens or 0) > 1]
    lasted = _stamps(several, "last_token") - _stamps(several, "first_token")
    return lasted / (_stamps(several, "tokens") - 1)


def _stamps(records: Sequence[RequestRecord], name: str) -> NDArray[np.float64]:
    return np.array([getattr(record, name) for record in records], dtype=np.float64)


def _off(predicted: float | None, measured: float | None) -> float:
    return 100 * (predicted / measured - 1) if predicted is not None and measured else float("inf")
