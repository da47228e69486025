"""The ruler held against a real vLLM's own counters."""

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.vllm.conftest import RealServer
from workbench.dialect import metrics
from workbench.telemetry import MetricsPage, delta


def page_of(server: RealServer) -> MetricsPage:
    return MetricsPage.parse(httpx.get(f"{server.url}/metrics", timeout=30).text)


@pytest.mark.vllm
def test_that_completed_requests_and_tokens_equal_the_servers_own_counters(
    real: RealServer, tmp_path: Path
) -> None:
    before = page_of(real)
    done = subprocess.run(
        [
            sys.executable, "-m", "workbench", "measure", real.url, "--synthetic", "300:100",
            "--rate", "6", "--requests", "60", "--json", "-", "--per-request", str(tmp_path / "requests.csv"),
        ],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    figures: dict[str, Any] = json.loads(done.stdout)
    theirs = delta(before, page_of(real))
    assert figures["requests"]["completed"] == theirs.succeeded == 60
    with (tmp_path / "requests.csv").open(newline="") as file:
        requests = list(csv.DictReader(file))
    assert sum(int(request["tokens"]) for request in requests) == theirs.generation_tokens == 6000
    assert sum(int(request["prompt_tokens"]) for request in requests) == theirs.prompt_tokens == 18000
    # 60 blocks of 32 tokens hold four such requests: the pool is the limit, so there are preemptions.
    assert figures["preemptions"] == theirs.preemptions > 0
    assert theirs.preemptions == theirs.histograms[metrics.REQUEST_PREEMPTIONS.name].sum
    assert figures["kv_peak"] > 0.9
    print(f"TTFT p50 {figures['ttft_ms']['p50']:.0f} ms, {figures['preemptions']:.0f} preemptions, "
          f"client delay p95 {figures['client_delay_ms']['p90']:.1f} ms")  # fmt: skip
