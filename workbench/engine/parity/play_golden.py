"""Replay of a golden case through our scheduler, iteration by iteration."""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from workbench.engine.live_limits import set_limits
from workbench.engine.parity.golden_case import Case, CaseRequest, KeyMaker, tokens_of
from workbench.engine.parity.verdict import FirstDifference, ParityVerdict, first_difference
from workbench.engine.scheduler import (
    BatchQueue,
    EngineCoreOutputs,
    EngineIteration,
    Request,
    Rules,
    Scheduler,
    SchedulerOutput,
)

Row = dict[str, Any]
_ASYNC_ONLY = ("called", "upd", "inflight")


def check_case(case: Case, switched: Rules | None = None) -> ParityVerdict:
    """Compare every field of every step, under the version's rules or under `switched` ones."""
    difference, steps = _compare(case, switched)
    return ParityVerdict(case.case, steps, difference, version=case.vllm_version)


def _compare(case: Case, switched: Rules | None) -> tuple[FirstDifference | None, int]:
    is_async = case.config.async_scheduling
    expected = [_theirs(msgspec.structs.asdict(step), is_async=is_async) for step in case.steps]
    steps = 0
    for row in GoldenPlayer(case, switched).rows():
        if steps == len(expected):
            return FirstDifference(row["t"], "steps", "one more", "none"), steps
        theirs = expected[steps]
        difference = first_difference(theirs["t"], row, theirs)
        if difference:
            return difference, steps
        steps += 1
    if steps < len(expected):
        return FirstDifference(expected[steps]["t"], "steps", "none", "one more"), steps
    return None, steps


def _theirs(step: Row, *, is_async: bool) -> Row:
    for field in _ASYNC_ONLY:
        if is_async:
            step.setdefault(field, None)
        else:
            step.pop(field, None)
    return step


class GoldenPlayer:
    """Adds, aborts and iterates like the recorder of the cases."""

    def __init__(self, case: Case, switched: Rules | None = None) -> None:
        self._case = case
        self._is_async = case.config.async_scheduling
        self._scheduler = Scheduler(case.config.scheduler(case.vllm_version, switched))
        self._batch_queue = BatchQueue(self._scheduler)
        self._keys = KeyMaker(case.config.block_size)
        self._launched_at: dict[int, int] = {}
        self._leaving: list[str] = []

    def rows(self) -> Iterator[Row]:
        """Yield a row for each step that the case must have."""
        arrivals = list(reversed(self._case.requests))
        changes = deque(self._case.limits)
        t = 0
        while True:
            while changes and changes[0][0] <= t:
                self._limit(*changes.popleft()[1:])
            aborted = self._apply_leaving()
            arrived = False
            while arrivals and arrivals[-1].arrival_step <= t:
                self._add(arrivals.pop(), t)
                arrived = True
            aborted += self._abort(one.id for one in self._case.requests if one.abort_step == t)
            if not self._batch_queue.has_work():
                if not arrivals:
                    return
                t = arrivals[-1].arrival_step
                continue
            row = self._iterate(t, aborted)
            if self._is_async or arrived or any(row[field] for field in ("sched", "pre", "fin", "abt")):
                yield row
            t += 1

    def _limit(self, name: str, value: int) -> None:
        set_limits(self._scheduler, {name: value})

    def _add(self, request: CaseRequest, t: int) -> Request:
        del t
        added = self._request(request)
        self._scheduler.add_request(added)
        return added

    def _request(self, request: CaseRequest) -> Request:
        num_prompt_tokens, tokens = tokens_of(self._case, request)
        return Request(
            request.id,
            num_prompt_tokens,
            request.output_len,
            priority=request.priority,
            arrival_time=request.arrival_time,
            block_hashes=self._keys.keys(tokens),
            eos_at=request.eos_at,
        )

    def _apply_leaving(self) -> list[str]:
        """Abort requests whose clients left during the step; returns the ids of unfinished ones."""
        leaving, self._leaving = self._leaving, []
        return self._abort(leaving)

    def _abort(self, ids: Iterable[str]) -> list[str]:
        return [request.request_id for request in self._scheduler.finish_requests(ids)]

    def _scheduled(self, step: SchedulerOutput, t: int) -> None:
        self._launched_at[step.step_index] = t

    def _updated(self, step: SchedulerOutput, t: int) -> EngineCoreOutputs:
        del t
        return self._scheduler.update_from_output(step)

    def _iterate(self, t: int, aborted: list[str]) -> Row:
        scheduler = self._scheduler
        evictions = scheduler.num_evictions
        iteration = self._batch_queue.step()
        if iteration.scheduled:
            self._scheduled(iteration.scheduled, t)
        self._leaving = [one.id for one in self._case.requests if one.abort_mid == t]
        if iteration.awaited:
            aborted = aborted + self._apply_leaving()
        update = self._updated(iteration.awaited, t) if iteration.awaited else EngineCoreOutputs()
        row = _schedule_fields(iteration.scheduled)
        row |= {
            "t": t,
            "fin": [(request.request_id, reason) for request, reason in update.finished_requests],
            "abt": aborted,
            "run": [request.request_id for request in scheduler.running],
            "wait": len(scheduler.waiting),
            "free": scheduler.num_free_blocks,
            "evict": scheduler.num_evictions - evictions,
            "npre": scheduler.num_preemptions,
        }
        if self._is_async:
            row |= self._async_fields(iteration)
        return row

    def _async_fields(self, iteration: EngineIteration) -> Row:
        due = iteration.awaited
        return {
            "called": iteration.scheduled is not None,
            "upd": self._launched_at[due.step_index] if due and due.num_scheduled_tokens else None,
            "inflight": len(self._batch_queue),
        }


def _schedule_fields(step: SchedulerOutput | None) -> Row:
    if step is None:
        return {"sched": [], "pre": [], "new": [], "res": [], "free_s": None}
    return {
        "sched": [(request.request_id, tokens) for request, tokens in step.num_scheduled_tokens],
        "pre": [(request.request_id, lost) for request, lost in step.preempted_reqs],
        "new": [(request.request_id, hit) for request, hit in step.scheduled_new_reqs],
        "res": [(request.request_id, hit) for request, hit in step.scheduled_resumed_reqs],
        "free_s": step.num_free_blocks,
    }
