"""A real vLLM under one limit at a time, diagnosed from what it says of itself."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from tests.vllm.conftest import CONTROLS, Loop, RealServer, local_spec
from workbench.advice import Bottleneck, Diagnosis, RunView, diagnose
from workbench.results import Sample
from workbench.telemetry import MetricsPage


@contextmanager
def sampled(server: RealServer) -> Iterator[list[Sample]]:
    """Samples of the server, four a second, while the block runs."""
    taken: list[Sample] = []
    over, began = threading.Event(), time.perf_counter()

    def scrape() -> None:
        with httpx.Client(timeout=30) as client:
            while not over.wait(0.25):
                page = MetricsPage.parse(client.get(f"{server.url}/metrics").text)
                taken.extend(page.samples(time.perf_counter() - began))

    thread = threading.Thread(target=scrape)
    thread.start()
    try:
        yield taken
    finally:
        over.set()
        thread.join()


def diagnosed(server: RealServer, limits: dict[str, Any], *load: str) -> Diagnosis:
    """Load the server with `measure` and diagnose what it showed."""
    with sampled(server) as taken:
        done = subprocess.run(
            [sys.executable, "-m", "workbench", "measure", server.url, *load, "--json", "-"],
            capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = diagnose(RunView(samples=taken, limits=limits, figures=json.loads(done.stdout)))
    print("\n".join(map(str, found.notes())))
    return found


@contextmanager
def started(loop: Loop, controls: dict[str, Any]) -> Iterator[RealServer]:
    server = RealServer(loop, local_spec(), controls)
    loop.call(server.begin())
    try:
        yield server
    finally:
        server.stop()


@pytest.mark.vllm
def test_that_too_small_a_pool_is_diagnosed(real: RealServer) -> None:
    found = diagnosed(real, CONTROLS, "--synthetic", "300:150", "--rate", "8", "--requests", "80")
    assert found.main is Bottleneck.KV_CACHE
    assert any("preemptions" in str(finding.verdict) for finding in found.findings)


@pytest.mark.vllm
def test_that_too_few_seats_are_diagnosed(loop: Loop) -> None:
    controls = {"max_model_len": 1024, "max_num_seqs": 2, "max_num_batched_tokens": 512}
    with started(loop, controls) as server:
        # Eight callers at once wait for two seats on a machine of any speed.
        found = diagnosed(
            server, controls, "--synthetic", "100:200", "--concurrency", "8", "--requests", "80"
        )
    assert found.main is Bottleneck.SEQUENCES
    assert found.change is not None
    assert found.change.control == "max_num_seqs"


@pytest.mark.vllm
def test_that_an_admission_limit_is_diagnosed(loop: Loop) -> None:
    controls = {
        "max_model_len": 1024, "max_num_seqs": 2, "max_num_batched_tokens": 512, "max_num_queued_reqs": 6
    }  # fmt: skip
    with started(loop, controls) as server:
        found = diagnosed(server, controls, "--synthetic", "100:400", "--rate", "40", "--requests", "200")
    assert found.main is Bottleneck.ADMISSION
    assert any("max_num_queued_reqs 6" in str(finding.verdict) for finding in found.findings)
