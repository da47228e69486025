"""The served engine's limits on admission, those that change while it runs, and its step record."""

import json
import socket
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.scenarios.engine_server import FAST, SLOW, events_of, eventually, served
from workbench.engine.parity import check_file
from workbench.vllm_dialect import read_steps

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
    assert 1 <= page['vllm:generation_tokens_total{engine="0"}'] < 4000
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
    assert kinds.count("StepLimitChanged") == 2
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
    assert any(type(line).__name__ == "RequestsFinished" for line in lines), "no client left in time"
    verdict = check_file(steps)
    assert verdict.identical, str(verdict)
