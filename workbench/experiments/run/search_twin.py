"""The twin of a search: the embedded engine with a step model fitted to the runs so far.

It replays the experiment's schedule with each value of the control and computes the same figures as a run's.
The step model comes from the runs' step records, or else from the times of their tokens at the client. Step
times vary, which moves a p95, so the replay draws them with the measured spread.
"""

import asyncio
import contextlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import NormalDist
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from workbench.advice.blame import StepIndex, idle_between_steps_us, measured_steps
from workbench.base import InputError, Refusal
from workbench.controls import Value
from workbench.engine import DEFAULT_PROFILE, SchedulerConfig
from workbench.engine.calibrate import Spans, TimedRequest, fit_requests, fit_spans, step_noise
from workbench.engine.parity import recorded_config
from workbench.engine.replay import PerRequestReplay, jobs_of
from workbench.experiments.findings.step_indexes import open_step_indexes
from workbench.experiments.plan.control_choice import store_choices
from workbench.experiments.plan.plan import Plan, Run
from workbench.experiments.plan.search import (
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
    Objectives,
    Outcome,
    RequestRecord,
    RunEntry,
    columns_from_records,
    limit_shares,
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
_CASES = [NormalDist().inv_cdf((case + 0.5) / 9) for case in range(9)]
"""Equally probable errors of modeled latencies, in standard deviations; the middle one is none."""
_MOST_REQUESTS = 1000
"""Requests of a run to learn from: more only take time."""
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
        self._spans: Spans | None = None
        self._model: StepModel | None = None
        self._overhead_s = 0.0
        self._noise: list[float] = []
        self._config: SchedulerConfig | None = None

    def learn_requests(
        self, records: Iterable[RequestRecord], config: SchedulerConfig, *, time_scale: float = 1.0
    ) -> None:
        """Learn from the requests of a run.

        Args:
            records: as their client saw them.
            config: the server's settings in that run; the first ones stay those that a value changes.
            time_scale: server seconds in a second of the records.

        Raises:
            Refusal: too few requests have stamps.
        """
        sent = [each for each in records if each.sent is not None][:_MOST_REQUESTS]
        timed = sorted((_timed(each, time_scale) for each in sent), key=lambda one: one.due_s)
        fit = fit_requests(timed, config, start=self._model, earlier=self._spans)
        self._learn(fit.spans, config, step_noise(sent))
        self._overhead_s = fit.overhead_s

    def _learn(self, spans: Spans, config: SchedulerConfig, noise: float) -> None:
        self._spans = spans if self._spans is None else self._spans + spans
        self._model = fit_spans(self._spans, self._model or load_profile(DEFAULT_PROFILE).step_model)
        self._noise.append(noise)
        self._config = self._config or config

    def learn_run(self, bench: BenchFile, run: RunEntry) -> None:
        """Learn from a finished run; pass over one that tells nothing of its steps."""
        with contextlib.suppress(InputError):
            self.lesson(bench, run)()

    def lesson(self, bench: BenchFile, run: RunEntry) -> Callable[[], None]:
        """Read a finished run; return what learns from it, which takes seconds for a large one.

        Raises:
            InputError: by the call of what is returned: the run tells nothing of its steps.
        """
        with contextlib.suppress(InputError):
            indexes = open_step_indexes(bench, run)
            if len(indexes) != 1:
                return lambda: None
            # A record that the twin's scheduler can't follow is refused here, and the requests tell instead.
            return partial(self._learn_steps, indexes[0], recorded_config(indexes[0].header, run.name))
        config = stated_config({**(run.effective or {}), **run.config})
        return partial(self.learn_requests, bench.requests(run.id), config, time_scale=run.time_scale)

    def _learn_steps(self, index: StepIndex, config: SchedulerConfig) -> None:
        """Learn from the steps of a server's only engine."""
        contents, us = measured_steps(index)
        spans = Spans(contents, us + idle_between_steps_us(index))
        self._learn(spans, config, _spread(spans))

    def predict(
        self, name: str, values: Iterable[Value], learned: Iterable[Value] = ()
    ) -> dict[Value, list[float]]:
        """Return the prediction of each value; empty if the control isn't modeled or nothing is known.

        Each is the figure in equally probable cases of the latencies' error; the middle one is as modeled.

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
            schedule, error = self._load(trace), self._error()
            for value in values:
                off = min(error + _ERROR_PER_DOUBLING * _doublings(value, known), _MOST_ERROR)
                replay = self._replay(trace, schedule, changed_config(self._config, name, value))
                found[value] = accepted_rps(
                    replay, schedule, self._objectives, [math.exp(off * case) for case in _CASES]
                )
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

    def _error(self) -> float:
        """Return the error of the modeled latencies, as a share."""
        assert self._spans is not None
        assert self._model is not None
        return max(_LEAST_ERROR, float(np.abs(_ratios(self._spans, self._model) - 1).mean()))

    def _replay(self, trace: Trace, schedule: Schedule, config: SchedulerConfig) -> PerRequestReplay:
        """Replay a schedule as the server would run it."""
        assert self._model is not None
        codes, names = trace.classes.codes, trace.classes.names
        rows = [schedule.row_of(number)[0] for number in range(len(schedule))]
        replay = PerRequestReplay(
            jobs_of(trace, schedule, config),
            config,
            self._model,
            classes=[str(names[codes[row]]) for row in rows],
            request_overhead_s=self._overhead_s,
            step_noise=min(self._noise),  # other runs' steps differ in their prompts, too
        )
        replay.run()
        return replay


def _timed(record: RequestRecord, scale: float) -> TimedRequest:
    """Return a request's times; without stamps unless it completed."""
    assert record.sent is not None
    done = record.outcome is Outcome.COMPLETED
    return TimedRequest(
        scale * record.sent,
        record.prompt_tokens or record.input_tokens,
        (record.completion_tokens if done else None) or record.output_tokens,
        scale * record.first_token if done and record.first_token is not None else None,
        scale * record.last_token if done and record.last_token is not None else None,
    )


def _ratios(spans: Spans, model: StepModel) -> NDArray[np.float64]:
    """Return modeled over measured times."""
    coefficients = np.array([model.a, model.b, model.c, model.d, model.e])
    return np.asarray(spans.contents @ coefficients / spans.us)


def _spread(steps: Spans) -> float:
    """Return the standard deviation of the logarithm of single steps' times, apart from pauses."""
    model = fit_spans(steps, load_profile(DEFAULT_PROFILE).step_model)
    off = np.log(np.maximum(_ratios(steps, model), 1e-9))
    return 1.4826 * float(np.median(np.abs(off - np.median(off))))


def accepted_rps(
    replay: PerRequestReplay, schedule: Schedule, objectives: Objectives, factors: Iterable[float]
) -> list[float]:
    """Return the accepted requests a second of a replay, its latencies multiplied by each factor.

    The definition is that of a measured run.
    """
    columns = columns_from_records(replay.records())
    length = schedule.length_s or replay.tally.end
    inside = columns.of_outcome(Outcome.COMPLETED) & (columns.done <= length)
    shares = limit_shares(columns, objectives, scale=1.0)[inside]
    return [float(np.count_nonzero(shares * factor <= 1) / length) for factor in factors]


def _doublings(value: Value, known: Iterable[Value]) -> float:
    """Return the distance of a number to the nearest known one; 0 without one."""
    numbers = [each for each in known if isinstance(each, (int, float)) and each > 0]
    if not numbers or not isinstance(value, (int, float)) or value <= 0:
        return 0.0
    return min(abs(math.log2(value / each)) for each in numbers)


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
        known = next(iter(twin.predict(name, [value]).values()), [0.0])
        now = known[len(known) // 2]
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
        """Controls whose limits cost the baseline most, in a search of one control; the costliest first."""
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
        with contextlib.suppress(InputError):
            await asyncio.to_thread(self._twin.lesson(self._bench, entry))
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
            # A large trace takes seconds, as learning does; the window's commands go on.
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
