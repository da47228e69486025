"""Before a vLLM of ours is started here: whether its GPUs have the memory free that it will ask for."""

import asyncio
import os
from collections.abc import Mapping, Sequence

import psutil

from workbench.advice import Finding, memory_held
from workbench.base import Message, Place, Refusal, in_own_thread, message
from workbench.controls import Value, control_flags
from workbench.experiments.plan.plan import Configuration
from workbench.experiments.run.command_flags import flag_values
from workbench.experiments.spec.validate import PINNED_BY
from workbench.results import RunEntry
from workbench.servers import Effective, TargetSpec, find_left_overs
from workbench.telemetry import Gpu, open_gpus

_ANSWER_S = 10.0
"""A driver that is silent for longer is no reason not to start."""
_DEFAULT_SHARE = 0.9
"""vLLM's own is 0.9 or 0.92 by version: the smaller one asks for no more than it will."""


async def memory_taken_by_others(target: TargetSpec, controls: Mapping[str, Value]) -> list[Message]:
    """One message a GPU that lacks memory: what is free, who holds the rest, what to do.

    Only of a server on this machine that plans with a share of the card; what earlier runs of ours left
    behind doesn't count, for it is ended before the start.
    """
    asked = flag_values([*control_flags(controls), *target.args])
    if target.kind != "local" or "--kv-cache-memory-bytes" in asked:
        return []
    try:
        share = float(asked.get("--gpu-memory-utilization", _DEFAULT_SHARE))
        count = int(asked.get("--tensor-parallel-size", 1)) * int(asked.get("--pipeline-parallel-size", 1))
    except ValueError:
        # The server refuses it, and says so better.
        return []
    visible = target.env.get("CUDA_VISIBLE_DEVICES", os.environ.get("CUDA_VISIBLE_DEVICES"))
    try:
        gpus = await asyncio.wait_for(in_own_thread(_gpus), _ANSWER_S)
    except TimeoutError:
        return []
    return [_told(found) for gpu in _chosen(gpus, visible, count) if (found := _judged(gpu, share))]


def _gpus() -> list[Gpu]:
    library = open_gpus()
    if library is None:
        return []
    try:
        return library.gpus()
    finally:
        library.close()


def _chosen(gpus: Sequence[Gpu], visible: str | None, count: int) -> list[Gpu]:
    """Those that vLLM takes; none where they are named by anything but their number."""
    if visible is None:
        return list(gpus[:count])
    numbers = [word.strip() for word in visible.split(",")]
    by_number = {str(gpu.index): gpu for gpu in gpus}
    return [by_number[number] for number in numbers[:count] if number in by_number]


def _judged(gpu: Gpu, share: float) -> Finding | None:
    left = {mark.pid for left_over in find_left_overs() for mark in left_over.living}
    ending = sum(one.memory or 0 for one in gpu.processes if one.pid in left)
    staying = Gpu(
        index=gpu.index,
        name=gpu.name,
        memory_total=gpu.memory_total,
        memory_used=None if gpu.memory_used is None else max(0, gpu.memory_used - ending),
        processes=tuple(one for one in gpu.processes if one.pid not in left),
    )
    return memory_held(staying, share, _names(staying))


def _names(gpu: Gpu) -> dict[int, str]:
    names = {}
    for one in gpu.processes:
        try:
            names[one.pid] = psutil.Process(one.pid).name()
        except psutil.Error:
            continue
    return names


def _told(found: Finding) -> Message:
    remedy = None if found.change is None else message("experiments.next_change", change=found.change.text)
    said: Message | str = found.verdict
    for evidence in found.evidence:
        said = message("experiments.two_sentences", first=said, second=evidence)
    return message("experiments.finding", rule=found.rule, said=said, next=remedy)


# The KV cache pinned: all servers have the baseline's blocks, so that the control alone moves.
#
# As deployed, a larger token budget takes memory from the KV cache, and two things have changed. With `kv =
# "pinned"` in `[target]` later servers are started with the blocks that the baseline's really had.


class KvPinning:
    """What each server of a plan is started with."""

    def __init__(self, kv: str) -> None:
        self.blocks: int | None = None
        """The baseline's; None: not seen."""
        self._pinned = kv == "pinned"

    def controls(self, configuration: Configuration) -> dict[str, Value]:
        """The controls that a server is started with.

        Raises:
            InputError: the baseline's blocks, which it should have, aren't known.
        """
        launched = configuration.launched()
        if not self._pinned or (self.blocks is None and configuration.control is None):
            return launched
        if self.blocks is None:
            raise Refusal("experiments.blocks_unknown", Place(table="target", key="kv"), value="pinned")
        return {**launched, PINNED_BY: self.blocks}

    def saw(self, configuration: Configuration, effective: Effective) -> None:
        """A server that is ready; the baseline's first is the measure."""
        if configuration.control is None and self.blocks is None:
            self.blocks = effective.num_gpu_blocks

    def take_stored(self, run: RunEntry) -> None:
        """A run that an earlier conductor measured."""
        if run.control is None and self.blocks is None and run.effective is not None:
            blocks = run.effective.get("num_gpu_blocks")
            self.blocks = blocks if isinstance(blocks, int) else None
