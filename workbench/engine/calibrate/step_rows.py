"""Rows of the regression: times of steps and their contents."""

import itertools
import math
import statistics
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from workbench.base import Place, Refusal
from workbench.engine.parity import RecordingPlayer
from workbench.engine.scheduler import SchedulerOutput
from workbench.vllm_dialect import (
    AnyStepLine,
    Iteration,
    StepHeader,
    StepScheduled,
    StepUpdated,
    iteration_of,
)

Kind = Literal["decode", "prefill", "mixed"]
_BUCKETS_PER_OCTAVE = 4
_TO_JUDGE = 3
_PAUSE = 1.5
"""A step this many times longer than is usual for its composition: the machine paused."""


class Row(NamedTuple):
    """Sums over some steps: us = steps*a + P*b + D*c + K*d + Q*e + requests*overhead.

    Letters as in `workbench.profiles.StepModel`; `us` are microseconds.
    """

    us: float
    steps: float
    P: float = 0.0
    D: float = 0.0
    K: float = 0.0
    Q: float = 0.0
    requests: int = 0
    """Number of front-end times included: 1 for a prompt measured at its client, else 0."""

    @property
    def kind(self) -> Kind:
        """Kind of the steps."""
        if not self.P:
            return "decode"
        return "mixed" if self.D else "prefill"

    @classmethod
    def of(cls, step: SchedulerOutput, us: float) -> "Row":
        """Make a row of a step of our scheduler and its time."""
        return cls(us, 1, step.P, step.D, step.K, step.Q)


def merged(rows: Iterable[Row]) -> list[Row]:
    """Merge rows of equal composition, so that random delays average out before weighting.

    Steps are alike if they have equally many decodes, and context and prompt within a quarter of an octave.
    """
    return [Row(*map(sum, zip(*_without_pauses(group), strict=True))) for group in _alike(rows)]


def spread_pct(rows: Iterable[Row]) -> float:
    """Return the spread of times of equal composition: half the range of the middle 80 %, averaged.

    No coefficients can explain it. 0 if no composition was seen three times.
    """
    spreads = []
    for group in _alike(rows):
        if len(group) >= _TO_JUDGE:
            times = sorted(row.us / row.steps for row in group)
            cut = len(times) // 10
            low, high = times[cut], times[-1 - cut]
            spreads.append(50 * (high - low) / statistics.median(times))
    return statistics.fmean(spreads) if spreads else 0.0


def _alike(rows: Iterable[Row]) -> list[list[Row]]:
    groups: dict[Hashable, list[Row]] = {}
    for row in rows:
        if row.us > 0:
            groups.setdefault(_composition(row), []).append(row)
    return list(groups.values())


def _without_pauses(alike: list[Row]) -> list[Row]:
    usual = statistics.median(row.us / row.steps for row in alike)
    return [row for row in alike if row.us / row.steps <= _PAUSE * usual]


def _composition(row: Row) -> Hashable:
    decodes, context = row.D / row.steps, row.K / row.steps
    return row.kind, round(decodes), _bucket(context), _bucket(row.P), _bucket(row.Q), row.requests


def _bucket(tokens: float) -> int:
    return round(_BUCKETS_PER_OCTAVE * math.log2(1 + tokens))


# Steps from the log of a server with `--enable-logging-iteration-details`.
#
# A line has a step's requests, tokens and model time. Contexts follow from the used share of the KV cache.
# The time between two steps is missing.


class KVCacheSize(NamedTuple):
    """Size of the KV cache, to turn a share of it into tokens."""

    usable_blocks: int
    block_size: int
    budget: int
    """Tokens of a step: after a prompt's chunk of this size another one follows."""


def logged_rows(lines: Iterable[str], pool: KVCacheSize) -> list[Row]:
    """Return rows of steps that only decode, and of steps with a part of one prompt and nothing else.

    vLLM before 0.26 doesn't log the KV cache's usage, so its log gives no decode rows.
    """
    return list(_rows(_iterations(lines), pool))


def _iterations(lines: Iterable[str]) -> Iterator[Iteration]:
    for line in lines:
        iteration = iteration_of(line)
        if iteration is not None and not iteration.dummy:
            yield iteration


def _rows(iterations: Iterable[Iteration], pool: KVCacheSize) -> Iterator[Row]:
    before = 0
    for this, following in itertools.pairwise(iterations):
        alone = this.context_requests == 1 and not this.generation_requests
        if alone:
            yield _prompt_row(this, before)
        elif this.kv_usage is None:
            continue  # the context of its decodes is unknown
        elif not this.context_requests and following.generation_requests >= this.generation_requests:
            # After a step that ended a request, the usage lacks its blocks.
            yield _decode_row(this, this.kv_usage, pool)
        goes_on = alone and this.context_tokens >= pool.budget
        before = before + this.context_tokens if goes_on else 0


def _prompt_row(this: Iteration, before: int) -> Row:
    tokens = this.context_tokens
    return Row(1000 * this.elapsed_ms, 1, P=tokens, Q=tokens * (before + tokens / 2))


def _decode_row(this: Iteration, kv_usage: float, pool: KVCacheSize) -> Row:
    """Make a decode row; the last block of each request is half full on average."""
    decodes = this.generation_requests
    stored = kv_usage * pool.usable_blocks * pool.block_size - decodes * pool.block_size / 2
    return Row(1000 * this.elapsed_ms, 1, D=decodes, K=max(float(decodes), stored))


# Steps from a step record (`engine serve --log-steps`, or the recorder inside a real vLLM).


def recorded_rows(lines: Sequence[AnyStepLine], *, where: str, since: int = 0) -> list[Row]:
    """Return a row for every step of the record; its time is from its earliest begin to its output.

    Skip steps whose output is among the first `since` lines.

    Raises:
        Refusal: not a record, or our scheduler decides otherwise, so the steps' contents are unknown.
    """
    if not lines or not isinstance(lines[0], StepHeader):
        raise Refusal("engine.no_header", Place(file=where, line=1))
    player, clock, rows = RecordingPlayer(lines, where), StepBegins(), []
    for number, line in enumerate(lines[1:], start=1):
        difference = player.play(line)
        if difference:
            place = Place(file=where)
            raise Refusal("engine.decides_otherwise", place, call=difference.t, field=difference.field)
        if isinstance(line, StepScheduled):
            clock.scheduled(line)
        elif isinstance(line, StepUpdated):
            us = clock.updated(line)
            step = player.played
            if number >= since and step is not None and step.num_scheduled_tokens and us > 0:
                rows.append(Row.of(step, us))
    return rows


class StepBegins:
    """Earliest begin of each step: the end of the step before, unless the engine was idle then."""

    def __init__(self) -> None:
        self._begins: dict[int, float] = {}
        self._ended = float("-inf")
        self._busy = False

    def scheduled(self, line: StepScheduled) -> None:
        """Note a call of schedule(), whose own time belongs to the step."""
        called = line.mono - line.us * 1e-6
        self._begins[line.t] = self._ended if self._busy else called
        if not line.sched:
            self._busy = False  # idle: the next step waits for a request

    def begin(self, call: int) -> float:
        """Return the begin of a step whose output is still to come."""
        return max(self._begins[call], self._ended)

    def updated(self, line: StepUpdated) -> float:
        """Return the microseconds of the step with this output."""
        begin = max(self._begins.pop(line.t), self._ended)
        self._ended, self._busy = line.mono, bool(line.run) or line.wait > 0
        return 1e6 * (line.mono - begin)
