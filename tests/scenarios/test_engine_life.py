"""The served engine's life: starts, ends, lost halves, refusals before it serves."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import psutil
import pytest

from tests.scenarios.engine_server import FAST, SLOW, events_of, eventually, served

# -- its life -------------------------------------------------------------------------------------------


def test_that_its_log_tells_the_phases_in_vllms_words() -> None:
    with served(*FAST, environment={"VLLM_LOG_STATS_INTERVAL": "0.2"}) as one:
        one.complete(50)
        assert eventually(lambda: any("Avg generation throughput" in line for line in one.lines))
        api, engine = one.process.pid, one.engine().pid
    text = "\n".join(one.lines)
    assert re.search(rf"\(APIServer pid={api}\) INFO \d\d-\d\d \d\d:\d\d:\d\d \S+ non-default args: ", text)
    assert f"(EngineCore pid={engine})" in text
    for phrase in (
        "Using max model len 4096",
        "Chunked prefill is enabled with max_num_batched_tokens=8192.",
        "Initializing a V1 LLM engine (v0.32.0) with config: ",
        "GPU KV cache size: 449,040 tokens, Maximum concurrency for 4,096 tokens per request: 109.63x",
        "init engine (profile, create kv cache, warmup model) took",
        "Starting vLLM server on http://127.0.0.1:",
        "Application startup complete.",
        '"POST /v1/completions HTTP/1.1" 200 OK',
        "[shutdown] API server: shutdown triggered",
        "Application shutdown complete.",
    ):
        assert phrase in text, phrase


def test_that_a_stop_gives_running_streams_an_abort_and_queued_ones_only_the_end() -> None:
    with served(*SLOW, "--max-num-seqs", "1") as one, ThreadPoolExecutor(3) as pool:

        def stream(number: int) -> list[dict[str, Any]]:
            body = {"prompt": [200 + number], "max_tokens": 4000, "stream": True}
            return events_of(one.client.post("/v1/completions", json=body).text.splitlines())

        running = pool.submit(stream, 0)
        assert eventually(lambda: one.metrics()['vllm:num_requests_running{engine="0"}'] == 1)
        queued = pool.submit(stream, 1)
        whole = pool.submit(one.complete, 4000, [300])
        assert eventually(lambda: one.metrics()['vllm:num_requests_waiting{engine="0"}'] == 2)
        assert one.end() == 0
        assert running.result()[-1]["choices"][0]["finish_reason"] == "abort"
        assert queued.result() == []
        assert whole.result().status_code == 200


def test_that_the_death_of_the_engine_is_told_and_ends_the_server_with_exit_code_0() -> None:
    with served(*SLOW) as one, ThreadPoolExecutor(2) as pool:
        streamed = pool.submit(one.events, prompt="x", max_tokens=4000)
        whole = pool.submit(one.complete, 4000, [300])
        assert eventually(lambda: one.metrics()['vllm:num_requests_running{engine="0"}'] == 2)
        one.engine().kill()
        error = streamed.result()[-1]["error"]
        assert error["message"].startswith("EngineCore encountered an issue.")
        assert (error["type"], error["code"]) == ("InternalServerError", 500)
        assert whole.result().status_code == 500
        with contextlib.suppress(httpx.ConnectError):
            assert one.client.get("/health").status_code == 503
        assert one.process.wait(60) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL on Windows")
def test_that_the_engine_ends_when_its_front_was_killed() -> None:
    with served(*FAST) as one:
        engine = one.engine()
        one.process.send_signal(signal.SIGKILL)
        one.process.wait(60)
        assert eventually(lambda: not engine.is_running() or engine.status() == psutil.STATUS_ZOMBIE)


def test_that_it_ends_with_its_standard_input_where_asked_to() -> None:
    with served(*FAST, "--exit-with-stdin") as one:
        assert one.complete().status_code == 200
        assert one.process.stdin is not None
        one.process.stdin.close()
        assert one.process.wait(60) == 0


def test_that_static_batching_holds_a_latecomer_until_the_batch_has_ended() -> None:
    with served(*SLOW, "--static-batching") as one, ThreadPoolExecutor(2) as pool:
        first = pool.submit(one.complete, 30, [200])
        assert eventually(lambda: one.metrics()['vllm:num_requests_running{engine="0"}'] == 1)
        second = pool.submit(one.complete, 1, [300])
        assert eventually(lambda: one.metrics()['vllm:num_requests_waiting{engine="0"}'] == 1)
        assert {first.result().status_code, second.result().status_code} == {200}
        queued = one.metrics()['vllm:request_queue_time_seconds_sum{engine="0"}']
        told = one.client.get("/server_info").json()["vllm_config"]["scheduler_config"]
    assert queued > 0.2
    assert (told["policy"], told["static_batching"]) == ("fcfs", True)


# -- refusals before it serves --------------------------------------------------------------------------


def refused(*flags: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "workbench", "engine", "serve", *flags],
        capture_output=True, text=True, timeout=120, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("flags", "code", "text"),
    [
        (("--no-such-flag", "3"), 2, "error: unrecognized arguments: --no-such-flag 3"),
        (("--max-num-seqs", "many"), 2, "argument --max-num-seqs: invalid int value: 'many'"),
        (("--max-num-seqs", "0"), 1, "1 validation error for SchedulerConfig\nmax_num_seqs\n"),
        (
            ("--max-num-seqs", "64", "--max-num-batched-tokens", "32"), 1,
            "max_num_batched_tokens (32) must be greater than or equal to max_num_seqs (64).",
        ),
        (
            ("--no-enable-chunked-prefill", "--max-num-batched-tokens", "2048"), 1,
            "max_num_batched_tokens (2048) is smaller than max_model_len (131072).",
        ),
        (("--profile", "h100/none"), 2, "error: no profile is called 'h100/none'; similar names are "),
        (("--time-scale", "0"), 2, "error: --time-scale: 0 must be greater than 0"),
        (("--log-steps", "/nowhere/x"), 2, "error: --log-steps: /nowhere/x can't be written: No such file"),
    ],
)  # fmt: skip
def test_that_values_are_refused_in_vllms_words_and_with_its_exit_code(
    flags: tuple[str, ...], code: int, text: str
) -> None:
    returned, out, err = refused("--port", "0", *flags)
    assert returned == code
    assert text in err
    assert "listening" not in out


def test_that_a_pool_too_small_for_one_request_tells_the_longest_that_fits() -> None:
    code, out, err = refused("--port", "0", "--num-gpu-blocks-override", "64", "--max-model-len", "2048")
    assert code == 1
    assert "EngineCore failed to start." in out
    assert "the estimated maximum model length is 1008." in out
    assert "RuntimeError: Engine core initialization failed. See root cause above." in err
    assert err.splitlines()[-1].startswith("error: the engine did not start: To serve at least one request")


def test_that_a_port_in_use_is_said_in_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, _, err = refused("--port", str(port))
    assert code == 1
    assert "Address already in use" in err
    assert err.splitlines()[-1] == f"error: port {port} on 127.0.0.1 can't be used: Address already in use"


def test_that_it_keeps_serving_when_nobody_reads_its_log_any_more() -> None:
    with served(*FAST, environment={"VLLM_LOG_STATS_INTERVAL": "0.2"}) as one:
        assert one.process.stdout is not None
        os.dup2(os.open(os.devnull, os.O_RDONLY), one.process.stdout.fileno())
        one.complete(100)
        time.sleep(0.5)
        assert one.complete().status_code == 200
        assert one.end() == 0
