"""The served engine from outside: real processes, httpx as the client, vLLM's words and numbers."""

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.scenarios.engine_server import FAST, Server, eventually, served


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with served(
        *FAST, "--vocab-size", "2048", "--enable-prompt-tokens-details", "--enable-per-request-metrics"
    ) as one:
        yield one


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
        "--step-model", "a=10000000,b=0,c=0,d=0,e=0", "--max-model-len", "64", "--time-scale", "2000"
    ) as one:
        started = time.perf_counter()
        one.complete(10, [200])
        wall = time.perf_counter() - started
        page = one.metrics()
    assert page['vllm:e2e_request_latency_seconds_sum{engine="0"}'] == pytest.approx(100.0, rel=1e-6)
    assert 0.04 < wall < 50.0


def test_that_custom_buckets_replace_a_family() -> None:
    buckets = json.dumps({"time_to_first_token": [0.001, 0.5]})
    with served(*FAST, "--custom-histogram-buckets", buckets) as one:
        page = one.metrics()
    edges = [
        re.search(r'le="([^"]+)"', name) for name in page if "time_to_first_token_seconds_bucket" in name
    ]
    assert [edge[1] for edge in edges if edge] == ["0.001", "0.5", "+Inf"]
