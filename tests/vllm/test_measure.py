"""The ruler held against a real vLLM's own counters."""

import csv
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.vllm.conftest import BUILD, RealServer
from workbench.telemetry import MetricsPage, server_delta
from workbench.traces import read_trace
from workbench.vllm_dialect import metrics


def page_of(server: RealServer) -> MetricsPage:
    return MetricsPage.parse(httpx.get(f"{server.url}/metrics", timeout=30).text)


def measured(server: RealServer, folder: Path, *words: str) -> tuple[dict[str, Any], list[dict[str, str]]]:
    """The figures of a measurement, and its requests."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "workbench", "measure", server.url, *words),
            *("--json", "-", "--per-request", str(folder / "requests.csv")),
        ],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    with (folder / "requests.csv").open(newline="") as file:
        return json.loads(done.stdout), list(csv.DictReader(file))


@pytest.mark.vllm
def test_that_ttft_is_the_servers_own_plus_its_http_path_within_a_tenth(
    real: RealServer, tmp_path: Path
) -> None:
    """The offsets between both, by name: what passes before vLLM's clock starts, and after it stops.

    Its histogram counts from when its front end has read the body to when the first output is handled. Ours
    counts from due: before it lie the client's delay, connecting, and HTTP parsing and validation; after it
    the event's way to the socket and through it: some milliseconds, whatever the load. Twelve at once wait
    for a pool that holds two, so TTFT is some hundred.
    """
    before = page_of(real)
    _, requests = measured(real, tmp_path, "--synthetic", "800:16", "--concurrency", "12", "--requests", "60")
    theirs = server_delta(before, page_of(real)).histograms[metrics.TTFT.name]
    assert theirs.count == len(requests) == 60
    due, sent, first = (
        [float(request[stamp]) for request in requests] for stamp in ("due_s", "sent_s", "first_token_s")
    )
    ours_s, server_s, delay_s = sum(first) - sum(due), theirs.sum, sum(sent) - sum(due)
    print(f"TTFT mean: ours {ours_s / 60 * 1e3:.1f} ms, its histogram {server_s / 60 * 1e3:.1f} ms, "
          f"client delay {delay_s / 60 * 1e3:.2f} ms")  # fmt: skip
    path_s = ours_s - delay_s - server_s
    assert path_s > 0
    assert path_s < 0.10 * server_s


@pytest.mark.vllm
def test_that_the_command_of_an_exported_trace_sends_vllm_the_trace(real: RealServer, tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    made = subprocess.run(
        [
            *(sys.executable, "-m", "workbench", "trace", "make", "chat", str(trace)),
            *("--requests", "12", "--rate", "4", "--fit", "700:clamp", "--to", "timed_trace"),
        ],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    rows = list(read_trace(trace, format="timed_trace").rows())
    (line,) = (line for line in made.stdout.splitlines() if "replay it with: " in line)
    setting, vllm, *words = shlex.split(line.partition("replay it with: ")[2])
    assert (setting, vllm) == ("PYTHONHASHSEED=0", "vllm")
    words[words.index("MODEL")] = real.model
    words[words.index("http://127.0.0.1:8000")] = real.url
    before = page_of(real)
    subprocess.run(
        [str(BUILD / "venv/bin/vllm"), *words, "--tokenizer", str(BUILD / "tiny-llama")],
        env={**os.environ, "PYTHONHASHSEED": "0", "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1"},
        capture_output=True, timeout=300, check=True,
    )  # fmt: skip
    theirs = server_delta(before, page_of(real))
    assert theirs.succeeded == len(rows)
    assert theirs.generation_tokens == sum(row.output_length for row in rows)
    asked = sum(row.input_length for row in rows)
    assert theirs.prompt_tokens == asked


@pytest.mark.vllm
def test_that_completed_requests_and_tokens_equal_the_servers_own_counters(
    real: RealServer, tmp_path: Path
) -> None:
    before = page_of(real)
    figures, requests = measured(
        real, tmp_path, "--synthetic", "300:100", "--concurrency", "10", "--requests", "60"
    )
    theirs = server_delta(before, page_of(real))
    assert figures["requests"]["completed"] == theirs.succeeded == 60
    assert sum(int(request["tokens"]) for request in requests) == theirs.generation_tokens == 6000
    assert sum(int(request["prompt_tokens"]) for request in requests) == theirs.prompt_tokens == 18000
    # 60 blocks of 32 tokens hold four such requests: the pool is the limit, so there are preemptions.
    assert figures["preemptions"] == theirs.preemptions > 0
    assert theirs.preemptions == theirs.histograms[metrics.REQUEST_PREEMPTIONS.name].sum
    assert figures["kv_peak"] > 0.9
    print(f"TTFT p50 {figures['ttft_ms']['p50']:.0f} ms, {figures['preemptions']:.0f} preemptions, "
          f"client delay p95 {figures['client_delay_ms']['p90']:.1f} ms")  # fmt: skip
