"""Lines of the comparison chart."""

from dataclasses import dataclass

from ui.language.number_text import plain
from ui.live import LiveState, RunView
from ui.scorecard.columns import BASELINE, IMPORTED, Column, translated
from ui.scorecard.model import one_a_configuration


@dataclass(frozen=True)
class Line:
    """Points of one configuration over the loads, or of one control over its values."""

    name: str
    meaning: str
    """`baseline`, `under_test`, or `other` for another tool's run."""
    points: tuple[tuple[float, float], ...]
    bands: tuple[tuple[float, float], ...] = ()
    """Lower and upper end across of each point; empty without bands."""

    @property
    def outline(self) -> tuple[tuple[float, float], ...]:
        """The points, and the end of the last one's band."""
        ends = ((self.bands[-1][1], self.points[-1][1]),) if self.bands else ()
        return (*self.points, *ends)


def lines_of(state: LiveState, across: Column | None, up: Column) -> list[Line]:
    """Return the lines to draw; `across` is None for the control's value, with the baseline at its own.

    Runs without both figures are left out, and diverging runs if `up` depends on the run's length.
    """
    groups: dict[str, list[tuple[float, float]]] = {}
    meanings: dict[str, str] = {}
    for run in one_a_configuration(state.runs.values()):
        point = _point(run, across, up)
        if point is None:
            continue
        name = group_of(run, by_value=across is None)
        groups.setdefault(name, []).append(point)
        meanings[name] = meaning_of(run)
    return [Line(name, meanings[name], tuple(sorted(points))) for name, points in groups.items()]


def meaning_of(run: RunView) -> str:
    """Return `baseline`, `under_test` or `other` for another tool's run."""
    if run.status == IMPORTED:
        return "other"
    return "baseline" if run.is_baseline else "under_test"


def _point(run: RunView, across: Column | None, up: Column) -> tuple[float, float] | None:
    if not run.row or (up.depends_on_length and run.row.get("diverging") is True):
        return None
    y = up.value(run.row)
    if across is not None:
        x = across.value(run.row)
    else:
        value = run.value if run.control else None
        x = float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
    return None if x is None or y is None else (x, y)


def group_of(run: RunView, *, by_value: bool) -> str:
    """Return the name of a run's line."""
    if run.control is None:
        return translated(BASELINE)
    if run.status == IMPORTED:
        return str(run.value)
    if by_value:
        return run.control
    return f"{run.control} = {plain(run.value)}"
