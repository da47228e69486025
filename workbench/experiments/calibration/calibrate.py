"""A calibration from start to end: settings, warm-up, loads, fit, hold-out, profile."""

import math
from collections.abc import Callable
from pathlib import Path

import msgspec

from workbench.base import Message, Place, Record, Refusal, message
from workbench.engine import (
    Fit,
    PredictedRun,
    Replay,
    Row,
    SchedulerConfig,
    Seen,
    decode_rows,
    fit_steps,
    fit_under_load,
    jobs_of,
    predict,
    prompt_rows,
)
from workbench.experiments.calibration import load_shapes
from workbench.experiments.calibration.calibrated_profile import (
    CalibrationBasis,
    calibration_basis,
    make_profile,
)
from workbench.experiments.calibration.load_runner import LoadRunner
from workbench.experiments.calibration.step_log import StepLog
from workbench.load import Target
from workbench.profiles import Profile, StepModel, check_profile_name
from workbench.results import Outcome, RequestRecord
from workbench.servers import EffectiveConfig, TargetSpec, make_server
from workbench.traces import Trace, TraceRow, closed_loop, open_loop

Report = Callable[[Message], None]

# Shares of the requested time; the rest is for starting and ending the loads.
_WARM_UP, _PROMPTS, _CELLS, _CAPACITY, _MIXED, _HOLD_OUT = 0.08, 0.12, 0.27, 0.05, 0.15, 0.20
_LATE = 3.0
"""A cell is cut off after this multiple of its expected time."""
_STEADY_PCT = 10.0
"""A larger spread of equal loads is reported."""
_UTILISATION = 0.6
_CAPACITY_ROWS = 200
_FEWEST_MIXED, _MOST_MIXED = 10, 2000


class CalibrationOrder(Record, frozen=True, kw_only=True):
    """Server and time of a calibration; `settings` are the server's flags that it doesn't report itself."""

    url: str
    model: str | None = None
    api_key_env: str | None = None
    name: str | None = None
    """`gpu/model/tpN`; None: from what the server reports."""
    minutes: float = 2.0
    """Approximate wall time."""
    log: str | None = None
    settings: dict[str, int | None] = msgspec.field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0.1 <= self.minutes <= 120:
            place = Place(key="--minutes")
            raise Refusal("base.out_of_range", place, value=self.minutes, minimum=0.1, maximum=120)
        if self.name is not None:
            check_profile_name(self.name)


class CalibrationResult(Record, frozen=True, kw_only=True):
    """The profile with its fit and its error."""

    profile: Profile
    fit: Fit
    hold_out: PredictedRun
    hold_out_rps: float
    notes: list[Message]


async def calibrate_server(order: CalibrationOrder, report: Report) -> CalibrationResult:
    """Load the server for about `order.minutes` and fit a profile to it.

    Raises:
        InputError: the server can't be used, or reports too few of its settings.
    """
    spec = TargetSpec(kind="attached", url=order.url, model=order.model, api_key_env=order.api_key_env)
    server = make_server(spec, {})
    await server.start(lambda _: None, lambda _, __: None)
    try:
        effective = await server.effective()
        for note in effective.notes:
            report(note)
        target = Target(
            url=server.url or order.url,
            model=server.model or effective.model or "",
            api_key=spec.api_key(),
        )
        basis = calibration_basis(effective, order.name, order.settings)
        return await _Calibration(order, basis, LoadRunner(target, effective), report).run(effective)
    finally:
        await server.stop()


class _Calibration:
    def __init__(
        self, order: CalibrationOrder, basis: CalibrationBasis, runner: LoadRunner, report: Report
    ) -> None:
        self._basis = basis
        self._config: SchedulerConfig = basis.config
        self._runner = runner
        self._report = report
        self._seconds = order.minutes * 60 * runner.time_scale
        self._log = StepLog(Path(order.log), self._config) if order.log else None
        self._seen = Seen(whole=self._log is None or self._log.whole)

    async def run(self, effective: EffectiveConfig) -> CalibrationResult:
        for note in self._basis.notes:
            self._report(note)
        began = self._log.mark() if self._log else 0
        await self._warm_up()
        if self._log:
            self._log.rows(began, self._log.mark())  # refuse an unusable log now and not after minutes
            began = self._log.mark()
        await self._prompts_alone()
        await self._cells()
        notes = list(self._basis.notes)
        if self._log:
            notes += self._take_steps(self._log.rows(began, self._log.mark()))
        fit = fit_steps(self._seen)
        notes += _unsteady(fit)
        rate = _UTILISATION * min(self._capacity_rps(fit), await self._measured_rps())
        fit = await self._under_load(fit, rate)
        self._report(
            message("experiments.calibrate_hold_out", requests=self._mixed_rows(rate, _HOLD_OUT), rate=rate)
        )
        records = await self._mixed(rate, _HOLD_OUT, seed=2)
        prediction = self._predict(records, fit)
        notes += self._runner.notes
        profile = make_profile(
            self._basis, effective, fit, prediction, rate, own_steps=bool(self._seen.steps)
        )
        return CalibrationResult(
            profile=profile, fit=fit, hold_out=prediction, hold_out_rps=rate, notes=notes
        )

    def _take_steps(self, rows: list[Row]) -> list[Message]:
        """Use the server's own steps; without decode steps among them, use client data and note it."""
        if any(row.kind == "decode" for row in rows):
            self._seen.steps = rows
            return []
        self._seen.whole = True
        note = message("experiments.log_without_contexts")
        self._report(note)
        return [note]

    async def _warm_up(self) -> None:
        """Warm the server up: it compiles kernels and captures graphs for new shapes."""
        seconds = _WARM_UP * self._seconds
        streams = load_shapes.stream_levels(self._config)[-1]
        lengths = [
            length
            for length in load_shapes.prompt_lengths(self._config)
            if length <= self._tokens_each(streams)
        ]
        self._report(message("experiments.calibrate_warm_up", streams=streams, seconds=seconds))
        trace = _trace(
            [(length, load_shapes.PROMPT_OUTPUT) for length in lengths or [self._tokens_each(streams)]]
        )
        schedule = closed_loop(trace, concurrency=streams, duration_s=seconds)
        await self._runner.run(trace, schedule, limit_s=_LATE * seconds)

    def _tokens_each(self, streams: int) -> int:
        return max(1, load_shapes.room(self._config, streams) - load_shapes.PROMPT_OUTPUT)

    async def _prompts_alone(self) -> None:
        lengths = load_shapes.prompt_lengths(self._config)
        seconds = _PROMPTS * self._seconds
        self._report(message("experiments.calibrate_prompts", shortest=lengths[0], longest=lengths[-1]))
        trace = _trace([(length, load_shapes.PROMPT_OUTPUT) for length in reversed(lengths)])
        schedule = closed_loop(trace, concurrency=1, duration_s=seconds)
        records = await self._runner.run(trace, schedule)
        scale = self._runner.time_scale
        self._seen.decodes += decode_rows(records, time_scale=scale)
        budget = self._config.max_num_batched_tokens
        self._seen.prompts += prompt_rows(records, budget=budget, time_scale=scale)

    async def _cells(self) -> None:
        """Run cells by number of streams, short contexts first; earlier cells predict the time of each."""
        levels = load_shapes.stream_levels(self._config)
        slice_s = _CELLS * self._seconds / (2 * len(levels))
        for long in (False, True):
            for streams in levels:
                known = self._model_so_far()
                cell = load_shapes.cell(self._config, streams, long=long, model=known, slice_s=slice_s)
                if cell is not None:
                    await self._cell(cell, slice_s)

    def _model_so_far(self) -> StepModel:
        client = Seen(decodes=self._seen.decodes, prompts=self._seen.prompts)
        return fit_steps(client).step_model

    async def _cell(self, cell: load_shapes.Cell, slice_s: float) -> None:
        self._report(
            message(
                "experiments.calibrate_cell",
                streams=cell.streams,
                context=cell.context,
                outputs=cell.outputs,
            )
        )
        trace = _trace([(cell.context, cell.outputs)] * (cell.streams * cell.rounds))
        schedule = closed_loop(trace, concurrency=cell.streams, requests=len(trace))
        records = await self._runner.run(trace, schedule, limit_s=_LATE * slice_s)
        self._seen.decodes += decode_rows(records, time_scale=self._runner.time_scale)

    async def _under_load(self, fit: Fit, rate: float) -> Fit:
        """Add the extra cost of serving different requests at once."""
        self._report(
            message("experiments.calibrate_mixed", requests=self._mixed_rows(rate, _MIXED), rate=rate)
        )
        records = await self._mixed(rate, _MIXED, seed=3)
        return fit_under_load(fit, records, self._config, time_scale=self._runner.time_scale)

    def _mixed_rows(self, rate: float, share: float) -> int:
        return max(_FEWEST_MIXED, min(_MOST_MIXED, int(rate * share * self._seconds)))

    async def _mixed(self, rate: float, share: float, *, seed: int) -> list[RequestRecord]:
        """Run mixed requests at a rate below saturation, beyond which the error of TTFT grows."""
        count = self._mixed_rows(rate, share)
        trace = load_shapes.mixed_trace(self._config, rows=count, seed=seed)
        schedule = open_loop(trace, rate=rate, arrivals="poisson", seed=seed, requests=count)
        return await self._runner.run(trace, schedule)

    def _capacity_rps(self, fit: Fit) -> float:
        """Return the capacity for mixed requests by the fit, from a replay of all at once."""
        trace = load_shapes.mixed_trace(self._config, rows=_CAPACITY_ROWS, seed=1)
        return _CAPACITY_ROWS / makespan_s(trace, self._config, fit.step_model)

    async def _measured_rps(self) -> float:
        """Return the measured capacity for mixed requests: front end and machine have limits of their own."""
        seconds, streams = _CAPACITY * self._seconds, load_shapes.stream_levels(self._config)[-1]
        self._report(message("experiments.calibrate_capacity", streams=streams, seconds=seconds))
        trace = load_shapes.mixed_trace(self._config, rows=_CAPACITY_ROWS, seed=4)
        schedule = closed_loop(trace, concurrency=streams, duration_s=seconds)
        records = await self._runner.run(trace, schedule, limit_s=_LATE * seconds)
        done = [record for record in records if record.outcome is Outcome.COMPLETED]
        last = max((record.done or 0.0 for record in done), default=0.0)
        return len(done) / (last * self._runner.time_scale) if last else math.inf

    def _predict(self, records: list[RequestRecord], fit: Fit) -> PredictedRun:
        return predict(
            records,
            self._config,
            fit.step_model,
            request_overhead_us=fit.request_overhead_us,
            time_scale=self._runner.time_scale,
        )


def _unsteady(fit: Fit) -> list[Message]:
    if fit.spread_pct <= _STEADY_PCT:
        return []
    return [message("experiments.unsteady", spread_pct=fit.spread_pct)]


def makespan_s(trace: Trace, config: SchedulerConfig, model: StepModel) -> float:
    """Return the seconds that a trace takes if all requests arrive at once."""
    at_once = open_loop(trace, rate=1e9, arrivals="constant", requests=len(trace))
    return Replay(jobs_of(trace, at_once, config), config, model).run().virtual_s


def _trace(rows: list[tuple[int, int]]) -> Trace:
    return Trace.from_rows(
        [
            TraceRow(timestamp=float(i), input_length=prompt, output_length=output, cls="calibration")
            for i, (prompt, output) in enumerate(rows)
        ],
        source="calibration",
    )
