"""Real traces on a real vLLM: it is sent, and says it got, exactly the trace's token counts."""

import csv
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.vllm.conftest import RealServer
from workbench.traces import fit_to_model, read_trace

LONGEST = 4096
ROWS = 40


@pytest.mark.vllm
@pytest.mark.timeout(900)
def test_that_the_first_rows_of_two_real_traces_arrive_with_the_traces_token_counts(
    shared: Path, start_real: Callable[..., RealServer], tmp_path: Path
) -> None:
    server = start_real(
        {"max_model_len": LONGEST, "max_num_seqs": 16, "max_num_batched_tokens": 512, "block_size": 32}
    )
    for name in ("azure2023_code.first3000.csv", "mooncake_conversation.first700.jsonl"):
        path = shared / "data" / "traces" / name
        fitted, _ = fit_to_model(read_trace(path), LONGEST, how="drop")
        stamps = tmp_path / f"{name}.csv"
        done = subprocess.run(
            [
                *(sys.executable, "-m", "workbench", "measure", server.url, "--trace", str(path)),
                *("--max-len", "drop", "--rate", "2", "--requests", str(ROWS)),
                *("--json", "-", "--per-request", str(stamps)),
            ],
            capture_output=True, text=True, timeout=400, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        figures: dict[str, Any] = json.loads(done.stdout)
        assert figures["requests"]["completed"] == ROWS
        with stamps.open(newline="") as file:
            requests = list(csv.DictReader(file))
        assert [int(request["prompt_tokens"]) for request in requests] == fitted.input_length[:ROWS].tolist()
        assert [int(request["completion_tokens"]) for request in requests] == fitted.output_length[
            :ROWS
        ].tolist()
