"""The twin of a search: the embedded engine with a step model fitted to the runs so far.

It replays the experiment's schedule with each value of the control and computes the same figures as a run's.
The step model comes from the runs' step records, or else from the times of their tokens at the client.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import msgspec

from workbench.advice.blame import StepIndex, idle_between_steps_us, measured_steps
from workbench.base import InputError, Refusal
from workbench.controls import Value
from workbench.engine import SchedulerConfig
from workbench.engine.calibrate import Row, fit_rows, mixed_rows
from workbench.engine.parity import recorded_config
from workbench.engine.replay import RecordedReplay, jobs_of
from workbench.experiments.findings.step_indexes import open_step_indexes
from workbench.experiments.plan.plan import Plan, Run
from workbench.experiments.plan.search import OBJECTIVE, Predicted, store_predictions, stored_predictions
from workbench.experiments.plan.workload import make_schedule
from workbench.profiles import StepModel
from workbench.results import (
    BenchFile,
    Limits,
    Objectives,
    RunEntry,
    RunFrame,
    columns_from_records,
    summarize_run,
)
from workbench.traces import Schedule, Trace, fit_to_model

CLIENT_CAP = "max_in_flight"
"""The control that keeps requests at the caller: for a queue in order of arrival, a limit on sequences."""
MODELED = {
    "max_num_seqs": "max_num_seqs",
    "max_num_active_seqs": "max_num_active_seqs",
    "max_num_batched_tokens": "max_num_batched_tokens",
    "long_prefill_token_threshold": "long_prefill_token_threshold",
    "enable_chunked_prefill": "enable_chunked_prefill",
    "enable_prefix_caching": "enable_prefix_caching",
    "num_gpu_blocks_override": "num_gpu_blocks",
    "scheduling_policy": "policy",
}
"""Controls that the twin models, and the scheduler's settings of the same meaning."""
_LEAST_ERROR, _MOST_ERROR = 0.03, 0.15
"""Bounds of the error of modeled latencies."""
_UNKNOWN_BLOCKS, _UNKNOWN_SLOTS, _UNKNOWN_LENGTH = 1 << 20, 1024, 1 << 17
"""Settings of a server that doesn't report them: large enough to hold nothing back."""


class SearchTwin:
    """Predicts accepted requests a second by value of a control, from the runs that it learned from.

    Args:
        trace: the requests; those that the server can't hold are cut or dropped as in a run.
        load: makes the schedule of a trace.
        objectives: decide which requests are accepted.
    """

    def __init__(self, trace: Trace, load: Callable[[Trace], Schedule], objectives: Objectives) -> None:
        self._trace = trace
        self._load = load
        self._objectives = objectives
        self._rows: list[Row] = []
        self._gaps_us: list[float] = []
        self._config: SchedulerConfig | None = None

    def learn(self, rows: Iterable[Row], config: SchedulerConfig, gap_us: float | None = None) -> None:
        """Learn from steps or sums of steps.

        Args:
            rows: measured in a run.
            config: the server's settings; the first ones stay those that a value changes.
            gap_us: time between two steps, if the rows lack it.
        """
        self._rows += rows
        self._config = self._config or config
        if gap_us is not None:
            self._gaps_us.append(gap_us)

    def learn_run(self, bench: BenchFile, run: RunEntry) -> None:
        """Learn from a finished run; pass over one that tells nothing of its steps."""
        with contextlib.suppress(InputError):
            indexes = open_step_indexes(bench, run)
            if len(indexes) == 1:
                self._learn_steps(indexes[0], run.name)
            return
        with contextlib.suppress(InputError):
            records = [each for each in bench.requests(run.id) if each.first_token is not None]
            config = stated_config({**(run.effective or {}), **run.config})
            self.learn(mixed_rows(records, time_scale=run.time_scale), config)

    def _learn_steps(self, index: StepIndex, where: str) -> None:
        columns, us = measured_steps(index)
        rows = [Row(time, *content) for time, content in zip(us.tolist(), columns.tolist(), strict=True)]
        self.learn(rows, recorded_config(index.header, where), idle_between_steps_us(index))

    def predict(self, name: str, values: Iterable[Value]) -> dict[Value, list[float]]:
        """Return the prediction of each value; empty if the control isn't modeled or nothing is known.

        Each is the figure with a server that is slower by the model's error, as modeled, and faster by it.
        """
        if self._config is None or (name not in MODELED and name != CLIENT_CAP):
            return {}
        try:
            trace, _ = fit_to_model(self._trace, self._config.max_model_len, how="drop")
            schedule, (model, error) = self._load(trace), self.step_model()
            cases = [_scaled(self._objectives, factor) for factor in (1 - error, 1.0, 1 + error)]
            return {
                value: accepted_rps(trace, schedule, cases, changed_config(self._config, name, value), model)
                for value in values
            }
        except InputError:
            return {}

    def step_model(self) -> tuple[StepModel, float]:
        """Return the model fitted to all steps so far, and its error as a share.

        Raises:
            Refusal: there are too few.
        """
        fit = fit_rows(self._rows)
        error = min(max(fit.error_pct / 100, _LEAST_ERROR), _MOST_ERROR)
        gap = sum(self._gaps_us) / len(self._gaps_us) if self._gaps_us else 0.0
        return msgspec.structs.replace(fit.model, a=fit.model.a + gap), error


def accepted_rps(
    trace: Trace, schedule: Schedule, cases: Iterable[Objectives], config: SchedulerConfig, model: StepModel
) -> list[float]:
    """Return the accepted requests a second of a replay, for each of the objectives.

    The definition is that of a measured run.
    """
    codes, names = trace.classes.codes, trace.classes.names
    rows = [schedule.row_of(number)[0] for number in range(len(schedule))]
    replay = RecordedReplay(
        jobs_of(trace, schedule, config), config, model, classes=[str(names[codes[row]]) for row in rows]
    )
    replay.run()
    frame = RunFrame(length_s=schedule.length_s or replay.tally.end)
    columns = columns_from_records(replay.records())
    summaries = (summarize_run(columns, frame, objectives=each, per_class=False) for each in cases)
    return [float(getattr(summary, OBJECTIVE) or 0.0) for summary in summaries]


def _scaled(objectives: Objectives, factor: float) -> Objectives:
    """Return the objectives with their latencies multiplied."""

    def scaled(limits: Limits) -> dict[str, float]:
        return {
            name: value * factor if name.endswith("_ms") else value for name, value in limits.stated().items()
        }

    classes = {name: msgspec.structs.replace(own, **scaled(own)) for name, own in objectives.classes.items()}
    return msgspec.structs.replace(objectives, classes=classes, **scaled(objectives))


def changed_config(config: SchedulerConfig, name: str, value: Value) -> SchedulerConfig:
    """Return the settings with one control changed.

    Raises:
        Refusal: the scheduler can't have it.
    """
    if name == CLIENT_CAP:
        slots = config.max_num_active_seqs or config.max_num_seqs
        name, value = "max_num_active_seqs", min(int(value), slots)
    changes: dict[str, Value | None] = {MODELED[name]: value}
    if name == "max_num_seqs":
        changes["max_num_active_seqs"] = None
    try:
        return msgspec.convert({**msgspec.structs.asdict(config), **changes}, SchedulerConfig).validate()
    except msgspec.ValidationError as error:
        raise Refusal("engine.impossible_change", value=str(value)) from error


def stated_config(known: Mapping[str, Any]) -> SchedulerConfig:
    """Return the settings of a server without a step record, as far as it states them."""

    def number(name: str, otherwise: int) -> int:
        value = known.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else otherwise

    slots = number("max_num_seqs", _UNKNOWN_SLOTS)
    return SchedulerConfig(
        num_gpu_blocks=number("num_gpu_blocks", _UNKNOWN_BLOCKS),
        block_size=number("block_size", 16),
        max_model_len=number("max_model_len", _UNKNOWN_LENGTH),
        max_num_seqs=slots,
        max_num_active_seqs=number("max_num_active_seqs", slots) if "max_num_active_seqs" in known else None,
        max_num_batched_tokens=max(number("max_num_batched_tokens", 8192), number("max_num_seqs", 1)),
        long_prefill_token_threshold=number("long_prefill_token_threshold", 0),
        enable_chunked_prefill=known.get("enable_chunked_prefill") is not False,
        enable_prefix_caching=known.get("enable_prefix_caching") is not False,
        scheduler_reserve_full_isl=known.get("scheduler_reserve_full_isl") is True,
        policy="priority" if known.get("scheduling_policy") == "priority" else "fcfs",
        async_scheduling=known.get("async_scheduling") is not False,
    )


class SearchTwins:
    """The twin of a plan of kind `search`, fed with its runs; for other plans it predicts nothing."""

    def __init__(self, plan: Plan, trace: Trace, bench: BenchFile) -> None:
        self._plan = plan
        self._bench = bench
        first, rate = plan.experiments[0], plan.runs[0].rate
        self._twin: SearchTwin | None = None
        if first.kind == "search" and plan.runs[0].concurrency is None:
            self._twin = SearchTwin(
                trace,
                lambda fitted: make_schedule(fitted, first.trace, first.load, rate, None),
                first.objectives,
            )

    async def after(self, run: Run) -> dict[str, Predicted]:
        """Learn from the finished run; return and store the predictions by control and value."""
        entry = self._bench.counted_runs().get(run.name)
        if self._twin is None or entry is None or entry.status != "done":
            return stored_predictions(self._bench)
        self._twin.learn_run(self._bench, entry)
        found: dict[str, Predicted] = {}
        for experiment in self._plan.experiments:
            held = experiment.configuration(None).get(experiment.tested.name)
            values = [*experiment.tested.values, *([] if held is None else [held])]
            # A large trace takes seconds; the window's commands go on.
            predict = partial(self._twin.predict, experiment.tested.name, values)
            found[experiment.tested.name] = await asyncio.to_thread(predict)
        store_predictions(self._bench, found)
        return found
