"""Predictions of planned runs by the step model that earlier runs taught."""

from collections.abc import Mapping, Sequence

import msgspec

from workbench.base import InputError, Message, Record, message
from workbench.controls import Value
from workbench.engine import SchedulerConfig, SchedulerOutput, jobs_of
from workbench.engine.replay import PerRequestReplay, ReplayJob
from workbench.experiments.learned.server_model import SeenRange, ServerModel
from workbench.experiments.plan.plan import Plan, Run
from workbench.experiments.plan.workload import make_schedule
from workbench.experiments.run.search_twin import CLIENT_CAP, MODELED, changed_config
from workbench.profiles import StepModel
from workbench.results import RunFrame, StoredFigures, columns_from_records, summarize_run
from workbench.traces import Schedule, Trace, fit_to_model, open_loop

FIGURES = ("ttft_p50_ms", "ttft_p95_ms", "itl_p95_ms", "e2e_p95_ms", "output_tok_s")
"""Figures that are predicted: columns of the scorecard."""
MOST_REQUESTS = 1000
"""Requests that are replayed of a longer run."""
_SENTENCES = {
    "ttft_p50_ms": "experiments.predicted_ttft_p50",
    "ttft_p95_ms": "experiments.predicted_ttft_p95",
    "itl_p95_ms": "experiments.predicted_itl_p95",
    "e2e_p95_ms": "experiments.predicted_e2e_p95",
    "output_tok_s": "experiments.predicted_output",
}
_BEYOND_KINDS = {
    "decodes": "experiments.beyond_decodes",
    "context": "experiments.beyond_context",
    "prefill": "experiments.beyond_prefill",
}
_LEAST_ERROR, _MOST_ERROR = 0.03, 0.3
_BEYOND = 1.1
"""A step may be larger than any seen by this factor."""


class Band(Record, frozen=True, kw_only=True):
    """A predicted figure and its error."""

    value: float
    low: float
    high: float


class RunPrediction(Record, frozen=True, kw_only=True):
    """Figures of a run that hasn't begun."""

    run: str
    requests: int
    """Requests that were replayed."""
    figures: dict[str, Band]
    beyond: list[Message]
    """Remarks on values outside the range that the model has seen."""

    def sentence(self) -> Message:
        """Return the prediction as a sentence."""
        parts = [
            Message(kind=_SENTENCES[name], values={"value": band.value, "low": band.low, "high": band.high})
            for name, band in self.figures.items()
        ]
        beyond = message("experiments.predicted_beyond", where=self.beyond) if self.beyond else None
        return message("experiments.predicted_run", run=self.run, figures=parts, beyond=beyond)

    def facts(self) -> dict[str, float | str]:
        """Return the cells of the scorecard."""
        cells: dict[str, float | str] = {}
        for name, band in self.figures.items():
            stem, _, unit = name.rpartition("_") if name.endswith("_ms") else (name, "", "")
            end = f"_{unit}" if unit else ""
            cells |= {
                f"predicted_{name}": band.value,
                f"predicted_{stem}_lo{end}": band.low,
                f"predicted_{stem}_hi{end}": band.high,
            }
        if self.beyond:
            cells["predicted_beyond"] = "; ".join(map(str, self.beyond))
        return cells


def predict_plan(
    plan: Plan, trace: Trace, model: ServerModel, *, most: int | None = None
) -> dict[str, RunPrediction]:
    """Return predictions by name of the run; repeats share theirs.

    Args:
        plan: its runs are on the model's server.
        trace: the requests, not yet fitted to the server.
        model: what is known of that server.
        most: different runs that are predicted; None: all.
    """
    found: dict[str, RunPrediction | None] = {}
    for run in plan.runs:
        if run.row not in found and (most is None or len(found) < most):
            try:
                found[run.row] = predict_run(plan, run, trace, model)
            except InputError:
                found[run.row] = None
    return {
        run.name: msgspec.structs.replace(predicted, run=run.name)
        for run in plan.runs
        if (predicted := found.get(run.row)) is not None
    }


def predict_run(plan: Plan, run: Run, trace: Trace, model: ServerModel) -> RunPrediction:
    """Predict one run.

    Raises:
        InputError: the server can't hold a request, or can't have these settings.
    """
    experiment = plan.experiments[0]
    config = configured(model, run.configuration.controls)
    trace, _ = fit_to_model(trace, config.max_model_len, how="drop")
    schedule = make_schedule(
        trace, experiment.trace, experiment.load, run.rate, run.concurrency, experiment.burst
    )
    replays = [
        _Predicted(trace, schedule, config, scaled(model.step_model, factor), model.overhead_s)
        for factor in _factors(model)
    ]
    middle, *others = [figures_of(replay.stored()) for replay in replays]
    figures = {
        name: _band(value, [other[name] for other in others if name in other], model.errors.get(name, []))
        for name, value in middle.items()
    }
    return RunPrediction(
        run=run.name,
        requests=replays[0].count,
        figures=figures,
        beyond=beyond(replays[0].largest, model.seen),
    )


def _factors(model: ServerModel) -> tuple[float, ...]:
    error = min(max(abs(model.time_error), _LEAST_ERROR), _MOST_ERROR)
    return 1.0, 1 - error, 1 + error


def _band(value: float, others: Sequence[float], errors: Sequence[float]) -> Band:
    """Return the band of a faster and a slower server, and of the errors of earlier predictions."""
    worst = max((abs(error) for error in errors), default=0.0)
    ends = [value, *others, value * (1 - min(worst, 1.0)), value * (1 + worst)]
    return Band(value=value, low=min(ends), high=max(ends))


def scaled(model: StepModel, factor: float) -> StepModel:
    """Return the model of a server that is slower by a factor."""
    return StepModel(
        a=factor * model.a,
        b=factor * model.b,
        c=factor * model.c,
        d=factor * model.d,
        e=factor * model.e,
    )


def configured(model: ServerModel, controls: Mapping[str, Value]) -> SchedulerConfig:
    """Return the scheduler's settings of a run: the server's own, with the run's controls.

    Raises:
        Refusal: the scheduler can't have them.
    """
    config = model.config
    for name in model.configured:
        if name in MODELED and name not in controls and name in model.unset:
            config = changed_config(config, name, model.unset[name])
    for name, value in controls.items():
        if name in MODELED or name == CLIENT_CAP:
            config = changed_config(config, name, value)
    return config


def figures_of(figures: StoredFigures) -> dict[str, float]:
    """Return the predicted figures of a run's summary, as far as it has them."""
    values = {
        "ttft_p50_ms": figures.ttft_ms.p50,
        "ttft_p95_ms": figures.ttft_ms.p95,
        "itl_p95_ms": figures.itl_ms.p95,
        "e2e_p95_ms": figures.e2e_ms.p95,
        "output_tok_s": figures.output_tok_s,
    }
    return {name: float(value) for name, value in values.items() if value is not None}


def beyond(largest: SeenRange, seen: SeenRange) -> list[Message]:
    """Return where steps are larger than any that the model was fitted to."""
    return [
        Message(kind=kind, values={"most": most, "seen": known})
        for name, kind in _BEYOND_KINDS.items()
        if (most := getattr(largest, name)) > _BEYOND * (known := getattr(seen, name))
    ]


class _Predicted(PerRequestReplay):
    """Replays a schedule; a closed loop sends the next request when one ends."""

    def __init__(
        self, trace: Trace, schedule: Schedule, config: SchedulerConfig, model: StepModel, overhead_s: float
    ) -> None:
        jobs = _jobs(trace, schedule, config)
        codes, names = trace.classes.codes, trace.classes.names
        classes = [str(names[codes[schedule.row_of(number)[0]]]) for number in range(len(jobs))]
        super().__init__(jobs, config, model, classes=classes, request_overhead_s=overhead_s)
        self.count = len(jobs)
        self._schedule = schedule
        self._next = len(jobs) if schedule.concurrency is None else min(schedule.concurrency, len(jobs))
        self._decodes, self._context, self._prefill = 0, 0.0, 0
        self.run()

    @property
    def largest(self) -> SeenRange:
        """The largest steps of the replay."""
        return SeenRange(decodes=self._decodes, context=self._context, prefill=self._prefill)

    def stored(self) -> StoredFigures:
        """Return the figures by the definitions of a measured run."""
        length_s = self._schedule.length_s
        if length_s is None:
            length_s = self.tally.end
        elif self._schedule.concurrency is not None:
            length_s = min(length_s, self.tally.end)
        else:
            length_s *= self.count / len(self._schedule)
        summary = summarize_run(
            columns_from_records(self.records()), RunFrame(length_s=length_s), per_class=False
        )
        return msgspec.convert(summary.to_json(), StoredFigures)

    def scheduled(self, step: SchedulerOutput, now: float) -> None:
        """Note the largest steps."""
        super().scheduled(step, now)
        self._decodes, self._prefill = max(self._decodes, step.D), max(self._prefill, step.P)
        if step.D and self._context < step.K / step.D:
            self._context = step.K / step.D

    def _ended(self, number: int, at: float) -> None:
        super()._ended(number, at)
        lasting_s = self._schedule.length_s
        if self._next < self.count and (lasting_s is None or at < lasting_s):
            self._next += 1
            self._enter(self._next - 1, at)


def _jobs(trace: Trace, schedule: Schedule, config: SchedulerConfig) -> list[ReplayJob]:
    """Return the requests of a schedule, the first ones of a long one."""
    if schedule.concurrency is None:
        return jobs_of(trace, schedule, config)[:MOST_REQUESTS]
    bounded = min(schedule.requests or MOST_REQUESTS, MOST_REQUESTS)
    waiting = open_loop(trace, rate=1.0, arrivals="constant", requests=bounded)
    # All of a closed loop's requests but the first wait for an end, whose number isn't known beforehand.
    return [
        job._replace(due_s=0.0, after=-1 if number < schedule.concurrency else bounded, delay_s=0.0)
        for number, job in enumerate(jobs_of(trace, waiting, config))
    ]
