"""The stat logger inside vLLM: every step's figures are written down, nothing disturbs the server."""

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from workbench.servers.inside.workbench_scheduler import stats, writer


class StatLoggerBase:
    """vLLM's, as far as a plug-in sees it."""


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file to which loggers write; a vLLM to be imported."""
    loggers, vllm = ModuleType("loggers"), ModuleType("vllm")
    vars(loggers)["StatLoggerBase"] = StatLoggerBase
    vars(vllm)["__version__"] = "9.9.0"
    for name, module in {
        "vllm": vllm,
        "vllm.v1": ModuleType("v1"),
        "vllm.v1.metrics": ModuleType("m"),
    }.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setitem(sys.modules, "vllm.v1.metrics.loggers", loggers)
    monkeypatch.setattr(stats, "_taps", {})
    monkeypatch.setenv(stats.STATS, str(tmp_path / "stats"))
    yield tmp_path / "stats"
    for tap in stats._taps.values():
        if tap is not None:
            tap.close()


def make(engine: int = 0) -> Any:
    """What vLLM makes of the entry point, once an engine."""
    plugin = importlib.import_module(stats.__name__).WorkbenchStats
    assert issubclass(plugin, StatLoggerBase)
    return plugin(SimpleNamespace(), engine)


def lines_of(record: Path) -> list[dict[str, Any]]:
    for tap in stats._taps.values():
        assert tap is not None
        tap.close()
    return [json.loads(line) for line in record.read_text().splitlines()]


def scheduler(**more: Any) -> SimpleNamespace:
    told = {
        "num_running_reqs": 3,
        "num_waiting_reqs": 2,
        "num_skipped_waiting_reqs": 1,
        "kv_cache_usage": 0.5,
    }
    return SimpleNamespace(**{**told, **more})


def iteration(**more: Any) -> SimpleNamespace:
    told: dict[str, Any] = {
        "num_prompt_tokens": 40,
        "prompt_token_stats": SimpleNamespace(cached_tokens=16),
        "num_generation_tokens": 5,
        "num_preempted_reqs": 1,
        "time_to_first_tokens_iter": [0.25],
        "finished_requests": [],
    }
    return SimpleNamespace(**{**told, **more})


def test_that_each_steps_figures_are_written_as_vllm_tells_them(record: Path) -> None:
    logger = make()
    ended = SimpleNamespace(
        request_id="cmpl-a-0",
        finish_reason="length",
        queued_time=0.5,
        prefill_time=0.1,
        decode_time=1.5,
        e2e_latency=2.25,
        num_prompt_tokens=40,
        num_cached_tokens=16,
        num_generation_tokens=20,
        num_preemptions=2,
    )
    logger.log_engine_initialized()
    logger.record(scheduler(), iteration(finished_requests=[ended]), mm_cache_stats=None, engine_idx=0)
    logger.record(scheduler_stats=scheduler(num_running_reqs=0), iteration_stats=None, engine_idx=0)
    header, step, empty, cost = lines_of(record)
    assert header == {"ev": "header", "version": "9.9.0", "engine": 0}
    assert step.pop("mono") > 0
    assert step == {
        "ev": "stats",
        "engine": 0,
        "running": 3,
        "waiting": 2,
        "deferred": 1,
        "kv_usage": 0.5,
        "prompt_tokens": 40,
        "cached_tokens": 16,
        "generation_tokens": 5,
        "preempted": 1,
        "ttft_s": [0.25],
        "step": None,
        "finished": [
            {
                "id": "cmpl-a-0",
                "reason": "length",
                "queue_s": 0.5,
                "prefill_s": 0.1,
                "decode_s": 1.5,
                "e2e_s": 2.25,
                "prompt_tokens": 40,
                "cached_tokens": 16,
                "generation_tokens": 20,
                "preemptions": 2,
            }
        ],
    }
    assert (empty["running"], empty["prompt_tokens"], empty["preempted"]) == (0, None, None)
    assert (cost["ev"], cost["calls"], cost["dropped"]) == ("cost", 3, 0)
    assert cost["cpu_s"] > 0


def test_that_what_a_step_computed_is_told_where_vllm_tells_it(record: Path) -> None:
    details = SimpleNamespace(
        num_ctx_requests=1,
        num_ctx_tokens=36,
        num_generation_requests=3,
        num_generation_tokens=4,
        elapsed_ms=39.5,
    )
    make().record(scheduler(iteration_details=details), iteration())
    assert lines_of(record)[1]["step"] == {
        "context_requests": 1,
        "context_tokens": 36,
        "generation_requests": 3,
        "generation_tokens": 4,
        "elapsed_ms": 39.5,
    }


def test_that_all_engines_of_a_server_write_to_one_record(record: Path) -> None:
    for engine in (0, 1):
        make(engine).record(scheduler(), None, engine_idx=engine)
    assert [line.get("engine") for line in lines_of(record)] == [0, 0, 1, 1, None]


def test_that_figures_which_a_version_lacks_are_empty(record: Path) -> None:
    make().record(SimpleNamespace(num_running_reqs=1), SimpleNamespace(finished_requests=[SimpleNamespace()]))
    step = lines_of(record)[1]
    assert (step["running"], step["kv_usage"], step["generation_tokens"]) == (1, None, None)
    assert set(step["finished"][0].values()) == {None}


def test_that_lines_beyond_the_queue_are_dropped_and_counted(
    record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "_CAPACITY", 3)
    monkeypatch.setattr(writer, "_PAUSE_S", 60.0)
    logger = make()
    for _ in range(8):
        logger.record(scheduler(), iteration())
    (tap,) = stats._taps.values()
    assert tap is not None
    assert tap._writer is not None
    assert tap._writer.dropped == 6
    assert [line["ev"] for line in lines_of(record)] == ["header", "stats", "stats"]


def test_that_a_logger_that_fails_leaves_the_server_alone(record: Path, expected_logs: list[str]) -> None:
    expected_logs.append("The step record has stopped")
    logger = make()
    logger.record(scheduler(), iteration(finished_requests=5))
    logger.record(scheduler(), iteration())
    assert [line["ev"] for line in lines_of(record)] == ["header"]


def test_that_a_place_which_cannot_be_written_is_told_and_the_server_goes_on(
    record: Path, monkeypatch: pytest.MonkeyPatch, expected_logs: list[str]
) -> None:
    expected_logs.append("No step record")
    monkeypatch.setenv(stats.STATS, str(record / "no" / "such"))
    make().record(scheduler(), iteration())
    assert stats._taps == {str(record / "no" / "such"): None}


def test_that_without_a_place_nothing_is_written(record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(stats.STATS)
    make().record(scheduler(), iteration())
    assert not record.exists()
