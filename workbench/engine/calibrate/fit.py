"""The regression: non-negative least squares on relative errors, in two stages.

A single fit over all rows trades the coefficients off against each other (on a measured run it was 16 % off,
two stages 1 %). So a, c and d come from steps that only decode, then b and e from prompts with that a.
"""

import math
from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from workbench.base import Record, Refusal
from workbench.engine.calibrate.prediction import completed, jobs_of_records, ttft_s
from workbench.engine.calibrate.step_rows import Kind, Row, merged, spread_pct
from workbench.engine.calibrate.stream_rows import mixed_rows
from workbench.engine.replay import Replay
from workbench.engine.scheduler import SchedulerConfig
from workbench.profiles import StepModel
from workbench.results import RequestRecord

_FULL_TRUST_STEPS = 16
"""Rows of fewer steps weigh less: their mean is noisy."""

Column = Callable[[Row], float]


class Seen(msgspec.Struct, kw_only=True):
    """All rows seen of a server."""

    decodes: list[Row] = msgspec.field(default_factory=list)
    """Spans of steps that only decode, from token times at the client."""
    prompts: list[Row] = msgspec.field(default_factory=list)
    """Prompts that ran alone, from sending to first token, including the front's time."""
    steps: list[Row] = msgspec.field(default_factory=list)
    """The server's own steps, if it reports them; preferred to the client's view."""
    whole: bool = True
    """The server's steps include the time between two steps; if not, it is taken from `decodes`."""


class Fit(Record, frozen=True, kw_only=True):
    """A step model and its residuals on the fitted rows."""

    step_model: StepModel
    request_overhead_us: float
    """A request's time outside the engine, from sending to first token."""
    decode_rows: int
    prefill_rows: int
    """Distinct compositions of steps."""
    residual_pct: float
    """Mean absolute relative residual over all rows."""
    spread_pct: float
    """Spread of equal loads at their clients, which no model can explain."""


def fit_steps(seen: Seen) -> Fit:
    """Fit a step model to rows.

    Raises:
        Refusal: no step that only decodes or no prompt was seen.
    """
    decodes, prompts = merged(seen.decodes), merged(seen.prompts)
    own_decodes, own_prefills = _of(seen.steps, "decode"), _of(seen.steps, "prefill")
    if own_decodes and own_prefills:
        model, _ = _two_stages(own_decodes, own_prefills)
        if not seen.whole:
            model = _with_gaps(model, decodes)
        overhead, rows = _overhead(model, prompts), (decodes or own_decodes, prompts or own_prefills)
    else:
        (model, overhead), rows = _two_stages(decodes, prompts), (decodes, prompts)
    return _fit(model, overhead, *rows, spread=spread_pct([*seen.decodes, *seen.prompts]))


def _of(steps: Sequence[Row], kind: Kind) -> list[Row]:
    return merged(row for row in steps if row.kind == kind)


def _two_stages(decodes: list[Row], prefills: list[Row]) -> tuple[StepModel, float]:
    if not decodes:
        raise Refusal("engine.no_decode_steps")
    if not prefills:
        raise Refusal("engine.no_lone_prompts")
    a, c, d = _solve(decodes, (_steps, _decodes, _context), lambda _: 0.0)
    b, e, overhead = _solve(prefills, (_prefill, _attention, _requests), lambda row: a * row.steps)
    return StepModel(a=a, b=b, c=c, d=d, e=e), overhead


def _with_gaps(model: StepModel, decodes: list[Row]) -> StepModel:
    """Add the time between steps, which the client sees and the server's own step times lack."""
    if not decodes:
        return model
    more_a, more_c = _solve(decodes, (_steps, _decodes), lambda row: modelled_us(row, model))
    return msgspec.structs.replace(model, a=model.a + more_a, c=model.c + more_c)


def with_more(model: StepModel, rows: Sequence[Row]) -> StepModel:
    """Add the time that these rows take beyond the model, by step, prompt token and decode; never less."""
    a, b, c = _solve(rows, (_steps, _prefill, _decodes), lambda row: modelled_us(row, model))
    return msgspec.structs.replace(model, a=model.a + a, b=model.b + b, c=model.c + c)


def _overhead(model: StepModel, prompts: list[Row]) -> float:
    return _solve(prompts, (_requests,), lambda row: modelled_us(row, model))[0] if prompts else 0.0


def _fit(model: StepModel, overhead: float, decodes: list[Row], prefills: list[Row], *, spread: float) -> Fit:
    residuals = [
        abs((modelled_us(row, model) + row.requests * overhead) / row.us - 1) for row in (*decodes, *prefills)
    ]
    return Fit(
        step_model=model,
        request_overhead_us=overhead,
        decode_rows=len(decodes),
        prefill_rows=len(prefills),
        residual_pct=100 * sum(residuals) / len(residuals),
        spread_pct=spread,
    )


def modelled_us(row: Row, model: StepModel) -> float:
    """Return the modelled time of the row's steps, without the front's time."""
    return row.steps * model.a + row.P * model.b + row.D * model.c + row.K * model.d + row.Q * model.e


def _solve(rows: Sequence[Row], columns: Sequence[Column], known_us: Column) -> list[float]:
    """Solve for non-negative coefficients of the columns that explain the rows' times less the known part.

    Columns differ by orders of magnitude, so each is normalized first.
    """
    from scipy.optimize import nnls  # noqa: PLC0415  # slow to import, and only a fit needs it

    weights = np.array([min(1.0, math.sqrt(row.steps / _FULL_TRUST_STEPS)) / row.us for row in rows])
    matrix = np.array([[column(row) for column in columns] for row in rows]) * weights[:, None]
    target = np.array([row.us - known_us(row) for row in rows]) * weights
    sizes = np.linalg.norm(matrix, axis=0)
    sizes[sizes == 0.0] = 1.0
    solution, _ = nnls(matrix / sizes, target)
    return [float(value) for value in solution / sizes]


def _steps(row: Row) -> float:
    return row.steps


def _prefill(row: Row) -> float:
    return row.P


def _decodes(row: Row) -> float:
    return row.D


def _context(row: Row) -> float:
    return row.K


def _attention(row: Row) -> float:
    return row.Q


def _requests(row: Row) -> float:
    return row.requests


# Corrections for mixed load.
#
# Steps with prompts and decodes, requests that come and go, and a front that shares processors with the
# engine cost time that loads of one kind don't show.


def fit_under_load(
    fit: Fit, records: Sequence[RequestRecord], config: SchedulerConfig, *, time_scale: float = 1.0
) -> Fit:
    """Correct a fit by a mixed run: its additional time by step, prompt token, decode and request.

    Args:
        fit: to loads of one kind at a time.
        records: of the mixed run, with unique prompts.
        config: the server's settings.
        time_scale: server seconds in a second of the records.

    Raises:
        Refusal: no request of the run completed with two tokens or more.
    """
    done = completed(records)
    model = with_more(fit.step_model, mixed_rows(done, time_scale=time_scale))
    jobs = jobs_of_records(done, time_scale)
    replay = Replay(jobs, config, model)
    replay.run()
    lives = [replay.tally.lives[job.request] for job in jobs]
    explained = np.array([(life.first_token or life.due) - life.due for life in lives])
    unexplained_us = 1e6 * float(np.median(ttft_s(done) * time_scale - explained))
    return msgspec.structs.replace(
        fit, step_model=model, request_overhead_us=max(fit.request_overhead_us, unexplained_us)
    )
