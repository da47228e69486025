"""Charges a request's time in the engine to causes, step by step, with the requests that caused it."""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from workbench.advice.blame.causes import CAUSES, WAITS, Cause
from workbench.advice.blame.step_index import REASONS, Floats, Ints, sum_at
from workbench.advice.blame.step_shares import Holders, StepShares

_NUMBER: dict[Cause, int] = {cause: number for number, cause in enumerate(CAUSES)}
_BLOCKED = _NUMBER["blocked_head"]
_HELD_BY: dict[Cause, Literal["slots", "budget", "tokens", "blocks", "head"]] = {
    "sequence_limit": "slots",
    "token_budget": "budget",
    "kv_blocks": "blocks",
    "blocked_head": "head",
    "not_scheduled": "tokens",
    "preempted_wait": "blocks",
}
"""The resource whose holders cause a wait."""
_REASON_CAUSE = np.array([_NUMBER[WAITS.get(reason or "", "blocked_head")] for reason in REASONS])
_HEAD_CAUSE = np.array([_NUMBER[WAITS.get(reason or "", "not_scheduled")] for reason in REASONS])
"""The same for the head of the queue itself, which nobody blocks."""
_MAY_PASS = np.array([reason in {"budget", "kv"} for reason in REASONS])
"""Reasons that can hold for the head and not for a smaller request behind it."""


@dataclass(slots=True)
class Account:
    """Charges of one request, in seconds."""

    seconds: Floats
    """Seconds by cause, in the order of `CAUSES`."""
    by_class: Floats
    """Caused by requests of each class."""
    named: bool
    """False: culprits are counted by class only."""
    culprits: dict[Cause, Floats] = field(default_factory=dict)
    """Culprits by request; only if `named`."""

    def charge(self, cause: Cause, seconds: float) -> None:
        """Add to a cause, unless there is nothing to add."""
        if seconds > 0:
            self.seconds[_NUMBER[cause]] += seconds

    def blame(self, cause: Cause, seconds: Floats) -> None:
        """Add to the culprits of a cause; seconds by request."""
        self.culprits[cause] = self.culprits.get(cause, 0.0) + seconds


class Accountant:
    """Charges requests of a run."""

    def __init__(self, shares: StepShares) -> None:
        self._shares = shares
        self._requests = len(shares.index.requests.ids)
        steps, header = shares.index.steps, shares.index.header
        self._full = shares.used >= steps.budget
        self._left = steps.budget - shares.used
        self._free = steps.free - header.watermark_blocks

    def open(self, *, named: bool) -> Account:
        """Return an empty account."""
        return Account(np.zeros(len(CAUSES)), np.zeros(self._shares.class_count), named)

    def charge_engine(self, account: Account, request: int, sent: float) -> float | None:
        """Charge the time from the client's send to the request's last step.

        Returns:
            The end of the step that ended it; None if none did.
        """
        shares, columns = self._shares, self._shares.index.requests
        first = shares.place_of_call(int(columns.first_call[request]))
        if first is None:
            return None
        now = self._until_first_call(account, float(columns.arrived[request]), first, sent)
        rows = shares.rows_of(request)
        finished = int(columns.finished[request])
        last = self._last_place(finished)
        places = shares.place[rows]
        rows = rows[np.isfinite(shares.ended[places]) & (places <= last)]
        places = shares.place[rows]
        ends = np.maximum.accumulate(np.maximum(shares.ended[places], now))
        if len(rows):
            self._charge_steps(account, rows, ends, now, first)
        self._charge_gaps(account, request, now, first, places, ends)
        return float(ends[-1]) if finished >= 0 and len(rows) and places[-1] == last else None

    def _last_place(self, finished: int) -> int:
        """Return the place of the step that ended a request; the record's last one without it."""
        # Under async scheduling, another step may be scheduled for a request that has ended.
        place = self._shares.place_of_call(finished) if finished >= 0 else None
        return self._shares.count if place is None else place

    def _until_first_call(self, account: Account, arrived: float, first: int, sent: float) -> float:
        """Charge the way to the engine and the wait for the step under way; return the first call's time."""
        shares = self._shares
        called = float(shares.called[first])
        if np.isnan(arrived):
            arrived = called
        arrived = min(max(arrived, sent), called)
        account.charge("front_end", arrived - sent)
        for place in range(max(0, first - 2), first):
            if shares.called[place] <= arrived < shares.ended[place]:
                self._charge_wait(account, "not_scheduled", place, np.array([called - arrived]))
                break
        else:
            account.charge("front_end", called - arrived)
        return max(called, sent)

    # -- waiting -----------------------------------------------------------------------------------

    def _charge_gaps(
        self, account: Account, request: int, now: float, first: int, places: Ints, ends: Floats
    ) -> None:
        """Charge the steps that computed nothing for the request, from its first call on."""
        count = self._shares.count
        before = np.concatenate([[first - 1], places])
        after = np.append(places, count)
        since = np.concatenate([[now], ends])
        for gap in np.flatnonzero(after > before + 1).tolist():
            if gap == len(places) and gap and self._shares.index.requests.finished[request] >= 0:
                return
            # The last call of the record has no end.
            begin, end = int(before[gap]) + 1, min(int(after[gap]), count - 1)
            if begin < end:
                self._charge_gap(account, request, begin, end, float(since[gap]), queued=gap == 0)

    def _charge_gap(
        self, account: Account, request: int, begin: int, end: int, since: float, *, queued: bool
    ) -> None:
        """Charge the time from `since` to the call `end`, each step to its own cause."""
        called = self._shares.called
        until = called[begin + 1 : end + 1]
        seconds = np.maximum(0.0, until - np.maximum(since, np.append(since, until[:-1])))
        causes = self._queue_causes(request, begin, end) if queued else self._running_causes(begin, end)
        for place in self._shares.preempted_at.get(request, np.zeros(0, dtype=np.int64)).tolist():
            if begin <= place < end:
                causes[place - begin :] = _NUMBER["preempted_wait"]
                break
        for cause in np.unique(causes).tolist():
            self._charge_wait(account, CAUSES[cause], begin, np.where(causes == cause, seconds, 0.0))

    def _running_causes(self, begin: int, end: int) -> Ints:
        full = self._full[begin:end]
        return np.where(full, _NUMBER["token_budget"], _NUMBER["not_scheduled"])

    def _queue_causes(self, request: int, begin: int, end: int) -> Ints:
        """Return why a request in the queue waited at each step."""
        steps, header = self._shares.index.steps, self._shares.index.header
        why, head = steps.why[begin:end], steps.head[begin:end]
        left, prompt = self._left[begin:end], int(self._shares.index.requests.prompt[request])
        chunk = np.minimum(prompt, left) if header.enable_chunked_prefill else np.full(len(left), prompt)
        tokens = prompt if header.scheduler_reserve_full_isl else chunk
        passes = (
            _MAY_PASS[why]
            & (left >= np.maximum(1, chunk))
            & (self._free[begin:end] * header.block_size >= tokens)
            & (steps.running[begin:end] < (header.max_num_active_seqs or header.max_num_seqs))
        )
        behind = np.where(passes, _BLOCKED, _REASON_CAUSE[why])
        return np.where(head == request, _HEAD_CAUSE[why], behind)

    def _charge_wait(self, account: Account, cause: Cause, begin: int, seconds: Floats) -> None:
        """Charge seconds of the steps from `begin` on, and those who held what the request waited for."""
        total = float(seconds.sum())
        if total <= 0:
            return
        account.charge(cause, total)
        held_by = _HELD_BY[cause]
        if held_by == "head":
            self._charge_heads(account, cause, begin, seconds)
            return
        holders: Holders = getattr(self._shares, f"by_{held_by}")
        account.by_class += seconds @ holders.by_class[begin : begin + len(seconds)]
        if account.named:
            account.blame(cause, holders.sum_over(begin, seconds, self._requests))

    def _charge_heads(self, account: Account, cause: Cause, begin: int, seconds: Floats) -> None:
        heads = self._shares.index.steps.head[begin : begin + len(seconds)]
        known = heads >= 0
        by_request = sum_at(heads[known], seconds[known], self._requests)
        account.by_class += sum_at(self._shares.classes, by_request, self._shares.class_count)
        if account.named:
            account.blame(cause, by_request)

    # -- computing ---------------------------------------------------------------------------------

    def _charge_steps(self, account: Account, rows: Ints, ends: Floats, now: float, first: int) -> None:
        """Charge the steps that computed the request."""
        shares = self._shares
        places = shares.place[rows]
        since = np.concatenate([[now], ends[:-1]])
        waited = places > np.concatenate([[first - 1], places[:-1]]) + 1
        since = np.where(waited, np.maximum(since, shares.called[places]), since)
        before = np.where(places > 0, shares.ended[places - 1], np.nan)
        # Async scheduling: the step before was still under way when this one was scheduled.
        late = np.where((since < before) & (before < ends), before - since, 0.0)
        for row in np.flatnonzero(late > 0).tolist():
            self._charge_wait(account, "not_scheduled", int(places[row]) - 1, late[row : row + 1])
        self._split(account, rows, np.maximum(0.0, ends - since - late))

    def _split(self, account: Account, rows: Ints, seconds: Floats) -> None:
        """Split the steps' time among their requests, by what each adds to the modelled time."""
        shares = self._shares
        places = shares.place[rows]
        modelled = shares.total[places] > 0
        account.charge("not_scheduled", float(seconds[~modelled].sum()))
        rows, places, seconds = rows[modelled], places[modelled], seconds[modelled]
        scale = seconds / shares.total[places]
        prefill, decode = shares.prefill_cost[rows], shares.decode_cost[rows]
        own = (shares.base + prefill + decode) * scale
        again, prompt = own * shares.again[rows], shares.prompt[rows] > 0
        account.charge("recompute", float(again.sum()))
        account.charge("prefill_compute", float((own - again)[prompt].sum()))
        account.charge("decode_compute", float(own[~prompt].sum()))
        mine = int(shares.classes[shares.request[rows[0]]]) if len(rows) else 0
        for cause, costs, by_class, own_cost in (
            (_OTHERS[0], shares.prefill_cost, shares.prefill_by_class, prefill),
            (_OTHERS[1], shares.decode_cost, shares.decode_by_class, decode),
        ):
            lost = scale @ by_class[places]
            lost[mine] -= float(own_cost @ scale)
            lost = np.maximum(lost, 0.0)
            account.charge(cause, float(lost.sum()))
            account.by_class += lost
            if account.named and lost.any():
                self._blame_others(account, cause, rows, scale, costs)

    def _blame_others(self, account: Account, cause: Cause, rows: Ints, scale: Floats, costs: Floats) -> None:
        """Name the other requests of the steps, by the time that each added."""
        shares = self._shares
        places = shares.place[rows]
        begins = shares.first[places]
        lengths = shares.first[places + 1] - begins
        offsets = np.cumsum(lengths) - lengths
        others = np.arange(int(lengths.sum())) + np.repeat(begins - offsets, lengths)
        added = costs[others] * np.repeat(scale, lengths)
        charged = sum_at(shares.request[others], added, self._requests)
        charged[shares.request[rows[0]]] = 0.0
        account.blame(cause, charged)


_OTHERS: tuple[Cause, Cause] = ("others_prefill", "others_decode")
