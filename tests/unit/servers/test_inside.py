"""What runs inside vLLM: its record replays exactly, its limits hold, nothing of it disturbs the engine."""

import json
import socket
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.unit.servers import fake_vllm
from workbench.base import InputError, Refusal
from workbench.engine.parity.play_recording import check_recording
from workbench.servers import ServerFailedError, TargetSpec, engine_access
from workbench.servers.engine_access import EngineAccess, step_record_files
from workbench.servers.inside.workbench_scheduler import LIMITS, STEPS, WorkbenchScheduler, writer
from workbench.servers.inside.workbench_scheduler.wait_reason import AllocationWatch, wait_reason
from workbench.servers.inside.workbench_scheduler.writer import RecordWriter
from workbench.vllm_dialect import StepLimitChanged, StepScheduled, read_steps

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="vLLM and Unix sockets live elsewhere")


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the record and the socket, and a vLLM to be imported."""
    for module, name in (("scheduler", "Scheduler"), ("async_scheduler", "AsyncScheduler")):
        found = ModuleType(module)
        setattr(found, name, getattr(fake_vllm, name))
        monkeypatch.setitem(sys.modules, f"vllm.v1.core.sched.{module}", found)
    for parent in ("vllm", "vllm.v1", "vllm.v1.core", "vllm.v1.core.sched"):
        monkeypatch.setitem(sys.modules, parent, ModuleType(parent))
    monkeypatch.setenv(STEPS, str(tmp_path / "steps"))
    monkeypatch.setenv(LIMITS, str(tmp_path / "limits"))
    yield tmp_path
    while MADE:
        MADE.pop().shutdown()


MADE: list[Any] = []


def make(**more: Any) -> Any:
    MADE.append(WorkbenchScheduler(vllm_config=fake_vllm.configuration(**more)))
    return MADE[-1]


def recorded(scheduler: Any, places: Path) -> list[dict[str, Any]]:
    scheduler.shutdown()
    return [json.loads(line) for line in (places / "steps").read_text().splitlines()]


def order(places: Path, *orders: object) -> list[dict[str, Any]]:
    with socket.socket(socket.AF_UNIX) as caller:
        caller.connect(str(places / "limits"))
        stream = caller.makefile("rwb")
        answers = []
        for one in orders:
            stream.write((one if isinstance(one, bytes) else json.dumps(one).encode()) + b"\n")
            stream.flush()
            answers.append(json.loads(stream.readline()))
        stream.close()
    return answers


def under_pressure(scheduler: Any, count: int = 8) -> None:
    for number in range(count):
        scheduler.add_request(fake_vllm.Request(f"r{number}", 9 + number % 3, 14))


def identical(places: Path) -> None:
    lines = list(read_steps((places / "steps").read_bytes().splitlines(), where="steps"))
    verdict = check_recording(lines, where="steps", name="steps")
    assert verdict.identical, str(verdict)


def test_that_the_record_of_a_scheduler_under_pressure_replays_to_the_same_decisions(places: Path) -> None:
    scheduler = make()
    under_pressure(scheduler)
    for turn in range(80):
        if turn == 5:
            scheduler.finish_requests(["r6", "unknown"], "ABORTED")
        if turn == 20:
            order(places, {"set": {"max_num_active_seqs": 2}}, {"set": {"parked_kv_blocks": 11}})
        if turn == 50:
            order(places, {"set": {"max_num_active_seqs": 4, "parked_kv_blocks": 0}})
        fake_vllm.step(scheduler)
    lines = recorded(scheduler, places)
    assert not scheduler.requests
    calls = [line for line in lines if line["ev"] == "sched"]
    assert {line["why"] for line in calls} == {None, "seat", "kv", "budget", "preempted_this_step"}
    assert sum(len(line["pre"]) for line in calls) > 0
    assert sum(len(line["res"]) for line in calls) == sum(len(line["pre"]) for line in calls)
    assert [line["ids"] for line in lines if line["ev"] == "finish"] == [["r6"]]
    assert [line["name"] for line in lines if line["ev"] == "limit"] == [
        *("max_num_active_seqs", "parked_kv_blocks"),
        *("max_num_active_seqs", "parked_kv_blocks"),
    ]
    identical(places)


def two_engines(places: Path) -> EngineAccess:
    """Access to engines of data-parallel rank 0 and 1, made before."""
    assert len(MADE) == 2
    spec = TargetSpec(kind="local", model="m", args=["-dp", "2"], live_limits=True)
    access = EngineAccess(spec)
    access.socket = places / "limits"
    return access


async def test_that_each_engine_of_two_records_its_steps_and_takes_every_limit(places: Path) -> None:
    make(), make(rank=1)
    access = two_engines(places)
    assert await access.set_limit("max_num_active_seqs", 2) == 4
    for rank, engine in enumerate(MADE):
        under_pressure(engine, 3 + rank)
        for _ in range(60):
            fake_vllm.step(engine)
    for engine in MADE:
        engine.shutdown()
    files = step_record_files(places / "steps")
    assert [file.name for file in files] == ["steps", "steps.1"]
    for rank, file in enumerate(files):
        lines = list(read_steps(file.read_bytes().splitlines(), where=file.name))
        assert check_recording(lines, where=file.name, name=file.name).identical
        calls = [line for line in lines if isinstance(line, StepScheduled)]
        assert sum(len(call.new) for call in calls) == 3 + rank, "its own requests"
        assert max(len(call.sched) for call in calls) == 2
        assert [line.new for line in lines if isinstance(line, StepLimitChanged)] == [2]


async def test_that_a_limit_changes_in_both_engines_or_in_none(
    places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make()
    monkeypatch.setattr(fake_vllm.Scheduler, "num_gpu_blocks", 15)  # engines profile their own cards
    make(rank=1)
    access = two_engines(places)
    ranges = {limit.name: limit.maximum for limit in await access.live_limits()}
    assert ranges["parked_kv_blocks"] == 6
    with pytest.raises(Refusal) as refused:
        await access.set_limit("parked_kv_blocks", 7)
    assert refused.value.values["maximum"] == 6
    assert {limit.name: limit.value for limit in await access.live_limits()}["parked_kv_blocks"] == 0


async def test_that_a_dead_engine_leaves_the_others_at_the_former_limit(places: Path) -> None:
    make(), make(rank=1)
    access = two_engines(places)
    dead = places / "limits.1"
    alive = dead.rename(places / "alive")
    dead.touch()
    with pytest.raises(ServerFailedError) as failed:
        await access.set_limit("max_num_active_seqs", 2)
    assert failed.value.kind == "servers.engine_unreachable"
    alive.replace(dead)
    assert {limit.name: limit.value for limit in await access.live_limits()}["max_num_active_seqs"] == 4


async def test_that_engines_which_keep_the_new_limit_are_named(
    places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(), make(rank=1)
    access = two_engines(places)
    send, sent = engine_access._send, list[Path]()

    async def fail_after_the_first(path: Path, order: dict[str, Any]) -> engine_access.EngineAnswer:
        sent.append(path)
        if len(sent) > 1:
            raise ServerFailedError("servers.engine_hangs", seconds=15.0)
        return await send(path, order)

    monkeypatch.setattr(engine_access, "_send", fail_after_the_first)
    with pytest.raises(ServerFailedError) as failed:
        await access.set_limit("max_num_active_seqs", 2)
    assert [path.name for path in sent] == ["limits", "limits.1", "limits"]
    assert failed.value.kind == "servers.limits_differ"
    assert (failed.value.values["value"], failed.value.values["engines"]) == (2, ["0"])


async def test_that_limits_are_fixed_while_an_engine_is_out_of_reach(places: Path) -> None:
    make(), make(rank=1)
    access = two_engines(places)
    (places / "limits.1").unlink()
    reason = (await access.live_limits())[0].reason_message
    assert reason is not None
    assert (reason.kind, reason.values["found"], reason.values["engines"]) == (
        "servers.engines_unreached",
        1,
        2,
    )
    with pytest.raises(Refusal, match="only 1 of 2 engines"):
        await access.set_limit("max_num_active_seqs", 2)


def test_that_the_base_is_the_one_the_configuration_runs(places: Path) -> None:
    running = make(async_scheduling=True)
    assert isinstance(running, fake_vllm.AsyncScheduler)
    (line,) = recorded(running, places)
    assert (line["base"], line["async_scheduling"]) == ("AsyncScheduler", True)
    assert type(make()).__bases__[-1] is fake_vllm.Scheduler


def test_that_without_chunked_prefill_a_long_head_waits_for_budget_or_blocks(places: Path) -> None:
    scheduler = make(enable_chunked_prefill=False, max_num_batched_tokens=40)
    for number in range(5):
        scheduler.add_request(fake_vllm.Request(f"r{number}", 25, 3))
    for _ in range(12):
        fake_vllm.step(scheduler)
    whys = [line["why"] for line in recorded(scheduler, places) if line["ev"] == "sched"]
    assert whys[:3] == ["budget", "budget", "kv"]
    identical(places)


@pytest.mark.parametrize(("fits", "reason"), [(False, "kv"), (True, "budget")])
def test_the_full_sequence_gate_of_0_19_is_a_wait_for_blocks(fits: bool, reason: str) -> None:
    """Its own method broke off the admission before any allocation was tried."""
    manager = SimpleNamespace(
        allocate_slots=lambda *_: object(), can_fit_full_sequence=lambda *_: fits
    )  # fmt: skip
    scheduler = SimpleNamespace(
        scheduler_config=SimpleNamespace(enable_chunked_prefill=False),
        kv_cache_manager=manager,
        get_request_counts=lambda: (1, 1),
        max_num_scheduled_tokens=100,
        max_num_running_reqs=4,
        running=[object()],
        waiting=WaitingQueue(),
    )
    watch = AllocationWatch(scheduler)
    manager.can_fit_full_sequence()
    assert wait_reason(scheduler, 1, [], watch) == reason


class WaitingQueue(list[Any]):
    """One waiting request."""

    def __init__(self) -> None:
        super().__init__([SimpleNamespace()])

    def peek_request(self) -> Any:
        """Return the first."""
        return self[0]


def test_that_the_socket_is_its_owners_alone(places: Path) -> None:
    make()
    assert stat.S_IMODE((places / "limits").stat().st_mode) == 0o600
    assert stat.S_IMODE((places / "steps").stat().st_mode) == 0o600


def test_that_socket_and_record_are_given_to_their_folders_owner(
    places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a container vLLM is root, and the folder is that of who looks in from outside."""
    given = []
    monkeypatch.setattr("os.chown", lambda path, uid, gid: given.append((str(path), uid, gid)))
    make()
    owner = places.stat()
    assert set(given) == {(str(places / name), owner.st_uid, owner.st_gid) for name in ("steps", "limits")}


def test_that_what_holds_and_what_may_be_set_is_told(places: Path) -> None:
    make()
    (answer,) = order(places, {"get": True})
    assert answer["limits"] == {
        "max_num_active_seqs": 4,
        "max_num_batched_tokens": 16,
        "long_prefill_token_threshold": 0,
        "parked_kv_blocks": 0,
    }
    # A request of 32 tokens takes 8 blocks of 4, and block 0 is nobody's.
    assert answer["ranges"]["parked_kv_blocks"] == [0, 21 - 9]
    assert answer["impossible"] == {}


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"set": {"max_num_active_seqs": 5}}, "from 1 to 4, not 5"),
        ({"set": {"max_num_active_seqs": True}}, "whole number"),
        ({"set": {"parked_kv_blocks": 13}}, "from 0 to 12"),
        ({"set": {"max_num_batched_tokens": 0}}, "from 1 to 16"),
        ({"set": {"max_num_batched_tokens": 8, "max_num_seqs": 3}}, "these can: max_num_active_seqs"),
        ({"set": 3}, "names to values"),
        ({"get": True, "more": 1}, "not an order"),
        (b"[]", "not an order"),
        (b"{", "Expecting"),
        (b"[" * 20_000, "recursion"),
    ],
)
def test_that_a_refused_order_says_what_is_right_and_changes_nothing(
    places: Path, wanted: Any, words: str
) -> None:
    make()
    refusal, answer = order(places, wanted, {"get": True})
    assert words in refusal["error"]
    assert answer["limits"]["max_num_batched_tokens"] == 16


def test_that_a_budget_below_the_longest_prompt_is_refused_without_chunks(places: Path) -> None:
    make(enable_chunked_prefill=False, max_num_batched_tokens=40)
    (answer,) = order(places, {"get": True})
    assert answer["ranges"]["max_num_batched_tokens"] == [32, 40]


def test_that_a_version_without_an_admission_cap_says_so(
    places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Older(fake_vllm.Scheduler):
        def __init__(self, vllm_config: Any) -> None:
            super().__init__(vllm_config)
            del self.max_num_active_reqs
            self.kv_cache_config.kv_cache_groups = [0, 1]

    monkeypatch.setattr(sys.modules["vllm.v1.core.sched.scheduler"], "Scheduler", Older)
    make()
    answer, refusal = order(places, {"get": True}, {"set": {"max_num_active_seqs": 1}})
    assert set(answer["impossible"]) == {"max_num_active_seqs", "parked_kv_blocks"}
    assert "no admission cap" in refusal["error"]


class Silent(fake_vllm.Scheduler):
    """As before 0.17: finish_requests tells nothing, and takes one id too."""

    def finish_requests(self, request_ids: Any, finished_status: Any) -> Any:
        names = (request_ids,) if isinstance(request_ids, str) else set(request_ids)
        super().finish_requests(names, finished_status)


class Inline(Silent):
    """As before 0.12: schedule() itself preempts, and frees through the manager."""

    FREE = "free"

    def __init__(self, vllm_config: Any) -> None:
        super().__init__(vllm_config)
        setattr(self.kv_cache_manager, self.FREE, super()._free)

    def _free(self, request: Any) -> None:
        getattr(self.kv_cache_manager, self.FREE)(request)

    def _preempt(self, victim: Any) -> None:
        self._free(victim)
        victim.num_computed_tokens, victim.num_preemptions = 0, victim.num_preemptions + 1
        self.waiting.appendleft(victim)


class Hidden(Inline):
    """A version in which preemptions can be seen in no way that is known."""

    FREE = "release"


@pytest.mark.parametrize("base", [fake_vllm.Scheduler, Silent, Inline])
def test_aborts_and_preemptions_are_recorded_on_every_version(
    base: Any, places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["vllm.v1.core.sched.scheduler"], "Scheduler", base)
    if base is Inline:
        # vLLM's class has no such method then.
        monkeypatch.delattr(fake_vllm.Scheduler, "_preempt_request")
    scheduler = make()
    under_pressure(scheduler)
    lost = 0
    for turn in range(80):
        if turn == 5:
            scheduler.finish_requests(iter(["r6", "unknown"]), "ABORTED")
            scheduler.finish_requests("r7", "ABORTED")
        before = sum(request.num_preemptions for request in scheduler.requests.values())
        fake_vllm.step(scheduler)
        lost += max(0, sum(request.num_preemptions for request in scheduler.requests.values()) - before)
    lines = recorded(scheduler, places)
    assert [line["ids"] for line in lines if line["ev"] == "finish"] == [["r6"], ["r7"]]
    calls = [line for line in lines if line["ev"] == "sched"]
    assert sum(len(line["pre"]) for line in calls) == lost > 0
    assert (lines[0]["unseen"], {line["unseen"] for line in calls}) == ([], {0})
    identical(places)


def test_a_record_that_lacks_preemptions_says_so_and_is_not_compared(
    places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["vllm.v1.core.sched.scheduler"], "Scheduler", Hidden)
    monkeypatch.delattr(fake_vllm.Scheduler, "_preempt_request")
    scheduler = make()
    under_pressure(scheduler)
    for _ in range(40):
        fake_vllm.step(scheduler)
    header, *lines = recorded(scheduler, places)
    assert header["unseen"] == ["preemptions"]
    assert sum(line["unseen"] for line in lines if line["ev"] == "sched") > 0
    with pytest.raises(InputError, match="the record lacks preemptions"):
        identical(places)


def test_the_end_of_sequence_is_the_requests_own_before_0_17(places: Path) -> None:
    scheduler = make()
    for name, where in (("old", "request"), ("new", "sampling")):
        request = fake_vllm.Request(name, 9, 3)
        request.sampling_params = SimpleNamespace(ignore_eos=False)
        holder = request if where == "request" else request.sampling_params
        holder.eos_token_id = 5
        scheduler.add_request(request)
    lines = recorded(scheduler, places)
    assert [line["eos"] for line in lines if line["ev"] == "add"] == [5, 5]


def test_that_parked_blocks_are_no_part_of_the_usage_and_do_not_stop_a_reset(places: Path) -> None:
    scheduler = make()
    assert scheduler.make_stats().kv_cache_usage == -1.0
    order(places, {"set": {"parked_kv_blocks": 10}})
    scheduler.add_request(fake_vllm.Request("r0", 8, 3))
    fake_vllm.step(scheduler)
    assert scheduler.make_stats().kv_cache_usage == pytest.approx(2 / 10)
    assert not scheduler.reset_prefix_cache()
    for _ in range(3):
        fake_vllm.step(scheduler)
    assert scheduler.reset_prefix_cache()
    assert recorded(scheduler, places)[-1]["ev"] == "reset"


def test_that_lines_are_dropped_and_counted_when_the_disk_does_not_keep_up(
    places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "_CAPACITY", 3)
    scheduler = make()
    under_pressure(scheduler)
    (before,) = order(places, {"get": True})
    time.sleep(0.3)
    fake_vllm.step(scheduler)
    (after,) = order(places, {"get": True})
    lines = recorded(scheduler, places)
    lost = sum(line["lines"] for line in lines if line["ev"] == "dropped")
    assert before["recorder"]["dropped"] >= 5
    assert lost + after["recorder"]["dropped"] >= 6
    assert [line["ev"] for line in lines][-3:] == ["dropped", "sched", "update"]


def test_that_recording_can_be_paused_and_says_what_is_missing(places: Path) -> None:
    scheduler = make()
    under_pressure(scheduler, 2)
    order(places, {"record": False})
    fake_vllm.step(scheduler)
    order(places, {"record": True})
    fake_vllm.step(scheduler)
    assert [line["ev"] for line in recorded(scheduler, places)] == [
        *("header", "add", "add"),
        *("dropped", "sched", "update"),
    ]


def test_that_a_recorder_that_fails_leaves_the_engine_alone(places: Path, expected_logs: list[str]) -> None:
    expected_logs.append("The step recorder has stopped")
    scheduler = make()
    under_pressure(scheduler)
    scheduler.requests["r3"].sampling_params = None
    strange = fake_vllm.Request("strange", 8, 2)
    del strange.arrival_time
    scheduler.add_request(strange)
    for _ in range(80):
        fake_vllm.step(scheduler)
    assert not scheduler.requests
    assert [line["ev"] for line in recorded(scheduler, places)] == ["header", *["add"] * 8]


def test_that_a_full_disk_ends_the_record_and_nothing_else(
    places: Path, monkeypatch: pytest.MonkeyPatch, expected_logs: list[str]
) -> None:
    expected_logs.append("The step recorder has stopped: the record has reached")
    monkeypatch.setattr(writer, "_MOST_BYTES", 900)
    scheduler = make()
    under_pressure(scheduler)
    time.sleep(0.3)
    for _ in range(80):
        fake_vllm.step(scheduler)
    (answer,) = order(places, {"get": True})
    assert not scheduler.requests
    assert answer["recorder"]["dropped"] > 80


def test_that_a_record_can_go_to_a_socket(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        listener.listen()
        sending = RecordWriter(f"unix:{tmp_path / 'socket'}")
        sending.put({"ev": "reset", "t_next": 4})
        sending.close()
        with listener.accept()[0] as accepted:
            assert accepted.recv(100) == b'{"ev":"reset","t_next":4}\n'
