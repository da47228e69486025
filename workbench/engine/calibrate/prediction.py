"""How far the model is off on load that it was not fitted to: what was sent, replayed exactly."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.base import Record, Refusal
from workbench.engine.replay import Job, Quantiles, Replay, quantiles
from workbench.engine.scheduler import Request, SchedulerConfig
from workbench.profiles import StepModel
from workbench.results import Outcome, RequestRecord


class Comparison(Record, frozen=True, kw_only=True):
    """One latency, measured and predicted, in milliseconds of the server."""

    measured: Quantiles
    predicted: Quantiles

    @property
    def error_pct(self) -> float:
        """Of the mean, with its sign."""
        return _off(self.predicted.mean, self.measured.mean)

    @property
    def band_pct(self) -> float:
        """The worse of the errors of mean and median, without sign."""
        return max(abs(self.error_pct), abs(_off(self.predicted.p50, self.measured.p50)))


class Prediction(Record, frozen=True, kw_only=True):
    """A run and what the model makes of it."""

    requests: int
    ttft_ms: Comparison
    """From sending."""
    tpot_ms: Comparison


def predict(
    records: Sequence[RequestRecord],
    config: SchedulerConfig,
    model: StepModel,
    *,
    request_overhead_us: float = 0.0,
    time_scale: float = 1.0,
) -> Prediction:
    """Replay the requests that were sent, at the moments when they were sent.

    Args:
        records: of one run; prompts are taken as unique, and what did not complete is left out on both sides.
        config: the server's settings.
        model: to be tried.
        request_overhead_us: a request's time outside the engine.
        time_scale: the server's seconds in one of the records'.

    Raises:
        Refusal: no request completed with two tokens or more.
    """
    done = completed(records)
    jobs = jobs_of_records(done, time_scale)
    figures = Replay(jobs, config, model, request_overhead_s=request_overhead_us * 1e-6).run()
    scale_ms = 1000 * time_scale
    return Prediction(
        requests=len(done),
        ttft_ms=Comparison(measured=quantiles(ttft_s(done) * scale_ms), predicted=figures.ttft_ms),
        tpot_ms=Comparison(measured=quantiles(_tpot(done) * scale_ms), predicted=figures.tpot_ms),
    )


def completed(records: Sequence[RequestRecord]) -> list[RequestRecord]:
    """Those that completed, in the order in which they were sent.

    Raises:
        Refusal: none of them has two tokens.
    """
    done = [record for record in records if record.outcome is Outcome.COMPLETED and record.sent is not None]
    if not any((record.tokens or 0) > 1 for record in done):
        raise Refusal("engine.no_mixed_completions")
    return sorted(done, key=lambda record: record.sent or 0.0)


def jobs_of_records(done: Sequence[RequestRecord], scale: float) -> list[Job]:
    """What was sent and when, the first at 0; `scale` is the server's seconds in one of the records'."""
    begin = done[0].sent or 0.0
    return [_job(number, record, begin, scale) for number, record in enumerate(done)]


def _job(number: int, record: RequestRecord, begin: float, scale: float) -> Job:
    assert record.sent is not None
    prompt = record.prompt_tokens or record.input_tokens
    request = Request(f"r{number}", prompt, record.tokens or record.output_tokens, arrival_time=float(number))
    return Job(due_s=(record.sent - begin) * scale, request=request)


def ttft_s(done: Sequence[RequestRecord]) -> NDArray[np.float64]:
    """From sending to first token, in the records' seconds."""
    return _stamps(done, "first_token") - _stamps(done, "sent")


def _tpot(done: Sequence[RequestRecord]) -> NDArray[np.float64]:
    several = [record for record in done if (record.tokens or 0) > 1]
    lasted = _stamps(several, "last_token") - _stamps(several, "first_token")
    return lasted / (_stamps(several, "tokens") - 1)


def _stamps(records: Sequence[RequestRecord], name: str) -> NDArray[np.float64]:
    return np.array([getattr(record, name) for record in records], dtype=np.float64)


def _off(predicted: float | None, measured: float | None) -> float:
    return 100 * (predicted / measured - 1) if predicted is not None and measured else float("inf")
