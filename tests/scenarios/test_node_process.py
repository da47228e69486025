"""The process that carries out an experiment on a node, started here: no Ray is needed."""

import asyncio
import subprocess
import tempfile
from pathlib import Path

import pytest

from workbench.base import own_module, start_process
from workbench.experiments import Experiment, decode_event
from workbench.experiments.cluster.node_messages import (
    NodeEnded,
    NodeEvent,
    NodeFilePart,
    NodeOrder,
    framed,
    order_of,
    read_from_node,
)
from workbench.results import BenchFile

pytestmark = pytest.mark.slow

TEXT = """
name = "On a node"
[target]
kind = "embedded"
time_scale = 20.0
[trace]
synthetic = "50:10"
[load]
rates = [{rate}]
duration_s = {duration_s}
"""


async def started(rate: float, duration_s: float) -> tuple[asyncio.subprocess.Process, NodeOrder]:
    text = TEXT.format(rate=rate, duration_s=duration_s)
    order = order_of("a", Experiment.from_toml(text, where="a"), Path(), calibrated=False)
    pipe = subprocess.PIPE
    process = await start_process(
        *own_module("workbench.experiments.cluster.node_process"), stdin=pipe, stdout=pipe
    )
    assert process.stdin is not None
    process.stdin.write(framed(order))
    return process, order


def folders(pid: int) -> list[Path]:
    return list(Path(tempfile.gettempdir()).glob(f"vllm-workbench-node-{pid}-*"))


async def test_that_a_node_sends_its_bench_file_and_leaves_nothing(tmp_path: Path) -> None:
    process, _ = await started(rate=2, duration_s=10)
    assert process.stdin is not None
    kinds, files = [], {}
    while not isinstance(said := await read_from_node(process.stdout), NodeEnded):
        if isinstance(said, NodeEvent):
            kinds.append(type(decode_event(said.line)).__name__)
        elif isinstance(said, NodeFilePart):
            begun = files.get(said.name, (b"", True))
            files[said.name] = (said.data if begun[1] else begun[0] + said.data, said.last)
    assert said.status == "done"
    assert kinds[0] == "RunStarted"
    assert kinds[-1] == "ExperimentFinished"
    assert folders(process.pid), "it waits for its reader"
    process.stdin.close()
    assert await process.wait() == 0
    assert folders(process.pid) == []
    bench = tmp_path / "a.bench"
    bench.write_bytes(files["a.bench"][0])
    with BenchFile.open(bench) as file:
        assert [run.status for run in file.runs()] == ["done"]
        assert file.broken_seals() == []
    assert any(name.startswith("a.steps/") for name in files)


async def test_that_a_node_stops_when_its_reader_is_gone() -> None:
    process, _ = await started(rate=2, duration_s=20_000)
    assert process.stdin is not None
    said = await read_from_node(process.stdout)
    assert isinstance(said, NodeEvent)
    process.stdin.close()
    await process.wait()
    assert folders(process.pid) == []
