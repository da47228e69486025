"""Rules about a GPU, on runs of the embedded engine: it is served as a vLLM's own process would be.

Neither is real, and each says so: a stand-in `vllm`, which does vLLM's check of free memory and then becomes
the embedded engine over HTTP, and a stand-in `nvidia-smi` beside it, from which the machine's GPU is read.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.stand_in_gpu import Card, stand_in_smi
from tests.unit.servers.conftest import PARSER

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="stand-ins are scripts"),
]

STAND_IN_VLLM = """
import os, subprocess, sys

words = sys.argv[3:]  # after `serve MODEL`
at = words.index("--gpu-memory-utilization")
share = float(words[at + 1])
del words[at : at + 2]
line = subprocess.run(["nvidia-smi", "--query-gpu"], capture_output=True, text=True).stdout.split(", ")
total, free = int(line[3]) / 1024, (int(line[3]) - int(line[4])) / 1024
if free < share * total:
    print(
        f"ValueError: Free memory on device cuda:0 ({free:.2f}/{total:.2f} GiB) on startup is less than"
        f" desired GPU memory utilization ({share}, {share * total:.2f} GiB). Decrease GPU memory utilization"
        " or reduce GPU memory used by other processes.",
        flush=True,
    )
    sys.exit(1)
os.execv(sys.executable, [sys.executable, "-m", "workbench", "engine", "serve", *words])
"""

FLAG_PARSER = "from argparse import ArgumentParser as FlexibleArgumentParser"
FLAGS = PARSER.replace('"--dtype"', '"--dtype", "--gpu-memory-utilization"')

EXPERIMENT = """
name = "Stand-in GPU"
kind = "soak"
[target]
kind = "local"
model = "some/model"
executable = "{script}"
[baseline]
max_num_seqs = 8
gpu_memory_utilization = 0.92
[control]
name = "max_num_seqs"
values = []
[trace]
synthetic = "100:20"
[load]
rates = [2]
duration_s = 3
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with the stand-in vLLM and an experiment that runs it."""
    for name, text in {
        "packages/vllm/__init__.py": "",
        "packages/vllm/utils/__init__.py": "",
        "packages/vllm/utils/argparse_utils.py": FLAG_PARSER,
        "packages/vllm/entrypoints/__init__.py": "",
        "packages/vllm/entrypoints/launchers/__init__.py": "",
        "packages/vllm/entrypoints/launchers/cli_args.py": FLAGS,
        "packages/vllm-9.9.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: vllm\nVersion: 9.9.0\n",
        "bin/vllm": f"#!{sys.executable}\n{STAND_IN_VLLM}",
        "gpu.toml": EXPERIMENT.format(script=tmp_path / "bin" / "vllm"),
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "bin" / "vllm").chmod(0o755)
    return tmp_path


def run(place: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    environment = {
        **os.environ,
        "PATH": f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join([str(place / "packages"), os.environ["PYTHONPATH"]]),
        "XDG_CACHE_HOME": str(place / "cache"),
        "XDG_DATA_HOME": str(place / "data"),
    }
    environment.pop("CUDA_VISIBLE_DEVICES", None)
    command = [sys.executable, "-m", "workbench", "run", str(place / "gpu.toml"), "--no-calibrate"]
    return subprocess.run(
        [*command, "--bench", str(place / "gpu.bench"), *words],
        capture_output=True, text=True, timeout=280, check=False, env=environment,
    )  # fmt: skip


@pytest.mark.slow
def test_r20_that_clocks_held_back_by_heat_are_told_after_the_run(place: Path) -> None:
    stand_in_smi(place / "bin", Card(600, throttling=0x40, sm_clock_mhz=1200))
    done = run(place, "--events")
    assert done.returncode == 0, done.stderr
    events: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    (found,) = [event for event in events if event["type"] == "diagnosis"]
    (throttled,) = [finding for finding in found["findings"] if finding["rule"] == "R20"]
    assert "throttled" in throttled["verdict"]
    assert throttled["confidence"] == "high"
    assert any(line.startswith("thermal, by hardware: 100 %") for line in throttled["evidence"])
    assert "SM clock 1200 to 1200 MHz." in throttled["evidence"]


def test_r13_that_who_holds_the_memory_that_a_start_lacks_is_told(place: Path) -> None:
    stand_in_smi(place / "bin", Card(51_200, f"{os.getpid()}, 51000"))
    done = run(place, "--events")
    assert done.returncode == 1, done.stderr
    events: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    told = {event["level"]: event["text"] for event in events if event["type"] == "message"}
    # Before the start, then vLLM's own word when it gives up.
    assert told["warning"].startswith("R13: GPU 0 (NVIDIA H100 80GB HBM3) has 29.6 of 79.6 GiB free")
    assert f"({os.getpid()}) 49.8 GiB" in told["warning"]
    assert "vLLM won't start there" in told["warning"]
    assert "another process holds memory of GPU cuda:0: 29.65 of 79.65 GiB are free" in told["error"]
