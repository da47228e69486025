"""The ledger of a request's time: parts that sum to its end-to-end latency, each with who caused it.

A part that lies between two stamps is measured. The split of one step's time among its requests is modelled.
Each request is charged what it adds to the step: its marginal cost by the step-time model, scaled so that the
step's parts sum to its measured duration.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest

from workbench.advice.blame.causes import CAUSES, WAITS, Cause
from workbench.advice.blame.step_trace import Entry, Life, Step, StepTrace
from workbench.base import Record
from workbench.profiles import StepModel

_MOST_CULPRITS = 8
_MODELLED: frozenset[Cause] = frozenset(
    {"prefill_compute", "decode_compute", "recompute", "others_prefill", "others_decode"}
)


class RequestStamps(Record, frozen=True, kw_only=True):
    """A request's stamps at the client, in seconds of the record's clock."""

    id: str
    """The id that the client sent."""
    engine_id: str | None
    """Its id in the record; None: the record lacks it."""
    cls: str
    due: float
    released: float | None
    sent: float | None
    done: float | None


class Culprit(Record, frozen=True):
    """A request that caused a part of another one's time."""

    request: str
    cls: str
    ms: float


class Part(Record, frozen=True):
    """The time of one cause."""

    cause: Cause
    ms: float
    measured: bool
    """False if modelled: a share of a step's time, by the step-time model."""
    culprits: tuple[Culprit, ...] = ()


class RequestBlame(Record, frozen=True, kw_only=True):
    """Causes of one request's time; the parts and `unexplained_ms` sum to `e2e_ms`."""

    request: str
    cls: str
    e2e_ms: float | None
    """Milliseconds from due to done; None if it didn't end."""
    parts: list[Part]
    unexplained_ms: float | None


class Blame(Record, frozen=True, kw_only=True):
    """The ledger of a run."""

    requests: list[RequestBlame]
    totals: dict[Cause, float]
    """Milliseconds by cause, over all requests."""
    matrix: dict[str, dict[str, float]]
    """Milliseconds that requests of a class lost to requests of another one: victim, then culprit."""


@dataclass(slots=True)
class _Account:
    """Charges of one request, in seconds."""

    seconds: dict[Cause, float] = field(default_factory=lambda: defaultdict(float))
    culprits: dict[Cause, dict[str, float]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(float))
    )

    def charge(self, cause: Cause, seconds: float) -> bool:
        """Add to a cause; False if there is nothing to add."""
        if seconds <= 0:
            return False
        self.seconds[cause] += seconds
        return True


class _StepCosts:
    """The modelled cost of a step's parts, in microseconds."""

    def __init__(self, step: Step, model: StepModel) -> None:
        self.base = model.a
        self.prefill = {
            entry.id: model.b * (entry.prefill + entry.recompute) + model.e * entry.attention
            for entry in step.entries
            if entry.prefill or entry.recompute
        }
        self.decode = {
            entry.id: model.c * entry.decode + model.d * entry.context
            for entry in step.entries
            if entry.decode
        }
        self.all_prefill = sum(self.prefill.values())
        self.all_decode = sum(self.decode.values())
        self.total = self.base + self.all_prefill + self.all_decode


def blame(
    trace: StepTrace,
    requests: Sequence[RequestStamps],
    model: StepModel,
    *,
    culprits_of: Collection[str] | None = None,
) -> Blame:
    """Split each request's time into its causes.

    Args:
        trace: the run's steps.
        requests: the run's requests, on the record's clock.
        model: the cost of the parts of a step.
        culprits_of: name the culprits of these requests only; None: of all.
    """
    calculator = _BlameCalculator(
        trace, model, {stamps.engine_id: stamps for stamps in requests if stamps.engine_id}
    )
    blamed = []
    matrix: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for stamps in requests:
        named = culprits_of is None or stamps.id in culprits_of
        account = calculator.account(stamps)
        for charged in account.culprits.values():
            for culprit, seconds in charged.items():
                matrix[stamps.cls][calculator.class_of(culprit)] += seconds * 1000
        blamed.append(calculator.to_request_blame(stamps, account, named=named))
    totals: dict[Cause, float] = defaultdict(float)
    for request in blamed:
        for part in request.parts:
            totals[part.cause] += part.ms
    return Blame(
        requests=blamed,
        totals={cause: totals[cause] for cause in CAUSES if cause in totals},
        matrix={
            victim: dict(sorted(row.items(), key=lambda pair: -pair[1])) for victim, row in matrix.items()
        },
    )


class _BlameCalculator:
    """Keeps the accounts of a run."""

    def __init__(self, trace: StepTrace, model: StepModel, known: dict[str, RequestStamps]) -> None:
        self._trace = trace
        self._known = known
        self._place = {step.number: place for place, step in enumerate(trace.steps)}
        self._entries = [{entry.id: entry for entry in step.entries} for step in trace.steps]
        self._costs = [_StepCosts(step, model) for step in trace.steps]

    def class_of(self, engine_id: str) -> str:
        """Return a culprit's class; `other` for a request that isn't in the run."""
        stamps = self._known.get(engine_id)
        return stamps.cls if stamps else "other"

    def account(self, stamps: RequestStamps) -> _Account:
        """Charge a request's time to its causes."""
        account = _Account()
        if stamps.released is not None:
            account.charge("client_admission", stamps.released - stamps.due)
        if stamps.released is not None and stamps.sent is not None:
            account.charge("client_late", stamps.sent - stamps.released)
        life = self._trace.lives.get(stamps.engine_id or "")
        place = None if life is None else self._place.get(life.first_call)
        if life is None or place is None or stamps.sent is None:
            return account
        ended = self._engine_time(account, life, place, stamps.sent)
        if stamps.done is not None and life.finished is not None:
            account.charge("output_path", stamps.done - ended)
        return account

    def _engine_time(self, account: _Account, life: Life, first: int, sent: float) -> float:
        """Charge the time from the client's send to the request's last step; return when that ended."""
        steps = self._trace.steps
        now = self._until_first_call(account, life, first, sent)
        computed = False
        preempted = False
        for place in range(first, len(steps)):
            step = steps[place]
            preempted = preempted or life.id in step.preempted
            entry = self._entries[place].get(life.id)
            if entry is not None and step.ended:
                now = self._charge_step(account, place, entry, now)
                computed, preempted = True, False
                if life.finished == step.number:
                    break
            elif place + 1 < len(steps):
                until = steps[place + 1].called
                self._charge_wait(account, place, until - now, computed=computed, preempted=preempted)
                now = max(now, until)
        return now

    def _until_first_call(self, account: _Account, life: Life, first: int, sent: float) -> float:
        """Charge the way to the engine and the wait for the step under way; return the first call's time."""
        steps = self._trace.steps
        called = steps[first].called
        arrived = called if life.arrived is None else min(max(life.arrived, sent), called)
        under_way = [
            place
            for place in range(max(0, first - 2), first)
            if steps[place].called <= arrived < steps[place].ended
        ]
        account.charge("front_end", arrived - sent)
        if not under_way:
            account.charge("front_end", called - arrived)
        elif account.charge("not_scheduled", called - arrived):
            self._charge_culprits(account, "not_scheduled", called - arrived, self.by_tokens(under_way[0]))
        return max(called, sent)

    def _charge_wait(
        self, account: _Account, place: int, seconds: float, *, computed: bool, preempted: bool
    ) -> None:
        step = self._trace.steps[place]
        if preempted:
            cause: Cause = "preempted_wait"
        elif computed:
            full = step.tokens >= step.budget
            cause = "token_budget" if full else "not_scheduled"
        else:
            cause = WAITS.get(step.why or "", "blocked_head")
        if account.charge(cause, seconds):
            self._charge_culprits(account, cause, seconds, _HOLDERS[cause](self, place))

    def _charge_step(self, account: _Account, place: int, entry: Entry, now: float) -> float:
        """Charge one step that computed the request; return when it ended."""
        steps = self._trace.steps
        step = steps[place]
        before = steps[place - 1].ended if place else 0.0
        if now < before < step.ended and now < step.ended:
            # Async scheduling: the step before was still under way when this one was scheduled.
            if account.charge("not_scheduled", before - now):
                self._charge_culprits(account, "not_scheduled", before - now, self.by_tokens(place - 1))
            now = before
        self._split(account, place, entry, step.ended - now)
        return max(now, step.ended)

    def _split(self, account: _Account, place: int, entry: Entry, seconds: float) -> None:
        costs = self._costs[place]
        if seconds <= 0 or costs.total <= 0:
            account.charge("not_scheduled", seconds)
            return
        scale = seconds / costs.total
        prefill, decode = costs.prefill.get(entry.id, 0.0), costs.decode.get(entry.id, 0.0)
        own = (costs.base + prefill + decode) * scale
        tokens = entry.prefill + entry.recompute
        again = own * entry.recompute / tokens if tokens else 0.0
        account.charge("recompute", again)
        account.charge("prefill_compute" if tokens else "decode_compute", own - again)
        for cause, parts, others in (
            ("others_prefill", costs.prefill, costs.all_prefill - prefill),
            ("others_decode", costs.decode, costs.all_decode - decode),
        ):
            charged: Cause = "others_prefill" if cause == "others_prefill" else "others_decode"
            if account.charge(charged, others * scale):
                mine = account.culprits[charged]
                for name, cost in parts.items():
                    if name != entry.id:
                        mine[name] += cost * scale

    def _charge_culprits(
        self, account: _Account, cause: Cause, seconds: float, holders: Sequence[tuple[str, float]]
    ) -> None:
        total = sum(weight for _, weight in holders)
        if total > 0:
            named = account.culprits[cause]
            for name, weight in holders:
                named[name] += seconds * weight / total

    def by_tokens(self, place: int) -> list[tuple[str, float]]:
        """Return the requests that used the step's tokens."""
        return [
            (entry.id, entry.prefill + entry.recompute + entry.decode)
            for entry in self._trace.steps[place].entries
        ]

    def by_slots(self, place: int) -> list[tuple[str, float]]:
        """Return the requests that held the sequence slots."""
        return [(name, 1.0) for name in self._trace.steps[place].running]

    def by_blocks(self, place: int) -> list[tuple[str, float]]:
        """Return the requests that held the KV blocks, by tokens of context."""
        return [(entry.id, float(entry.context)) for entry in self._trace.steps[place].entries]

    def to_request_blame(self, stamps: RequestStamps, account: _Account, *, named: bool) -> RequestBlame:
        """Return a request's account in milliseconds."""
        parts = [
            Part(
                cause,
                account.seconds[cause] * 1000,
                cause not in _MODELLED,
                tuple(self._culprits(account.culprits[cause])) if named and cause in account.culprits else (),
            )
            for cause in CAUSES
            if account.seconds.get(cause)
        ]
        e2e_ms = None if stamps.done is None else (stamps.done - stamps.due) * 1000
        unexplained = None if e2e_ms is None else e2e_ms - sum(part.ms for part in parts)
        return RequestBlame(
            request=stamps.id, cls=stamps.cls, e2e_ms=e2e_ms, parts=parts, unexplained_ms=unexplained
        )

    def _culprits(self, charged: Mapping[str, float]) -> Iterator[Culprit]:
        worst = nlargest(_MOST_CULPRITS, charged.items(), key=lambda pair: pair[1])
        for name, seconds in worst:
            stamps = self._known.get(name)
            yield Culprit(stamps.id if stamps else name, self.class_of(name), seconds * 1000)


_HOLDERS: dict[Cause, Callable[[_BlameCalculator, int], list[tuple[str, float]]]] = {
    "sequence_limit": _BlameCalculator.by_slots,
    "token_budget": _BlameCalculator.by_tokens,
    "kv_blocks": _BlameCalculator.by_blocks,
    "blocked_head": lambda _book, _place: [],
    "not_scheduled": _BlameCalculator.by_tokens,
    "preempted_wait": _BlameCalculator.by_blocks,
}
