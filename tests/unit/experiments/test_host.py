"""The machine that a server runs on, in the scorecard's words."""

import pytest

from workbench.experiments.run.host_columns import _model_name, host_facts
from workbench.servers import TargetSpec


@pytest.mark.parametrize("kind", ["embedded", "local"])
def test_that_a_server_on_this_machine_has_this_machine_as_its_host(kind: str) -> None:
    facts = host_facts(TargetSpec(kind=kind))
    assert set(facts) == {"host_cpu", "host_cores", "host_ram_gib", "load_place"}
    assert facts["load_place"] == "here"
    assert facts["host_cores"] >= 1
    assert facts["host_ram_gib"] > 0


@pytest.mark.parametrize(
    ("target", "place"),
    [
        (TargetSpec(kind="attached"), "network"),
        (TargetSpec(kind="attached", url="http://gpu-7:8000"), "network"),
        (TargetSpec(kind="attached", url="http://127.0.0.1:8000/v1"), "here"),
        (TargetSpec(kind="attached", url="http://localhost:8000"), "here"),
        (TargetSpec(kind="attached", url="http://[::1]:8000"), "here"),
        (TargetSpec(kind="container"), "here"),
        (TargetSpec(kind="ssh"), "tunnel"),
        (TargetSpec(kind="ssh", load_python="/opt/bench/bin/python"), "there"),
    ],
)
def test_that_of_a_server_that_may_run_elsewhere_only_the_way_to_it_is_told(
    target: TargetSpec, place: str
) -> None:
    assert host_facts(target) == {"load_place": place}


def test_that_the_processor_is_named_as_it_is_sold() -> None:
    assert _model_name("processor\t: 0\nmodel name\t: A CPU @ 2 GHz\n") == "A CPU @ 2 GHz"
    assert _model_name("processor\t: 0\nCPU part\t: 0xd0c\n") == ""
