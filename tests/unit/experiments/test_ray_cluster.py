"""A Ray cluster as a place of experiments, with a stand-in for Ray."""

import platform
from types import SimpleNamespace
from typing import Any

import pytest

from workbench import __version__
from workbench.base import Refusal
from workbench.experiments.cluster.ray_cluster import PLACE, RayCluster
from workbench.experiments.run.ray_processes import NodeFacts, require_program
from workbench.experiments.spec.tables import ClusterNeeds


class RayError(Exception):
    """Ray's error of a lost actor."""


class StandInRay:
    """Ray with some nodes, whose actor answers with facts or is lost."""

    exceptions = SimpleNamespace(RayError=RayError)

    def __init__(self, facts: NodeFacts | None, *nodes: dict[str, Any]) -> None:
        self._facts, self._nodes = facts, nodes
        self.options: dict[str, Any] = {}
        self.killed: list[Any] = []

    def nodes(self) -> list[dict[str, Any]]:
        return list(self._nodes)

    def kill(self, actor: object) -> None:
        self.killed.append(actor)

    def remote(self, _made: object) -> Any:
        def options(**given: Any) -> Any:
            self.options = given
            return SimpleNamespace(remote=lambda: SimpleNamespace(facts=SimpleNamespace(remote=self._answer)))

        return SimpleNamespace(options=options)

    async def _answer(self) -> NodeFacts:
        if self._facts is None:
            raise RayError("the node died\nand more")
        return self._facts


def node(*, alive: bool = True, **resources: float) -> dict[str, Any]:
    return {"Alive": alive, "Resources": resources}


HERE: NodeFacts = (__version__, platform.python_version(), "10.0.0.1", "abcdef0123")
NEEDS = ClusterNeeds(num_gpus=2, accelerator_type="H100", resources={"machine": 1})


async def test_that_an_experiment_is_placed_with_the_resources_that_it_states() -> None:
    ray = StandInRay(HERE)
    place = await RayCluster(ray).place(NEEDS)
    assert place.name == "10.0.0.1/abcdef"
    wanted = {"num_cpus": 1, "num_gpus": 2, "accelerator_type": "H100", "resources": {"machine": 1}}
    assert wanted.items() <= ray.options.items()
    await place.close()
    assert len(ray.killed) == 1


async def test_that_a_node_lost_while_it_is_placed_is_a_lost_connection() -> None:
    with pytest.raises(ConnectionError, match=r"^the node died$"):
        await RayCluster(StandInRay(None)).place(ClusterNeeds())


@pytest.mark.parametrize(
    ("version", "python", "kind"),
    [
        (None, platform.python_version(), "ray_without_program"),
        ("0.0.1", platform.python_version(), "ray_other_version"),
        (__version__, "3.5.1", "ray_other_python"),
    ],
)
async def test_that_a_node_of_another_version_is_refused_and_its_actor_ends(
    version: str | None, python: str, kind: str
) -> None:
    facts = (version, python, "10.0.0.2", "abcdef0123")
    ray = StandInRay(facts)
    with pytest.raises(Refusal) as refused:
        await RayCluster(ray).place(ClusterNeeds())
    assert refused.value.kind == f"experiments.{kind}"
    assert refused.value.values["node"] == "10.0.0.2"
    assert len(ray.killed) == 1


def test_that_another_patch_of_python_is_no_other_python() -> None:
    require_program((__version__, f"{platform.python_version()}9", "n", "i"), PLACE)


@pytest.mark.parametrize(
    ("found", "no_node_fits"),
    [
        (node(CPU=8, GPU=2, machine=1, **{"accelerator_type:H100": 1}), False),
        (node(CPU=8, GPU=1, machine=1, **{"accelerator_type:H100": 1}), True),
        (node(CPU=8, GPU=2, machine=1, **{"accelerator_type:A100": 1}), True),
        (node(CPU=8, GPU=2, **{"accelerator_type:H100": 1}), True),
        (node(alive=False, CPU=8, GPU=2, machine=1, **{"accelerator_type:H100": 1}), True),
    ],
)
def test_that_a_cluster_lacks_what_no_living_node_has(found: dict[str, Any], no_node_fits: bool) -> None:
    assert RayCluster(StandInRay(HERE, found)).no_node_fits(NEEDS) is no_node_fits
