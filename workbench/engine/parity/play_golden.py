"""Playing a golden case through the scheduler, one engine iteration after the other."""

from collections import deque
from collections.abc import Iterator
from typing import Any

import msgspec

from workbench.engine.live_limits import set_limits
from workbench.engine.parity.golden_case import Case, CaseRequest, KeyMaker, tokens_of
from workbench.engine.parity.verdict import Difference, Verdict, first_difference
from workbench.engine.scheduler import Pipeline, Request, Rules, Scheduler, Step, Turn, Update

Row = dict[str, Any]
_ASYNC_ONLY = ("called", "upd", "inflight")


def check_case(case: Case, switched: Rules | None = None) -> Verdict:
    """Compare every field of every step; `switched`: under these rules in place of the version's own."""
    difference, steps = _compare(case, switched)
    return Verdict(case.case, steps, difference, version=case.vllm_version)


def _compare(case: Case, switched: Rules | None) -> tuple[Difference | None, int]:
    is_async = case.config.async_scheduling
    expected = [_theirs(msgspec.structs.asdict(step), is_async=is_async) for step in case.steps]
    steps = 0
    for row in _Player(case, switched).rows():
        if steps == len(expected):
            return Difference(row["t"], "steps", "one more", "none"), steps
        theirs = expected[steps]
        difference = first_difference(theirs["t"], row, theirs)
        if difference:
            return difference, steps
        steps += 1
    if steps < len(expected):
        return Difference(expected[steps]["t"], "steps", "none", "one more"), steps
    return None, steps


def _theirs(step: Row, *, is_async: bool) -> Row:
    for field in _ASYNC_ONLY:
        if is_async:
            step.setdefault(field, None)
        else:
            step.pop(field, None)
    return step


class _Player:
    """Adds, aborts and iterates as the recorder of the cases did."""

    def __init__(self, case: Case, switched: Rules | None) -> None:
        self._case = case
        self._is_async = case.config.async_scheduling
        self._scheduler = Scheduler(case.config.scheduler(case.vllm_version, switched))
        self._pipeline = Pipeline(self._scheduler)
        self._keys = KeyMaker(case.config.block_size)
        self._launched_at: dict[int, int] = {}
        self._leaving: list[str] = []

    def rows(self) -> Iterator[Row]:
        """One row for each step that the case must have."""
        arrivals = list(reversed(self._case.requests))
        changes = deque(self._case.limits)
        t = 0
        while True:
            while changes and changes[0][0] <= t:
                set_limits(self._scheduler, dict([changes.popleft()[1:]]))
            aborted = self._apply_leaving()
            arrived = False
            while arrivals and arrivals[-1].arrival_step <= t:
                self._scheduler.add(self._request(arrivals.pop()))
                arrived = True
            aborted += [
                request.id
                for request in self._case.requests
                if request.abort_step == t and self._scheduler.abort(request.id)
            ]
            if not self._pipeline.has_work():
                if not arrivals:
                    return
                t = arrivals[-1].arrival_step
                continue
            row = self._iterate(t, aborted)
            if self._is_async or arrived or any(row[field] for field in ("sched", "pre", "fin", "abt")):
                yield row
            t += 1

    def _request(self, request: CaseRequest) -> Request:
        prompt_len, tokens = tokens_of(self._case, request)
        return Request(
            request.id,
            prompt_len,
            request.output_len,
            priority=request.priority,
            arrival_time=request.arrival_time,
            block_keys=self._keys.keys(tokens),
            eos_at=request.eos_at,
        )

    def _apply_leaving(self) -> list[str]:
        """Abort those whose clients left while the step ran; the ids that were still alive."""
        leaving, self._leaving = self._leaving, []
        return [name for name in leaving if self._scheduler.abort(name)]

    def _iterate(self, t: int, aborted: list[str]) -> Row:
        scheduler = self._scheduler
        evictions = scheduler.num_evictions
        turn = self._pipeline.turn()
        if turn.launched:
            self._launched_at[turn.launched.number] = t
        self._leaving = [request.id for request in self._case.requests if request.abort_mid == t]
        if turn.due:
            aborted = aborted + self._apply_leaving()
        update = scheduler.update(turn.due) if turn.due else Update()
        row = _launch_fields(turn.launched)
        row |= {
            "t": t,
            "fin": [(request.id, reason) for request, reason in update.finished],
            "abt": aborted,
            "run": [request.id for request in scheduler.running],
            "wait": scheduler.waiting_count,
            "free": scheduler.free_blocks,
            "evict": scheduler.num_evictions - evictions,
            "npre": scheduler.num_preemptions,
        }
        if self._is_async:
            row |= self._async_fields(turn)
        return row

    def _async_fields(self, turn: Turn) -> Row:
        due = turn.due
        return {
            "called": turn.launched is not None,
            "upd": self._launched_at[due.number] if due and due.entries else None,
            "inflight": self._pipeline.in_flight,
        }


def _launch_fields(step: Step | None) -> Row:
    if step is None:
        return {"sched": [], "pre": [], "new": [], "res": [], "free_s": None}
    return {
        "sched": [(request.id, tokens) for request, tokens in step.entries],
        "pre": [(request.id, lost) for request, lost in step.preempted],
        "new": [(request.id, hit) for request, hit in step.new],
        "res": [(request.id, hit) for request, hit in step.resumed],
        "free_s": step.free_blocks,
    }
