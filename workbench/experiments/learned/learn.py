"""Learn a server's step times from a finished run, and score the run's prediction."""

import asyncio
import contextlib
from collections.abc import Sequence

import msgspec
import numpy as np

from workbench.advice.blame import idle_between_steps_us, measured_steps
from workbench.base import InputError
from workbench.engine import Replay, Row
from workbench.engine.calibrate import completed, jobs_of_records, mixed_rows
from workbench.engine.parity import recorded_config
from workbench.experiments.findings.step_indexes import open_step_indexes
from workbench.experiments.learned.predict_runs import FIGURES, figures_of, predict_run
from workbench.experiments.learned.server_model import (
    SeenRange,
    ServerModel,
    TrainingRows,
    learned_model,
    refined,
    save_model,
    with_errors,
)
from workbench.experiments.plan.plan import Plan, Run
from workbench.experiments.run.search_twin import stated_config
from workbench.results import BenchFile, RequestRecord
from workbench.results.bench.entries import RunEntry
from workbench.servers import TargetSpec
from workbench.traces import Trace

_MOST_REQUESTS = 1000
"""Requests replayed to find the time outside the engine."""


def learn_run(bench: BenchFile, run: RunEntry, target: TargetSpec) -> ServerModel | None:
    """Refine the stored model of the target's server by a finished run.

    Returns:
        The stored model; None if the run tells nothing of its steps.
    """
    with contextlib.suppress(InputError, OSError, np.linalg.LinAlgError):
        known = learned_model(target)
        records = [record for record in bench.requests(run.id) if record.first_token is not None]
        found = run_rows(bench, run, records)
        name = f"{bench.path.name}: {run.name}"
        model = refined(known, found, server=target.url or target.model or target.kind, run=name)
        overhead_s = _overhead_s(records, model, run.time_scale)
        model = msgspec.structs.replace(model, overhead_s=overhead_s)
        model = with_errors(model, prediction_errors(run))
        save_model(target, model)
        return model
    return None


def run_rows(bench: BenchFile, run: RunEntry, records: Sequence[RequestRecord]) -> TrainingRows:
    """Return the run's steps from its record, else sums of steps from its clients' token times.

    Raises:
        InputError: neither is there.
    """
    effective = run.effective or {}
    version = effective.get("version")
    if run.facts.get("steps_file"):
        index, *others = open_step_indexes(bench, run)
        if not others:
            columns, us = measured_steps(index)
            gap = idle_between_steps_us(index)
            rows = [
                Row(time + gap, *content) for time, content in zip(us.tolist(), columns.tolist(), strict=True)
            ]
            config = recorded_config(index.header, run.name)
            return TrainingRows(
                rows=rows, seen=_seen(rows), config=config, configured=dict(run.config), version=version
            )
    config = stated_config({**effective, **run.config})
    rows = mixed_rows(completed(records), time_scale=run.time_scale)
    seen = msgspec.structs.replace(_seen(rows), prefill=float(config.max_num_batched_tokens))
    return TrainingRows(rows=rows, seen=seen, config=config, configured=dict(run.config), version=version)


def _seen(rows: Sequence[Row]) -> SeenRange:
    """Return the largest steps, without the few that are larger than all others."""
    usual = 0.99
    decodes = [row.D / row.steps for row in rows] or [0.0]
    contexts = [row.K / row.D for row in rows if row.D] or [0.0]
    prefills = [row.P / row.steps for row in rows] or [0.0]
    return SeenRange(
        decodes=float(np.quantile(decodes, usual)),
        context=float(np.quantile(contexts, usual)),
        prefill=float(np.quantile(prefills, usual)),
    )


def _overhead_s(records: Sequence[RequestRecord], model: ServerModel, scale: float) -> float:
    """Return the time of a request outside the engine: the part of its TTFT that a replay doesn't explain."""
    done = completed(records)[:_MOST_REQUESTS]
    jobs = jobs_of_records(done, scale)
    replay = Replay(jobs, model.config, model.step_model)
    replay.run()
    lives = [replay.tally.lives[job.request] for job in jobs]
    measured = [scale * ((record.first_token or 0.0) - (record.sent or 0.0)) for record in done]
    more = [
        time - ((life.first_token or life.due) - life.due) for time, life in zip(measured, lives, strict=True)
    ]
    return max(0.0, float(np.quantile(more, 0.25)))


def prediction_errors(run: RunEntry) -> dict[str, float]:
    """Return the signed relative error of each figure that was predicted before the run and then measured."""
    measured = figures_of(run.figures)
    return {
        name: float(predicted) / measured[name] - 1
        for name in FIGURES
        if (predicted := run.facts.get(f"predicted_{name}")) is not None and measured.get(name)
    }


async def expected_facts(plan: Plan, run: Run, trace: Trace) -> dict[str, float | str]:
    """Return a run's prediction as cells of the scorecard; empty for the embedded engine or a new server."""
    target = plan.experiments[0].target
    model = None if target.kind == "embedded" else learned_model(target)
    if model is None:
        return {}
    with contextlib.suppress(InputError):
        predicted = await asyncio.to_thread(predict_run, plan, run, trace, model)
        return predicted.facts()
    return {}


def learn_valid_run(bench: BenchFile, run_id: int, target: TargetSpec) -> None:
    """Refine the model of a real server by a valid run; a folder that can't be written to changes nothing."""
    run = bench.run(run_id)
    if target.kind != "embedded" and run.status == "done" and run.figures.valid:
        learn_run(bench, run, target)
