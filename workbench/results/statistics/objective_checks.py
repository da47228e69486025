"""Objectives against figures, overall and per class; what too few requests leave open is named apart."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from workbench.base import InputError, Record
from workbench.profiles import load_profile
from workbench.results.bench.entries import RunEntry
from workbench.results.objectives import Limits, Objectives
from workbench.results.percentiles import sample_floor
from workbench.results.statistics.uncertainty import share_at_most
from workbench.results.wording import short

_LATENCIES = ("ttft_p95_ms", "itl_p95_ms", "e2e_p95_ms")

Summaries = Sequence[Mapping[str, Any]]
"""Figures of each repeat: of all requests or of one class."""


class Check(Record, frozen=True, kw_only=True):
    """One objective against one figure."""

    objective: str
    cls: str | None
    """None: all requests."""
    limit: float
    value: float | None
    """What was measured; a lower or upper bound decides too where it can."""
    met: bool | None
    """None: can't be said."""
    possible: float | None = None
    """Of a share within its limit: how large so few requests leave it possible, where that is beyond it."""

    def sentence(self) -> str:
        """The check in words."""
        name = self.objective if self.cls is None else f"{self.objective} of {self.cls}"
        if self.met is None:
            return f"{name} not known (limit {short(self.limit)})"
        shown = "" if self.value is None else f" {short(self.value)}"
        return f"{name}{shown} {'<=' if self.met else '>'} {short(self.limit)}"

    def doubt(self) -> str | None:
        """What so few requests leave possible, in words; None: not beyond the limit."""
        if self.possible is None:
            return None
        name = self.objective if self.cls is None else f"{self.objective} of {self.cls}"
        return (
            f"{name}: so few requests leave up to {short(self.possible)} possible (limit {short(self.limit)})"
        )

    def excess(self) -> float:
        """How many times its limit the figure is; 0 where it isn't known."""
        if self.value is None:
            return 0.0
        return self.value / self.limit if self.limit else float("inf")


def checks_of(runs: Sequence[RunEntry], objectives: Objectives) -> tuple[list[Check], list[str]]:
    """Checks overall and per class; an objective is met where every repeat meets it.

    What can't be judged of a class is no check: it comes second, as text with the reason.
    """
    summaries = [run.summary or {} for run in runs]
    found = list(_of_limits(summaries, objectives, None))
    open_: dict[str, list[str]] = {}
    names = sorted(set.intersection(*(set(summary.get("classes", {})) for summary in summaries)))
    # A single class is the whole, unless it has limits of its own.
    for name in names if len(names) > 1 else objectives.classes.keys() & set(names):
        figures = [summary["classes"][name] for summary in summaries]
        for check in _of_limits(figures, _class_limits(objectives, name), name):
            if check.met is None:
                open_.setdefault(_why_open(check, figures, name), []).append(check.objective)
            else:
                found.append(check)
    return found, [f"{', '.join(which)} not judged: {why}" for why, which in open_.items()]


def shortage(figures: Summaries, objective: str, who: str) -> str | None:
    """That `who` has too few requests for the objective's p95, in words; None: enough, or it is no p95."""
    if not objective.endswith("_p95_ms"):
        return None
    needed = sample_floor(0.95)
    scheduled = min(int(each["requests"]["scheduled"]) for each in figures)
    behind = min(int(each[_series(objective)].get("n") or 0) for each in figures)
    if scheduled < needed:
        return f"{who} has {_counted(scheduled)}, {needed} are needed for a p95"
    if 0 < behind < needed:
        return f"{who} has {_counted(behind)} with that figure, {needed} are needed for a p95"
    return None


def _why_open(check: Check, figures: Summaries, name: str) -> str:
    few = shortage(figures, check.objective, f"class {name}")
    if few is not None:
        return few
    if check.value is not None:
        return f"requests of class {name} were open at the end, so it is at least {short(check.value)}"
    return f"not measured for class {name}"


def _counted(count: int) -> str:
    return f"{count} request" if count == 1 else f"{count} requests"


def _series(objective: str) -> str:
    return objective.replace("_p95", "")


def _class_limits(objectives: Objectives, name: str) -> Limits:
    """A class's own limits; the overall latency limits bind each class too, run-level ones don't."""
    own = objectives.classes.get(name, Limits()).stated()
    shared = {key: value for key, value in objectives.stated().items() if key in _LATENCIES}
    return Limits(**{**shared, **own})


def _of_limits(summaries: Summaries, limits: Limits, cls: str | None) -> Iterator[Check]:
    for objective, limit in limits.stated().items():
        results = [_one(summary, objective, limit) for summary in summaries]
        values = [value for value, _ in results if value is not None]
        verdicts = [met for _, met in results]
        met = False if False in verdicts else None if None in verdicts else True
        value = max(values) if values else None
        possible = _possible(summaries, limit) if objective == "error_rate" and met else None
        yield Check(objective=objective, cls=cls, limit=limit, value=value, met=met, possible=possible)


def _possible(summaries: Summaries, limit: float) -> float | None:
    """The error rate that all repeats together leave possible, where it is beyond the limit."""
    asked = [each["requests"]["scheduled"] - each["requests"]["cancelled"] for each in summaries]
    errors = sum(each["error_rate"] * count for each, count in zip(summaries, asked, strict=True))
    most = share_at_most(errors, sum(asked))
    return most if most > limit else None


def _one(summary: Mapping[str, Any], objective: str, limit: float) -> tuple[float | None, bool | None]:
    """A figure and whether it is within the limit; a lower bound can only break it."""
    if not objective.endswith("_p95_ms"):
        value = summary.get(objective)
        return value, None if value is None else value <= limit
    figures = summary[_series(objective)]
    value = figures["p95"]
    if value is None:
        return _from_bucket(figures, limit) if objective == "queue_p95_ms" else (None, None)
    if value > limit:
        return value, False
    return value, None if "p95" in figures["at_least"] else True


def _from_bucket(figures: Mapping[str, Any], limit: float) -> tuple[float | None, bool | None]:
    lo, hi = figures["lo"], figures["hi"]
    if hi is not None and hi <= limit:
        return hi, True
    return (lo, False) if lo is not None and lo >= limit else (None, None)


# What a simulated run can't decide: a limit within the known error of the profile behind its times.

_METRICS: dict[str, Literal["ttft", "tpot"]] = {"ttft_p95_ms": "ttft", "itl_p95_ms": "tpot"}
"""The objectives whose latency a profile's known error speaks of, and the one it has for them."""


def undecided_by_profile(profile: str | None, checks: Sequence[Check]) -> list[str]:
    """A sentence for each check whose figure lies too near its limit to tell a real server's side of it.

    Args:
        profile: of the embedded engine that served the run; None: a real server, about which nothing is said.
        checks: of the run.
    """
    if profile is None:
        return []
    try:
        error = load_profile(profile).known_error
    except InputError:
        return []  # made with a profile that is not here
    bands = {} if error is None else {name: error.band_pct(metric) for name, metric in _METRICS.items()}
    return list(_sentences(checks, bands))


def _sentences(checks: Sequence[Check], bands: dict[str, float]) -> Iterator[str]:
    for check in checks:
        band = bands.get(check.objective)
        if band is None or check.value is None or check.met is None:
            continue
        if abs(check.limit - check.value) <= check.value * band / 100:
            name = check.objective if check.cls is None else f"{check.objective} of {check.cls}"
            yield (
                f"{name} {short(check.value)} lies within the profile's known error (±{band:g} %) of its "
                f"limit {short(check.limit)}: on a real server undecided"
            )
