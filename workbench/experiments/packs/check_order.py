"""Hold a result against its order: settings, trace, runs, required verdicts, required evidence."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from workbench.base import Message, message
from workbench.experiments.findings.gate import VERDICTS
from workbench.experiments.packs.evidence import SessionEvidence
from workbench.experiments.packs.order import Evidence, Order
from workbench.experiments.plan.judged_steps import judge_steps
from workbench.experiments.plan.plan import differences, make_plan
from workbench.experiments.plan.resume import own_experiments, run_key, stored_experiment, with_schedule_form
from workbench.experiments.plan.run_queue import RunQueue
from workbench.experiments.spec.experiment import Experiment
from workbench.results import IMPORTED, REPLACED, BenchFile, RunEntry
from workbench.traces import SCHEDULE_FORM

_MOST_RUNS = 10_000
_FREE = ("target", "name", "reproduces")
"""Settings that the vendor chooses and names."""
_OF_THE_MEASUREMENT = ("record_steps", "live_limits", "kv", "model", "args")
"""Keys of a target that change what is measured; the model's path may differ."""


def order_findings(
    bench: BenchFile,
    order: Order,
    contents: Mapping[str, bytes],
    sessions: list[SessionEvidence],
) -> list[Message]:
    """Return where the results are not those that were ordered."""
    stored = own_experiments(bench)
    if len(stored) != len(order.experiments):
        count = len(stored)
        return [message("packs.other_experiments", ordered=len(order.experiments), found=count)]
    found: list[Message] = []
    for entry, ordered in zip(stored, order.experiments, strict=True):
        where = f"experiment {entry.id}"
        measured = stored_experiment(entry, where)
        found += _other_settings(ordered, measured)
        if entry.facts.get("trace_sha256") != order.terms.trace_sha256:
            found.append(message("packs.trace_not_ordered", name=ordered.name))
        if any(session.order_sha256 != order.sha256 for session in sessions):
            found.append(message("packs.order_changed_between", name=ordered.name))
    found += _runs(bench, [stored_experiment(entry, f"experiment {entry.id}") for entry in stored])
    found += [
        message("packs.verdict_unmet", verdict=name, reason=reason)
        for name in order.terms.require
        if (reason := VERDICTS[name](bench)) is not None
    ]
    return [*found, *_missing_evidence(bench, order, contents, sessions)]


def _other_settings(ordered: Experiment, measured: Experiment) -> Iterator[Message]:
    wanted, found = (
        msgspec.to_builtins(with_schedule_form(each, SCHEDULE_FORM)) for each in (ordered, measured)
    )
    paths = differences(_without_free(wanted), _without_free(found))
    if ordered.name != measured.name:
        paths.append("name")
    if paths:
        yield message("packs.settings_differ", name=ordered.name, differing=paths)


def _without_free(experiment: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that an order fixes; files count by their names."""
    kept = {name: value for name, value in experiment.items() if name not in _FREE}
    for table, key in (("trace", "file"), ("trace", "tokenizer"), ("quality", "prompts")):
        if isinstance(kept.get(table), dict) and kept[table].get(key):
            kept[table] = {**kept[table], key: Path(kept[table][key]).name}
    return kept


def target_notes(order: Order, bench: BenchFile) -> list[Message]:
    """Return how the measured server differs from the order's own target, which a vendor may replace."""
    ordered = msgspec.to_builtins(order.experiments[0].target)
    entries = own_experiments(bench)
    if not entries:
        return []
    measured = msgspec.to_builtins(stored_experiment(entries[0], "experiment").target)
    names = [name for name in ("kind", *_OF_THE_MEASUREMENT) if ordered.get(name) != measured.get(name)]
    return [
        message(
            "packs.target_differs", key=name, ordered=str(ordered.get(name)), measured=str(measured.get(name))
        )
        for name in names
    ]


def _runs(bench: BenchFile, experiments: list[Experiment]) -> Iterator[Message]:
    """Walk the plan as the conductor does, and yield the runs that are missing or not finished."""
    counted: dict[bytes, RunEntry] = {}
    for run in bench.runs():
        if run.status != IMPORTED:
            known = counted.get(run_key(run))
            if known is None or known.status != "done" or run.status == "done":
                counted[run_key(run)] = run
    queue, judged = RunQueue(make_plan(experiments)), judge_steps(bench)
    planned: set[bytes] = set()
    while (wanted := queue.next()) is not None and len(planned) < _MOST_RUNS:
        planned.add(run_key(wanted))
        measured = counted.get(run_key(wanted))
        if measured is None:
            yield message("packs.run_missing", run=wanted.name)
        elif measured.status != "done":
            yield message("packs.run_not_done", run=measured.name, status=measured.status)
        queue.update(wanted, judged)
    for key, run in counted.items():
        if key not in planned:
            yield message("packs.run_not_ordered", run=run.name)
    yield from _tries_chosen(bench)


def _tries_chosen(bench: BenchFile) -> Iterator[Message]:
    """Yield runs of which an earlier try counts: the last one does."""
    last: dict[bytes, RunEntry] = {}
    for run in bench.runs():
        if run.status in ("done", REPLACED):
            last[run_key(run)] = run
    for run in last.values():
        if run.status == REPLACED:
            yield message("packs.try_chosen", run=run.name)


def _missing_evidence(
    bench: BenchFile, order: Order, contents: Mapping[str, bytes], sessions: list[SessionEvidence]
) -> Iterator[Message]:
    runs = [run for run in bench.counted_runs().values() if run.status == "done"]
    server_lines = any(line.kind == "server" for line in bench.log())
    calibrated = all(entry.facts.get("calibrated_utc") for entry in own_experiments(bench))
    found: Mapping[Evidence, Callable[[RunEntry], bool]] = {
        "configuration": lambda run: bool(run.effective and run.command),
        "start_log": lambda _: server_lines,
        "machine": lambda run: bool(bench.machine_samples(run.id)),
        "clock": lambda run: bool(sessions and run.inputs) and _clock_known(run),
        "calibration": lambda _: calibrated or any(session.calibration for session in sessions),
        "gpu": lambda run: bool(run.facts.get("gpu_count") and any(session.gpus for session in sessions)),
        "step_record": lambda run: _steps_member(run) in contents,
    }
    for name in order.terms.evidence:
        lacking = [run.name for run in runs if not found[name](run)]
        if lacking:
            yield message("packs.evidence_missing", evidence=name, runs=lacking[:3], count=len(lacking))


def _clock_known(run: RunEntry) -> bool:
    return run.inputs is not None and run.inputs.conditions.clock_step_s is not None


def _steps_member(run: RunEntry) -> str:
    return f"steps/{Path(str(run.facts.get('steps_file') or '')).name}"
