"""Check objectives against figures, overall and per class; open ones with too few requests are separate."""

from collections.abc import Iterator, Sequence
from typing import Literal

from workbench.base import InputError, Message, Record, message
from workbench.profiles import load_profile
from workbench.results.bench.entries import RunEntry
from workbench.results.bench.stored_figures import SetFigures, StoredDistribution
from workbench.results.figure_titles import figure_name
from workbench.results.objectives import Limits, Objectives
from workbench.results.percentiles import sample_floor
from workbench.results.statistics.bootstrap import share_at_most

_LATENCIES = ("ttft_p95_ms", "itl_p95_ms", "e2e_p95_ms")

Repeats = Sequence[SetFigures]
"""Figures of each repeat: of all requests or of one class."""


class Check(Record, frozen=True, kw_only=True):
    """One objective against one figure."""

    objective: str
    cls: str | None
    """Class; None for all requests."""
    limit: float
    value: float | None
    """The measured value; also a lower or upper bound that decides."""
    met: bool | None
    """True if the limit holds; None if unknown."""
    possible: float | None = None
    """For a share within its limit: the largest value that so few requests allow, if beyond the limit."""

    @property
    def name(self) -> Message:
        """The objective, with its class."""
        return figure_name(self.objective, self.cls)

    def sentence(self) -> Message:
        """Return the figure beside its limit."""
        if self.met is None:
            return message("results.check_unknown", name=self.name, limit=self.limit)
        if self.met:
            return message("results.check_met", name=self.name, value=self.value, limit=self.limit)
        return message("results.check_missed", name=self.name, value=self.value, limit=self.limit)

    def doubt(self) -> Message | None:
        """Return how large so few requests leave the figure possible; None: not beyond the limit."""
        if self.possible is None:
            return None
        return message("results.check_doubt", name=self.name, possible=self.possible, limit=self.limit)

    def excess(self) -> float:
        """Return the figure divided by its limit; 0: unknown."""
        if self.value is None:
            return 0.0
        return self.value / self.limit if self.limit else float("inf")


def checks_of(runs: Sequence[RunEntry], objectives: Objectives) -> tuple[list[Check], list[Message]]:
    """Return the checks overall and per class, and the objectives of classes that are open, with why.

    An objective is met if every repeat meets it.
    """
    repeats = [run.figures for run in runs]
    found = list(_of_limits(repeats, objectives, None))
    open_: list[tuple[Message, list[Message]]] = []
    names = sorted(set.intersection(*(set(figures.classes) for figures in repeats)))
    # A single class is the whole, unless it has limits of its own.
    for name in names if len(names) > 1 else objectives.classes.keys() & set(names):
        figures = [each.classes[name] for each in repeats]
        for check in _of_limits(figures, _class_limits(objectives, name), name):
            if check.met is None:
                _add(open_, _why_open(check, figures, name), figure_name(check.objective))
            else:
                found.append(check)
    return found, [message("results.not_judged", figures=figures, why=why) for why, figures in open_]


def _add(open_: list[tuple[Message, list[Message]]], why: Message, figure: Message) -> None:
    """Add a figure to those of the same reason."""
    known = next((figures for reason, figures in open_ if reason == why), None)
    if known is None:
        open_.append((why, [figure]))
    else:
        known.append(figure)


def shortage(figures: Repeats, objective: str, who: Message) -> Message | None:
    """Return that `who` has too few requests for the objective's p95; None: enough, or it is no p95."""
    if not objective.endswith("_p95_ms"):
        return None
    needed = sample_floor(0.95)
    scheduled = min(each.requests.scheduled or 0 for each in figures)
    behind = min(each.series(objective).n or 0 for each in figures)
    if scheduled < needed:
        return message("results.few_requests", who=who, count=scheduled, needed=needed)
    if 0 < behind < needed:
        return message("results.few_with_figure", who=who, count=behind, needed=needed)
    return None


def _why_open(check: Check, figures: Repeats, name: str) -> Message:
    few = shortage(figures, check.objective, message("results.a_class", cls=name))
    if few is not None:
        return few
    if check.value is not None:
        return message("results.open_at_the_end", cls=name, value=check.value)
    return message("results.not_measured_for_class", cls=name)


def _class_limits(objectives: Objectives, name: str) -> Limits:
    """Return a class's own limits and the overall latency limits; run-level limits don't apply to classes."""
    own = objectives.classes.get(name, Limits()).stated()
    shared = {key: value for key, value in objectives.stated().items() if key in _LATENCIES}
    return Limits(**{**shared, **own})


def _of_limits(repeats: Repeats, limits: Limits, cls: str | None) -> Iterator[Check]:
    for objective, limit in limits.stated().items():
        results = [_one(figures, objective, limit) for figures in repeats]
        values = [value for value, _ in results if value is not None]
        verdicts = [met for _, met in results]
        met = False if False in verdicts else None if None in verdicts else True
        value = max(values) if values else None
        possible = _possible(repeats, limit) if objective == "error_rate" and met else None
        yield Check(objective=objective, cls=cls, limit=limit, value=value, met=met, possible=possible)


def _possible(repeats: Repeats, limit: float) -> float | None:
    """Return the error rate that all repeats together allow, if it is beyond the limit."""
    asked = [(each.requests.scheduled or 0) - (each.requests.cancelled or 0) for each in repeats]
    errors = sum((each.error_rate or 0.0) * count for each, count in zip(repeats, asked, strict=True))
    most = share_at_most(errors, sum(asked))
    return most if most > limit else None


def _one(figures: SetFigures, objective: str, limit: float) -> tuple[float | None, bool | None]:
    """Return a figure and whether it is within the limit; a lower bound can only exceed it."""
    if not objective.endswith("_p95_ms"):
        value = figures.error_rate if objective == "error_rate" else figures.preemptions
        return value, None if value is None else value <= limit
    series = figures.series(objective)
    value = series.p95
    if value is None:
        return _from_bucket(series, limit) if objective == "queue_p95_ms" else (None, None)
    if value > limit:
        return value, False
    return value, None if "p95" in (series.at_least or []) else True


def _from_bucket(series: StoredDistribution, limit: float) -> tuple[float | None, bool | None]:
    lo, hi = series.lo, series.hi
    if hi is not None and hi <= limit:
        return hi, True
    return (lo, False) if lo is not None and lo >= limit else (None, None)


# A simulated run can't decide about a limit within the known error of its profile.

_METRICS: dict[str, Literal["ttft", "tpot"]] = {"ttft_p95_ms": "ttft", "itl_p95_ms": "tpot"}
"""Objectives that a profile's known error covers, and the name of its error."""


def undecided_by_profile(profile: str | None, checks: Sequence[Check]) -> list[Message]:
    """Return a message for each check whose figure is nearer to its limit than the profile's known error.

    Args:
        profile: of the embedded engine that served the run; None: a real server, which has no such error.
        checks: of the run.
    """
    if profile is None:
        return []
    try:
        error = load_profile(profile).known_error
    except InputError:
        return []  # made with a profile that is not here
    bands = {} if error is None else {name: error.band_pct(metric) for name, metric in _METRICS.items()}
    return list(_undecided(checks, bands))


def _undecided(checks: Sequence[Check], bands: dict[str, float]) -> Iterator[Message]:
    for check in checks:
        band = bands.get(check.objective)
        if band is None or check.value is None or check.met is None:
            continue
        if abs(check.limit - check.value) <= check.value * band / 100:
            yield message(
                "results.within_profile_error",
                name=check.name,
                value=check.value,
                band_pct=band,
                limit=check.limit,
            )
