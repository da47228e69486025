"""The log is read by its messages, across versions and processes."""

from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.vllm_dialect import PHASES, Phase, listening_url, log, phase_of, split_line, weights_percent
from workbench.vllm_dialect.log_prefix import without_colors

SHARED = Path(__file__).parents[4] / "shared" / "data"
CPU_LOG = SHARED / "vllm" / "serve-cpu-0.32.log"
GPU_LOG = SHARED / "vllm-logs" / "meta-llama-llama-3-1-8b---h100-80gb--tp1pp1dp1--4096.log"


def announced(path: Path) -> list[Phase]:
    """Phases in order of first appearance."""
    found = (phase_of(line) for line in path.read_text(errors="replace").splitlines())
    return list(dict.fromkeys(phase for phase in found if phase is not None))


@pytest.mark.skipif(not CPU_LOG.exists(), reason="no recorded log here")
def test_that_a_start_on_cpus_passes_its_phases_in_order() -> None:
    assert announced(CPU_LOG) == [
        Phase.READING_MODEL,
        Phase.STARTING_ENGINE,
        Phase.LOADING_WEIGHTS,
        Phase.SIZING_CACHE,
        Phase.STARTING_HTTP,
    ]


@pytest.mark.skipif(not GPU_LOG.exists(), reason="no recorded log here")
def test_that_a_start_on_a_gpu_also_compiles_and_captures() -> None:
    phases = announced(GPU_LOG)
    assert phases == sorted(phases, key=PHASES.index)
    assert {Phase.COMPILING, Phase.CAPTURING_GRAPHS} <= set(phases)


def test_that_a_line_is_taken_apart() -> None:
    line = split_line(
        "(EngineCore_DP0 pid=12) INFO 11-29 15:09:57 [core.py:133] Initializing a V1 LLM engine\n"
    )
    assert (line.process, line.pid, line.level) == ("EngineCore_DP0", 12, "INFO")
    assert line.text == "Initializing a V1 LLM engine"
    bare = split_line("INFO:     Application startup complete.")
    assert (bare.process, bare.text) == (None, "INFO:     Application startup complete.")


@given(st.text())
def test_that_no_line_is_too_strange(text: str) -> None:
    assert split_line(
        f"INFO 11-29 15:09:57 [x.py:1] said {text}"
    ).text == f"said {without_colors(text)}".rstrip("\r\n")
    assert phase_of(text) is None or isinstance(phase_of(text), str)
    done = weights_percent(text)
    assert done is None or done >= 0


def test_that_the_progress_of_loading_is_read() -> None:
    assert weights_percent("Loading safetensors checkpoint shards:  25% Completed | 1/4 [00:01<00:03]") == 25
    assert weights_percent("Loading weights took 0.02 seconds") is None


def test_that_the_words_of_the_embedded_engine_are_understood_too() -> None:
    when = datetime(2026, 11, 29, 15, 9, 21)  # noqa: DTZ001  # vLLM's log has local times
    line = log.log_line(log.kv_cache_size(476_016, 8192), when, process="EngineCore", pid=7)
    assert line == (
        "(EngineCore pid=7) INFO 11-29 15:09:21 [workbench] GPU KV cache size: 476,016 tokens, "
        "Maximum concurrency for 8,192 tokens per request: 58.11x"
    )
    assert phase_of(line) is Phase.SIZING_CACHE
    assert phase_of(log.chunked_prefill(8192)) is Phase.READING_MODEL
    assert phase_of(log.server_starting("http://127.0.0.1:8000")) is Phase.STARTING_HTTP


def test_that_the_periodic_line_has_vllms_form() -> None:
    line = log.stats_line(
        prompt_tok_s=256.3, generation_tok_s=61.8, running=1, waiting=0, kv_usage=0.125, hit_rate=0.01
    )
    assert line == (
        "Engine 000: Avg prompt throughput: 256.3 tokens/s, Avg generation throughput: 61.8 tokens/s, "
        "Running: 1 reqs, Waiting: 0 reqs, GPU KV cache usage: 12.5%, Prefix cache hit rate: 1.0%"
    )


def test_that_the_url_of_our_own_servers_is_read() -> None:
    assert listening_url("listening on http://127.0.0.1:8123\n") == "http://127.0.0.1:8123"
    assert listening_url("listening on port 3") is None
    assert listening_url("INFO:     Started") is None
