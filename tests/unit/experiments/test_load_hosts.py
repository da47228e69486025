"""What the machines of a load leave in the scorecard, and the refusals before the first of them is asked."""

import sys
import threading

import pytest

from workbench.base import Refusal, message
from workbench.experiments.run import ray_processes
from workbench.experiments.run.load_hosts import HostsOutcome
from workbench.experiments.run.ray_hosts import ray_machines
from workbench.experiments.spec.tables import LoadHosts
from workbench.load import HostReport


def host(name: str, error_ms: float | None) -> HostReport:
    return HostReport(
        name=name,
        workers=1,
        clock_ahead_s=5.0,
        clock_error_ms=error_ms,
        clock_shift_ms=0.0,
        round_trips=12,
        start_late_ms=None,
    )


def test_that_the_worst_clock_counts() -> None:
    found = HostsOutcome(hosts=(host("a", 0.25), host("b", 1.5)))
    assert found.clock_error_ms == 1.5
    assert found.facts() == {"load_hosts": "a ±0.25 ms, b ±1.50 ms", "clock_error_ms": 1.5}


def test_that_a_load_from_here_has_no_columns() -> None:
    assert HostsOutcome().facts() == {}
    assert HostsOutcome().clock_error_ms is None


def test_that_an_unread_clock_has_no_error_to_state() -> None:
    lost = message("experiments.host_lost", host="a", why=message("load.clock_unread"))
    found = HostsOutcome(hosts=(host("a", None),), lost=(lost,))
    assert found.facts() == {"load_hosts": "a"}


async def test_that_ray_is_refused_with_the_way_out_where_it_is_not_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(Refusal) as refused:
        async with ray_machines(LoadHosts(ray="auto")):
            pass
    assert refused.value.kind == "experiments.ray_not_installed"
    assert "vllm-workbench[cluster]" in str(refused.value)


class Unreachable:
    """Ray with an address that nobody listens on: it tries for minutes, or says so."""

    def __init__(self, *, hangs: bool) -> None:
        self.hangs = hangs
        self.over = threading.Event()

    def is_initialized(self) -> bool:
        return False

    def init(self, **_: object) -> None:
        if self.hangs:
            self.over.wait(60)
        raise ConnectionError("no GCS here")


@pytest.mark.parametrize("hangs", [True, False])
async def test_that_a_cluster_that_is_not_there_is_refused_within_a_time(
    monkeypatch: pytest.MonkeyPatch, *, hangs: bool
) -> None:
    ray = Unreachable(hangs=hangs)
    monkeypatch.setattr(ray_processes, "ray_module", lambda _place: ray)
    monkeypatch.setattr(ray_processes, "_CONNECT_S", 0.05 if hangs else 60.0)
    with pytest.raises(Refusal) as refused:
        async with ray_machines(LoadHosts(ray="127.0.0.1:9")):
            pass
    ray.over.set()
    assert refused.value.kind == "experiments.ray_no_cluster"
    if not hangs:
        assert refused.value.values["cause"] == "no GCS here"
