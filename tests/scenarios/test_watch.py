"""The engine is watched while another process loads it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.scenarios.engine_server import SLOW, Server


@pytest.mark.slow
def test_that_a_watch_finds_the_limit_under_the_load_of_another_process(tmp_path: Path) -> None:
    server = Server(*SLOW, "--max-num-seqs", "2")
    words = (sys.executable, "-m", "workbench")
    load = subprocess.Popen(
        [*words, "measure", server.url, "--synthetic", "50:200", "--concurrency", "6", "--duration", "60"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        while "vllm:num_requests_running" not in (page := server.client.get("/metrics").text) or all(
            not line.endswith(" 2.0") for line in page.splitlines() if "num_requests_running{" in line
        ):
            assert load.poll() is None
        out = tmp_path / "w.json"
        done = subprocess.run(
            [*words, "watch", server.url, "--for", "4s", "--bench", str(tmp_path / "w.bench"),
             "--json", str(out)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    finally:
        load.terminate()
        load.wait()
        server.end()
    assert done.returncode == 0, done.stderr
    found = json.loads(out.read_text())
    assert found["figures"]["running_max"] == 2
    assert found["figures"]["waiting_max"] >= 3
    assert found["diagnosis"]["shares"]["seats"] > 0.5
    assert "bench file:" in done.stdout
