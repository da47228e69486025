"""Compute a run's figures again from the bench file: to check them, or because its writer died."""

import math
import re
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np

from workbench.base import MASK, Message, message
from workbench.results.bench.bench_file import BenchFile
from workbench.results.bench.entries import UNJUDGED, RunEntry, RunInputs
from workbench.results.bench.mask_stored import mask_stored
from workbench.results.bench.queries import BenchQueries
from workbench.results.figures.definitions_version import DEFINITIONS
from workbench.results.figures.run_frame import RunFrame, RunIdentity
from workbench.results.figures.summary import RunSummary, summarize_run

_TOLERANCE = 1e-6
# Figures that can't be computed again without stored inputs.
_FROM_INPUTS = (
    *("preemptions", "prefix_hit", "running_max", "waiting_max", "kv_peak", "queue_ms"),
    *("valid", "reasons", "reason_messages", "notes", "note_messages"),
)


def recompute(bench: BenchQueries, run_id: int) -> RunSummary:
    """Compute a run's summary from its stored requests, samples and inputs."""
    run = bench.run(run_id)
    objectives = {entry.id: entry.objectives for entry in bench.experiments()}
    inputs = run.inputs or RunInputs()
    return summarize_run(
        bench.request_columns(run_id),
        frame_of(bench, run),
        samples=bench.samples(run_id),
        server=inputs.server,
        objectives=objectives[run.experiment_id],
        conditions=inputs.conditions,
        identity=RunIdentity(
            simulated=run.simulated,
            profile=run.profile,
            trace_sha256=run.trace_sha256,
            schedule_sha256=run.schedule_sha256,
            command=run.command,
        ),
    )


def frame_of(bench: BenchQueries, run: RunEntry) -> RunFrame:
    """Return the run's time frame; a run whose writer died counts as stopped at its last stamp."""
    frame = run.frame or RunFrame(length_s=0.0, time_scale=run.time_scale)
    if run.status == "running":
        ended = _last_stamp(bench, run.id)
        # A closed loop of a number of requests has the length that it took.
        length_s = frame.length_s or (ended or 0.0) * frame.time_scale
        return msgspec.structs.replace(frame, stopped=True, ended=ended, length_s=length_s)
    # Earlier builds didn't store that a broken-off run counts as stopped.
    return msgspec.structs.replace(frame, stopped=True) if run.status == "partial" else frame


def _last_stamp(bench: BenchQueries, run_id: int) -> float | None:
    columns = bench.request_columns(run_id)
    stamps = np.concatenate([columns.done, columns.last_token, columns.sent])
    return float(np.nanmax(stamps)) if np.isfinite(stamps).any() else None


def verify(bench: BenchQueries) -> list[Message]:
    """Return what was changed since it was stored, and the figures that don't follow from the raw rows."""
    found = bench.broken_seals()
    for run in bench.runs():
        if run.summary is None or not _measured(run):
            continue
        again = mask_stored("summary", recompute(bench, run.id).to_json())
        skipped = () if run.inputs else _FROM_INPUTS
        stored = {name: value for name, value in run.summary.items() if name not in skipped}
        found += [
            message("results.figure_differs", run=run.id, name=run.name, path=path, stored=was, raw=now)
            for path, was, now in _differences(stored, again, "")
        ]
    return found


def other_definitions(bench: BenchQueries) -> Message | None:
    """Return that the file's figures were stored under other definitions, so they may differ; None: no."""
    meta = bench.meta()
    if meta.get("definitions") == str(DEFINITIONS):
        return None
    writer = meta.get("created_by")
    if writer is None:
        return message("results.other_definitions_unnamed")
    return message("results.other_definitions", writer=writer)


class RecomputedBenchFile(BenchFile):
    """A bench file with figures by this program's definitions: the stored ones, else computed from raw rows.

    This makes figures of files from different builds comparable.
    """

    def runs(self, experiment_id: int | None = None) -> list[RunEntry]:
        """Return the runs; a run without raw rows keeps its stored figures (see `not_recomputed`)."""
        stored = super().runs(experiment_id)
        if other_definitions(self) is None:
            return stored
        name = f"runs as defined now, {experiment_id}"
        return self.cached_while_unchanged(name, lambda: [self._defined_now(run) for run in stored])

    def not_recomputed(self) -> list[str]:
        """Return the names of our runs that keep figures of other definitions for lack of raw rows."""
        if other_definitions(self) is None:
            return []
        return [run.name for run in super().runs() if _measured(run) and not self.request_count(run.id)]

    def _defined_now(self, run: RunEntry) -> RunEntry:
        if not _measured(run) or not self.request_count(run.id):
            return run
        stored, again = run.summary or {}, recompute(self, run.id).to_json()
        own = {} if run.inputs else {name: stored[name] for name in _FROM_INPUTS if name in stored}
        return msgspec.structs.replace(run, summary=again | own)


def _measured(run: RunEntry) -> bool:
    return run.summary is not None and run.status not in UNJUDGED


def _differences(stored: Any, again: Any, path: str) -> Iterator[tuple[str, str, str]]:
    """Yield the path and both values where two JSON values differ by more than rounding.

    Keys that only `again` has are newer and don't count.
    """
    if isinstance(stored, dict) and isinstance(again, dict):
        for name, value in stored.items():
            yield from _differences(value, again.get(name), f"{path}.{name}" if path else name)
    elif isinstance(stored, list) and isinstance(again, list) and len(stored) == len(again):
        for place, (value, other) in enumerate(zip(stored, again, strict=True)):
            yield from _differences(value, other, f"{path}[{place}]")
    elif not (_equal(stored, again) or (path == "command" and _same_command(stored, again))):
        yield path, str(stored), str(again)


def _equal(stored: Any, again: Any) -> bool:
    if isinstance(stored, float | int) and isinstance(again, float | int):
        return math.isclose(stored, again, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
    return bool(stored == again)


def _same_command(stored: Any, again: Any) -> bool:
    """Return whether two commands are the same but for the masking of earlier builds."""
    if not (isinstance(stored, str) and isinstance(again, str)):
        return False
    return any(
        re.fullmatch(".*".join(map(re.escape, masked.split(MASK))), whole, re.DOTALL)
        for masked, whole in ((stored, again), (again, stored))
        if MASK in masked
    )
