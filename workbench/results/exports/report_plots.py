"""The report's plots: latencies by configuration, goodput over offered rate, each run over time."""

from collections.abc import Sequence

from workbench.results.bench.entries import ExperimentEntry, RunEntry
from workbench.results.bench.queries import BenchQueries
from workbench.results.exports.html_elements import element, raw
from workbench.results.exports.svg import Line, bar_plot, line_plot
from workbench.results.run_records import Sample
from workbench.results.scorecard.scorecard_rows import ScorecardRow


def plots(
    bench: BenchQueries,
    rows: Sequence[ScorecardRow],
    experiments: Sequence[ExperimentEntry],
    runs: Sequence[RunEntry],
) -> str:
    """Return all plots as HTML; unmeasured series give none."""
    limits = [
        entry.objectives.ttft_p95_ms for entry in experiments if entry.objectives.ttft_p95_ms is not None
    ]
    found = [
        *_by_configuration(rows, min(limits) if limits else None),
        *_by_rate(rows),
        *(plot for run in runs if run.summary for plot in _over_time(bench, run)),
    ]
    return element("h2", "Plots") + raw("div", "".join(plot for plot in found if plot), "plots")


def _by_configuration(rows: Sequence[ScorecardRow], limit: float | None) -> list[str]:
    def bars(column: str) -> list[tuple[str, float | None]]:
        return [(str(row.cells["run"]), row.cells[column]) for row in rows]

    bad = {str(row.cells["run"]) for row in rows if row.cells["valid"] is False}
    return [
        bar_plot("p95 TTFT", "ms", bars("ttft_p95_ms"), limit=limit, invalid=bad),
        bar_plot("Accepted responses", "a second", bars("accepted_rps"), invalid=bad),
        bar_plot("p95 inter-token latency", "ms", bars("itl_p95_ms"), invalid=bad),
    ]


def _by_rate(rows: Sequence[ScorecardRow]) -> list[str]:
    """Return a plot with a line for each configuration that ran at several rates."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        offered, good = row.cells["offered_rps"], row.cells["accepted_rps"]
        if offered is not None and good is not None:
            name = (
                "baseline" if row.cells["control"] is None else f"{row.cells['control']} {row.cells['value']}"
            )
            # Invalid rows are no points of a configuration's own line.
            mark = " (invalid)" if row.cells["valid"] is False else ""
            lines.setdefault(f"{name}{mark}", []).append((offered, good))
    if all(len(points) < 2 for points in lines.values()):
        return []
    drawn = [
        Line(name, [x for x, _ in sorted(points)], [y for _, y in sorted(points)])
        for name, points in lines.items()
    ]
    return [line_plot("Goodput over offered rate", "offered req/s", "accepted req/s", drawn)]


def _over_time(bench: BenchQueries, run: RunEntry) -> list[str]:
    samples = bench.samples(run.id)
    title = run.name if run.figures.valid is not False else f"{run.name} (invalid)"
    return [
        line_plot(
            f"{title}: requests on the server",
            "seconds of the run",
            "requests",
            [_summed(samples, "running", run.time_scale), _summed(samples, "waiting", run.time_scale)],
        ),
        line_plot(
            f"{title}: KV-cache usage",
            "seconds of the run",
            "share",
            _engines(samples, run.time_scale),
        ),
    ]


def _summed(samples: Sequence[Sample], gauge: str, scale: float) -> Line:
    sums: dict[float, float] = {}
    for sample in samples:
        value = getattr(sample, gauge)
        if value is not None and sample.t >= 0:
            sums[sample.t * scale] = sums.get(sample.t * scale, 0.0) + value
    return Line(gauge, list(sums), list(sums.values()))


def _engines(samples: Sequence[Sample], scale: float) -> list[Line]:
    found = []
    for name in sorted({sample.engine for sample in samples}):
        mine = [sample for sample in samples if sample.engine == name and sample.t >= 0]
        points = [(sample.t * scale, sample.kv_usage) for sample in mine if sample.kv_usage is not None]
        if points:
            found.append(Line(f"engine {name}", [x for x, _ in points], [y for _, y in points]))
    return found
