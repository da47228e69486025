"""Writing traces in the canonical form and in other programs' layouts."""

import itertools
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import numpy as np

from workbench.base import Place, Refusal, write_atomic
from workbench.traces.trace import Trace
from workbench.traces.trace_limits import on_grain


def write_trace(trace: Trace, path: Path | str) -> None:
    """Write the canonical file: the header, then one row a line. Reading it returns the same trace.

    Raises:
        Refusal: the file can't be written.
    """
    write_atomic(Path(path), canonical_bytes(trace))


def canonical_bytes(trace: Trace) -> bytes:
    """Return the canonical file's content."""
    encode = msgspec.json.Encoder().encode
    lines = [encode(trace.header)]
    lines += [encode(msgspec.structs.replace(row, timestamp=whole(row.timestamp))) for row in trace.rows()]
    return b"\n".join(lines) + b"\n"


def whole(milliseconds: float) -> float:
    """Return a time without a fraction as an integer, as in public traces."""
    return int(milliseconds) if milliseconds.is_integer() else milliseconds


MS_TO_S = "0.001"


def export_trace(trace: Trace, path: Path | str, *, to: str = "canonical") -> str | None:
    """Write the trace as `canonical`, `mooncake` or `timed_trace`; return vLLM's command for the last.

    Raises:
        Refusal: the layout is unknown, or the file can't be written.
    """
    if to not in LAYOUTS:
        raise Refusal("base.not_one_of", Place(key="to"), value=to, choices=list(LAYOUTS))
    write_atomic(Path(path), LAYOUTS[to](trace))
    return vllm_command(trace, path) if to == "timed_trace" else None


def mooncake_bytes(trace: Trace) -> bytes:
    """Return Mooncake's layout: times in ms, one id for every block of every prompt.

    Blocks without an id get unused ids: vLLM makes an EMPTY prompt of a row without ids, and a short one of a
    row with too few. The layout has no sessions, think times, cancellations and classes.
    """
    encode = msgspec.json.Encoder().encode
    fresh = _fresh_ids(trace)
    blocks = -(-trace.input_length // trace.header.block_tokens)
    times = on_grain(trace.timestamp_ms).tolist()
    lines = []
    for row, needed in enumerate(blocks.tolist()):
        ids = trace.hash_ids(row)[:needed].tolist()
        ids += [next(fresh) for _ in range(needed - len(ids))]
        record = {
            "timestamp": whole(times[row]),
            "input_length": int(trace.input_length[row]),
            "output_length": int(trace.output_length[row]),
            "hash_ids": ids,
        }
        lines.append(encode(record))
    return b"\n".join(lines) + b"\n"


def vllm_command(
    trace: Trace, path: Path | str, *, model: str = "MODEL", base_url: str = "http://127.0.0.1:8000"
) -> str:
    """Return the command that replays a `timed_trace` file at its own times.

    PYTHONHASHSEED is set because vLLM derives the blocks' tokens from Python's salted hash. The block size is
    set because vLLM's default of 16 would silently make prompts of 512-token blocks 32 times too short.
    """
    words = [
        "vllm",
        "bench",
        "serve",
        "--backend",
        "openai",
        "--base-url",
        base_url,
        "--endpoint",
        "/v1/completions",
    ]
    words += ["--model", model, "--dataset-name", "timed_trace", "--dataset-path", str(path), "--self-timed"]
    words += [
        "--timed-trace-chunk-hash-size",
        str(trace.header.block_tokens),
        "--timed-trace-sec-multiplier",
        MS_TO_S,
    ]
    words += ["--num-prompts", str(len(trace)), "--no-oversample", "--disable-shuffle", "--ignore-eos"]
    return "PYTHONHASHSEED=0 " + shlex.join(words)


LAYOUTS: dict[str, Callable[[Trace], bytes]] = {
    "canonical": canonical_bytes,
    "mooncake": mooncake_bytes,
    "timed_trace": mooncake_bytes,
}


def _fresh_ids(trace: Trace) -> Iterator[int]:
    """Yield ids that the trace doesn't have, without end."""
    taken = np.unique(trace.hash_flat)
    highest = int(taken[-1]) if len(taken) else -1
    if highest < 2**62:
        return itertools.count(highest + 1)
    used = frozenset(taken.tolist())
    return (block for block in itertools.count() if block not in used)
