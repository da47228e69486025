"""Compare every variant of a bench file with the baseline at the same rate, by figure and class."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from workbench.base import Message, message
from workbench.results.bench.entries import ExperimentEntry, RunEntry
from workbench.results.bench.queries import BenchQueries
from workbench.results.figures.request_columns import RequestColumns
from workbench.results.figures.run_frame import RunFrame
from workbench.results.scorecard.scorecard_rows import ScorecardRow, scorecard_rows
from workbench.results.statistics.difference import RESTART_SHARE, Arm, Difference, difference, holm
from workbench.results.statistics.figure_values import FIGURES, RESTART_SHARES, values_of_run
from workbench.results.statistics.objective_checks import shortage
from workbench.results.statistics.verdict import MATTERS, Verdict, VerdictKind, client_resolution_ms, judge

# ITL depends on the step, not on the wait, so it is meaningful past capacity too.
_OF_THE_QUEUE = ("ttft_p95_ms", "e2e_p95_ms", "queue_p95_ms")
_BY_DEFAULT = ("ttft_p95_ms", "itl_p95_ms", "e2e_p95_ms")


@dataclass(frozen=True, slots=True)
class _Row:
    """A scorecard row with the runs whose requests it compares."""

    name: str
    runs: Sequence[RunEntry]
    valid: bool

    @property
    def load(self) -> tuple[float | None, int | None]:
        return self.runs[0].rate, self.runs[0].concurrency

    @property
    def minutes(self) -> float:
        """Wall minutes of one run."""
        return max((run.figures.duration_s or 0.0) / run.time_scale for run in self.runs) / 60

    def moved(self) -> str | None:
        """Return what changed on the server besides the control, in the first such run."""
        changes = (run.facts.get("moved") for run in self.runs)
        return next((str(moved) for moved in changes if moved), None)

    def diverging(self) -> bool:
        return any(run.figures.diverging for run in self.runs)

    def slope(self) -> float:
        drifts = [run.figures.drift for run in self.runs]
        return max((drift.slope or 0.0 for drift in drifts if drift is not None), default=0.0)


@dataclass(frozen=True, slots=True)
class _Pair:
    """One comparison to make."""

    figure: str
    cls: str | None
    baseline: _Row
    variant: _Row
    floor_ms: float = 0.0
    """Differences below this are the load generator's own, by its calibration; 0: it has none."""

    def shortage(self) -> Message | None:
        """Return that a run has too few requests for the figure's p95, without which there is no interval."""
        who = message("results.a_run") if self.cls is None else message("results.a_class", cls=self.cls)
        runs = [run.figures for run in (*self.baseline.runs, *self.variant.runs)]
        figures = runs if self.cls is None else [figures.classes[self.cls] for figures in runs]
        return shortage(figures, self.figure, who)


def compare(bench: BenchQueries, *, matters: float = MATTERS) -> list[Verdict]:
    """Return the verdicts of all variants; empty without a baseline at the same rate. Reads all requests.

    The figures with an objective (else TTFT, ITL and E2E) are compared, overall and per class.
    `matters` is the share of the baseline's figure below which a difference doesn't count.
    """
    runs = {run.id: run for run in bench.runs()}
    rows = [row for row in (_row(card, runs) for card in scorecard_rows(bench)) if row is not None]
    experiments = {entry.id: entry for entry in bench.experiments()}
    pairs = [pair for row in rows for pair in _pairs(row, rows, experiments)]
    read: dict[int, RequestColumns] = {}
    differences = [_difference(bench, pair, read) if _comparable(pair) else None for pair in pairs]
    known = [found for found in differences if found is not None]
    adjusted = iter(holm([found.p_value for found in known]))
    return [
        _judged(pair, found, next(adjusted), matters) if found is not None else _without(pair)
        for pair, found in zip(pairs, differences, strict=True)
    ]


def _row(card: ScorecardRow, runs: Mapping[int, RunEntry]) -> _Row | None:
    """Return a row with its valid repeats that ended as planned; None: no repeat ended as planned."""
    done = [runs[key] for key in card.run_ids if runs[key].status == "done" and runs[key].summary]
    valid = [run for run in done if run.figures.valid]
    return _Row(str(card.cells["run"]), valid or done, valid=bool(valid)) if done else None


def _pairs(row: _Row, rows: Sequence[_Row], experiments: Mapping[int, ExperimentEntry]) -> Iterator[_Pair]:
    first = row.runs[0]
    baseline = next((each for each in rows if each.runs[0].control is None and each.load == row.load), None)
    if first.control is None or baseline is None or first.trace_sha256 != baseline.runs[0].trace_sha256:
        return
    objectives = experiments[first.experiment_id].objectives
    facts = experiments[first.experiment_id].facts
    stated = {name for limits in (objectives, *objectives.classes.values()) for name in limits.stated()}
    for figure in [name for name in FIGURES if name in stated] or _BY_DEFAULT:
        floor_ms = client_resolution_ms(figure, facts, first.time_scale)
        for cls in (None, *_classes(row, baseline)):
            yield _Pair(figure, cls, baseline, row, floor_ms)


def _classes(row: _Row, baseline: _Row) -> list[str]:
    """Return the classes that both have; a single class is the whole."""
    shared = [set(run.figures.classes) for run in (*row.runs, *baseline.runs)]
    names = sorted(set.intersection(*shared))
    return names if len(names) > 1 else []


def _comparable(pair: _Pair) -> bool:
    return pair.baseline.valid and pair.variant.valid and not _diverges(pair) and pair.shortage() is None


def _diverges(pair: _Pair) -> bool:
    return pair.figure in _OF_THE_QUEUE and (pair.baseline.diverging() or pair.variant.diverging())


def _difference(bench: BenchQueries, pair: _Pair, read: dict[int, RequestColumns]) -> Difference | None:
    return difference(
        _arm(bench, pair.baseline, pair, read),
        _arm(bench, pair.variant, pair, read),
        FIGURES[pair.figure],
        restart_share=RESTART_SHARES.get(pair.figure, RESTART_SHARE),
    )


def _arm(bench: BenchQueries, row: _Row, pair: _Pair, read: dict[int, RequestColumns]) -> Arm:
    found = []
    for run in row.runs:
        if run.id not in read:
            read[run.id] = bench.request_columns(run.id)
        frame = run.frame or RunFrame(length_s=0.0, time_scale=run.time_scale)
        found.append(values_of_run(read[run.id], pair.figure, frame, cls=pair.cls))
    return Arm(found, [run.schedule_sha256 or "" for run in row.runs])


def _judged(pair: _Pair, found: Difference, p_adjusted: float, matters: float) -> Verdict:
    word, above, more = judge(found, p_adjusted, run_minutes=pair.variant.minutes, matters=matters)
    below_floor = abs(found.estimate) < pair.floor_ms
    if word in (VerdictKind.BETTER, VerdictKind.WORSE) and below_floor:
        word = VerdictKind.CANT_TELL
    if above is not None:
        above = max(above, pair.floor_ms)
    return Verdict(
        figure=pair.figure,
        cls=pair.cls,
        variant=pair.variant.name,
        rate=pair.variant.load[0],
        word=word,
        difference=found,
        above=above,
        p_adjusted=p_adjusted,
        minutes_more=more,
        note=found.assumed(pair.figure),
        floor=pair.floor_ms if below_floor else None,
        moved=pair.variant.moved(),
    )


def _without(pair: _Pair) -> Verdict:
    """Return a verdict by stability alone: percentiles are missing, or depend on the run's length."""
    # Divergence matters only for figures of the queue.
    here, there = (_diverges(pair) and row.diverging() for row in (pair.variant, pair.baseline))
    word, note = VerdictKind.CANT_TELL, pair.shortage() or message("results.not_in_every_run")
    single = len(pair.variant.runs) == len(pair.baseline.runs) == 1
    if not pair.variant.valid:
        note = message("results.no_valid_variant")
    elif not pair.baseline.valid:
        note = message("results.no_valid_baseline")
    elif here and not there:
        word, note = VerdictKind.WORSE, message("results.only_variant_climbs", slope=pair.variant.slope())
    elif there and not here:
        word, note = VerdictKind.BETTER, message("results.only_baseline_climbs", slope=pair.baseline.slope())
    elif here and there:
        note = message("results.both_diverge")
    if single and word != VerdictKind.CANT_TELL:
        note = message("results.note_from_one_run", note=note)
    return Verdict(
        figure=pair.figure,
        cls=pair.cls,
        variant=pair.variant.name,
        rate=pair.variant.load[0],
        word=word,
        difference=None,
        note=note,
        moved=pair.variant.moved(),
    )


# Arms of comparisons other than a variant with its baseline.


def arm_of(bench: BenchQueries, runs: Sequence[RunEntry], figure: str, *, cls: str | None = None) -> Arm:
    """Return the repeats `runs` with their values of `figure`, a key of `FIGURES`."""
    found = []
    for run in runs:
        frame = run.frame or RunFrame(length_s=0.0, time_scale=run.time_scale)
        found.append(values_of_run(bench.request_columns(run.id), figure, frame, cls=cls))
    return Arm(found, [run.schedule_sha256 or "" for run in runs])


def difference_in(figure: str, before: Arm, after: Arm) -> Difference | None:
    """Compare two arms with the figure's quantile and its assumed effect of a restart."""
    share = RESTART_SHARES.get(figure, RESTART_SHARE)
    return difference(before, after, FIGURES[figure], restart_share=share)
