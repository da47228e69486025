"""Kinds of experiment, each a set of the draft's fields. No Qt."""

from typing import Any

from ui.experiment.draft import Draft, same, suggested_values
from workbench.controls import CONTROLS, LIVE_CONTROLS, candidate_values

KINDS = ("single", "ladder", "burst", "soak", "repeats", "confirm", "switchback", "search", "reproduce")
"""The first two and `repeats` are `ladder` in the file; the others keep their names."""

SOAK_S = 1800.0
CONFIRM_REPEATS = 3
"""Fewest repeats with a meaningful interval."""
SWITCHBACK_PAIRS = 6
"""Fewest pairs of blocks that can show a difference."""

_LADDER = (0.25, 0.5, 0.75, 1.0, 1.25)
"""Shares of the present rate, from below the expected load to beyond it."""


def kind_of(draft: Draft) -> str | None:
    """Return the draft's kind; None if it is none of `KINDS`."""
    if draft.kind != "ladder":
        return draft.kind
    of_ladder = ("single", "ladder", "repeats")
    return next((kind for kind in of_ladder if draft.with_fields(**fields_of(kind, draft)) == draft), None)


def fields_of(kind: str, draft: Draft) -> dict[str, Any]:
    """Return the fields that make `draft` an experiment of this kind."""
    highest = _highest_rate(draft)
    plain: dict[str, Any] = {
        "kind": "ladder",
        "loop": "open",
        "rates": (highest,),
        "arrivals": "poisson",
        "burstiness": 1.0,
        "repeats": 1,
    }
    if draft.kind in {"soak", "switchback"}:
        plain["duration_s"] = Draft().duration_s
    of_control = {"confirm": _pair_fields, "switchback": _switchback_fields, "search": _search_fields}
    if kind in of_control:
        return plain | of_control[kind](draft)
    match kind:
        case "ladder":
            return plain | _ladder_fields(draft, highest)
        case "burst":
            least = draft.burst_at + draft.burst_s
            longer = draft.duration_s if draft.duration_s > least else 3 * least
            return {**plain, "kind": "burst", "bound": "duration", "duration_s": longer}
        case "soak":
            return {**plain, "kind": "soak", "bound": "duration", "duration_s": SOAK_S}
        case "repeats":
            return {**plain, "repeats": max(CONFIRM_REPEATS, draft.repeats)}
        case "reproduce":
            return {"kind": "reproduce"}
    return plain


def _ladder_fields(draft: Draft, highest: float) -> dict[str, Any]:
    if draft.loop == "ladder":
        return {"loop": "ladder", "rates": draft.rates}
    return {"rates": draft.rates if _is_ladder(draft.rates) else _steps(highest)}


def _pair_fields(draft: Draft) -> dict[str, Any]:
    """Return one value of the control under test, and one of another control."""
    fields: dict[str, Any] = {"kind": "confirm", "values": draft.values[:1]}
    if draft.second and draft.second != draft.control:
        return fields
    others = [name for name in CONTROLS if name != draft.control]
    for name in others:
        values = suggested_values(name, draft.baseline.get(name))
        if values:
            return {**fields, "second": name, "second_value": values[0]}
    return fields


def _switchback_fields(draft: Draft) -> dict[str, Any]:
    """Return two values of a live control, in turn on one server."""
    control = draft.control if draft.control in LIVE_CONTROLS else LIVE_CONTROLS[1]
    ladder = CONTROLS[control].ladder
    held = draft.baseline.get(control, ladder[0] if ladder else None)
    wanted = draft.values if control == draft.control else ()
    values = [value for value in (*wanted, *ladder) if not same(value, held)]
    return {
        "kind": "switchback",
        "control": control,
        "values": tuple(values[:1]),
        "baseline": draft.with_baseline(control, held).baseline,
        "live_limits": True,
        "bound": "duration",
        "duration_s": 2 * SWITCHBACK_PAIRS * draft.block_s,
    }


def _search_fields(draft: Draft) -> dict[str, Any]:
    """Return candidates of the control, unless the draft has more."""
    control = draft.control if draft.control in CONTROLS else Draft().control
    found = tuple(candidate_values(control, draft.baseline))
    own = draft.values if control == draft.control else ()
    return {"kind": "search", "control": control, "values": own if len(own) > len(found) else found or own}


def _highest_rate(draft: Draft) -> float:
    if draft.loop == "ladder":
        return draft.ladder_to
    numbers = [rate for rate in draft.rates if isinstance(rate, (int, float)) and not isinstance(rate, bool)]
    if _is_ladder(draft.rates) and numbers == list(_steps(numbers[-1] / _LADDER[-1])):
        return float(numbers[-1] / _LADDER[-1])
    return float(max(numbers, default=Draft().rates[0]))


def _is_ladder(rates: tuple[Any, ...]) -> bool:
    return len(rates) > 2


def _steps(rate: float) -> tuple[float, ...]:
    return tuple(round(rate * share, 3) for share in _LADDER)
