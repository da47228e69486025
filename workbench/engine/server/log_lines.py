"""Log lines of both processes, in vLLM's words (phases and failures as in `vllm_dialect`)."""

import contextlib
import os
import sys
from collections.abc import Mapping
from datetime import datetime

from workbench.engine.server.job import EngineJob
from workbench.vllm_dialect import http_errors as errors
from workbench.vllm_dialect import log

_API, _CORE = "APIServer", "EngineCore"
_SEE = "See https://docs.vllm.ai/en/latest/configuration/conserving_memory/ for more details."
_GIB = 1 << 30
_KV_BYTES_PER_TOKEN = 1 << 17
"""Llama-3.1-8B in bf16: 32 layers, 8 heads of 128 values, key and value."""


def say(text: str, *, process: str = _API, level: str = "INFO") -> None:
    """Print a line (or several) on standard output, as vLLM does."""
    line = log.log_line(text, datetime.now().astimezone(), process=process, pid=os.getpid(), level=level)
    _print(line)


def _print(line: str) -> None:
    """Print without failing if the reader is gone."""
    with contextlib.suppress(OSError):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def banner(model: str, version: str, arguments: Mapping[str, object]) -> None:
    """Print the first lines after the port is bound, which name the engine as simulated."""
    say(f"\n  vLLM Workbench embedded engine (simulated), version {version}, model {model}\n")
    say(log.non_default_arguments(dict(arguments)))


def configured(model: str, max_model_len: int, budget: int, *, chunked: bool) -> None:
    """Print the lines of a read model configuration."""
    say(f"Resolved architecture: Simulated ({model})")
    say(f"Using max model len {max_model_len}")
    if chunked:
        say(log.chunked_prefill(budget))


def engine_starts(job: EngineJob) -> None:
    """Print the lines of a starting engine process."""
    scheduler = job.scheduler
    say(
        f"Initializing a V1 LLM engine (v{scheduler.vllm_version}) with config: model='{job.model}', "
        "simulated=True, "
        f"max_seq_len={scheduler.max_model_len}, enable_prefix_caching={scheduler.enable_prefix_caching}, "
        f"enable_chunked_prefill={scheduler.enable_chunked_prefill}, time_scale={job.time_scale:g}",
        process=_CORE,
    )
    if scheduler.policy == "static":
        say(
            "Static batching: no request joins a batch until its last one ends; vLLM has no such mode",
            process=_CORE,
        )
    say(f"Starting to load model {job.model}...", process=_CORE)
    say("Loading weights took 0.00 seconds", process=_CORE)


def recorder_stopped(error: OSError) -> None:
    """Print that the step recorder stopped, as our recorder inside a vLLM does."""
    why = error.strerror or error
    say(f"The step recorder has stopped: {why}", process=_CORE, level="WARNING")


def engine_ready(job: EngineJob, seconds: float) -> None:
    """Print that the KV cache is sized and steps can begin."""
    scheduler = job.scheduler
    tokens = scheduler.num_gpu_blocks * scheduler.block_size
    say(log.kv_cache_size(tokens, scheduler.max_model_len), process=_CORE)
    say(f"init engine (profile, create kv cache, warmup model) took {seconds:.2f} s", process=_CORE)


def check_room(job: EngineJob) -> None:
    """Check that a request of full length fits the KV cache.

    Raises:
        ValueError: it doesn't; vLLM's text names the longest that would fit.
    """
    scheduler = job.scheduler
    usable = max(0, scheduler.num_gpu_blocks - 1) * scheduler.block_size
    if usable >= scheduler.max_model_len:
        return
    if not usable:
        raise ValueError(
            "No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when "
            f"initializing the engine. {_SEE}"
        )
    needed = scheduler.max_model_len * _KV_BYTES_PER_TOKEN / _GIB
    available = usable * _KV_BYTES_PER_TOKEN / _GIB
    raise ValueError(
        f"To serve at least one request with the model's max seq len ({scheduler.max_model_len}), "
        f"({needed:.2f} GiB KV cache is needed, which is larger than the available KV cache memory "
        f"({available:.2f} GiB). Based on the available memory, the estimated maximum model length is "
        f"{usable}. Try increasing `gpu_memory_utilization` (which also controls CPU memory on the CPU "
        f"backend) or decreasing `max_model_len` when initializing the engine. {_SEE}"
    )


def engine_failed(trace: str, *, serving: bool) -> None:
    """Print that the engine's process failed to start, or broke while serving."""
    what = "EngineCore encountered a fatal error." if serving else "EngineCore failed to start."
    say(what + "\n" + trace.rstrip("\n"), process=_CORE, level="ERROR")


def serving(url: str) -> None:
    """Print that the server is about to answer."""
    say("Supported tasks: ['generate']")
    say(log.server_starting(url))


def listening(url: str) -> None:
    """Print the line for which our own programs wait."""
    _print(log.LISTENING + url)


def engine_dead() -> None:
    """Print that the engine's process ended while requests may be in flight."""
    say(
        "AsyncLLM output_handler failed.\n"
        f"vllm.v1.engine.exceptions.EngineDeadError: {errors.ENGINE_DEAD_TEXT}",
        level="ERROR",
    )


def stream_error(kind: str, text: str) -> None:
    """Print an error inside a stream that began with 200."""
    say(f"Error in {kind} stream generator.\n{text}", level="ERROR")


def shutdown_begins() -> None:
    """Print that the shutdown begins."""
    say("[shutdown] API server: shutdown triggered")
    say("[shutdown] API server: stopping engine client mode=abort timeout=0s")


def shutdown_http() -> None:
    """Print that the engine ended and connections are closed."""
    say("[shutdown] API server: engine client stopped")
    say("[shutdown] API server: shutting down FastAPI HTTP server")
