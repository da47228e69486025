"""Reads a run's requests from the bench file, in a thread. No Qt."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ui.requests.preempted import preemptions
from ui.requests.table import Floats, Objects, RequestTable, first_known
from workbench.results import BenchFile, RunEntry

_LEAST_WAIT_S = 0.001
_NUMBERS = (
    "index", "input_tokens", "output_tokens", "due", "released", "sent", "first_token", "last_token", "done",
    "connect_ms", "prompt_tokens", "completion_tokens", "tokens", "queue_ms", "prefill_ms", "requeue_wait_ms",
    "retries", "turn", "status",
)  # fmt: skip
_TEXTS = ("request_id", "cls", "phase", "outcome", "finish_reason", "error", "session_id")


def read_requests(path: Path, run: str) -> RequestTable:
    """Read a run's requests by its name.

    Raises:
        WorkbenchError: not a bench file, damaged, locked, or without this run.
    """
    with BenchFile.open(path) as bench:
        entry = bench.counted_runs().get(run)
        rows = [] if entry is None else bench.request_values(entry.id, (*_NUMBERS, *_TEXTS))
        table = table_of(run, entry, rows)
        if entry is not None and table.knows("requeue") and np.nanmax(table.numbers["requeue"]) > 0:
            fields = ("gaps_ms", "first_token", "requeue_wait_ms")
            server_scale = entry.frame.server_scale if entry.frame else entry.time_scale
            values = bench.request_values(entry.id, fields)
            table.waits.update(waits_again(values, entry.time_scale, server_scale))
    table.numbers["preempted"] = preemptions(path, entry.facts if entry else {}, table.texts["request_id"])
    return table


def waits_again(
    rows: Sequence[tuple[Any, ...]], scale: float, server_scale: float
) -> dict[int, tuple[tuple[float, float], ...]]:
    """Return the waits after preemptions, as far as the longest gaps between tokens hold them.

    Args:
        rows: gaps_ms, first_token and requeue_wait_ms of each request.
        scale: schedule seconds per wall second.
        server_scale: the same for times that the server reports.
    """
    found = {}
    for place, (stored, first, waited_ms) in enumerate(rows):
        if not waited_ms or first is None or not stored:
            continue
        gaps = np.frombuffer(stored, dtype="<f4").astype(np.float64) * scale / 1000
        begins = first * scale + np.concatenate(([0.0], np.cumsum(gaps)[:-1]))
        left, waits = waited_ms * server_scale / 1000, []
        for at in np.argsort(-gaps, kind="stable"):
            if left <= _LEAST_WAIT_S or gaps[at] <= 0:
                break
            length = min(left, float(gaps[at]))
            waits.append((float(begins[at]), float(begins[at]) + length))
            left -= length
        found[place] = tuple(sorted(waits))
    return found


def table_of(run: str, entry: RunEntry | None, rows: list[tuple[object, ...]]) -> RequestTable:
    """Return a table from rows of the file's fields; empty if the run is not in the file yet."""
    by_column = list(zip(*rows, strict=True)) or [()] * (len(_NUMBERS) + len(_TEXTS))
    raw = {
        name: np.array(values, dtype=np.float64)
        for name, values in zip(_NUMBERS, by_column[: len(_NUMBERS)], strict=True)
    }
    texts = {name: _texts(values) for name, values in zip(_TEXTS, by_column[len(_NUMBERS) :], strict=True)}
    scale = entry.time_scale if entry else 1.0
    frame = entry.frame if entry else None
    moments = {name: raw[name] * scale for name in ("due", "sent", "first_token", "last_token", "done")}
    ended = frame.ended * scale if frame and frame.ended is not None else _last(moments)
    return RequestTable(
        run=run,
        simulated=bool(entry and entry.simulated),
        ended_s=ended,
        numbers=_figures(raw, moments, scale, frame.server_scale if frame else scale),
        texts=texts,
        moments=moments,
    )


def _figures(
    raw: dict[str, Floats], moments: dict[str, Floats], scale: float, server_scale: float
) -> dict[str, Floats]:
    """Return every number column by the definitions of docs/explanation/figures.md."""
    got = first_known(raw["completion_tokens"], raw["tokens"])
    queue, prefill = raw["queue_ms"] * server_scale / 1000, raw["prefill_ms"] * server_scale / 1000
    first = moments["first_token"]
    with np.errstate(invalid="ignore", divide="ignore"):
        tpot = np.where(got >= 2, (moments["last_token"] - first) / (got - 1) * 1000, np.nan)
    return {
        "index": raw["index"],
        "input": first_known(raw["prompt_tokens"], raw["input_tokens"]),
        "output": got,
        "asked": raw["output_tokens"],
        "due": moments["due"],
        "client": (moments["sent"] - moments["due"]) * 1000,
        "queue": queue,
        "prefill": prefill,
        "outside": first - moments["sent"] - queue - prefill,
        "ttft": first - moments["due"],
        "tpot": tpot,
        "e2e": moments["done"] - moments["due"],
        "requeue": raw["requeue_wait_ms"] * server_scale / 1000,
        "connect": raw["connect_ms"] * scale,
        "retries": raw["retries"],
        "preempted": np.full(len(got), np.nan),
        "turn": raw["turn"],
        "status": raw["status"],
    }


def _texts(values: tuple[object, ...]) -> Objects:
    column = np.empty(len(values), dtype=object)
    column[:] = ["" if value is None else str(value) for value in values]
    return column


def _last(moments: dict[str, Floats]) -> float:
    stamps = np.concatenate(list(moments.values()))
    return float(np.nanmax(stamps)) if np.isfinite(stamps).any() else 0.0
