"""The ledger of a request's time: parts that sum to its end-to-end latency, each with who caused it.

A part that lies between two stamps is measured. The split of one step's time among its requests is modelled.
Each request is charged what it adds to the step: its marginal cost by the step-time model, scaled so that the
step's parts sum to its measured duration.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from workbench.advice.blame.accounts import Account, Accountant
from workbench.advice.blame.causes import CAUSES, Cause
from workbench.advice.blame.step_index import Floats, StepIndex
from workbench.advice.blame.step_shares import StepShares, class_numbers
from workbench.base import Record
from workbench.profiles import StepModel

OTHER = "other"
"""Class of requests that the run doesn't know."""
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
    """The worst ones, at most eight."""
    culprit_count: int = 0
    """Number of all culprits, if any are named."""


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


def blame(
    index: StepIndex,
    requests: Sequence[RequestStamps],
    model: StepModel,
    *,
    culprits_of: Collection[str] | None = None,
    beside: Mapping[str, tuple[str, str]] | None = None,
) -> Blame:
    """Split each request's time into its causes.

    Args:
        index: the run's steps.
        requests: the run's requests, on the record's clock.
        model: the cost of the parts of a step.
        culprits_of: name the culprits of these requests only; None: of all.
        beside: id and class of other requests, such as those of a warm-up, by the engine's ids.
    """
    known = dict(beside or {})
    known.update((each.engine_id, (each.id, each.cls)) for each in requests if each.engine_id)
    ids = index.requests.ids
    culprits = [known.get(name, (name, OTHER)) for name in ids]
    names, culprit_classes = [name for name, _ in culprits], [cls for _, cls in culprits]
    numbers, classes = class_numbers(culprit_classes)
    accountant = Accountant(StepShares(index, model, numbers))
    place_of = {name: place for place, name in enumerate(ids)}
    blamed = []
    totals = np.zeros(len(CAUSES))
    matrix: dict[str, Floats] = {}
    for stamps in requests:
        named = culprits_of is None or stamps.id in culprits_of
        place = place_of.get(stamps.engine_id or "")
        account = _account(accountant, stamps, place, named=named)
        totals += account.seconds
        row = matrix.setdefault(stamps.cls, np.zeros(len(classes)))
        row += account.by_class
        blamed.append(_request_blame(stamps, account, names, culprit_classes))
    return Blame(
        requests=blamed,
        totals={cause: float(ms) for cause, ms in zip(CAUSES, totals * 1000, strict=True) if ms},
        matrix={victim: _row(classes, seconds) for victim, seconds in matrix.items() if seconds.any()},
    )


def _account(accountant: Accountant, stamps: RequestStamps, place: int | None, *, named: bool) -> Account:
    """Charge a request's time to its causes."""
    account = accountant.open(named=named)
    if stamps.released is not None:
        account.charge("client_admission", stamps.released - stamps.due)
        if stamps.sent is not None:
            account.charge("client_late", stamps.sent - stamps.released)
    if place is not None and stamps.sent is not None:
        ended = accountant.charge_engine(account, place, stamps.sent)
        if ended is not None and stamps.done is not None:
            account.charge("output_path", stamps.done - ended)
    return account


def _row(classes: Sequence[str], seconds: Floats) -> dict[str, float]:
    """Return a row of the matrix, the worst class first."""
    pairs = [(name, float(each) * 1000) for name, each in zip(classes, seconds, strict=True) if each]
    return dict(sorted(pairs, key=lambda pair: -pair[1]))


def _request_blame(
    stamps: RequestStamps, account: Account, names: Sequence[str], classes: Sequence[str]
) -> RequestBlame:
    """Return a request's account in milliseconds."""
    parts = [
        Part(
            cause,
            float(seconds) * 1000,
            cause not in _MODELLED,
            tuple(_culprits(account.culprits.get(cause), names, classes)),
            int(np.count_nonzero(account.culprits.get(cause, 0.0))),
        )
        for cause, seconds in zip(CAUSES, account.seconds, strict=True)
        if seconds
    ]
    e2e_ms = None if stamps.done is None else (stamps.done - stamps.due) * 1000
    unexplained = None if e2e_ms is None else e2e_ms - sum(part.ms for part in parts)
    return RequestBlame(
        request=stamps.id, cls=stamps.cls, e2e_ms=e2e_ms, parts=parts, unexplained_ms=unexplained
    )


def _culprits(seconds: Floats | None, names: Sequence[str], classes: Sequence[str]) -> Iterator[Culprit]:
    if seconds is None:
        return
    for place in np.argsort(-seconds, kind="stable")[:_MOST_CULPRITS].tolist():
        if seconds[place] > 0:
            yield Culprit(names[place], classes[place], float(seconds[place]) * 1000)
