"""A session on a cluster, with stand-ins for the nodes: nothing is done twice, and nothing is lost."""

import asyncio
import os
import signal
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from workbench.base import Refusal, message
from workbench.experiments import Experiment, Notice
from workbench.experiments.cluster import node_process, session_run
from workbench.experiments.cluster.cluster_report import effects_of, session_rows, write_session_files
from workbench.experiments.cluster.driver import MOST_TRIES, run_on_cluster
from workbench.experiments.cluster.node_messages import (
    FromNode,
    NodeEnded,
    NodeEvent,
    NodeFilePart,
    NodeOrder,
    OrderOrigin,
    framed,
    order_of,
)
from workbench.experiments.cluster.session_folder import ClusterTry, SessionFolder
from workbench.experiments.cluster.session_run import run_session
from workbench.experiments.run.events import Event, RunFinished, encode_event
from workbench.experiments.session.session_file import read_session
from workbench.experiments.spec.experiment_text import to_toml
from workbench.experiments.spec.read_experiments import BASE
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

    def no_node_fits(self, needs: ClusterNeeds) -> bool:
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
    cluster: StandInCluster,
    orders: Sequence[NodeOrder],
    folder: Path,
    *,
    resume: bool = False,
    slept: list[float] | None = None,
) -> tuple[dict[str, str], list[str]]:
    """The statuses, and the kinds of what was said."""
    said: list[Event] = []
    session = SessionFolder(folder)
    origins = {each.name: OrderOrigin(each.experiment, folder) for each in orders}

    async def sleep(seconds: float) -> None:
        if slept is not None:
            slept.append(seconds)

    with session.claimed(resume=resume):
        statuses = await run_on_cluster(cluster, orders, session, origins, said.append, sleep=sleep)
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
    assert said.count("again") == 1
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
    slept: list[float] = []
    statuses, said = await carry_out(cluster, [order("a", tmp_path)], tmp_path / "out", slept=slept)
    assert statuses == {"a": "failed"}
    assert said == ["again", *["placed", "again"] * 2, "placed", "lost", "failed"]
    assert slept == [5, 0, 0], "it waits only where no node was reserved"
    tries = SessionFolder(tmp_path / "out").tries("a")
    assert [(each.node, each.why) for each in tries] == [("", "no node"), *[("n", "out of memory")] * 3]


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


def a_file_for_a_folder(_: Path) -> list[FromNode]:
    parts = [NodeFilePart(name=name, data=b"", last=True) for name in ("f", "f/x")]
    return [*parts, NodeEnded(status="done")]


def a_file_in_the_way(folder: Path) -> list[FromNode]:
    folder.mkdir()
    (folder / "a.steps").touch()
    return answers("a")


def no_place_for_the_record(folder: Path) -> list[FromNode]:
    (folder / "tries/a-1.json").mkdir(parents=True)
    return answers("a")


@pytest.mark.parametrize(
    ("obstruct", "at"),
    [(a_file_for_a_folder, "f/x"), (a_file_in_the_way, "a.steps"), (no_place_for_the_record, "a-1.json")],
)
async def test_that_a_file_that_cannot_be_written_here_fails_its_experiment_alone(
    tmp_path: Path, obstruct: Callable[[Path], list[FromNode]], at: str
) -> None:
    folder = tmp_path / "out"
    said = {0: obstruct(folder), 1: answers("b")}
    cluster = StandInCluster(lambda number: StandInPlace("n", said[number], b"", hangs=False))
    (folder / "tries").mkdir(parents=True, exist_ok=True)
    orders = [order("a", tmp_path), order("b", tmp_path)]
    statuses, kinds = await carry_out(cluster, orders, folder, resume=True)
    assert statuses == {"a": "failed", "b": "done"}
    assert len(cluster.needs) == 2, "it is no lost node"
    assert kinds.count("failed") == 1
    assert all(place.closed for place in cluster.places)
    assert all(at in each.why for each in SessionFolder(folder).tries("a"))


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
        pass
    with session.claimed(resume=True):  # the first driver ended before a node took an experiment
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


TWO_OUTSIDE = 'file = "../a/x.jsonl"\n[quality]\nprompts = "../b/x.jsonl"'


def test_that_files_outside_the_folder_keep_apart_and_the_result_has_the_own_paths(tmp_path: Path) -> None:
    for name in ("a", "b", "here"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.jsonl").write_text(name)
    own = OrderOrigin(experiment("a", trace=TWO_OUTSIDE), tmp_path / "here")
    made = order_of("a", own.experiment, own.base, calibrated=False)
    assert made.files == {"x.jsonl": b"a", "2-x.jsonl": b"b"}
    assert made.experiment.quality is not None
    assert (made.experiment.trace.file, made.experiment.quality.prompts) == ("x.jsonl", "2-x.jsonl")

    session = SessionFolder(tmp_path / "out")
    files = session.receive(ClusterTry(name="a", number=1, node="n", digest="", started_utc=""))
    with BenchFile.create(files.folder / "a.bench") as bench:
        bench.finish_experiment(bench.add_experiment("a", to_toml(made.experiment)), "done")
    assert session.keep(files, own)
    with BenchFile.open(session.bench("a")) as bench:
        assert Experiment.from_toml(bench.experiments()[0].toml, where="a") == own.experiment
        assert bench.broken_seals() == []


def test_that_each_bench_file_of_a_session_has_the_folder_of_its_experiment_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [tmp_path / "one/a.toml", tmp_path / "two/b.toml"]
    for file in files:
        file.parent.mkdir()
        (file.parent / "t.jsonl").write_text("{}\n")
        file.write_text(TOML.format(name=file.stem, trace='file = "t.jsonl"', gpus=0))
    cluster = StandInCluster(
        lambda number: StandInPlace(f"n{number}", answers("ab"[number]), b"", hangs=False)
    )

    @asynccontextmanager
    async def stand_in(_address: str, needs: Sequence[ClusterNeeds]) -> AsyncIterator[StandInCluster]:
        assert len(needs) == 2
        yield cluster

    monkeypatch.setattr(session_run, "ray_cluster", stand_in)
    ended = run_session(files, tmp_path / "out", "auto", lambda _: None, calibrated=False)
    assert ended.statuses == {"a": "done", "b": "done"}
    assert len(ended.csv.read_text().splitlines()) == 3
    for path, file in zip(ended.benches, files, strict=True):
        with BenchFile.open(path) as bench:
            assert bench.meta()[BASE] == str(file.parent.resolve())


def test_that_sigterm_before_the_conductor_listens_leaves_no_work_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    found: list[Path] = []

    def terminated(*_: object, **__: object) -> str:
        found.extend(tmp_path.iterdir())
        signal.raise_signal(signal.SIGTERM)
        return "done"

    monkeypatch.setattr(node_process, "run_experiments", terminated)
    reading, writing = os.pipe()
    before = signal.getsignal(signal.SIGTERM)
    try:
        with (
            os.fdopen(reading, "rb") as stdin,
            os.fdopen(writing, "wb"),
            (tmp_path / "out").open("wb") as out,
            pytest.raises(SystemExit),
        ):
            node_process.carry_out_for_reader(order("a", tmp_path), stdin, out)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert len(found) == 2, "the work folder was there"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def row(node: str, ttft: float, *, valid: bool = True) -> dict[str, Any]:
    figures = {"ttft_p95_ms": ttft, "itl_p95_ms": None, "e2e_p95_ms": 2 * ttft}
    return {"run": "baseline @ 2 req/s", "node": node, "valid": valid, **figures}


def test_that_the_effect_of_the_node_is_the_difference_of_equal_baselines() -> None:
    found = effects_of([row("a", 100.0), row("a", 120.0), row("b", 121.0), row("b", 999.0, valid=False)])
    assert [each.kind for each in found] == ["experiments.cluster_node_effect"] * 2
    assert found[0].values["percent"] == pytest.approx(10.0)
    assert effects_of([row("a", 100.0), row("a", 120.0)]) == []
    (unknown,) = effects_of([row("a", 100.0), row("b", 120.0, valid=False)])
    assert unknown.kind == "experiments.cluster_node_unknown"
