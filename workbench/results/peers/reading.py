"""From a result file to runs: the tool is known by the file's content, never by its name."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from workbench.base import InputError
from workbench.results.objectives import Objectives
from workbench.results.peers import aiperf, genai_perf, guidellm, vllm_bench
from workbench.results.peers.peer_run import PeerRun

_Matches = Callable[[Mapping[str, Any]], bool]
_Runs = Callable[[Mapping[str, Any], str, Objectives], list[PeerRun]]
MAX_BYTES = 1 << 29
"""Parsed it takes some eight times as much."""
TOOLS: tuple[tuple[str, _Matches, _Runs], ...] = (
    (vllm_bench.TOOL, vllm_bench.matches, vllm_bench.runs),
    (guidellm.TOOL, guidellm.matches, guidellm.runs),
    (genai_perf.TOOL, genai_perf.matches, genai_perf.runs),
    (aiperf.TOOL, aiperf.matches, aiperf.runs),
)
"""Each tool's name, how its results are known, and how they are read."""


def read_peer_runs(path: Path, *, objectives: Objectives | None = None) -> list[PeerRun]:
    """All runs of one file, at least one.

    `objectives` say which requests are accepted, where a file keeps them one by one.

    Raises:
        InputError: it can't be read, is no result of a tool that is known, or a field is of another kind.
    """
    objects = _objects(_text(path), path)
    limits = objectives or Objectives()
    found = [run for number, content in enumerate(objects) for run in _runs(content, path, number, limits)]
    if not found:
        raise InputError(f"{path}: holds no run")
    return found


def _text(path: Path) -> str:
    try:
        if path.is_dir():
            raise InputError(f"{path}: is a folder; name the result file in it")
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path}: larger than {MAX_BYTES >> 20} MiB; save it without details")
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text") from error


def _objects(text: str, path: Path) -> list[Any]:
    """One JSON object, or several one after another, as `--append-result` leaves them."""
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
            raise InputError(f"{path}, line {line}: not JSON") from error
        # A sweep's summary is one list of results.
        found += value if isinstance(value, list) and value else [value]
    return found


def _runs(content: Any, path: Path, number: int, objectives: Objectives) -> list[PeerRun]:
    where = str(path) if number == 0 else f"{path}, object {number + 1}"
    if isinstance(content, Mapping):
        for _, matches, runs in TOOLS:
            if matches(content):
                return runs(content, where, objectives)
    raise InputError(f"{where}: no result of {', '.join(name for name, _, _ in TOOLS)}")
