"""A Ray cluster as a place of experiments: an actor with the stated resources for each, placed by Ray."""

import asyncio
import contextlib
import importlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from workbench.base import Place, Refusal, in_own_thread
from workbench.experiments.cluster.driver import as_text
from workbench.experiments.run.ray_processes import (
    CALLS,
    RayNode,
    RayProcess,
    connected_ray,
    facts_task,
    node_name,
    require_program,
)
from workbench.experiments.spec.tables import ClusterNeeds

PLACE = Place(key="on")
_MODULE = "workbench.experiments.cluster.node_process"
_START_S = 120.0
_END_S = 60.0
"""Time for the process on a node to stop its server."""


class _RayPlace:
    """An actor on a node."""

    def __init__(self, ray: Any, actor: Any, name: str) -> None:
        self.name = name
        self._ray = ray
        self._actor = actor
        self._process: RayProcess | None = None

    async def start(self) -> RayProcess:
        """Start the process beside the actor.

        Raises:
            ConnectionError: the actor is gone.
        """
        try:
            self._process = RayProcess(self._actor, await self._actor.start.remote(_MODULE))
        except self._ray.exceptions.RayError as error:
            raise ConnectionError(as_text(error)) from error
        return self._process

    async def close(self) -> None:
        """Close the process's input, wait for its end, and end the actor."""
        # Ray is optional, so its errors have no name here; a lost actor has ended already.
        with contextlib.suppress(Exception):
            if self._process is not None:
                self._process.stdin.close()
                await asyncio.wait_for(self._process.wait(), _END_S)
        with contextlib.suppress(Exception):
            self._ray.kill(self._actor)


class RayCluster:
    """The cluster that this process is connected to."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self._make = ray.remote(RayNode)

    def no_node_fits(self, needs: ClusterNeeds) -> bool:
        """Return True if no node has so much, even when it is idle."""
        return not any(_suits(node, needs) for node in self._ray.nodes())

    async def place(self, needs: ClusterNeeds) -> _RayPlace:
        """Wait for an actor with these resources."""
        actor = self._make.options(
            num_cpus=needs.num_cpus,
            num_gpus=needs.num_gpus,
            accelerator_type=needs.accelerator_type,
            resources=dict(needs.resources) or None,
            max_concurrency=CALLS,
            max_restarts=0,
            scheduling_strategy="SPREAD",
        ).remote()
        place = _RayPlace(self._ray, actor, "")
        try:
            facts = await actor.facts.remote()
            require_program(facts, PLACE)
        except self._ray.exceptions.RayError as error:
            raise ConnectionError(as_text(error)) from error
        except BaseException:
            await place.close()
            raise
        place.name = node_name(facts)
        return place

    def check_nodes(self, needs: Sequence[ClusterNeeds]) -> None:
        """Check the program's version on each node that could take one of the experiments.

        Raises:
            Refusal: names the node, or says that none answers.
        """
        at = importlib.import_module("ray.util.scheduling_strategies").NodeAffinitySchedulingStrategy
        ask = facts_task(self._ray)
        suitable = [each for each in self._ray.nodes() if any(_suits(each, one) for one in needs)]
        asked = [
            ask.options(num_cpus=0, scheduling_strategy=at(node["NodeID"], soft=False)).remote()
            for node in suitable
        ]
        try:
            found = self._ray.get(asked, timeout=_START_S)
        except self._ray.exceptions.RayError as error:
            raise Refusal("experiments.ray_no_actors", PLACE, cause=as_text(error)) from error
        for facts in found:
            require_program(facts, PLACE)


def _suits(node: dict[str, Any], needs: ClusterNeeds) -> bool:
    wanted = {"CPU": needs.num_cpus, "GPU": needs.num_gpus, **needs.resources}
    if needs.accelerator_type is not None:
        wanted[f"accelerator_type:{needs.accelerator_type}"] = 0.001
    has = node.get("Resources") or {}
    return bool(node.get("Alive")) and all(has.get(name, 0.0) >= count for name, count in wanted.items())


@asynccontextmanager
async def ray_cluster(address: str, needs: Sequence[ClusterNeeds]) -> AsyncIterator[RayCluster]:
    """Connect to a Ray cluster and check its nodes.

    Raises:
        Refusal: Ray isn't installed or doesn't answer, or a node lacks this program or has another version.
    """
    async with connected_ray(address, PLACE) as ray:
        cluster = RayCluster(ray)
        await in_own_thread(partial(cluster.check_nodes, needs))
        yield cluster
