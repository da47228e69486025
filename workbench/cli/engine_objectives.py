"""Objectives of `engine replay`: what a prediction can say of a limit, its profile's error considered."""

from typing import Any, Literal, cast

from workbench.base import Place, Record, Refusal
from workbench.engine import ReplayFigures
from workbench.profiles import Profile, Standing
from workbench.results import sample_floor

_METRICS = ("ttft", "tpot")
_FIGURES = ("mean", "p50", "p95", "p99")
_NAMES = [f"{metric}_{figure}_ms" for metric in _METRICS for figure in _FIGURES]
_PLACE = Place(key="objective")


class Objective(Record, frozen=True):
    """A limit in milliseconds on one figure."""

    metric: Literal["ttft", "tpot"]
    figure: str
    limit_ms: float

    @property
    def name(self) -> str:
        """Name without the limit."""
        return f"{self.metric}_{self.figure}_ms"


class Judged(Record, frozen=True):
    """An objective beside the prediction. `undecided`: the limit lies within the profile's known error."""

    objective: str
    limit_ms: float
    predicted_ms: float | None
    standing: Standing
    band_pct: float | None
    """The profile's known error, either way; None: unknown."""

    def __str__(self) -> str:
        if self.predicted_ms is None:
            few = f"p95 from {sample_floor(0.95)} requests on, p99 from {sample_floor(0.99)}"
            return f"{self.objective}: no figure to hold against {self.limit_ms:g} ({few})"
        band = "error unknown" if self.band_pct is None else f"known error ±{self.band_pct:g} %"
        return f"{self.objective} {self.predicted_ms:.2f}, limit {self.limit_ms:g}: {self.standing} ({band})"


def read_objective(text: str) -> Objective:
    """Read `ttft_p95_ms=500`.

    Raises:
        Refusal: another name, or no positive number.
    """
    name, _, number = text.partition("=")
    metric, _, figure = name.removesuffix("_ms").partition("_")
    if metric not in _METRICS or figure not in _FIGURES or not name.endswith("_ms"):
        raise Refusal("cli.objective_form", _PLACE, text=text, names=_NAMES)
    try:
        limit = float(number)
    except ValueError as error:
        raise Refusal("cli.objective_form", _PLACE, text=text, names=_NAMES) from error
    if not 0 < limit < float("inf"):
        raise Refusal("cli.objective_not_above", _PLACE, text=text)
    return Objective(cast("Any", metric), figure, limit)


def judge(objective: Objective, figures: ReplayFigures, profile: Profile | None) -> Judged:
    """Compare the objective with the figures; a step model given by hand has an unknown error."""
    predicted = figures.beyond_trace(f"{objective.metric}_ms", objective.figure)
    error = profile.known_error if profile else None
    standing: Standing = "undecided"
    if profile is not None and predicted is not None:
        standing = profile.standing(objective.metric, predicted, objective.limit_ms)
    return Judged(
        objective=objective.name,
        limit_ms=objective.limit_ms,
        predicted_ms=predicted,
        standing=standing,
        band_pct=error.band_pct(objective.metric) if error else None,
    )
