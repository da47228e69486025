"""The machine beside a run: watched while it goes on, boiled down to columns that are empty if unknown."""

import asyncio
from collections.abc import Collection
from typing import Any

import pytest

from workbench.base import now
from workbench.experiments.run import machine_monitor as room
from workbench.experiments.run.events import Event, MachineSampled, decode_event, encode_event
from workbench.experiments.run.machine_monitor import MachineMonitor, machine_facts, sharing
from workbench.results import GpuSample, MachineSample
from workbench.servers import MachineWatch, TargetSpec
from workbench.servers.attached import AttachedServer

GIB = 1 << 30


def card(index: int = 0, **more: Any) -> GpuSample:
    told: dict[str, Any] = {"memory_used": 70 * GIB, "memory_total": 80 * GIB, "memory_ours": 60 * GIB}
    return GpuSample(index=index, **{**told, "memory_others": 10 * GIB, "power_w": 300.0, **more})


class Elsewhere(AttachedServer):
    def __init__(self, watch: MachineWatch | None) -> None:
        super().__init__(TargetSpec(kind="attached", url="http://127.0.0.1:1"))
        self._watch = watch

    def machine(self) -> MachineWatch | None:
        return self._watch


class TwoLooks:
    """A watch that tells two samples and waits for the end."""

    zero = 0.0

    async def run(self, on_sample: Any, stop: asyncio.Event) -> None:
        for t in (0.5, 1.5):
            on_sample(MachineSample(t=t, host_cpu=0.25, gpus=[card(throttling=["power cap"])]))
        await stop.wait()


async def watched(watch: MachineWatch | None, count: int, **more: Any) -> tuple[MachineMonitor, list[Event]]:
    stored: list[MachineSample] = []
    events: list[Event] = []
    watching = MachineMonitor("baseline", 4.0, Elsewhere(watch), stored.append, events.append, **more)
    watching.begin(now())
    async with asyncio.timeout(60):
        while len(stored) < count:  # noqa: ASYNC110  # samples come one by one
            await asyncio.sleep(0.05)
        await watching.end()
    assert stored == watching.samples
    return watching, events


async def test_that_samples_are_stored_and_told_in_the_runs_time() -> None:
    _, events = await watched(TwoLooks(), 2)
    first = decode_event(encode_event(events[0]))
    assert isinstance(first, MachineSampled)
    assert (first.run, first.run_t, first.host_cpu, first.api_cpu) == ("baseline", 2.0, 0.25, None)
    assert first.gpus[0]["memory_ours"] == 60 * GIB
    assert first.gpus[0]["throttling"] == ["power cap"]


async def test_that_of_a_server_elsewhere_nothing_is_told_but_the_load_workers() -> None:
    watching, events = await watched(None, 1)
    assert (watching.samples[0].host_cpu, watching.samples[0].gpus) == (None, [])
    assert isinstance(events[0], MachineSampled)
    assert machine_facts(watching.samples, 60.0) == {}


class Share:
    """A fake of `OtherProcesses`: half of the machine, after the first look."""

    def __init__(self, servers: Collection[int]) -> None:
        self.servers, self.looks = servers, 0

    def share(self) -> float | None:
        self.looks += 1
        return 0.5 if self.looks > 1 else None


@pytest.mark.parametrize(
    ("watch", "load_here", "seen"), [(None, True, 0.5), (TwoLooks(), True, 0.5), (TwoLooks(), False, None)]
)
async def test_what_others_take_of_the_loads_machine_is_seen_where_the_load_runs_here(
    watch: MachineWatch | None, load_here: bool, seen: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "processes_serving", lambda _: (7,))
    made: list[Share] = []

    def make(servers: Collection[int]) -> Share:
        made.append(Share(servers))
        return made[-1]

    watching, events = await watched(watch, 1, load_here=load_here, others=make)
    assert watching.samples[0].client_others_cpu == seen
    assert isinstance(events[0], MachineSampled)
    assert events[0].client_others_cpu == seen
    assert [fake.servers for fake in made] == ([(7,)] if load_here else [])
    facts = machine_facts(watching.samples, 60.0)
    assert facts.get("host_others_cpu") == seen
    assert sharing(watching.samples, 60.0).host_others == seen


async def test_an_unseen_server_on_this_machine_leaves_the_others_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(room, "processes_serving", lambda _: None)
    watching, _ = await watched(None, 1, others=Share)
    assert watching.samples[0].client_others_cpu is None


async def test_that_memory_which_ran_out_in_this_run_is_counted_where_the_log_is_ours() -> None:
    server = Elsewhere(TwoLooks())
    server.out_of_memory = 2
    watching = MachineMonitor("baseline", 1.0, server, lambda _: None, lambda _: None)
    server.out_of_memory = 3
    assert watching.facts == {}
    server.command = "vllm serve m"
    assert watching.facts == {"out_of_memory": 1}


async def test_that_a_run_which_never_began_has_nothing_to_end() -> None:
    await MachineMonitor("baseline", 1.0, Elsewhere(None), lambda _: None, lambda _: None).end()


def test_that_columns_count_what_lies_within_the_schedule() -> None:
    samples = [
        MachineSample(t=-1.0, client_cpu=1.0, engine_cpu=9.0),
        MachineSample(t=1.0, client_cpu=0.25, host_cpu=0.5, api_cpu=0.1, engine_cpu=0.75),
        MachineSample(t=2.0, client_cpu=0.5, host_cpu=0.7, api_cpu=0.2, engine_cpu=0.5, disk_read=3e6),
        MachineSample(t=2.4, net_sent=0.0, net_received=12.5e6, disk_read=1e6),
        MachineSample(t=3.0, client_cpu=1.0, net_sent=9e9),
    ]
    assert machine_facts(samples, 2.5) == {
        "client_cpu_max_pct": 50.0,
        "host_cpu_avg_pct": 60.0,
        "api_cpu_max": 0.2,
        "engine_cpu_max": 0.75,
        "net_received_max_mb_s": 12.5,
        "net_sent_max_mb_s": 0.0,
        "disk_read_max_mb_s": 3.0,
    }
    assert machine_facts(samples, 0.5) == {}


def test_that_two_cards_of_the_server_are_summed_in_power_and_the_fuller_one_counts() -> None:
    second = card(1, memory_used=75 * GIB, memory_ours=61 * GIB, power_w=350.0, utilisation=0.5)
    strangers = card(2, memory_ours=0, memory_used=79 * GIB)
    first = card(utilisation=0.7, power_cap_w=700.0, throttling=["power cap"])
    samples = [MachineSample(t=float(t), gpus=[first, second, strangers]) for t in range(1, 5)]
    facts = machine_facts(samples, 10.0)
    assert facts == {
        "gpu_count": 2,
        "gpu_memory_gib_physical": 80.0,
        "gpu_power_cap_w": 700.0,
        "gpu_mem_peak_gib": 75.0,
        "gpu_mem_reserved_gib": 61.0,
        "gpu_mem_outside_gib": 10.0,
        "gpu_util_avg_pct": 60.0,
        "gpu_throttled": "power cap 50 %",
        "power_avg_w": 650.0,
        "power_peak_w": 650.0,
        "power_method": "nvml",
        "sample_hz": 1.0,
    }


@pytest.mark.parametrize(("cards", "known"), [(1, True), (2, False)])
def test_that_where_nobody_tells_whose_memory_it_is_only_a_single_card_can_be_the_servers(
    cards: int, known: bool
) -> None:
    gpus = [card(index, memory_ours=None, memory_others=None, power_w=None) for index in range(cards)]
    facts = machine_facts([MachineSample(t=1.0, gpus=gpus)], 10.0)
    expected = {"gpu_count": 1, "gpu_memory_gib_physical": 80.0, "gpu_mem_peak_gib": 70.0}
    assert facts == (expected if known else {})
