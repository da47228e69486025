"""A session on a cluster, with stand-ins for the nodes: nothing is done twice, and nothing is lost."""

import asyncio
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from workbench.base import Refusal, message
from workbench.experiments import Experiment, Notice
from workbench.experiments.cluster.cluster_report import effects_of, session_rows, write_session_files
from workbench.experiments.cluster.driver import MOST_TRIES, carry_out_on
from workbench.experiments.cluster.node_messages import (
    FromNode,
    NodeEnded,
    NodeEvent,
    NodeFilePart,
    NodeOrder,
    framed,
    order_of,
)
from workbench.experiments.cluster.session_folder import ClusterTry, SessionFolder
from workbench.experiments.run.events import Event, RunFinished, encode_event
from workbench.experiments.session.session_file import read_session
from workbench.experiments.spec.tables import ClusterNeeds
from workbench.results import BenchFile

TOML = """
name = "{name}"
[target]
kind = "embedded"
[trace]
{trace}
[load]
rates = [2]
duration_s = 5
[cluster]
num_gpus = {gpus}
resources = {{ machine = 1 }}
"""


def experiment(name: str, *, trace: str = 'synthetic = "50:10"', gpus: int = 0) -> Experiment:
    return Experiment.from_toml(TOML.format(name=name, trace=trace, gpus=gpus), where=name)


def order(name: str, folder: Path) -> NodeOrder:
    return order_of(name, experiment(name), folder, calibrated=False)


@cache
def bench_bytes(name: str, status: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.bench"
        with BenchFile.create(path) as bench:
            toml = TOML.format(name=name, trace='synthetic = "50:10"', gpus=0)
            number = bench.add_experiment(name, toml)
            bench.add_run(number, "baseline @ 2 req/s", control=None, value=None, config={}, rate=2.0)
            bench.finish_experiment(number, status)
        return path.read_bytes()


def answers(name: str, status: str = "done") -> list[FromNode]:
    """All that a process sends for an experiment that ends."""
    bench = bench_bytes(name, status)
    finished = RunFinished(run="baseline @ 2 req/s", status="done", row={})
    return [
        NodeEvent(line=encode_event(finished)),
        NodeFilePart(name=f"{name}.bench", data=bench[:100], last=False),
        NodeFilePart(name=f"{name}.bench", data=bench[100:], last=True),
        NodeFilePart(name=f"{name}.steps/a.jsonl", data=b"{}\n", last=True),
        NodeEnded(status=status),
    ]


class Input:
    """Takes the order."""

    def __init__(self) -> None:
        self.written = b""

    def write(self, data: bytes) -> None:
        self.written += data

    async def drain(self) -> None:
        pass


class StandInPlace:
    """A place whose process sends what it is given and then ends, or hangs."""

    def __init__(self, name: str, said: Sequence[FromNode], errors: bytes, *, hangs: bool) -> None:
        self.name = name
        self.closed = False
        self._said, self._errors, self._hangs = said, errors, hangs

    async def start(self) -> Any:
        out, errors = asyncio.StreamReader(), asyncio.StreamReader()
        out.feed_data(b"".join(map(framed, self._said)))
        errors.feed_data(self._errors)
        errors.feed_eof()
        if not self._hangs:
            out.feed_eof()
        await asyncio.sleep(0)
        return SimpleNamespace(stdin=Input(), stdout=out, stderr=errors)

    async def close(self) -> None:
        self.closed = True


class StandInCluster:
    """Gives the places that a function makes, one after the other."""

    def __init__(self, make: Callable[[int], StandInPlace | ConnectionError]) -> None:
        self._make = make
        self.places: list[StandInPlace] = []
        self.needs: list[ClusterNeeds] = []

    def lacks(self, needs: ClusterNeeds) -> bool:
        return needs.num_gpus > 0

    async def place(self, needs: ClusterNeeds) -> StandInPlace:
        self.needs.append(needs)
        made = self._make(len(self.needs) - 1)
        if isinstance(made, ConnectionError):
            raise made
        self.places.append(made)
        return made


def lost_after(name: str, parts: int) -> Callable[[int], StandInPlace]:
    """The first node is lost after some messages, the next one finishes."""

    def make(number: int) -> StandInPlace:
        said = answers(name)
        return StandInPlace(f"n{number}", said if number else said[:parts], b"", hangs=False)

    return make


async def carry_out(
    cluster: StandInCluster, orders: Sequence[NodeOrder], folder: Path, *, resume: bool = False
) -> tuple[dict[str, str], list[str]]:
    """The statuses, and the kinds of what was said."""
    said: list[Event] = []
    session = SessionFolder(folder)
    with session.claimed(resume=resume):
        statuses = await carry_out_on(cluster, orders, session, folder, said.append)
    kinds = [event.message.kind for event in said if isinstance(event, Notice) and event.message is not None]
    return statuses, [kind.removeprefix("experiments.cluster_") for kind in kinds]


async def test_that_each_experiment_leaves_its_files_and_the_node_that_ran_it(tmp_path: Path) -> None:
    names = ["a", "b"]
    made = lambda number: StandInPlace(  # noqa: E731 - short
        f"n{number}", answers(names[number]), b"", hangs=False
    )
    cluster = StandInCluster(made)
    folder = tmp_path / "out"
    statuses, said = await carry_out(cluster, [order(name, tmp_path) for name in names], folder)
    assert statuses == {"a": "done", "b": "done"}
    assert sorted(said) == ["done", "done", "placed", "placed", "run_done", "run_done"]
    assert all(place.closed for place in cluster.places)
    assert cluster.needs[0].resources == {"machine": 1}
    assert (folder / "a.steps/a.jsonl").read_bytes() == b"{}\n"
    benches = [folder / "a.bench", folder / "b.bench"]
    assert [row["node"] for row in session_rows(benches)] == ["n0", "n1"]
    with BenchFile.open(benches[0]) as bench:
        assert bench.broken_seals() == []
    experiments = {name: experiment(name) for name in names}
    csv = write_session_files(folder, experiments, benches)
    assert len(csv.read_text().splitlines()) == 3
    steps = read_session(folder / "out.session.json").steps
    assert [(step.parent, step.bench) for step in steps] == [(None, str(path)) for path in benches]


@pytest.mark.parametrize("parts", [0, 1, 2, 3])
async def test_that_a_lost_try_is_kept_as_replaced_and_the_experiment_starts_again(
    tmp_path: Path, parts: int
) -> None:
    folder = tmp_path / "out"
    cluster = StandInCluster(lost_after("a", parts))
    statuses, said = await carry_out(cluster, [order("a", tmp_path)], folder)
    assert statuses == {"a": "done"}
    assert said.count("lost") == 1
    tries = SessionFolder(folder).tries("a")
    assert [(each.number, each.node, each.status) for each in tries] == [
        (1, "n0", "replaced"),
        (2, "n1", "done"),
    ]
    # The third message completes a copy of what was measured.
    assert (folder / "replaced/a-try1.bench").exists() == (parts == 3)
    assert not list(folder.rglob("*.part"))


async def test_that_an_experiment_whose_nodes_are_always_lost_fails_with_the_last_reason(
    tmp_path: Path,
) -> None:
    places: list[StandInPlace | ConnectionError] = [ConnectionError("no node")]
    places += [StandInPlace("n", [], b"Traceback\nout of memory\n", hangs=False)] * (MOST_TRIES - 1)
    cluster = StandInCluster(lambda number: places[number])
    statuses, said = await carry_out(cluster, [order("a", tmp_path)], tmp_path / "out")
    assert statuses == {"a": "failed"}
    assert said[-1] == "failed"
    assert [each.why for each in SessionFolder(tmp_path / "out").tries("a")] == ["out of memory"] * 3


async def test_that_a_killed_driver_repeats_only_what_was_not_finished(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    orders = [order("a", tmp_path), order("b", tmp_path)]

    def make(number: int) -> StandInPlace:
        said = answers("ab"[number])
        return StandInPlace(f"n{number}", said[: 5 - 2 * number], b"", hangs=number == 1)

    cluster = StandInCluster(make)
    going = asyncio.create_task(carry_out(cluster, orders, folder))
    done = (folder / "a.bench", folder / "tries/b-1/b.bench")
    while not all(path.exists() for path in done):  # noqa: ASYNC110 - files have no event
        await asyncio.sleep(0.001)
    going.cancel()
    with pytest.raises(asyncio.CancelledError):
        await going
    assert cluster.places[1].closed
    before = (folder / "a.bench").read_bytes()

    again = StandInCluster(lambda _: StandInPlace("n9", answers("b"), b"", hangs=False))
    statuses, said = await carry_out(again, orders, folder, resume=True)
    assert statuses == {"a": "done", "b": "done"}
    assert len(again.needs) == 1
    assert said.count("kept") == 1
    assert (folder / "a.bench").read_bytes() == before
    assert [each.status for each in SessionFolder(folder).tries("b")] == ["replaced", "done"]
    assert (folder / "replaced/b-try1.bench").exists()


async def test_that_a_driver_killed_between_the_file_and_its_record_takes_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    one = order("a", tmp_path)
    await carry_out(StandInCluster(lost_after("a", 0)), [one], folder)
    session = SessionFolder(folder)
    last = session.tries("a")[-1]
    session.write(msgspec.structs.replace(last, status="running", ended_utc=None))
    statuses, said = await carry_out(StandInCluster(lost_after("a", 0)), [one], folder, resume=True)
    assert (statuses, said) == ({"a": "done"}, ["kept"])
    assert session.tries("a")[-1].status == "done"


async def test_that_a_failed_experiment_is_done_again_on_resume_and_its_file_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "out"

    def make(status: str) -> StandInCluster:
        return StandInCluster(lambda _: StandInPlace("n", answers("a", status), b"", hangs=False))

    statuses, _ = await carry_out(make("failed"), [order("a", tmp_path)], folder)
    assert statuses == {"a": "failed"}
    statuses, _ = await carry_out(make("done"), [order("a", tmp_path)], folder, resume=True)
    assert statuses == {"a": "done"}
    assert (folder / "replaced/a-try1.bench").exists()


async def test_that_what_the_node_refuses_fails_without_another_try(tmp_path: Path) -> None:
    ended = NodeEnded(status="failed", why=message("experiments.no_values"))
    cluster = StandInCluster(lambda _: StandInPlace("n", [ended], b"", hangs=False))
    statuses, said = await carry_out(cluster, [order("a", tmp_path)], tmp_path / "out")
    assert (statuses, said) == ({"a": "failed"}, ["placed", "failed"])


async def test_that_a_damaged_bench_file_fails_its_experiment_alone(tmp_path: Path) -> None:
    damaged = [NodeFilePart(name="a.bench", data=b"no bench file", last=True), NodeEnded(status="done")]
    said = {0: damaged, 1: answers("b")}
    cluster = StandInCluster(lambda number: StandInPlace("n", said[number], b"", hangs=False))
    folder = tmp_path / "out"
    statuses, _ = await carry_out(cluster, [order("a", tmp_path), order("b", tmp_path)], folder)
    assert statuses == {"a": "failed", "b": "done"}
    assert (folder / "replaced/a-try1.bench").read_bytes() == b"no bench file"


async def test_that_a_lack_of_resources_is_said(tmp_path: Path) -> None:
    needy = order_of("a", experiment("a", gpus=2), tmp_path, calibrated=False)
    cluster = StandInCluster(lambda _: StandInPlace("n", answers("a"), b"", hangs=False))
    _, said = await carry_out(cluster, [needy], tmp_path / "out")
    assert said[0] == "waits"


async def test_that_a_folder_is_claimed_by_one_driver_for_one_session(tmp_path: Path) -> None:
    session = SessionFolder(tmp_path / "out")
    with pytest.raises(Refusal) as refused, session.claimed(resume=True):
        pass
    assert refused.value.kind == "experiments.cluster_not_begun"
    with session.claimed(resume=False):
        session.write(ClusterTry(name="a", number=1, node="n", digest="", started_utc=""))
    with pytest.raises(Refusal) as refused, session.claimed(resume=False):
        pass
    assert refused.value.kind == "experiments.cluster_began"


async def test_that_a_finished_experiment_with_other_settings_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    await carry_out(StandInCluster(lost_after("a", 0)), [order("a", tmp_path)], folder)
    other = msgspec.structs.replace(order("a", tmp_path), experiment=experiment("a", gpus=1))
    with pytest.raises(Refusal) as refused:
        await carry_out(StandInCluster(lost_after("a", 0)), [other], folder, resume=True)
    assert refused.value.kind == "experiments.cluster_other_experiment"


def test_that_an_order_takes_its_trace_along(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/t.jsonl").write_text("{}\n")
    inside = order_of("a", experiment("a", trace='file = "sub/t.jsonl"'), tmp_path, calibrated=False)
    assert inside.files == {"sub/t.jsonl": b"{}\n"}
    assert inside.experiment.trace.file == "sub/t.jsonl"
    path = (tmp_path / "sub/t.jsonl").as_posix()
    outside = order_of("a", experiment("a", trace=f'file = "{path}"'), tmp_path, calibrated=False)
    assert (outside.experiment.trace.file, [*outside.files]) == ("t.jsonl", ["t.jsonl"])
    (tmp_path / "sub/t.jsonl").write_text("{ }\n")
    changed = order_of("a", experiment("a", trace='file = "sub/t.jsonl"'), tmp_path, calibrated=False)
    assert changed.digest() != inside.digest()
    with pytest.raises(Refusal):
        order_of("a", experiment("a", trace='file = "none.jsonl"'), tmp_path, calibrated=False)


def row(node: str, ttft: float, *, valid: bool = True) -> dict[str, Any]:
    figures = {"ttft_p95_ms": ttft, "itl_p95_ms": None, "e2e_p95_ms": 2 * ttft}
    return {"run": "baseline @ 2 req/s", "node": node, "valid": valid, **figures}


def test_that_the_effect_of_the_node_is_the_difference_of_equal_baselines() -> None:
    found = effects_of([row("a", 100.0), row("a", 120.0), row("b", 121.0), row("b", 999.0, valid=False)])
    assert [each.kind for each in found] == ["experiments.cluster_node_effect"] * 2
    assert found[0].values["percent"] == pytest.approx(10.0)
    assert effects_of([row("a", 100.0), row("a", 120.0)]) == []
    (unknown,) = effects_of([row("a", 100.0), row("b", 120.0, valid=False)])
    assert unknown.kind == "experiments.cluster_node_alike"
