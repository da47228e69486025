"""What can happen to a real server: a kernel that refuses, a start broken off, engine or owner killed."""

import asyncio
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.scenarios.test_first_run import Conducting
from tests.vllm.conftest import BUILD, assert_nothing_scattered, local_spec, scattered
from tests.vllm.test_experiments import experiment_file
from workbench.results import BenchFile
from workbench.servers import ServerFailedError
from workbench.vllm_dialect import Phase

pytestmark = [pytest.mark.vllm_full, pytest.mark.timeout(900)]
Start = Callable[..., Any]


@pytest.fixture(autouse=True)
def nothing_is_scattered() -> Iterator[None]:
    """Whatever happens to a server, it leaves no file, socket or shared memory behind."""
    before = scattered()
    yield
    assert_nothing_scattered(before)


def test_that_a_start_broken_off_leaves_nothing(start_real: Start, loop: Any) -> None:
    server = start_real(controls={"max_model_len": 512, "block_size": 32}, wait=False)
    starting = asyncio.run_coroutine_threadsafe(server.begin(), loop.running)
    server.wait_for(str(Phase.STARTING_ENGINE.message))
    tree = server.tree()
    starting.cancel()
    server.wait_for_state("stopped")
    assert len(tree) >= 2
    assert server.living(tree) == []


def test_that_a_killed_engine_is_a_failure_and_nothing_is_left(start_real: Start) -> None:
    server = start_real(controls={"max_model_len": 512, "block_size": 32})
    tree = server.tree()
    (engine,) = [one for one in tree if one.name.startswith("VLLM::EngineCor")]
    os.kill(engine.pid, signal.SIGKILL)
    server.wait_for_state("failed")
    assert "the engine died while serving" in server.states[-1][2]
    server.stop()
    assert server.living(tree) == []


def test_that_a_killed_api_server_takes_its_engine_with_it(start_real: Start) -> None:
    """By itself the engine lives on, with all its memory: vLLM's does (#55510)."""
    server = start_real(controls={"max_model_len": 512, "block_size": 32})
    tree = server.tree()
    os.kill(server.server.pid, signal.SIGKILL)
    server.wait_for_state("failed")
    server.stop()
    assert len(tree) >= 3
    assert server.living(tree) == []


def test_that_a_killed_conductor_has_stored_what_was_done_and_the_next_run_clears_up(
    tmp_path: Path, conduct: Callable[[Path], Conducting]
) -> None:
    path = experiment_file(tmp_path, "killed", values="[]", load="duration_s = 60", kind="soak", live=False)
    first = conduct(path)
    first.wait_for("server_state", state="ready")
    done = first.wait_for_completed(5)["completed"]
    children = psutil.Process(first.process.pid).children(recursive=True)
    time.sleep(1.0)
    first.process.kill()
    first.process.wait()
    with closing(sqlite3.connect(first.bench)) as bench:
        (stored,) = bench.execute("SELECT count(*) FROM requests WHERE outcome = 'completed'").fetchone()
    assert stored >= done
    second = conduct(path)
    second.wait_for("server_state", state="ready")
    left = [one for one in children if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]
    assert left == []
    second.say("stop")
    assert second.wait_for("experiment_finished")["status"] == "stopped"
    second.process.wait(60)


def test_that_what_a_killed_owner_left_is_ended_by_the_next_start(
    run_owner: Callable[[], int], start_real: Start
) -> None:
    owner = run_owner()
    orphans = psutil.Process(owner).children(recursive=True)
    assert len(orphans) >= 3
    os.kill(owner, signal.SIGKILL)
    server = start_real(controls={"max_model_len": 512, "block_size": 32})
    assert any("ending what an earlier run left behind" in line for line in server.lines)
    server.stop()
    assert not [one for one in orphans if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]


WINDOW = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from tests.vllm.conftest import local_spec
from ui.app import make_application, make_window
from ui.files.folders import ProfileFolders
spec = local_spec()
application = make_application(sys.argv[:1])
window = make_window(application, ProfileFolders.under(Path(sys.argv[1])))
window.show()
window.editor.edit(
    "killed window", target_kind="local",
    model=spec.model, executable=spec.executable, args=" ".join(spec.args),
    values=(32,), rates=(4.0,), duration_s=20.0, input_tokens=50, output_tokens=40,
)
window.commands.run_plan()
told = []
def tell():
    run = window.runs.state.current_run()
    if run and run.status == "running" and len(run.series) > 3 and not told:
        told.append(1)
        print(window.runs.client.pid, window.runs.state.bench, flush=True)
window.clock.tick.connect(tell)
QTimer.singleShot(300_000, application.quit)  # nobody waits for ever for what was refused
application.exec()
"""


def test_that_a_killed_window_changes_nothing_of_the_run_and_nothing_is_left(tmp_path: Path) -> None:
    words = [sys.executable, "-c", WINDOW, str(tmp_path / "profile")]
    environment = {**os.environ, **local_spec().env, "QT_QPA_PLATFORM": "offscreen"}
    with subprocess.Popen(words, stdout=subprocess.PIPE, env=environment, text=True) as window:
        try:
            assert window.stdout is not None
            pid, _, bench = window.stdout.readline().partition(" ")
            conductor = psutil.Process(int(pid))
            servers = conductor.children(recursive=True)
        finally:
            window.kill()
    conductor.wait(timeout=300)
    assert len(servers) >= 3
    assert not [one for one in servers if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]
    with BenchFile.open(Path(bench.strip())) as file:
        runs = file.runs()
        assert [run.status for run in runs] == ["done", "done"]
        for run in runs:
            assert run.summary is not None
            assert file.request_count(run.id) == run.summary["requests"]["scheduled"] > 0


@pytest.mark.parametrize(
    ("controls", "files", "words"),
    [
        (
            {"block_size": 16, "max_model_len": 512},
            None,
            r"can't work with block size 16.*another block_size",
        ),
        (
            # Blocks of 128 tokens on CPUs; with a block size it would be refused before the start.
            {"num_gpu_blocks_override": 4, "max_model_len": 1024},
            None,
            r"one request of 1024.*lower max_model_len",
        ),
        ({"max_model_len": 512}, ("config.json", "tokenizer.json", "tokenizer_config.json"), "no weights"),
        ({"max_model_len": 512}, (), "the model was not found.*check its name or path"),
    ],
    ids=["block size", "context over KV", "no weights", "no model"],
)
def test_that_a_start_that_fails_is_told_with_its_cause_and_its_fix(
    start_real: Start, tmp_path: Path, controls: dict[str, Any], files: tuple[str, ...] | None, words: str
) -> None:
    model = {}
    if files is not None:
        (tmp_path / "model").mkdir()
        for name in files:
            shutil.copy(BUILD / "tiny-llama" / name, tmp_path / "model")
        model = {"model": str(tmp_path / "model")}
    with pytest.raises(ServerFailedError, match=words) as failure:
        start_real(controls=controls, **model)
    print(f"\n{failure.value}")
