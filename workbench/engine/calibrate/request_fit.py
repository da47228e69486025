"""Fit of the step-time model to requests alone: their arrivals and lengths, first and last tokens.

A step's content isn't seen, so the scheduler decides it: the requests are replayed with a first guess of the
model, which gives the steps between any two tokens and their contents. A regression on the measured times
between these tokens gives a better model, and so on until both agree.

With preemptions, single requests of a replay go other ways than the measured ones, while their numbers don't.
So times are compared between the n-th first tokens of both, and the n-th last tokens, and only requests that
were never preempted are compared one by one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.base import Refusal
from workbench.engine.calibrate.robust_fit import robust_nnls
from workbench.engine.calibrate.traced_replay import TracedReplay
from workbench.engine.replay import ReplayJob
from workbench.engine.scheduler import Request, SchedulerConfig
from workbench.profiles import StepModel

Floats = NDArray[np.float64]
_ROUNDS = 14
"""Steps half-way to the next model: what is left of the first guess is below a thousandth."""
_SETTLED = 3e-4
"""Relative change of the spans' times below which more rounds change nothing."""
_LEAST_SPAN_S = 0.2
"""Shorter times between tokens of two requests hold too few steps to be compared."""
_MOST_IDLE = 0.05
"""Share of a span that may be idle time of the replay."""
_FEWEST = 8
_USUAL = ((0, 0.7, 0.4), (2, 0.1, 1.0), (3, 0.2, 1.0))
"""Coefficient, its usual share of a decode step's time, and the doubt about it relative to the share."""
_MOST_USUAL = {2: 1 / 250, 3: 1 / 120_000}
"""Upper bound on the usual cost of a decode or a context token, relative to a step.

An accelerator computes 150 to 300 operations while it reads a byte, so some 250 decodes take as long as
reading the weights. A token's keys and values are as large as some 1/120,000 of the weights.
"""


class TimedRequest(NamedTuple):
    """A request, in seconds of one clock; without stamps it only loads the server."""

    due_s: float
    prompt: int
    output: int
    first_s: float | None = None
    last_s: float | None = None


@dataclass(frozen=True, slots=True)
class Spans:
    """Contents and times of spans of steps."""

    contents: Floats
    """Steps, P, D, K, Q; shape (spans, 5)."""
    us: Floats

    def __add__(self, other: "Spans") -> "Spans":
        return Spans(np.vstack([self.contents, other.contents]), np.concatenate([self.us, other.us]))


@dataclass(frozen=True, slots=True)
class RequestFit:
    """A step model fitted to requests."""

    model: StepModel
    overhead_s: float
    """Time of a request outside the engine."""
    spans: Spans
    """Times between the requests' tokens, with their contents."""
    ttft_error: float
    """Signed relative error of the mean on the fitted requests."""
    tpot_error: float


def fit_requests(
    requests: Sequence[TimedRequest],
    config: SchedulerConfig,
    *,
    start: StepModel | None = None,
    earlier: Spans | None = None,
) -> RequestFit:
    """Fit a model to the requests that have stamps; the others load the server.

    Args:
        requests: in the order of their due times; prompts count as unique.
        config: the server's settings.
        start: what is known of the model; None: nothing.
        earlier: spans of other runs, which the model shall explain too.

    Raises:
        Refusal: too few requests have stamps.
    """
    timed = [n for n, one in enumerate(requests) if one.first_s is not None and one.last_s is not None]
    if sum(requests[n].output > 1 for n in timed) < _FEWEST:
        raise Refusal("engine.too_few_timed_requests", least=_FEWEST)
    model = start or _first_guess([requests[n] for n in timed])
    for _ in range(_ROUNDS):
        replay, made = replay_requests(requests, config, model)
        found = _judged(requests, timed, replay, made, model)
        spans = found.spans if earlier is None else found.spans + earlier
        before, model = model, _halfway(model, fit_spans(spans, model))
        if _change(spans, before, model) < _SETTLED:
            break
    return found


def replay_requests(
    requests: Sequence[TimedRequest], config: SchedulerConfig, model: StepModel, overhead_s: float = 0.0
) -> tuple[TracedReplay, list[Request]]:
    """Replay requests; return the replay and the scheduler's requests in the same order."""
    made = [Request(f"r{n}", one.prompt, one.output, arrival_time=float(n)) for n, one in enumerate(requests)]
    jobs = [ReplayJob(one.due_s + overhead_s, request) for one, request in zip(requests, made, strict=True)]
    return TracedReplay(jobs, config, model), made


def _first_guess(timed: Sequence[TimedRequest]) -> StepModel:
    """Return a model with the usual time between tokens, most of it independent of the content."""
    paces = [
        (one.last_s - one.first_s) / (one.output - 1)
        for one in timed
        if one.output > 1 and one.last_s is not None and one.first_s is not None
    ]
    us = 1e6 * float(np.median(paces))
    return StepModel(a=0.7 * us, b=us / 500, c=us / 250, d=0.0, e=0.0)


def _judged(
    requests: Sequence[TimedRequest],
    timed: Sequence[int],
    replay: TracedReplay,
    made: Sequence[Request],
    model: StepModel,
) -> RequestFit:
    lives = [replay.tally.lives[made[n]] for n in timed]
    due = np.array([requests[n].due_s for n in timed])
    steps = np.array([max(1, requests[n].output - 1) for n in timed])
    first, last = _stamps(requests, timed)
    modelled_first = np.array([life.first_token or 0.0 for life in lives])
    modelled_last = np.array([life.last_token or 0.0 for life in lives])
    alone = [place for place, n in enumerate(timed) if made[n] not in replay.waited]
    more = (first - modelled_first)[alone]  # the front's time, and what a busy engine adds to it
    return RequestFit(
        model=model,
        overhead_s=max(0.0, float(np.quantile(more, 0.25))) if len(alone) >= 2 * _FEWEST else 0.0,
        spans=_spans(first, last, [made[n] for n in timed], replay),
        ttft_error=float((modelled_first - due).mean() / (first - due).mean() - 1),
        tpot_error=float(
            ((modelled_last - modelled_first) / steps).mean() / ((last - first) / steps).mean() - 1
        ),
    )


def _stamps(requests: Sequence[TimedRequest], timed: Sequence[int]) -> tuple[Floats, Floats]:
    first = np.array([requests[n].first_s for n in timed], dtype=np.float64)
    return first, np.array([requests[n].last_s for n in timed], dtype=np.float64)


def _spans(first: Floats, last: Floats, made: Sequence[Request], replay: TracedReplay) -> Spans:
    """Return the measured times between tokens, with the contents that the replay's steps have there."""
    contents, idle = replay.contents(), replay.idle_s()
    found: list[tuple[float, int, int]] = []
    firsts, lasts = [replay.first[one] for one in made], [replay.last[one] for one in made]
    for n, request in enumerate(made):
        if not request.num_preemptions:
            found.append((last[n] - first[n], firsts[n], lasts[n]))
    for times, steps in ((np.sort(first), sorted(firsts)), (np.sort(last), sorted(lasts))):
        begin, since = times[0], steps[0]
        for time, step in zip(times[1:], steps[1:], strict=True):
            if time - begin >= _LEAST_SPAN_S and step > since:
                found.append((time - begin, since, step))
                begin, since = time, step
    rows, us = [], []
    for seconds, since, until in found:
        unused = idle[until] - idle[since]
        if until > since and seconds > 0 and unused <= _MOST_IDLE * seconds:
            rows.append(contents[until + 1] - contents[since + 1])
            us.append(1e6 * (seconds - unused))
    return Spans(np.array(rows).reshape(-1, 5), np.array(us))


def _change(spans: Spans, before: StepModel, model: StepModel) -> float:
    """Return the mean relative change of the spans' times."""
    difference = [getattr(model, name) - getattr(before, name) for name in "abcde"]
    return float(np.mean(np.abs(spans.contents @ np.array(difference)) / spans.us)) if len(spans.us) else 0.0


def fit_spans(spans: Spans, model: StepModel) -> StepModel:
    """Fit the coefficients to times of steps or sums of steps, whoever measured them.

    A span's variance is proportional to its time, as that of a sum of steps.

    Args:
        spans: the times.
        model: stays if there are too few of them.
    """
    if len(spans.us) < _FEWEST:
        return model
    coefficients = np.array([model.a, model.b, model.c, model.d, model.e])
    for _ in range(3):
        expected = np.maximum(spans.contents @ coefficients, 0.2 * spans.us)
        weights = 1 / np.sqrt(expected)
        matrix, target = spans.contents * weights[:, None], spans.us * weights
        spread = 1.4826 * float(np.median(np.abs(matrix @ coefficients - target)))
        prior, belief = _prior(spans, spread)
        solved = robust_nnls(np.vstack([matrix, prior]), np.concatenate([target, belief]))
        coefficients = np.array(solved)
    return StepModel(*solved)


def _prior(spans: Spans, spread: float) -> tuple[Floats, Floats]:
    """Return rows that say how a step's time is usually made up; each weighs no more than one span.

    If the number of decodes and their contexts hardly vary, any split between a, c and d explains the spans.
    Then the usual one holds: most of a decode step reads the weights.
    """
    steps, _, decodes, contexts, _ = spans.contents.sum(axis=0)
    pace = float(spans.us.sum() / steps)
    rows, target = np.zeros((len(_USUAL), 5)), np.zeros(len(_USUAL))
    for row, (place, share, doubt) in enumerate(_USUAL):
        usual = pace * min(
            share * steps / max(1.0, (steps, 0.0, decodes, contexts)[place]), _MOST_USUAL.get(place, 1.0)
        )
        rows[row, place] = spread / (doubt * usual)
        target[row] = spread / doubt
    return rows, target


def _halfway(one: StepModel, other: StepModel) -> StepModel:
    """Return the mean of two models: a full step would jump to and fro between contents that follow times."""
    return StepModel(
        a=(one.a + other.a) / 2,
        b=(one.b + other.b) / 2,
        c=(one.c + other.c) / 2,
        d=(one.d + other.d) / 2,
        e=(one.e + other.e) / 2,
    )
