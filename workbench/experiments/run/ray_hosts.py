"""Load workers on the nodes of a Ray cluster: one actor a load host, spread over nodes; Ray is optional."""

import importlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from workbench.base import Place, Refusal, in_own_thread
from workbench.experiments.run.ray_processes import (
    CALLS,
    RayNode,
    RayProcess,
    connected_ray,
    facts_task,
    node_name,
    require_program,
)
from workbench.experiments.spec.tables import LoadHosts

_PLACE = Place(table="load", key="hosts")
_ROOM_S = 60.0
"""Timeout for Ray to find nodes with free CPUs."""
_START_S = 120.0
"""Timeout for the actors to start; a node may first have to start Python."""


class _RayMachine:
    """One actor, as a machine of the load."""

    def __init__(self, name: str, actor: Any) -> None:
        self.name = name
        self._actor = actor

    async def start_worker(self) -> RayProcess:
        """Start a worker beside the actor."""
        return RayProcess(self._actor, await self._actor.start.remote())


@asynccontextmanager
async def ray_machines(hosts: LoadHosts) -> AsyncIterator[list[_RayMachine]]:
    """Yield the machines of a load on Ray; afterwards their actors are ended.

    Raises:
        Refusal: Ray isn't installed or doesn't answer, has too few nodes with free CPUs, or a node lacks this
            program or has another version of it.
    """
    async with connected_ray(hosts.ray or "auto", _PLACE) as ray:
        group = await in_own_thread(partial(_reserve, ray, hosts))
        try:
            yield await in_own_thread(partial(_start_actors, ray, group, hosts))
        finally:
            # Removing the group ends its actors, and they end their workers.
            await in_own_thread(partial(importlib.import_module("ray.util").remove_placement_group, group))


def _reserve(ray: Any, hosts: LoadHosts) -> Any:
    """Reserve a CPU for each actor, each node with at most `per_host` of them."""
    whole, rest = divmod(hosts.count, hosts.per_host)
    sizes = [hosts.per_host] * whole + ([rest] if rest else [])
    util = importlib.import_module("ray.util")
    group = util.placement_group([{"CPU": size} for size in sizes], strategy="STRICT_SPREAD")
    try:
        ray.get(group.ready(), timeout=_ROOM_S)
    except ray.exceptions.GetTimeoutError as error:
        util.remove_placement_group(group)
        raise Refusal(
            "experiments.ray_no_room", _PLACE, nodes=len(sizes), cpus=max(sizes), seconds=_ROOM_S
        ) from error
    return group


def _start_actors(ray: Any, group: Any, hosts: LoadHosts) -> list[_RayMachine]:
    strategies = importlib.import_module("ray.util.scheduling_strategies")

    def at(number: int) -> Any:
        return strategies.PlacementGroupSchedulingStrategy(
            group, placement_group_bundle_index=number // hosts.per_host
        )

    ask = facts_task(ray)
    numbers = range(hosts.count)
    try:
        found = ray.get(
            [ask.options(num_cpus=1, scheduling_strategy=at(number)).remote() for number in numbers],
            timeout=_START_S,
        )
    except ray.exceptions.RayError as error:
        raise Refusal("experiments.ray_no_actors", _PLACE, cause=str(error).splitlines()[0]) from error
    for facts in found:
        require_program(facts, _PLACE)
    make = ray.remote(RayNode)
    actors = [
        make.options(num_cpus=1, max_concurrency=CALLS, scheduling_strategy=at(number)).remote()
        for number in numbers
    ]
    seen: dict[str, int] = {}
    machines = []
    for actor, facts in zip(actors, found, strict=True):
        name = node_name(facts)
        seen[name] = seen.get(name, 0) + 1
        machines.append(_RayMachine(name if seen[name] == 1 else f"{name}#{seen[name]}", actor))
    return machines
