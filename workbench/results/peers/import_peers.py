"""Import result files of other tools; the tool is recognized by the content, never by the file's name."""

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from workbench.base import Place, Refusal, utc_now
from workbench.results.bench.bench_file import BenchFile
from workbench.results.bench.entries import IMPORTED
from workbench.results.figures.blank_summary import blank_summary
from workbench.results.figures.summary import RequestCounts
from workbench.results.objectives import Objectives
from workbench.results.peers import aiperf, genai_perf, guidellm, vllm_bench
from workbench.results.peers.peer_run import SERIES, PeerRun
from workbench.results.percentiles import Distribution

_Matches = Callable[[Mapping[str, Any]], bool]
_Runs = Callable[[Mapping[str, Any], str, Objectives], list[PeerRun]]
MAX_BYTES = 1 << 29
"""The largest result file; parsed it takes about eight times as much."""
TOOLS: tuple[tuple[str, _Matches, _Runs], ...] = (
    (vllm_bench.TOOL, vllm_bench.matches, vllm_bench.runs),
    (guidellm.TOOL, guidellm.matches, guidellm.runs),
    (genai_perf.TOOL, genai_perf.matches, genai_perf.runs),
    (aiperf.TOOL, aiperf.matches, aiperf.runs),
)
"""Each tool's name, the test for its results, and their reader."""


def read_peer_runs(path: Path, *, objectives: Objectives | None = None) -> list[PeerRun]:
    """Read all runs of one file, at least one.

    `objectives` decide which requests are accepted, if a file keeps single requests.

    Raises:
        Refusal: it can't be read, is no result of a known tool, or a field is of another kind.
    """
    objects = _objects(_text(path), path)
    limits = objectives or Objectives()
    found = [run for number, content in enumerate(objects) for run in _runs(content, path, number, limits)]
    if not found:
        raise Refusal("peers.no_run", Place(file=str(path)))
    return found


def _text(path: Path) -> str:
    place = Place(file=str(path))
    try:
        if path.is_dir():
            raise Refusal("base.is_folder", place)
        if path.stat().st_size > MAX_BYTES:
            raise Refusal("peers.file_too_large", place, most_mib=MAX_BYTES >> 20)
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise Refusal("base.unreadable_file", place, cause=error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise Refusal("base.not_utf8", place) from error


def _objects(text: str, path: Path) -> list[Any]:
    """Return one JSON object, or several in a row, as `--append-result` writes them."""
    decoder = json.JSONDecoder(parse_constant=lambda _: None)  # NaN and Infinity: not known
    found, at = [], 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            line = text.count("\n", 0, getattr(error, "pos", at)) + 1
            raise Refusal("peers.not_json", Place(file=str(path), line=line)) from error
        # A sweep's summary is one list of results.
        found += value if isinstance(value, list) and value else [value]
    return found


def _runs(content: Any, path: Path, number: int, objectives: Objectives) -> list[PeerRun]:
    where = str(path) if number == 0 else f"{path}, object {number + 1}"
    if isinstance(content, Mapping):
        for _, matches, runs in TOOLS:
            if matches(content):
                return runs(content, where, objectives)
    raise Refusal("peers.unknown_tool", Place(file=where), tools=[name for name, _, _ in TOOLS])


# Runs of other tools as rows of a bench file, shown beside ours and never compared automatically.

_LONGEST_LABEL = 60


def add_peer_runs(
    bench: BenchFile, runs: Sequence[PeerRun], source: Path, *, objectives: Objectives | None = None
) -> list[str]:
    """Store runs of one file as an experiment of its own; return the names of their rows.

    `objectives` are those of the runs' accepted requests.
    """
    facts = {"evidence": source.name, "imported_utc": utc_now()}
    experiment = bench.add_experiment(
        f"{runs[0].tool}: {source.name}", "", facts=facts, objectives=objectives
    )
    names = [_add(bench, experiment, run) for run in runs]
    bench.finish_experiment(experiment, "done")
    bench.flush()
    return names


def _add(bench: BenchFile, experiment: int, run: PeerRun) -> str:
    load = next((f" {value:g}{unit}" for value, unit in _loads(run) if value is not None), "")
    label = " ".join((run.label or "").split())[:_LONGEST_LABEL]
    name = _unique(bench, run.measured_by + load + (f" ({label})" if label else ""))
    facts = {
        "measured_by": run.measured_by,
        "definitions_differ": "; ".join(map(str, run.differs)),
        "arrival_mode": None if run.rate is None and run.concurrency is None else _mode(run),
    }
    key = bench.add_run(
        experiment,
        name,
        control="tool",
        value=run.measured_by,
        config={"tool": run.measured_by},
        rate=run.rate,
        concurrency=run.concurrency,
        effective=None if run.model is None else {"model": run.model},
        facts={column: value for column, value in facts.items() if value is not None},
    )
    bench.update_run(
        key, status=IMPORTED, started_utc=run.started_utc or "", ended_utc=None, summary=summary_of(run)
    )
    return name


def _unique(bench: BenchFile, name: str) -> str:
    """Return the name, numbered if the file has it already: the window identifies runs by name."""
    taken = {run.name for run in bench.runs()}
    numbered = (f"{name} #{number}" for number in itertools.count(2))
    return next(each for each in itertools.chain([name], numbered) if each not in taken)


def _loads(run: PeerRun) -> tuple[tuple[float | None, str], ...]:
    return (run.rate, " req/s"), (run.concurrency, " at once")


def _mode(run: PeerRun) -> str:
    return "open" if run.rate is not None else "closed"


def summary_of(run: PeerRun) -> dict[str, Any]:
    """Return the figures in the form of our summaries; unmeasured ones are None."""
    counts: dict[str, Any] = dict.fromkeys(RequestCounts.__struct_fields__)
    counts |= msgspec.to_builtins(run.counts)
    series = {name: msgspec.to_builtins(run.series.get(name, Distribution())) for name in SERIES}
    scheduled, failed = run.counts.scheduled, run.counts.failed
    known = {
        "requests": counts,
        **series,
        "duration_s": run.duration_s,
        "completed_rps": run.completed_rps,
        "output_tok_s": run.output_tok_s,
        "input_tok_s": run.input_tok_s,
        "error_rate": failed / scheduled if failed is not None and scheduled else None,
        **_acceptance(run),
        "diverging": None if run.drift is None else run.drift.diverging,
        "drift": msgspec.to_builtins(run.drift),
    }
    tokens = {name: msgspec.to_builtins(found) for name, found in run.tokens.items()}
    return blank_summary(**tokens, **known)


def _acceptance(run: PeerRun) -> dict[str, Any]:
    """Return the accepted requests, their share of the load and their rate over the tool's duration."""
    count, scheduled = run.accepted, run.counts.scheduled
    return {
        "accepted": count,
        "accepted_share": count / scheduled if count is not None and scheduled else None,
        "accepted_rps": count / run.duration_s if count is not None and run.duration_s else None,
    }
