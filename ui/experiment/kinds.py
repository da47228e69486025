"""Kinds of experiment: one question asked in different ways, each a set of the load's fields. No Qt."""

from typing import Any

from ui.experiment.draft import Draft

KINDS = ("single", "ladder", "burst", "soak", "confirm")

SOAK_S = 1800.0
CONFIRM_REPEATS = 3
"""The least with which an interval over repeats means something."""
BURSTINESS = 0.25
"""Shape of the gamma distribution: arrivals come in clumps."""

_LADDER = (0.25, 0.5, 0.75, 1.0, 1.25)
"""From below the expected load until it becomes unacceptable, in shares of the present rate."""


def kind_of(draft: Draft) -> str | None:
    """Which kind the draft is; None: one of the user's own making."""
    return next((kind for kind in KINDS if draft.but(**fields_of(kind, draft)) == draft), None)


def fields_of(kind: str, draft: Draft) -> dict[str, Any]:
    """The fields that make `draft` an experiment of this kind; all others stay."""
    highest = _highest_rate(draft)
    plain: dict[str, Any] = {
        "loop": "open",
        "rates": (highest,),
        "arrivals": "poisson",
        "burstiness": 1.0,
        "repeats": 1,
    }
    if draft.bound == "duration" and draft.duration_s == SOAK_S:
        plain["duration_s"] = Draft().duration_s
    match kind:
        case "ladder":
            steps = draft.rates if _is_ladder(draft.rates) else _steps(highest)
            return {**plain, "rates": steps}
        case "burst":
            return {**plain, "arrivals": "gamma", "burstiness": BURSTINESS}
        case "soak":
            return {**plain, "bound": "duration", "duration_s": SOAK_S}
        case "confirm":
            return {**plain, "repeats": max(CONFIRM_REPEATS, draft.repeats)}
    return plain


def _highest_rate(draft: Draft) -> float:
    numbers = [rate for rate in draft.rates if isinstance(rate, (int, float)) and not isinstance(rate, bool)]
    if _is_ladder(draft.rates) and numbers == list(_steps(numbers[-1] / _LADDER[-1])):
        return float(numbers[-1] / _LADDER[-1])
    return float(max(numbers, default=Draft().rates[0]))


def _is_ladder(rates: tuple[Any, ...]) -> bool:
    return len(rates) > 2


def _steps(rate: float) -> tuple[float, ...]:
    return tuple(round(rate * share, 3) for share in _LADDER)
