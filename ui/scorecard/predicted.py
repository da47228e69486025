"""Points of the comparison chart that set measured figures against those predicted before the run."""

from ui.live import LiveState, RunView
from ui.scorecard.chart_lines import Line, group_of, meaning_of
from ui.scorecard.columns import Column
from ui.scorecard.model import one_a_configuration

PREDICTED = "predicted"
"""The prediction of the figure as an axis."""


def predicted_lines(state: LiveState, up: Column) -> list[Line]:
    """Return measured over predicted figures, each with its band; runs without a prediction are left out."""
    found: dict[str, list[tuple[tuple[float, float], tuple[float, float]]]] = {}
    meanings: dict[str, str] = {}
    for run in one_a_configuration(state.runs.values()):
        point = _point(run, up)
        if point is not None:
            name = group_of(run, by_value=False)
            found.setdefault(name, []).append(point)
            meanings[name] = meaning_of(run)
    return [
        Line(
            name,
            meanings[name],
            tuple(point for point, _ in sorted(points)),
            tuple(band for _, band in sorted(points)),
        )
        for name, points in found.items()
    ]


def _point(run: RunView, up: Column) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """Return (predicted, measured) and the band in the shown unit; None without all of them."""
    if not run.row or (up.depends_on_length and run.row.get("diverging") is True):
        return None
    stem, end = (up.key[:-3], "_ms") if up.key.endswith("_ms") else (up.key, "")
    names = (up.key, f"predicted_{up.key}", f"predicted_{stem}_lo{end}", f"predicted_{stem}_hi{end}")
    figures = [up.value({up.key: run.row.get(name)}) for name in names]
    measured, predicted, low, high = figures
    if measured is None or predicted is None:
        return None
    return (predicted, measured), (
        predicted if low is None else low,
        predicted if high is None else high,
    )
