"""Uneven engines (R22): requests wait at one engine or replica while another has free sequence slots."""

from typing import NamedTuple

import numpy as np

from workbench.advice.diagnosis.array_operations import Bools, Floats, around, durations, lasting
from workbench.advice.diagnosis.bottleneck import Bottleneck
from workbench.advice.diagnosis.changes import advise
from workbench.advice.diagnosis.conditions import KV_FULL, BottleneckConditions
from workbench.advice.diagnosis.findings import Change
from workbench.advice.diagnosis.rule import BottleneckRule, RuleVerdict, mean
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.series import EngineSeries, Series
from workbench.base import Message, message
from workbench.results import imbalance_over_time

_LEAST_SHARE = 0.05
"""Share of the run's time below which a queue beside a free engine is chance."""
_FREE_SHARE = 0.1
"""Share of an engine's slots, at least one, that counts as free."""
_IDLE_AGAINST_QUEUE = 0.5
"""Largest part of the queueing engine's running requests that still means room, if the limit is unknown."""
_MORE_REQUESTS = 1.3
_SLOWER = 0.7
_MORE_WORK = 1.2
_MOST_ENGINES = 8
"""Engines whose figures are evidence; the longest queues come first."""


def _mask(conditions: BottleneckConditions) -> Bools:
    engines = conditions.series.by_engine
    if engines is None:
        return conditions.none
    t = conditions.series.t
    length_s = conditions.view.length_s
    # While the last requests end, an engine that is done earlier shows nothing.
    loaded: Bools = (t >= 0) & (t <= (np.inf if length_s is None else length_s))
    mask = lasting(_queues(engines).any(axis=0) & _beside_free(conditions, engines) & loaded)
    spans = durations(t)
    return mask if spans[mask].sum() >= _LEAST_SHARE * spans[loaded].sum() else conditions.none


def _queues(engines: EngineSeries) -> Bools:
    """Return the engines that hold requests back, shape (engines, samples)."""
    waits = engines.waiting - np.nan_to_num(engines.deferred)
    held: Bools = np.array([around(row, largest=False) > 0 for row in waits])
    return held


def _beside_free(conditions: BottleneckConditions, engines: EngineSeries) -> Bools:
    """Return the moments at which an engine without a queue has free slots and KV cache."""
    running = np.array([around(row, largest=True) for row in engines.running])
    waiting = np.array([around(row, largest=True) for row in engines.waiting])
    kv = np.nan_to_num(engines.kv)
    limit: Floats = conditions.sequence_limits / len(engines.names)
    if np.isnan(limit).all():
        busiest = np.max(np.where(waiting > 0, running, 0), axis=0)
        room = running <= _IDLE_AGAINST_QUEUE * busiest
    else:
        room = running + np.maximum(1, _FREE_SHARE * limit) <= limit
    free: Bools = (room & (waiting == 0) & (kv < KV_FULL)).any(axis=0)
    return free


class _Load(NamedTuple):
    """One engine's load over the run."""

    name: str
    requests: float
    """Requests that it got; NaN: unknown."""
    tokens_a_request: float
    """Prompt and output tokens of a request that it began; NaN: unknown."""
    speed: float
    """Output tokens for each running request; lower where steps take longer. NaN: unknown."""
    running: float
    waiting: float
    kv: float
    prefix_hit: float
    """0 to 1; NaN: unknown."""


def _judge(view: RunView, series: Series, mask: Bools) -> RuleVerdict:
    del view
    engines = series.by_engine
    assert engines is not None
    loads = _loads(engines, mask)
    held = np.where(mask, np.nan_to_num(engines.waiting), 0).sum(axis=1)
    worst = loads[int(np.argmax(held))]
    others = [load for load in loads if load is not worst]
    free = min(others, key=lambda load: load.running + load.waiting)
    verdict = message(
        "advice.uneven_engines",
        engine=worst.name,
        waiting=mean(engines.waiting[int(np.argmax(held))], mask) or 0.0,
        free=free.name,
        running=free.running,
    )
    cause, change = _cause(worst, others)
    shown = sorted(loads, key=lambda load: -load.waiting)[:_MOST_ENGINES]
    total = sum(load.requests for load in loads)
    evidence = [
        cause,
        message("advice.engine_imbalance", parts=_imbalance(engines, mask)),
        *(_described(load, total) for load in shown),
    ]
    return RuleVerdict(verdict, evidence, "high", change)


def _cause(worst: _Load, others: list[_Load]) -> tuple[Message, Change]:
    """Return why the queue is there, and what to change."""
    count = len(others) + 1
    total = worst.requests + sum(load.requests for load in others)
    watch = message("advice.uneven_watch")
    speed = float(np.median([load.speed for load in others]))
    work = float(np.median([load.tokens_a_request for load in others]))
    if worst.requests > _MORE_REQUESTS * total / count:
        share = worst.requests / total
        cause = message("advice.uneven_requests", engine=worst.name, share=share, even=1 / count)
        return cause, advise(message("advice.uneven_requests_change"), watch)
    if worst.speed < _SLOWER * speed:
        cause = message("advice.uneven_speed", engine=worst.name, share=worst.speed / speed)
        return cause, advise(message("advice.uneven_speed_change", engine=worst.name), watch)
    if worst.tokens_a_request > _MORE_WORK * work:
        cause = message("advice.uneven_work", engine=worst.name, tokens=worst.tokens_a_request, usual=work)
        return cause, advise(message("advice.uneven_work_change"), watch)
    return message("advice.uneven_moments"), advise(message("advice.uneven_work_change"), watch)


def _loads(engines: EngineSeries, mask: Bools) -> list[_Load]:
    """Return each engine's load; means are over the moments of the finding, counts over the run."""

    def over(values: Floats) -> float:
        known = values[mask]
        known = known[~np.isnan(known)]
        return float(known.mean()) if len(known) else float("nan")

    return [
        _Load(
            name=name,
            requests=_grown(engines.succeeded[row] + engines.running[row] + engines.waiting[row]),
            tokens_a_request=_ratio(
                _grown(engines.prompt_tokens[row]) + _grown(engines.generation_tokens[row]),
                # A running request is half done on average.
                _grown(engines.succeeded[row] + engines.running[row] / 2),
            ),
            speed=_ratio(_grown(engines.generation_tokens[row]), float(np.nanmean(engines.running[row]))),
            running=over(engines.running[row]),
            waiting=over(engines.waiting[row]),
            kv=over(engines.kv[row]),
            prefix_hit=_ratio(_grown(engines.prefix_hits[row]), _grown(engines.prefix_queries[row])),
        )
        for row, name in enumerate(engines.names)
    ]


def _grown(total: Floats) -> float:
    known = total[~np.isnan(total)]
    return float(known[-1] - known[0]) if len(known) else float("nan")


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")


def _described(load: _Load, total: float) -> Message:
    parts = [message("advice.engine_running", running=load.running, waiting=load.waiting)]
    if not np.isnan(load.requests) and total:
        share = load.requests / total
        parts.insert(0, message("advice.engine_requests", requests=load.requests, share=share))
    if not np.isnan(load.kv):
        parts.append(message("advice.engine_kv", share=load.kv))
    if not np.isnan(load.prefix_hit):
        parts.append(message("advice.engine_prefix_hit", share=load.prefix_hit))
    return message("advice.engine_load", engine=load.name, parts=parts)


def _imbalance(engines: EngineSeries, mask: Bools) -> list[Message]:
    """Return the largest over the mean of the engines during the finding; of requests, over the run."""
    between = imbalance_over_time(engines.waiting, engines.succeeded, engines.kv)
    found = between.overall(mask.astype(np.float64))
    parts = []
    if found.waiting is not None:
        parts.append(message("advice.imbalance_waiting", ratio=found.waiting))
    if found.requests is not None:
        parts.append(message("advice.imbalance_requests", ratio=found.requests))
    if found.kv is not None:
        parts.append(message("advice.imbalance_kv", ratio=found.kv))
    return parts


RULE = BottleneckRule("R22", Bottleneck.UNEVEN_ENGINES, _mask, _judge, "docs/how-to/beyond-one-machine.md")
