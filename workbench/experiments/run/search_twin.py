"""The twin of a search: the embedded engine with a step model fitted to the runs so far.

It replays the experiment's schedule with each value of the control and computes the same figures as a run's.
The step model comes from the runs' step records, or else from the times of their tokens at the client.
"""

import asyncio
import contextlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from workbench.advice.blame import StepIndex, idle_between_steps_us, measured_steps
from workbench.base import InputError, Refusal
from workbench.controls import Value
from workbench.engine import DEFAULT_PROFILE, SchedulerConfig
from workbench.engine.calibrate import Row, mixed_rows, robust_nnls
from workbench.engine.parity import recorded_config
from workbench.engine.replay import PerRequestReplay, jobs_of
from workbench.experiments.findings.step_indexes import open_step_indexes
from workbench.experiments.plan.control_choice import store_choices
from workbench.experiments.plan.plan import Plan, Run
from workbench.experiments.plan.search import (
    OBJECTIVE,
    Predicted,
    settings_of,
    store_expected,
    store_predictions,
    stored_predictions,
)
from workbench.experiments.plan.workload import make_schedule
from workbench.experiments.run.blamed_control import advised_controls
from workbench.experiments.spec.experiment import Experiment
from workbench.profiles import StepModel, load_profile
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
_LEAST_ERROR, _ERROR_PER_DOUBLING, _MOST_ERROR = 0.03, 0.08, 0.3
"""Error of modeled latencies, as a share: the least, its growth away from measured values, the largest."""
_FEWEST_ROWS = 5
_PRIOR_WEIGHT = 0.07
"""Error of a row over the error of the usual proportions: 5 % and 70 %."""
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

    def predict(
        self, name: str, values: Iterable[Value], learned: Iterable[Value] = ()
    ) -> dict[Value, list[float]]:
        """Return the prediction of each value; empty if the control isn't modeled or nothing is known.

        Each is the figure with a server that is slower by the model's error, as modeled, and faster by it.

        Args:
            name: the control.
            values: its values.
            learned: values of the runs so far; the error grows with the distance from them.
        """
        if self._config is None or (name not in MODELED and name != CLIENT_CAP):
            return {}
        known, found = list(learned), {}
        try:
            trace, _ = fit_to_model(self._trace, self._config.max_model_len, how="drop")
            schedule, (model, error) = self._load(trace), self.step_model()
            for value in values:
                off = min(error + _ERROR_PER_DOUBLING * _doublings(value, known), _MOST_ERROR)
                cases = [_scaled(self._objectives, factor) for factor in (1 - off, 1.0, 1 + off)]
                config = changed_config(self._config, name, value)
                found[value] = accepted_rps(trace, schedule, cases, config, model)
        except InputError:
            return {}
        return found

    def adopt(self, name: str, value: Value) -> None:
        """Change a setting of the server whose values are predicted.

        Raises:
            Refusal: the scheduler can't have it.
        """
        if self._config is not None and (name in MODELED or name == CLIENT_CAP):
            self._config = changed_config(self._config, name, value)

    def step_model(self) -> tuple[StepModel, float]:
        """Return the model fitted to all steps so far, and its error as a share.

        Raises:
            Refusal: there are too few.
        """
        model, error = fit_with_prior(self._rows)
        error = max(error, _LEAST_ERROR)
        gap = sum(self._gaps_us) / len(self._gaps_us) if self._gaps_us else 0.0
        return msgspec.structs.replace(model, a=model.a + gap), error


def fit_with_prior(rows: Sequence[Row]) -> tuple[StepModel, float]:
    """Fit a step model that keeps the usual proportions where the rows don't tell them apart.

    A saturated server's steps all have the same number of requests, so that any split of their time into a
    fixed part and a part for each request fits. The usual split then says what happens with more requests.

    Returns:
        The model, and its mean absolute relative residual.

    Raises:
        Refusal: there are too few rows.
    """
    usual = load_profile(DEFAULT_PROFILE).step_model
    shape = np.array([usual.a, usual.b, usual.c, usual.d, usual.e])
    used = [row for row in rows if row.us > 0]
    if len(used) < _FEWEST_ROWS:
        raise Refusal("engine.too_few_steps", steps=len(used), least=_FEWEST_ROWS)
    table = np.array([(row.steps, row.P, row.D, row.K, row.Q) for row in used], dtype=np.float64)
    us = np.array([row.us for row in used])
    scale = float(np.median(us / np.maximum(table @ shape, 1e-3)))
    prior = np.diag(_PRIOR_WEIGHT / (shape * scale))
    solved = robust_nnls(
        np.vstack([table / us[:, None], prior]), np.concatenate([np.ones(len(us)), np.full(5, _PRIOR_WEIGHT)])
    )
    residual = np.abs(table @ np.array(solved) / us - 1)
    return StepModel(*solved), float(residual.mean())


def accepted_rps(
    trace: Trace, schedule: Schedule, cases: Iterable[Objectives], config: SchedulerConfig, model: StepModel
) -> list[float]:
    """Return the accepted requests a second of a replay, for each of the objectives.

    The definition is that of a measured run.
    """
    codes, names = trace.classes.codes, trace.classes.names
    rows = [schedule.row_of(number)[0] for number in range(len(schedule))]
    replay = PerRequestReplay(
        jobs_of(trace, schedule, config), config, model, classes=[str(names[codes[row]]) for row in rows]
    )
    replay.run()
    frame = RunFrame(length_s=schedule.length_s or replay.tally.end)
    columns = columns_from_records(replay.records())
    summaries = (summarize_run(columns, frame, objectives=each, per_class=False) for each in cases)
    return [float(getattr(summary, OBJECTIVE) or 0.0) for summary in summaries]


def _doublings(value: Value, known: Iterable[Value]) -> float:
    """Return the distance of a number to the nearest known one; 0 without one."""
    numbers = [each for each in known if isinstance(each, (int, float)) and each > 0]
    if not numbers or not isinstance(value, (int, float)) or value <= 0:
        return 0.0
    return min(abs(math.log2(value / each)) for each in numbers)


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


def twin_of(experiment: Experiment, trace: Trace, rate: float | None) -> SearchTwin:
    """Return the twin of an experiment in an open loop, which knows nothing yet."""
    return SearchTwin(
        trace,
        lambda fitted: make_schedule(fitted, experiment.trace, experiment.load, rate, None),
        experiment.objectives,
    )


def expected_after(
    experiments: Sequence[Experiment], bench: Path, trace: Trace, name: str, value: Value
) -> float | None:
    """Return the largest relative gain that the twin expects of the experiments' controls.

    Args:
        experiments: share their load.
        bench: holds the runs to learn from.
        trace: the experiments' requests.
        name: a control that gets a new value first.
        value: that value.

    Returns:
        The gain of the best value over the configuration as it is then; None: the twin knows nothing.
    """
    first = experiments[0]
    rates = first.load.offered_rates()
    twin = twin_of(first, trace, rates[0] if rates else None)
    with BenchFile.open(bench) as file:
        for run in file.counted_runs().values():
            if run.status == "done":
                twin.learn_run(file, run)
    with contextlib.suppress(InputError):
        twin.adopt(name, value)
        now = next(iter(twin.predict(name, [value]).values()), [0.0, 0.0, 0.0])[1]
        gains = [
            sum(max(0.0, case / now - 1) for case in cases) / len(cases)
            for each in experiments
            for cases in twin.predict(
                each.tested.name, each.tested.values, [each.baseline.get(each.tested.name, 0)]
            ).values()
            if now > 0
        ]
        return max(gains, default=None)
    return None


class SearchTwins:
    """The twin of a plan of kind `search`, fed with its runs; for other plans it predicts nothing."""

    def __init__(self, plan: Plan, trace: Trace, bench: BenchFile) -> None:
        self._plan = plan
        self._bench = bench
        self._learned: list[dict[str, Value]] = []
        self.advised: list[str] = []
        """Of a search of one control: those whose limits cost the baseline most, the costliest first."""
        first, rate = plan.experiments[0], plan.runs[0].rate
        self._twin: SearchTwin | None = None
        if first.kind == "search" and plan.runs[0].concurrency is None:
            self._twin = twin_of(first, trace, rate)

    async def after(self, run: Run) -> dict[str, Predicted]:
        """Learn from the finished run; return and store the predictions by control and value.

        After the baseline of a search of one control, `advised` names the controls to search.
        """
        entry = self._bench.counted_runs().get(run.name)
        if self._twin is None or entry is None or entry.status != "done":
            return stored_predictions(self._bench)
        self._twin.learn_run(self._bench, entry)
        # Not all of the file's runs: a resumed plan decides as it did before.
        self._learned.append(entry.config)
        if run.configuration.control is None:
            await self._ask_for_control(entry)
        found: dict[str, Predicted] = {}
        for experiment in self._plan.experiments:
            held = experiment.configuration(None).get(experiment.tested.name)
            values = [*experiment.tested.values, *([] if held is None else [held])]
            name = experiment.tested.name
            learned = [each[name] for each in self._learned if name in each]
            # A large trace takes seconds; the window's commands go on.
            predict = partial(self._twin.predict, name, values, learned)
            found[name] = await asyncio.to_thread(predict)
            store_expected(self._bench, name, found[name], learned)
        store_predictions(self._bench, found)
        return found

    async def _ask_for_control(self, baseline: RunEntry) -> None:
        """Find the controls whose limits cost the baseline most, and store why."""
        experiments = self._plan.experiments
        if not settings_of(experiments[0]).one_control:
            return
        allowed = [each.tested.name for each in experiments]
        # A file's connection belongs to its thread.
        choices = await asyncio.to_thread(advised_controls, self._bench.path, baseline.name, allowed)
        store_choices(self._bench, choices)
        self.advised = [each.control for each in choices]
