"""GPU memory before a local vLLM starts, and the pinned KV cache."""

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
from workbench.servers import EffectiveConfig, TargetSpec, find_orphans
from workbench.telemetry import Gpu, open_gpus

_ANSWER_S = 10.0
"""Seconds to wait for the driver; a silent driver doesn't prevent the start."""
_DEFAULT_SHARE = 0.9
"""The smaller of vLLM's defaults, 0.9 or 0.92 by version."""


async def memory_taken_by_others(target: TargetSpec, controls: Mapping[str, Value]) -> list[Message]:
    """Return a message for each GPU that lacks memory: free memory, holders, what to do.

    Only for a server on this machine that plans with a share of the card. Memory of our own earlier servers
    doesn't count: they are ended before the start.
    """
    asked = flag_values([*control_flags(controls), *target.args])
    if target.kind != "local" or "--kv-cache-memory-bytes" in asked:
        return []
    try:
        share = float(asked.get("--gpu-memory-utilization", _DEFAULT_SHARE))
        count = int(asked.get("--tensor-parallel-size", 1)) * int(asked.get("--pipeline-parallel-size", 1))
    except ValueError:
        # The server refuses the value with a better message.
        return []
    visible = target.env.get("CUDA_VISIBLE_DEVICES", os.environ.get("CUDA_VISIBLE_DEVICES"))
    try:
        gpus = await asyncio.wait_for(in_own_thread(_gpus), _ANSWER_S)
    except TimeoutError:
        return []
    return [
        _message_of(found) for gpu in _chosen(gpus, visible, count) if (found := _lacks_memory(gpu, share))
    ]


def _gpus() -> list[Gpu]:
    library = open_gpus()
    if library is None:
        return []
    try:
        return library.gpus()
    finally:
        library.close()


def _chosen(gpus: Sequence[Gpu], visible: str | None, count: int) -> list[Gpu]:
    """Return the GPUs that vLLM takes; empty if CUDA_VISIBLE_DEVICES names them other than by number."""
    if visible is None:
        return list(gpus[:count])
    numbers = [word.strip() for word in visible.split(",")]
    by_number = {str(gpu.index): gpu for gpu in gpus}
    return [by_number[number] for number in numbers[:count] if number in by_number]


def _lacks_memory(gpu: Gpu, share: float) -> Finding | None:
    left = {mark.pid for orphan in find_orphans() for mark in orphan.living}
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


def _message_of(found: Finding) -> Message:
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
    """The KV-cache blocks with which each server of a plan is started."""

    def __init__(self, kv: str) -> None:
        self.blocks: int | None = None
        """Blocks of the baseline's server; None until they are known."""
        self._pinned = kv == "pinned"

    def controls(self, configuration: Configuration) -> dict[str, Value]:
        """Return the controls that a server is started with.

        Raises:
            Refusal: the baseline's blocks are needed and unknown.
        """
        launched = configuration.launch_controls()
        if not self._pinned or (self.blocks is None and configuration.control is None):
            return launched
        if self.blocks is None:
            raise Refusal("experiments.blocks_unknown", Place(table="target", key="kv"), value="pinned")
        return {**launched, PINNED_BY: self.blocks}

    def record_server(self, configuration: Configuration, effective: EffectiveConfig) -> None:
        """Record a server that is ready; the baseline's first one sets the blocks."""
        if configuration.control is None and self.blocks is None:
            self.blocks = effective.num_gpu_blocks

    def load_stored(self, run: RunEntry) -> None:
        """Load a run that an earlier conductor measured."""
        if run.control is None and self.blocks is None and run.effective is not None:
            blocks = run.effective.get("num_gpu_blocks")
            self.blocks = blocks if isinstance(blocks, int) else None
