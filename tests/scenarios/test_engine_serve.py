"""The served engine from outside: real processes, httpx as the client, vLLM's words and numbers."""

import contextlib
import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from workbench.dialect import listening_url, read_steps
from workbench.engine.check import check_file

FAST = ("--step-model", "a=2000,b=1,c=10,d=0,e=0", "--max-model-len", "4096")
SLOW = ("--step-model", "a=20000,b=1,c=10,d=0,e=0", "--max-model-len", "4096")


class Server:
    """One server process, its output as it comes, a client for it."""

    def __init__(self, *flags: str, environment: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "workbench", "engine", "serve", "--port", "0", *flags],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, **(environment or {})},
        )
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.url = self._wait_for_url()
        self.client = httpx.Client(base_url=self.url, timeout=30)

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    def _wait_for_url(self) -> str:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            for line in list(self.lines):
                if url := listening_url(line):
                    return url
            assert self.process.poll() is None, self.lines
            time.sleep(0.02)
        raise AssertionError(self.lines)

    def engine(self) -> psutil.Process:
        (child,) = psutil.Process(self.process.pid).children()
        return child

    def end(self) -> int:
        """Stop it as a launcher would; its exit code."""
        if self.process.poll() is None:
            self.process.terminate()
        try:
            code = self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        self._reader.join(5)
        self.client.close()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()
        return code

    def metrics(self) -> dict[str, float]:
        """Samples by their text, model name left out."""
        page = self.client.get("/metrics").text
        samples = (line.rpartition(" ") for line in page.splitlines() if not line.startswith("#"))
        return {re.sub(r',?model_name="[^"]*",?', "", name): float(value) for name, _, value in samples}

    def complete(self, tokens: int = 4, prompt: Any = "hello world", **body: Any) -> httpx.Response:
        return self.client.post("/v1/completions", json={"prompt": prompt, "max_tokens": tokens, **body})

    def events(self, path: str = "/v1/completions", **body: Any) -> list[dict[str, Any]]:
        """The events of a stream; its [DONE] must be the last."""
        with self.client.stream("POST", path, json={"stream": True, **body}) as response:
            assert response.status_code == 200, response.read()
            return events_of(list(response.iter_lines()))


def events_of(lines: Sequence[str]) -> list[dict[str, Any]]:
    data = [line.removeprefix("data: ") for line in lines if line]
    assert data[-1] == "[DONE]"
    return [json.loads(line) for line in data[:-1]]


@contextlib.contextmanager
def served(*flags: str, environment: dict[str, str] | None = None) -> Iterator[Server]:
    server = Server(*flags, environment=environment)
    try:
        yield server
    finally:
        server.end()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with served(
        *FAST, "--vocab-size", "2048", "--enable-prompt-tokens-details", "--enable-per-request-metrics"
    ) as one:
        yield one


def eventually(condition: Callable[[], bool], seconds: float = 10) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return False


# -- the protocol ---------------------------------------------------------------------------------------


def test_that_a_completion_has_vllms_fields_and_the_ids_asked_for(server: Server) -> None:
    response = server.client.post(
        "/v1/completions", json={"prompt": [101, 102, 103], "max_tokens": 5}, headers={"X-Request-Id": "mine"}
    )
    body = response.json()
    assert body["id"] == "cmpl-mine"
    assert body["choices"][0]["finish_reason"] == "length"
    assert body["usage"]["prompt_tokens"] == 3
    assert body["usage"]["completion_tokens"] == 5
    assert body["usage"]["prompt_tokens_details"] == {"cached_tokens": 0}
    assert len(body["choices"][0]["text"].split()) == 5
    assert body["metrics"]["time_to_first_token_ms"] == pytest.approx(2.003, rel=1e-6)
    assert body["metrics"]["queue_time_ms"] == 0.0


def test_that_a_stream_counts_its_tokens_in_every_event_and_ends_with_the_usage(server: Server) -> None:
    events = server.events(
        prompt="abcdefgh",
        max_tokens=6,
        stream_options={"include_usage": True, "continuous_usage_stats": True},
    )
    counts = [event["usage"]["completion_tokens"] for event in events]
    assert counts == sorted(counts)
    assert counts[-1] == 6
    assert [event["choices"][0]["finish_reason"] for event in events[:-1]][-1] == "length"
    assert events[-1]["choices"] == []
    assert events[-1]["usage"]["prompt_tokens"] == 2
    assert events[-1]["metrics"]["tokens_per_second"] > 0
    assert list(events[0]) == ["id", "object", "created", "model", "choices", "usage"]
    assert list(events[0]["choices"][0]) == [
        "index", "text", "logprobs", "finish_reason", "stop_reason", "prompt_token_ids", "token_ids",
    ]  # fmt: skip


def test_that_token_ids_of_a_stream_and_of_a_whole_answer_are_the_same_each_time(server: Server) -> None:
    body = {"prompt": [500, 600], "max_tokens": 8, "return_token_ids": True}
    whole = server.client.post("/v1/completions", json=body).json()["choices"][0]
    streamed = server.events(**body)
    assert streamed[0]["choices"][0]["prompt_token_ids"] == [500, 600]
    assert [token for event in streamed for token in event["choices"][0]["token_ids"]] == whole["token_ids"]
    assert all(100 <= token < 2048 for token in whole["token_ids"])


def test_that_a_chat_stream_begins_with_the_role_and_then_the_first_token(server: Server) -> None:
    messages = [{"role": "user", "content": [{"type": "text", "text": "hello"}]}]
    events = server.events("/v1/chat/completions", messages=messages, max_completion_tokens=3)
    deltas = [event["choices"][0]["delta"] for event in events]
    assert deltas[0] == {"role": "assistant", "content": ""}
    assert len("".join(delta["content"] for delta in deltas).split()) == 3
    assert events[-1]["choices"][0]["finish_reason"] == "length"
    whole = server.client.post("/v1/chat/completions", json={"messages": messages, "max_tokens": 3}).json()
    assert whole["object"] == "chat.completion"
    assert whole["choices"][0]["message"]["content"] == "".join(delta["content"] for delta in deltas)


def test_that_a_batch_of_prompts_shares_one_stream_under_different_indexes(server: Server) -> None:
    events = server.events(prompt=[[101], [102, 103], [104]], max_tokens=3)
    ends = {event["choices"][0]["index"]: event["choices"][0]["finish_reason"] for event in events}
    assert ends == {0: "length", 1: "length", 2: "length"}
    whole = server.complete(3, ["one", "two"]).json()
    assert [choice["index"] for choice in whole["choices"]] == [0, 1]
    assert whole["usage"]["completion_tokens"] == 6


def test_that_output_runs_to_its_limit_which_the_context_cuts_silently(server: Server) -> None:
    body = {"prompt": list(range(100, 2048))[:1000] * 4, "max_tokens": 4000, "ignore_eos": True}
    usage = server.client.post("/v1/completions", json=body).json()["usage"]
    assert usage["prompt_tokens"] == 4000
    assert usage["completion_tokens"] == 96


@pytest.mark.parametrize(
    ("path", "body", "status", "kind", "param"),
    [
        ("/v1/completions", {"prompt": "x", "model": "other"}, 404, "NotFoundError", "model"),
        ("/v1/completions", {"prompt": [200] * 4096}, 400, "BadRequestError", "input_tokens"),
        ("/v1/completions", {"prompt": "x", "max_tokens": 5000}, 400, "BadRequestError", "max_tokens"),
        ("/v1/completions", {"prompt": "x", "max_tokens": 0}, 400, "BadRequestError", "max_tokens"),
        ("/v1/completions", {"prompt": "x", "min_tokens": 17}, 400, "BadRequestError", "min_tokens"),
        ("/v1/completions", {"prompt": "x", "n": 2}, 400, "BadRequestError", "n"),
        ("/v1/completions", {"prompt": [2048]}, 400, "BadRequestError", None),
        ("/v1/completions", {"prompt": [-1]}, 400, "Bad Request", "body.prompt"),
        ("/v1/completions", {"prompt": "x", "max_tokens": "many"}, 400, "Bad Request", "body.max_tokens"),
        ("/v1/completions", {"prompt": ""}, 400, "Bad Request", "prompt"),
        ("/v1/completions", {}, 400, "Bad Request", "prompt"),
        ("/v1/completions", {"prompt": "x", "stream_options": {}}, 400, "Bad Request", "stream_options"),
        ("/v1/chat/completions", {"messages": 3}, 400, "Bad Request", "body.messages"),
        ("/nowhere", {}, 404, "Not Found", None),
    ],
)  # fmt: skip
def test_that_a_bad_request_is_answered_with_vllms_error_object(
    server: Server, path: str, body: dict[str, Any], status: int, kind: str, param: str | None
) -> None:
    response = server.client.post(path, json=body)
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (status, status)
    assert (error["type"], error["param"]) == (kind, param)
    assert error["message"]


def test_that_a_body_that_is_no_json_is_a_bad_request(server: Server) -> None:
    response = server.client.post("/v1/completions", content=b"\xff{")
    assert response.status_code == 400
    assert response.json()["error"]["type"] == "Bad Request"


def test_that_the_small_endpoints_answer_as_vllms(server: Server) -> None:
    client = server.client
    assert client.get("/health").content == b""
    assert client.post("/ping").status_code == 200
    assert client.get("/load").json() == {"server_load": 0}
    version = client.get("/version")
    assert version.json() == {"version": "0.32.0", "simulated": True}
    assert version.headers["x-vllm-workbench"] == "simulated"
    assert client.get("/v1/models").json()["data"][0]["max_model_len"] == 4096
    told = client.post("/tokenize", json={"prompt": "hello world"}).json()
    assert told["count"] == len(told["tokens"]) == 3
    assert client.get("/v1/completions").status_code == 405
    info = client.get("/server_info", params={"config_format": "json"}).json()
    assert info["simulated"] is True
    assert (info["vocab_size"], info["time_scale"], info["profile"]) == (2048, 1.0, None)
    assert info["vllm_config"]["scheduler_config"]["max_num_seqs"] == 1024
    assert info["num_gpu_blocks"] == info["vllm_config"]["cache_config"]["num_gpu_blocks"]


def test_that_it_tells_how_late_its_steps_and_its_answers_were(server: Server) -> None:
    server.events(prompt="x", max_tokens=50)
    info = server.client.get("/server_info").json()
    for name in ("step_start_lateness_ms", "answer_lateness_ms"):
        late = info[name]
        assert late["steps"] >= 50
        assert 0 <= late["p50"] <= late["p99"] <= late["max"]
    assert info["answer_lateness_ms"]["p50"] >= info["step_start_lateness_ms"]["p50"]


def test_that_an_answer_sent_back_as_the_next_turn_hits_the_prefix_cache(server: Server) -> None:
    messages = [{"role": "user", "content": "tell me " * 40}]
    first = server.client.post("/v1/chat/completions", json={"messages": messages, "max_tokens": 64}).json()
    messages += [first["choices"][0]["message"] | {"role": "assistant"}, {"role": "user", "content": "more"}]
    second = server.client.post("/v1/chat/completions", json={"messages": messages, "max_tokens": 4}).json()
    cached = second["usage"]["prompt_tokens_details"]["cached_tokens"]
    assert cached > first["usage"]["prompt_tokens"]


def test_that_a_salt_keeps_prompts_apart_and_a_reset_empties_the_cache(server: Server) -> None:
    prompt = [300 + k % 700 for k in range(64)]

    def cached(**body: Any) -> int:
        usage = server.complete(1, prompt, **body).json()["usage"]
        return int(usage["prompt_tokens_details"]["cached_tokens"])

    assert [cached(), cached(), cached(cache_salt="a"), cached(cache_salt="a")] == [0, 48, 0, 48]
    assert eventually(lambda: server.client.post("/reset_prefix_cache").json() == {"success": True})
    assert cached() == 0


# -- metrics --------------------------------------------------------------------------------------------


def test_that_the_page_has_every_family_of_vllms_in_its_order(server: Server, shared: Path) -> None:
    theirs = (shared / "data" / "vllm" / "metrics-0.32-after-load.txt").read_text()
    server.complete()
    ours = server.client.get("/metrics").text

    def heads(page: str) -> list[str]:
        lines = [line for line in page.splitlines() if line.startswith("#")]
        return [line for line in lines if " process_" not in line]

    def labels(page: str) -> list[tuple[str, list[str]]]:
        found = re.findall(r"^(vllm:[\w:]+)\{([^}]*)\}", page, re.MULTILINE)
        by_length = {"request_prompt_tokens", "request_generation_tokens", "max_num_generation_tokens"}
        edges = by_length | {"params_max_tokens", "prefill_kv_computed_tokens"}
        return [
            (
                name,
                re.findall(r'(\w+)="', inside) + re.findall(r'(?:le|reason|source|state)="([^"]*)"', inside),
            )
            for name, inside in found
            if not any(f"{part}_bucket" in name for part in edges)
        ]

    assert heads(ours) == heads(theirs)
    assert labels(ours) == labels(theirs)


def test_that_counters_and_histograms_move_as_a_dashboard_of_vllm_sees_them() -> None:
    with served(
        *FAST, "--no-enable-prefix-caching", "--max-num-batched-tokens", "64", "--max-num-seqs", "8"
    ) as one:
        one.complete(4, [200] * 100)
        page = one.metrics()
    assert page['vllm:prompt_tokens_total{engine="0"}'] == 100
    assert page['vllm:generation_tokens_total{engine="0"}'] == 4
    assert page['vllm:request_success_total{engine="0",finished_reason="length"}'] == 1
    # The prompt took two steps and counts whole in the second: 101 and three single tokens.
    assert page['vllm:iteration_tokens_total_count{engine="0"}'] == 4
    assert page['vllm:iteration_tokens_total_sum{engine="0"}'] == 104
    assert page['vllm:inter_token_latency_seconds_count{engine="0"}'] == 3
    assert page['vllm:request_queue_time_seconds_sum{engine="0"}'] == 0
    expected = 2 * 0.002 + 64e-6 + 36e-6
    assert page['vllm:time_to_first_token_seconds_sum{engine="0"}'] == pytest.approx(expected, rel=1e-9)
    assert page['vllm:num_requests_running{engine="0"}'] == 0
    assert page['vllm:prefix_cache_queries_total{engine="0"}'] == 0


def test_that_a_preemption_is_counted_with_the_victims_next_token_and_recomputed() -> None:
    flags = ("--num-gpu-blocks-override", "17", "--max-model-len", "256", "--no-enable-prefix-caching")
    with served("--step-model", "a=1000,b=1,c=1,d=0,e=0", *flags, "--max-num-seqs", "2") as one:
        body = {"prompt": [[150] * 100, [160] * 100], "max_tokens": 100}
        assert one.client.post("/v1/completions", json=body).json()["usage"]["completion_tokens"] == 200
        page = one.metrics()
    assert (
        page['vllm:num_preemptions_total{engine="0"}']
        == page['vllm:request_num_preemptions_sum{engine="0"}']
        >= 1
    )
    assert page['vllm:generation_tokens_total{engine="0"}'] == 200


def test_that_times_are_simulated_seconds_whatever_the_time_scale() -> None:
    with served(
        "--step-model", "a=100000,b=0,c=0,d=0,e=0", "--max-model-len", "64", "--time-scale", "20"
    ) as one:
        started = time.perf_counter()
        one.complete(10, [200])
        wall = time.perf_counter() - started
        page = one.metrics()
    assert page['vllm:e2e_request_latency_seconds_sum{engine="0"}'] == pytest.approx(1.0, rel=1e-6)
    assert 0.04 < wall < 0.9


def test_that_custom_buckets_replace_a_family() -> None:
    buckets = json.dumps({"time_to_first_token": [0.001, 0.5]})
    with served(*FAST, "--custom-histogram-buckets", buckets) as one:
        page = one.metrics()
    edges = [
        re.search(r'le="([^"]+)"', name) for name in page if "time_to_first_token_seconds_bucket" in name
    ]
    assert [edge[1] for edge in edges if edge] == ["0.001", "0.5", "+Inf"]


# -- limits on admission --------------------------------------------------------------------------------


def test_that_a_burst_beyond_the_queue_limit_gets_503_or_an_error_in_a_200_stream() -> None:
    with served(*SLOW, "--max-num-queued-reqs", "4") as one, ThreadPoolExecutor(8) as pool:

        def ask(number: int) -> tuple[int, dict[str, Any] | None]:
            body = {"prompt": [200 + number], "max_tokens": 200, "stream": number % 2 == 0}
            response = one.client.post("/v1/completions", json=body)
            if response.status_code == 200 and body["stream"]:
                return 200, next(
                    (e["error"] for e in events_of(response.text.splitlines()) if "error" in e), None
                )
            return response.status_code, response.json().get("error")

        answers = list(pool.map(ask, range(8)))
        refused = [error for _, error in answers if error]
        page = one.metrics()
    assert len(refused) == 4
    assert {error["code"] for error in refused} == {503}
    assert {error["type"] for error in refused} == {"Service Unavailable"}
    assert page['vllm:admission_rejections_total{reason="max_num_queued_reqs"}'] == 4


def test_that_a_token_backlog_refuses_until_the_prompts_have_begun_to_answer() -> None:
    def waiting(count: int) -> bool:
        return eventually(lambda: one.metrics()['vllm:num_requests_waiting{engine="0"}'] == count)

    with (
        served(*SLOW, "--max-num-queued-tokens", "1000", "--max-num-seqs", "1") as one,
        ThreadPoolExecutor(2) as pool,
    ):
        long = {"prompt": [200] * 900, "max_tokens": 3000, "stream": True}
        with one.client.stream("POST", "/v1/completions", json=long) as first:
            lines = first.iter_lines()  # held, for the client leaves with it
            next(lines)
            # The first prompt has its first token, the second waits with 900 tokens: below the limit.
            second = pool.submit(one.complete, 1, [201] * 900)
            assert waiting(1)
            third = pool.submit(one.complete, 1, [202] * 200)
            assert waiting(2)
            # Now 1,100 tokens wait.
            assert one.complete(1, [203]).status_code == 503
        assert [answer.result().status_code for answer in (second, third)] == [200, 200]


def test_that_a_client_that_leaves_is_forgotten_without_being_counted_as_finished() -> None:
    with served(*SLOW) as one:
        with one.client.stream(
            "POST", "/v1/completions", json={"prompt": "x", "max_tokens": 4000, "stream": True}
        ) as s:
            next(s.iter_lines())
        assert eventually(lambda: one.metrics()['vllm:num_requests_running{engine="0"}'] == 0)
        page = one.metrics()
    assert 1 <= page['vllm:generation_tokens_total{engine="0"}'] < 100
    assert page['vllm:request_success_total{engine="0",finished_reason="abort"}'] == 0
    assert page['vllm:e2e_request_latency_seconds_count{engine="0"}'] == 0
    assert page['vllm:time_to_first_token_seconds_count{engine="0"}'] == 1


def test_that_a_key_guards_the_api_and_nothing_else() -> None:
    with served(*FAST, environment={"VLLM_API_KEY": "s3cret-key"}) as one:
        refused = one.complete()
        assert (refused.status_code, refused.json()) == (401, {"error": "Unauthorized"})
        one.client.headers["Authorization"] = "Bearer s3cret-key"
        assert one.complete().status_code == 200
        del one.client.headers["Authorization"]
        assert one.client.get("/metrics").status_code == 200
        assert "s3cret-key" not in one.client.get("/server_info").text
    assert not [line for line in one.lines if "s3cret-key" in line]


# -- live limits and the step record --------------------------------------------------------------------


def order(path: Path, *orders: Any) -> list[dict[str, Any]]:
    with socket.socket(socket.AF_UNIX) as caller:
        caller.settimeout(10)
        caller.connect(str(path))
        with caller.makefile("rwb") as file:
            answers = []
            for one in orders:
                file.write((one if isinstance(one, bytes) else json.dumps(one).encode()) + b"\n")
                file.flush()
                answers.append(json.loads(file.readline()))
            return answers


def test_that_limits_change_while_it_runs_over_a_socket_of_its_owner_alone(tmp_path: Path) -> None:
    path, steps = tmp_path / "control", tmp_path / "live.steps.jsonl"
    flags = ("--max-num-seqs", "8", "--num-gpu-blocks-override", "300", "--log-steps", str(steps))
    with served(*SLOW, "--control-socket", str(path), *flags) as one, ThreadPoolExecutor(6) as pool:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        answers = [pool.submit(one.complete, 30, [200 + k] * 40) for k in range(6)]
        assert eventually(lambda: one.metrics()['vllm:num_requests_running{engine="0"}'] == 6)
        changed, parked, too_many, unknown, wrong, huge, now = order(
            path,
            {"set": {"max_num_active_seqs": 2}},
            {"set": {"parked_kv_blocks": 10}},
            {"set": {"parked_kv_blocks": 100}},
            {"set": {"block_size": 8}},
            b"no json",
            {"set": {"max_num_active_seqs": 10**30}},
            {"get": True},
        )
        assert changed == {"changed": {"max_num_active_seqs": {"old": 8, "new": 2}}}
        assert parked == {"changed": {"parked_kv_blocks": {"old": 0, "new": 10}}}
        assert "max_model_len" in too_many["error"]
        assert "can't be changed" in unknown["error"]
        assert "not an order" in wrong["error"]
        assert "64 bits" in huge["error"]
        assert now["limits"]["max_num_active_seqs"] == 2
        assert now["ranges"]["parked_kv_blocks"] == [0, 43]  # 256 of 299 blocks for one request
        assert {answer.result().status_code for answer in answers} == {200}
        more = [pool.submit(one.complete, 30, [300 + k] * 40) for k in range(6)]
        assert eventually(lambda: one.metrics()['vllm:num_requests_waiting{engine="0"}'] == 4)
        assert one.metrics()['vllm:num_requests_running{engine="0"}'] == 2
        assert {answer.result().status_code for answer in more} == {200}
    assert not path.exists()
    with steps.open("rb") as file:
        kinds = [type(line).__name__ for line in read_steps(file, where="live")]
    assert kinds.count("LimitChanged") == 2
    assert check_file(steps).identical, str(check_file(steps))


@pytest.mark.parametrize("mode", ["--async-scheduling", "--no-async-scheduling"])
def test_that_what_a_served_run_recorded_is_what_the_scheduler_decides(tmp_path: Path, mode: str) -> None:
    steps = tmp_path / "served.steps.jsonl"
    flags = ("--num-gpu-blocks-override", "40", "--max-model-len", "512", "--max-num-batched-tokens", "256")
    with (
        served("--step-model", "a=1500,b=2,c=5,d=0,e=0", mode, *flags, "--log-steps", str(steps)) as one,
        ThreadPoolExecutor(12) as pool,
    ):

        def ask(number: int) -> None:
            prompt = [150 + k % (90 + number % 3) for k in range(30 + 17 * number % 140)]
            body = {"prompt": prompt, "max_tokens": 20 + 7 * number % 60, "stream": True}
            with one.client.stream("POST", "/v1/completions", json=body) as stream:
                for read, line in enumerate(stream.iter_lines()):
                    if number % 5 == 0 and read > 8:
                        return  # a client that leaves
                    assert "error" not in line

        list(pool.map(ask, range(48)))
    with steps.open("rb") as file:
        lines = list(read_steps(file, where="served"))
    assert any(getattr(line, "pre", None) for line in lines), "no preemption: too easy a workload"
    assert any(getattr(line, "why", None) for line in lines)
    assert any(type(line).__name__ == "Finished" for line in lines), "no client left in time"
    verdict = check_file(steps)
    assert verdict.identical, str(verdict)


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
        assert one.process.wait(10) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL on Windows")
def test_that_the_engine_ends_when_its_front_was_killed() -> None:
    with served(*FAST) as one:
        engine = one.engine()
        one.process.send_signal(signal.SIGKILL)
        one.process.wait(5)
        assert eventually(lambda: not engine.is_running() or engine.status() == psutil.STATUS_ZOMBIE, 5)


def test_that_it_ends_with_its_standard_input_where_asked_to() -> None:
    with served(*FAST, "--exit-with-stdin") as one:
        assert one.complete().status_code == 200
        assert one.process.stdin is not None
        one.process.stdin.close()
        assert one.process.wait(10) == 0


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
        capture_output=True, text=True, timeout=30, check=False, stdin=subprocess.DEVNULL,
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
        (("--profile", "h100/none"), 2, "error: profile 'h100/none': no such profile; near it are "),
        (("--time-scale", "0"), 2, "error: --time-scale 0.0: a number above 0 would be right"),
        (("--log-steps", "/nowhere/x"), 2, "error: --log-steps /nowhere/x: No such file or directory"),
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
