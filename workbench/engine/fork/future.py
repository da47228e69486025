"""A future of a run after a step: the engine's own decisions, at modelled step times."""

import heapq
import itertools
import random
from collections.abc import Callable, Iterator

from workbench.engine.calibrate.robust_fit import StepFit
from workbench.engine.fork.ahead import Ahead, Sent, Trigger
from workbench.engine.fork.playback import EngineState, Playback
from workbench.engine.ideal_timeline import Arrival, Timeline
from workbench.engine.scheduler import EngineCoreOutputs, Request, SchedulerOutput
from workbench.vllm_dialect import PrefixCacheReset, RequestAdded, StepLimitChanged

_BLOCK = 16
"""Residuals drawn in a row: neighboring steps differ from the model alike."""
_FEWEST = 8
"""Steps of a kind with fewer residuals draw from those of all kinds."""


def durations(fit: StepFit, seed: int) -> Callable[[SchedulerOutput], float]:
    """Return a step's seconds: the model's, times a ratio drawn from the run's own steps of its kind."""
    model = fit.model
    a, b, c, d, e = (value / 1e6 for value in (model.a, model.b, model.c, model.d, model.e))
    pooled = [ratio for ratios in fit.ratios.values() for ratio in ratios]
    draws = {
        kind: _draws(ratios if len(ratios) >= _FEWEST else pooled, random.Random(f"{seed} {kind}"))  # noqa: S311 - a simulation, no secret
        for kind, ratios in fit.ratios.items()
    }
    decode, prefill, mixed = draws["decode"], draws["prefill"], draws["mixed"]

    def seconds(step: SchedulerOutput) -> float:
        ratio = next(decode if not step.P else mixed if step.D else prefill)
        return ratio * (a + b * step.P + c * step.D + d * step.K + e * step.Q)

    return seconds


def _draws(ratios: list[float], draw: random.Random) -> Iterator[float]:
    """Yield ratios forever, a block of neighbors at a time."""
    count = len(ratios)

    def blocks() -> Iterator[list[float]]:
        while True:
            begin = draw.randrange(count)
            yield [ratios[(begin + i) % count] for i in range(min(_BLOCK, count))]

    return itertools.chain.from_iterable(blocks())


class Future:
    """Plays a state to the end of its record's requests.

    Args:
        state: at the step that was just scheduled at call `call`; used up.
        playback: makes requests and sets limits.
        ahead: what the clients do.
        expected: ids of the requests at whose end the future ends.
        seconds: time of a step.
    """

    def __init__(
        self,
        state: EngineState,
        playback: Playback,
        ahead: Ahead,
        expected: set[str],
        seconds: Callable[[SchedulerOutput], float],
    ) -> None:
        self.tally = state.tally
        self.missing = set(expected)
        """Requests that haven't ended yet."""
        self._scheduler = state.scheduler
        self._clock = state.clock
        self._in_flight = state.in_flight
        self._seconds = seconds
        self._timeline = Timeline(state.scheduler, seconds, self)
        self._playback = playback
        self._ahead = ahead
        self._calendar: list[tuple[float, int, object]] = []
        self._order = itertools.count()
        self._ends = ahead.ends
        self._waiting: dict[str | int, list[tuple[Trigger, RequestAdded]]] = {}
        self._leaving: dict[Request, int] = {}

    def run(self, call: int, updated: dict[int, float], now: float, front_s: float) -> None:
        """Play on from the call.

        Args:
            call: the step that was just scheduled; earlier ones in flight end as recorded.
            updated: recorded time of each call's output.
            now: time of the call.
            front_s: time from a request's arrival at the front to the scheduler.
        """
        self._front_s = front_s
        for request in self._scheduler.requests.values():
            self._expect_leaving(request, max(now, self.tally.lives[request].due))
        for sent in self._ahead.adds:
            trigger = self._ahead.triggers.get(sent.line.id)
            if trigger is None:
                self._push(max(now, sent.at), sent)
            else:
                self._waiting.setdefault(trigger.after, []).append((trigger, sent.line))
        for at, change in self._ahead.limits:
            self._push(max(now, at), change)
        in_flight, end = [], self._clock.begin(call)
        for number, step in sorted(self._in_flight.items()):
            if number == call:
                end += self._seconds(step) if step.num_scheduled_tokens else 0.0
                self.scheduled(step, now)
            else:
                end = max(end, updated.get(number, now))
            in_flight.append((step, end))
        self._timeline.resume(now, in_flight)
        while self.missing and self._play_one():
            pass

    def _play_one(self) -> bool:
        calendar, timeline = self._calendar, self._timeline
        moment = timeline.next_event()
        while calendar and (moment is None or calendar[0][0] <= moment):
            at, _, event = heapq.heappop(calendar)
            self._hand_in(at, event)
            moment = timeline.next_event()
        if moment is None:
            return False
        timeline.run_one()
        return True

    def _push(self, at: float, event: object) -> None:
        heapq.heappush(self._calendar, (at, next(self._order), event))

    def _hand_in(self, at: float, event: object) -> None:
        match event:
            case Sent():
                request = self._playback.request(event.line)
                self.tally.due(request, event.due)
                self._expect_leaving(request, event.due)
                self._timeline.hand_in(Arrival(at, request))
            case Request():
                self._timeline.hand_in(Arrival(at, event, abort=True))
            case StepLimitChanged():
                self._playback.set_limit(self._scheduler, event)
                self._timeline.nudge(at)
            case PrefixCacheReset():
                self._scheduler.reset_prefix_cache()

    def _expect_leaving(self, request: Request, due: float) -> None:
        name = request.request_id
        if name in self._ahead.leave_after_tokens:
            self._leaving[request] = self._ahead.leave_after_tokens[name]
        elif name in self._ahead.leave_after_s:
            self._push(due + self._ahead.leave_after_s[name], request)

    def _ended(self, request: Request, at: float) -> None:
        self.missing.discard(request.request_id)
        self._leaving.pop(request, None)
        for key in (request.request_id, self._ends):
            for trigger, line in self._waiting.pop(key, ()):
                due = at + trigger.delay_s
                self._push(due + self._front_s, Sent(due, due + self._front_s, line))
        self._ends += 1

    # Callbacks of the timeline.

    def added(self, request: Request, now: float) -> None:
        """Note an admission to the waiting queue."""
        self.tally.added(request, now)

    def scheduled(self, step: SchedulerOutput, now: float) -> None:
        """Note a scheduled step."""
        self.tally.scheduled(step, now)

    def updated(self, step: SchedulerOutput, update: EngineCoreOutputs, now: float) -> None:
        """Note a step's output; make the requests due that wait for an end."""
        self.tally.updated(step, update, now)
        for request, _ in update.finished_requests:
            self._ended(request, now)
        if self._leaving:
            over = [one for one, tokens in self._leaving.items() if one.num_output_tokens >= tokens]
            for request in over:
                del self._leaving[request]
                self._timeline.hand_in(Arrival(now, request, abort=True))

    def aborted(self, request: Request) -> None:
        """Note that a client left."""
        self.tally.aborted(request)
        self._ended(request, self._timeline.now)
