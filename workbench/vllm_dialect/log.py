"""vLLM's log: the process of a line, the phase of a start, and the lines themselves.

Messages are matched, never `file:line`, which changes with every version. Lines of several processes can be
joined, because each writes to the same pipe. The embedded engine prints the same messages.
"""

import re
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

import msgspec

from workbench.base import Message
from workbench.vllm_dialect.log_prefix import strip_prefix, unknown_prefix, without_colors


class Phase(StrEnum):
    """The phases of a start, in order."""

    IMPORTING = "importing"
    READING_MODEL = "reading_model"
    STARTING_ENGINE = "starting_engine"
    LOADING_WEIGHTS = "loading_weights"
    COMPILING = "compiling"
    SIZING_CACHE = "sizing_cache"
    CAPTURING_GRAPHS = "capturing_graphs"
    STARTING_HTTP = "starting_http"

    @property
    def message(self) -> Message:
        """The phase in words."""
        return Message(kind=f"dialect.phase_{self.value}")


PHASES = tuple(Phase)

# Wording of 0.8 to 0.32; the first that matches wins.
_MARKERS: tuple[tuple[re.Pattern[str], Phase], ...] = tuple(
    (re.compile(pattern), phase)
    for pattern, phase in (
        (r"non-default args: ", Phase.READING_MODEL),
        (r"Resolved architecture: |Using max model len |Chunked prefill is enabled", Phase.READING_MODEL),
        (r"Initializing a V[01] LLM engine|Started engine process", Phase.STARTING_ENGINE),
        (r"Starting to load model |Loading (?:safetensors|pt) checkpoint shards", Phase.LOADING_WEIGHTS),
        (r"Loading weights took |Model loading took ", Phase.LOADING_WEIGHTS),
        (
            r"Using cache directory: .*torch_compile|Dynamo bytecode transform time|torch\.compile takes",
            Phase.COMPILING,
        ),
        (r"Compiling a graph for |Directly load the compiled graph", Phase.COMPILING),
        (r"Available KV cache memory|(?:Explicitly|Auto) set \(.*GiB\) for KV cache", Phase.SIZING_CACHE),
        (r"KV cache size: [\d,]+ tokens|# (?:GPU|CUDA|CPU) blocks: ", Phase.SIZING_CACHE),
        (r"Capturing CUDA graphs|Graph capturing finished", Phase.CAPTURING_GRAPHS),
        (r"init engine \(profile, create kv cache", Phase.STARTING_HTTP),
        (r"Supported tasks: |Starting vLLM (?:API )?server ", Phase.STARTING_HTTP),
        (r"Application startup complete", Phase.STARTING_HTTP),
    )
)
_PREFIX = re.compile(r"\((?P<process>[A-Za-z][^\s()]*) pid=(?P<pid>\d+)(?:, ip=[\w.:]+)?\) ?")
"""The process of a line: vLLM's, or Ray's that runs it."""
_STAMP = re.compile(
    r"(?P<level>DEBUG|INFO|WARNING|ERROR|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d (?:\[[^\]]*\] ?)?"
)
_RENDEZVOUS = re.compile(
    r"world_size=\d+ rank=\d+ local_rank=\d+ distributed_init_method="
    r"file://(/.*/vllm_dist_[0-9a-f]{32}) backend="
)
_PERCENT = re.compile(r"checkpoint shards:\s+(\d+)% Completed")


class VllmLogLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line taken apart."""

    process: str | None
    """APIServer, EngineCore, EngineCore_DP0, Worker, Worker_TP0, …; None for uvicorn and bare tracebacks."""
    pid: int | None
    level: str | None
    text: str


def split_line(line: str) -> VllmLogLine:
    """Take one line apart into process, level and message; never fails.

    Colors and a log collector's prefix are left out.
    """
    found = strip_prefix(line)
    return split_plain(found.text[len(unknown_prefix(found.text)) :], level=found.level)


def split_plain(text: str, *, level: str | None = None) -> VllmLogLine:
    """Take apart a line without colors and prefixes; `level` is the collector's own level."""
    prefix = None
    while (further := _PREFIX.match(text)) is not None:
        # Ray puts its own process before vLLM's.
        prefix, text = further, text[further.end() :]
    stamp = _STAMP.match(text)
    if stamp:
        text = text[stamp.end() :]
    return VllmLogLine(
        process=prefix["process"] if prefix else None,
        pid=int(prefix["pid"]) if prefix else None,
        level=stamp["level"] if stamp else level,
        text=text,
    )


def phase_of(line: str) -> Phase | None:
    """Return the phase of a start that this line announces; None for other lines."""
    text = without_colors(line)
    return next((phase for pattern, phase in _MARKERS if pattern.search(text)), None)


def weights_percent(line: str) -> int | None:
    """Return the percentage of loaded checkpoint shards, from the progress bar."""
    found = _PERCENT.search(without_colors(line))
    return int(found[1]) if found else None


def rendezvous_file(line: str) -> str | None:
    """Return the rendezvous file, which vLLM leaves behind, of a line; None for other lines."""
    found = _RENDEZVOUS.match(split_line(line).text)
    return found[1] if found else None


# The lines of the embedded engine: the same as vLLM's, so that one reader understands both.


def log_line(text: str, when: datetime, *, process: str, pid: int, level: str = "INFO") -> str:
    """Return a line as vLLM prints it, without newline; each line of `text` gets the prefix."""
    stamp = f"({process} pid={pid}) {level} {when:%m-%d %H:%M:%S} [workbench] "
    return "\n".join(stamp + part for part in text.split("\n"))


def non_default_arguments(arguments: dict[str, object]) -> str:
    """Return the line of arguments that differ from the defaults (mask secrets first)."""
    return f"non-default args: {arguments!r}"


def kv_cache_size(tokens: int, max_model_len: int, *, device: str = "GPU") -> str:
    """Return the line of the KV cache's size in tokens and in requests of full length."""
    return (
        f"{device} KV cache size: {tokens:,} tokens, "
        f"Maximum concurrency for {max_model_len:,} tokens per request: {tokens / max_model_len:.2f}x"
    )


def chunked_prefill(max_num_batched_tokens: int) -> str:
    """Return the line of the token budget."""
    return f"Chunked prefill is enabled with max_num_batched_tokens={max_num_batched_tokens}."


def stats_line(
    *,
    prompt_tok_s: float,
    generation_tok_s: float,
    running: int,
    waiting: int,
    kv_usage: float,
    hit_rate: float,
) -> str:
    """Return the periodic line; `kv_usage` and `hit_rate` are 0 to 1."""
    return (
        f"Engine 000: Avg prompt throughput: {prompt_tok_s:.1f} tokens/s, "
        f"Avg generation throughput: {generation_tok_s:.1f} tokens/s, Running: {running} reqs, "
        f"Waiting: {waiting} reqs, GPU KV cache usage: {kv_usage * 100:.1f}%, "
        f"Prefix cache hit rate: {hit_rate * 100:.1f}%"
    )


def server_starting(url: str) -> str:
    """Return the line right before the server answers."""
    return f"Starting vLLM server on {url}"


STARTUP_COMPLETE = "Application startup complete."
SHUTDOWN_COMPLETE = "Application shutdown complete."
LISTENING = "listening on "
"""Our own servers print this and their URL on standard output."""


def listening_url(line: str) -> str | None:
    """Return the URL in the line of one of our own servers; None for other lines."""
    _, found, url = without_colors(line).partition(LISTENING)
    return url.strip() if found and url.strip().startswith("http") else None


# One line per step, if vLLM runs with `--enable-logging-iteration-details` (0.14 and later).
#
# Since 0.26 (vllm/v1/metrics/loggers.py) the KV cache's usage follows; before (vllm/v1/engine/core.py) not.


class Iteration(NamedTuple):
    """One non-empty step. `context` is work on prompts, `generation` on outputs."""

    context_requests: int
    context_tokens: int
    generation_requests: int
    generation_tokens: int
    elapsed_ms: float
    """Time of the model; scheduling and the time between two steps are not included."""
    kv_usage: float | None
    """0 to 1, after the step: its finished requests are freed. None: vLLM before 0.26 doesn't print it."""
    dummy: bool
    """A step that keeps data-parallel ranks together and computes nothing."""


_LINE = re.compile(
    r"Iteration\(\d+\): (?P<cr>\d+) context requests, (?P<ct>\d+) context tokens, "
    r"(?P<gr>\d+) generation requests, (?P<gt>\d+) generation tokens, "
    r"iteration elapsed time: (?P<ms>[\d.]+) ms(?P<dummy> \(dummy\))?"
    r"(?:, \w+ KV cache usage: (?P<kv>[\d.]+)%)?"
)


def iteration_of(line: str) -> Iteration | None:
    """Return the step that a log line describes; None for other lines."""
    found = _LINE.search(line)
    if not found:
        return None
    return Iteration(
        context_requests=int(found["cr"]),
        context_tokens=int(found["ct"]),
        generation_requests=int(found["gr"]),
        generation_tokens=int(found["gt"]),
        elapsed_ms=float(found["ms"]),
        kv_usage=float(found["kv"]) / 100 if found["kv"] else None,
        dummy=found["dummy"] is not None,
    )
