"""Bad input from outside: one clear line on standard error, exit 2, nothing written."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import refused, workbench
from tests.unit.experiments.test_experiment import GOOD


def run_file(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    path = folder / "experiment.toml"
    path.write_text(text)
    return workbench("run", str(path), "--out", str(folder / "out"))


def test_that_a_command_of_its_own_process_says_one_line_and_ends_with_2() -> None:
    words = [sys.executable, "-m", "workbench", "measure", "http://127.0.0.1:9", "--rate", "1"]
    refused(subprocess.run(words, capture_output=True, text=True, check=False))


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("column.csv", b"TIMESTAMP,ContextTokens\n2023-11-16 18:15:46.68,374\n", "GeneratedTokens"),
        (
            "negative.csv",
            b"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.68,-3,44\n",
            ":2:",
        ),
        ("empty.csv", b"", "empty"),
        ("binary.csv", bytes(range(256)) * 8, "binary.csv"),
    ],
)
def test_that_a_broken_trace_is_named_with_its_place(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    (tmp_path / name).write_bytes(content)
    line = refused(run_file(tmp_path, GOOD.replace('synthetic = "300:256"', f'file = "{name}"')))
    assert name in line
    assert said in line
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("duration_s = 30", "duration = 30", "unknown key 'duration'"),
        ("max_num_seqs = 16", "max_num_sqs = 16", "did you mean 'max_num_seqs'"),
        ("max_num_seqs = 16", "max_num_seqs = -1", "at least 1"),
        ("h100_sxm/Llama-3.1-8B/tp1", "h100/Llama/tp1", "h100_sxm/Llama-3.1-8B/tp1"),
        ('synthetic = "300:256"', 'synthetic = "300"', "IN:OUT"),
        ('synthetic = "300:256"', 'mix = "chats"', "chat"),
    ],
)
def test_that_a_wrong_experiment_writes_nothing(tmp_path: Path, old: str, new: str, said: str) -> None:
    line = refused(run_file(tmp_path, GOOD.replace(old, new, 1)))
    assert said in line
    assert not (tmp_path / "out").exists()


def test_that_a_url_nobody_listens_on_is_refused() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        line = refused(
            workbench(
                "measure",
                f"http://127.0.0.1:{port}",
                "--synthetic",
                "10:10",
                "--rate",
                "1",
                "--requests",
                "1",
            )
        )
    assert f"127.0.0.1:{port}" in line


def test_that_a_folder_which_cant_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "occupied").write_text("")
    line = refused(workbench("demo", "--out", str(tmp_path / "occupied")))
    assert "occupied" in line


def test_that_an_existing_bench_file_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "experiment.toml").write_text(GOOD)
    (tmp_path / "old.bench").write_text("precious")
    line = refused(
        workbench("run", str(tmp_path / "experiment.toml"), "--bench", str(tmp_path / "old.bench"))
    )
    assert "old.bench" in line
    assert (tmp_path / "old.bench").read_text() == "precious"


@pytest.mark.parametrize(
    "words",
    [
        ("--synthetic", "10:10", "--rate", "1"),
        ("--synthetic", "10:10", "--requests", "1"),
        ("--synthetic", "10:10", "--rate", "0", "--requests", "1"),
        ("--synthetic", "10:10", "--rate", "nan", "--requests", "1"),
        ("--synthetic", "10:0", "--rate", "1", "--requests", "1"),
        ("--synthetic", "10:10", "--rate", "1", "--requests", "-1"),
        ("--trace", "/nowhere/trace.jsonl"),
    ],
)
def test_that_a_measurement_that_cant_be_is_refused_before_anything_is_sent(words: tuple[str, ...]) -> None:
    refused(workbench("measure", "http://127.0.0.1:9", *words))


def test_that_a_port_in_use_is_said_before_the_engine_starts() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        done = workbench("engine", "serve", "--port", str(held.getsockname()[1]))
    assert done.returncode == 1
    assert done.stderr.strip().splitlines()[-1].startswith("error: ")
    assert "in use" in done.stderr
