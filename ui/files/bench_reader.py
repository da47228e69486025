"""A bench file as the window shows a plan: runs and rows at once, a run's curves when it is shown.

Everything here runs in a thread. No Qt.
"""

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from ui.files.bench_recent import client_curves, fill_classes, rate_curves, recent_curves
from ui.live import (
    COLUMNS,
    CURVE_POINTS,
    ENGINE_COLUMNS,
    LiveState,
    LogLine,
    RunView,
    bursts_of,
    machine_values,
    read_ranking,
    read_verdicts,
)
from ui.live.bottlenecks import LimitStep
from ui.live.series import Floats
from workbench.base import UNREADABLE, parse_utc
from workbench.controls import CONTROLS, values_in_force
from workbench.experiments import RecentScrapes, change_between, conclusions_of, decode_event, summarize
from workbench.experiments.run.live_sample import STALE_S, server_means
from workbench.experiments.spec.read_experiments import BASE
from workbench.results import (
    IMPORTED,
    WATCHED,
    BenchFile,
    ExperimentEntry,
    LimitChange,
    RequestColumns,
    RunEntry,
    Sample,
    Scrapes,
    choose,
    imbalance_of_scrapes,
    over_engines,
    scorecard_rows,
    stored_reasons,
)

WINDOW_S = 5.0
"""Wall seconds of first tokens behind a live percentile, as in the conductor's events."""

_LOG_LINES = 5000


def read_bench(path: Path) -> LiveState:
    """Read all runs of a bench file with their scorecard rows, without curves.

    Raises:
        WorkbenchError: not a bench file, damaged, of a newer version, or locked.
    """
    state = LiveState(phase="opened", bench=str(path), name=path.stem, read_only=True)
    with BenchFile.open(path) as bench:
        experiments = {entry.id: entry for entry in bench.experiments()}
        _add_runs(state, bench, experiments)
        concluded = conclusions_of(bench)
        state.report = [*summarize(bench, concluded)]
        state.verdicts = read_verdicts([verdict.to_json() for verdict in concluded.verdicts])
        state.ranking = read_ranking(choose(bench).to_json())
        state.base = bench.meta().get(BASE) or ""
        lines = bench.log()
    state.name = " + ".join(sorted({entry.name for entry in experiments.values()})) or path.stem
    if experiments:
        state.objectives = next(iter(experiments.values())).objectives.to_json()
    # Another tool's runs have no curves, so one is shown first only if there is no other.
    shown = sorted((run for run in state.runs.values() if run.row), key=lambda run: run.status != IMPORTED)
    state.current = shown[-1].name if shown else None
    state.experiments = [entry.toml for entry in experiments.values() if entry.toml]
    state.unfinished = any(entry.status != "done" and entry.toml for entry in experiments.values())
    state.bursts = bursts_of(state.experiments)
    apply_events(state, [line.text for line in lines if line.kind == "event"])
    began = min([_seconds(entry.started_utc) for entry in experiments.values()], default=math.nan)
    said = [line for line in lines if line.kind != "event"][-_LOG_LINES:]
    state.log.extend(
        LogLine(_seconds(line.utc) - began, line.kind, _level(line.kind), line.text) for line in said
    )
    return state


def _add_runs(state: LiveState, bench: BenchFile, experiments: Mapping[int, ExperimentEntry]) -> None:
    """Add the file's runs with their rows, and what they share: profile, trace, server."""
    rows = {run_id: row.cells for row in scorecard_rows(bench) for run_id in row.run_ids}
    for entry in bench.counted_runs().values():
        state.runs[entry.name] = _view(entry, experiments[entry.experiment_id].name, rows.get(entry.id, {}))
        state.simulated = state.simulated or bool(entry.simulated)
        state.profile = state.profile or entry.profile
        state.trace_sha256 = state.trace_sha256 or entry.trace_sha256 or ""
        state.attached = entry.status != IMPORTED and entry.command is None
    first = next(iter(rows.values()), {})
    state.trace = str(first.get("trace_name") or "")
    state.target = state.profile or str(first.get("model") or "")


def _seconds(utc: str) -> float:
    """Return an ISO stamp as seconds since 1970; NaN if it is not one."""
    try:
        return parse_utc(utc).timestamp()
    except ValueError:
        return math.nan


def apply_events(state: LiveState, texts: Sequence[str]) -> None:
    """Apply events as they were stored, such as a run's diagnosis."""
    for text in texts:
        # An unreadable event may be of another version; it is not shown.
        with suppress(*UNREADABLE):
            state.apply(decode_event(text))


def _level(kind: str) -> str:
    return "warning" if kind == "warning" else "info"


def _view(entry: RunEntry, experiment: str, row: dict[str, object]) -> RunView:
    return RunView(
        name=entry.name,
        experiment=experiment,
        control=entry.control,
        value=entry.value,
        rate=entry.rate,
        concurrency=entry.concurrency,
        repeat=entry.repeat,
        limits=_limits(entry),
        simulated=bool(entry.simulated),
        duration_s=entry.frame.length_s if entry.frame else None,
        watched=entry.status == WATCHED,
        status=entry.status if entry.status != "running" else "partial",
        row={**row, "reason_messages": stored_reasons(entry.summary)} if entry.summary is not None else {},
    )


def _limits(entry: RunEntry) -> dict[str, object]:
    """Return the controls in force, without the server's facts (version, pool)."""
    told = {name: value for name, value in (entry.effective or {}).items() if name in CONTROLS}
    return values_in_force(entry.config, told, started_by_us=entry.command is not None)


def fill_series(path: Path, runs: Sequence[RunView]) -> None:
    """Read the curves of some runs into them.

    Raises:
        WorkbenchError: the file can't be read.
    """
    with BenchFile.open(path) as bench:
        entries = bench.counted_runs()
        for run in runs:
            entry = entries.get(run.name)
            if entry is not None and not len(run.series):
                for look in bench.machine_samples(entry.id):
                    run.machine.append_values(look.t * entry.time_scale, machine_values(look, look.gpus))
                run.moments = _moments(bench.limit_changes(entry.id), entry.time_scale)
                _fill(run, bench.samples(entry.id), bench.request_columns(entry.id), entry.time_scale)


def _moments(changes: Sequence[LimitChange], scale: float) -> list[LimitStep]:
    """Return the limits that changed during the run, as in the conductor's events."""
    return [
        LimitStep(change.t * scale, change.name, change.old, change.new)
        for change in changes
        if change.t is not None
        and change.new is not None
        and change.refusal is None
        and change.old != change.new
    ]


def _fill(run: RunView, samples: list[Sample], requests: RequestColumns, scale: float) -> None:
    by_time: dict[float, list[Sample]] = {}
    for sample in samples:
        by_time.setdefault(sample.t, []).append(sample)
    times = np.array([t for t in sorted(by_time) if t >= 0]) if by_time else _moments_of(requests)
    p50, p95 = _recent_ttft(requests, times, scale)
    oldest = _oldest_waiting(requests, times) * scale
    curves = recent_curves(requests, times, scale, WINDOW_S) | rate_curves(requests, times, scale, WINDOW_S)
    curves |= client_curves(requests, times)
    if samples:
        curves |= _imbalance(Scrapes(samples), len(times))
    first: dict[str, Sample] = {sample.engine: sample for sample in reversed(samples)}
    before: dict[str, Sample] = first
    engines = tuple(dict.fromkeys(sample.engine for sample in samples)) if len(first) > 1 else ()
    scrapes = RecentScrapes()
    scrapes.add(first)
    window = RecentScrapes(WINDOW_S)
    window.add(first)
    for place, t in enumerate(times):
        now = {sample.engine: sample for sample in by_time.get(float(t), ())}
        if place and t - times[place - 1] > STALE_S:
            # As in the live picture, no rate spans a gap.
            scrapes, before, window = RecentScrapes(), now, RecentScrapes(WINDOW_S)
        scrapes.add(now)
        window.add(now)
        values: dict[str, float | None] = {
            "running": over_engines(now.values(), "running"),
            "waiting": over_engines(now.values(), "waiting"),
            "kv_usage": over_engines(now.values(), "kv_usage"),
            "preemptions": change_between(first, now, "preemptions"),
            "input_tok_s": scrapes.rate("prompt_tokens", scale),
            "output_tok_s": scrapes.rate("generation_tokens", scale),
            "queue_ms": _mean_queue_ms(before, now),
            **(server_means(window) if run.watched else {}),
            "ttft_p50_ms": _known(p50[place]),
            "ttft_p95_ms": _known(p95[place]),
            "oldest_waiting_s": _known(oldest[place]),
            **{name: _known(curve[place]) for name, curve in curves.items() if not np.isnan(curve[place])},
        }
        run.series.append_values(float(t) * scale, [values.get(name) for name in COLUMNS])
        for engine in engines:
            _append_engine(run, engine, float(t) * scale, now.get(engine))
        before = now
    fill_classes(run, requests, times, scale, WINDOW_S)


def _append_engine(run: RunView, engine: str, run_t: float, sample: Sample | None) -> None:
    run.append_engine(
        engine, run_t, [None if sample is None else getattr(sample, name) for name in ENGINE_COLUMNS]
    )


def _imbalance(scrapes: Scrapes, shown: int) -> dict[str, Floats]:
    """Return the imbalance of the last `shown` scrapes by column; empty with one engine."""
    found = imbalance_of_scrapes(scrapes)
    if found is None:
        return {}
    begin = len(scrapes.times) - shown
    return {
        "waiting_imbalance": found.waiting.ratios()[begin:],
        "request_imbalance": found.requests.ratios()[begin:],
        "kv_imbalance": found.kv.ratios()[begin:],
    }


def _moments_of(requests: RequestColumns) -> Floats:
    """Return times for the curves of requests if no server was sampled."""
    done = requests.done[~np.isnan(requests.done)]
    return np.linspace(0.0, float(done.max()), CURVE_POINTS) if len(done) else np.empty(0)


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _mean_queue_ms(before: dict[str, Sample], now: dict[str, Sample]) -> float | None:
    total, count = change_between(before, now, "queue_sum_s"), change_between(before, now, "queue_count")
    return total / count * 1000 if total is not None and count else None


def _recent_ttft(requests: RequestColumns, times: Floats, scale: float) -> tuple[Floats, Floats]:
    """Return p50 and p95 of TTFT over the last seconds before each time; NaN without a first token."""
    order = np.argsort(requests.first_token)
    stamps = requests.first_token[order]
    known = int(np.searchsorted(stamps, np.inf))
    stamps = stamps[:known]
    ttft = (requests.first_token - requests.due)[order][:known] * scale * 1000
    starts = np.searchsorted(stamps, times - WINDOW_S, side="right")
    ends = np.searchsorted(stamps, times, side="right")
    figures = np.full((2, len(times)), np.nan)
    for place, (start, end) in enumerate(zip(starts, ends, strict=True)):
        if end > start:
            figures[:, place] = np.percentile(ttft[start:end], [50, 95])
    return figures[0], figures[1]


def _oldest_waiting(requests: RequestColumns, times: Floats) -> Floats:
    """Return the age since due of the oldest request without a first token over time; NaN if none waits."""
    order = np.argsort(requests.due)
    due = requests.due[order]
    answered = np.fmin(requests.first_token, requests.done)[order]
    answered = np.where(np.isnan(answered), np.inf, answered)
    ages = np.full(len(times), np.nan)
    at = 0
    for place, t in enumerate(times):
        while at < len(due) and answered[at] <= t:
            at += 1
        if at < len(due) and due[at] <= t:
            ages[place] = t - due[at]
    return ages
