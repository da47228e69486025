"""What the regression is given: times, and what was in the steps that took them."""

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
"""So many times what is usual for its composition: the machine paused, which is no property of the step."""


class Row(NamedTuple):
    """Some steps together, by their sums: us = steps*a + P*b + D*c + K*d + Q*e + requests*overhead.

    Letters as in `workbench.profiles.StepModel`; `us` are microseconds.
    """

    us: float
    steps: float
    P: float = 0.0
    D: float = 0.0
    K: float = 0.0
    Q: float = 0.0
    requests: int = 0
    """How many times the front's own time is in it: 1 for a prompt as its client saw it, else 0."""

    @property
    def kind(self) -> Kind:
        """What the steps do."""
        if not self.P:
            return "decode"
        return "mixed" if self.D else "prefill"

    @classmethod
    def of(cls, step: SchedulerOutput, us: float) -> "Row":
        """One step of our scheduler with its time."""
        return cls(us, 1, step.P, step.D, step.K, step.Q)


def merged(rows: Iterable[Row]) -> list[Row]:
    """One row for each composition, so that a step's chance delays average out before they are weighed.

    Alike are steps of as many decodes and of context and prompt within a quarter of an octave.
    """
    return [Row(*map(sum, zip(*_without_pauses(group), strict=True))) for group in _alike(rows)]


def spread_pct(rows: Iterable[Row]) -> float:
    """How far apart the times of one composition lie: half the range of the middle 80 %, over compositions.

    What the model can't explain, whatever its coefficients. 0 where nothing was seen three times.
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


# Steps from a server's log, where it runs with `--enable-logging-iteration-details`.
#
# A line tells how many requests and tokens a step had and how long the model took, not their contexts:
# these follow from the share of the KV cache in use. The time between two steps is not in it.


class Pool(NamedTuple):
    """What turns a share of the KV cache into tokens."""

    usable_blocks: int
    block_size: int
    budget: int
    """Tokens of one step: a prompt's chunk of that many is followed by another."""


def logged_rows(lines: Iterable[str], pool: Pool) -> list[Row]:
    """The steps that only decode, and those that hold a part of one prompt and nothing else.

    vLLM before 0.26 doesn't print the KV cache's usage: of its log there are no decodes.
    """
    return list(_rows(_iterations(lines), pool))


def _iterations(lines: Iterable[str]) -> Iterator[Iteration]:
    for line in lines:
        iteration = iteration_of(line)
        if iteration is not None and not iteration.dummy:
            yield iteration


def _rows(iterations: Iterable[Iteration], pool: Pool) -> Iterator[Row]:
    before = 0
    for this, following in itertools.pairwise(iterations):
        alone = this.context_requests == 1 and not this.generation_requests
        if alone:
            yield _prompt_row(this, before)
        elif this.kv_usage is None:
            continue  # how much context its decodes had is unknown
        elif not this.context_requests and following.generation_requests >= this.generation_requests:
            # After a step that ended somebody, the blocks told are those of the others.
            yield _decode_row(this, this.kv_usage, pool)
        goes_on = alone and this.context_tokens >= pool.budget
        before = before + this.context_tokens if goes_on else 0


def _prompt_row(this: Iteration, before: int) -> Row:
    tokens = this.context_tokens
    return Row(1000 * this.elapsed_ms, 1, P=tokens, Q=tokens * (before + tokens / 2))


def _decode_row(this: Iteration, kv_usage: float, pool: Pool) -> Row:
    """The last block of each request is half full on average."""
    decodes = this.generation_requests
    stored = kv_usage * pool.usable_blocks * pool.block_size - decodes * pool.block_size / 2
    return Row(1000 * this.elapsed_ms, 1, D=decodes, K=max(float(decodes), stored))


# Steps from a step record (`engine serve --log-steps`, or the recorder inside a real vLLM).


def recorded_rows(lines: Sequence[AnyStepLine], *, where: str, since: int = 0) -> list[Row]:
    """Every step of the record with its time: from when the engine could begin with it to its output.

    `since` leaves out the steps whose output stands in the first so many lines.

    Raises:
        Refusal: not a record, or our scheduler decides otherwise, so the steps' contents are unknown.
    """
    if not lines or not isinstance(lines[0], StepHeader):
        raise Refusal("engine.no_header", Place(file=where, line=1))
    player, clock, rows = RecordingPlayer(lines, where), _Clock(), []
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


class _Clock:
    """When each step could begin: when the one before had ended, unless the engine had nothing to do then."""

    def __init__(self) -> None:
        self._begins: dict[int, float] = {}
        self._ended = float("-inf")
        self._busy = False

    def scheduled(self, line: StepScheduled) -> None:
        """A call; the time of the call itself belongs to the step."""
        called = line.mono - line.us * 1e-6
        self._begins[line.t] = self._ended if self._busy else called
        if not line.sched:
            self._busy = False  # nothing to do: what comes next waits for a request

    def updated(self, line: StepUpdated) -> float:
        """Microseconds of the step whose output this is."""
        begin = max(self._begins.pop(line.t), self._ended)
        self._ended, self._busy = line.mono, bool(line.run) or line.wait > 0
        return 1e6 * (line.mono - begin)
