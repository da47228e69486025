"""Switchback: one running server whose limit alternates between the baseline's and the variant's value.

Without a restart between them, the effect of a restart drops out of the comparison. The order within each
pair of blocks is random, and the test of the difference relies on it.
"""

import asyncio
import contextlib
import random
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from workbench.base import Message, Record, WorkbenchError, message, now
from workbench.experiments.run.events import as_data
from workbench.experiments.spec.experiment import Experiment

SEPARATOR = " ⇄ "
"""Separates the two values in the run's name."""


class Block(Record, frozen=True, kw_only=True):
    """A stretch of the schedule, in seconds of the load, under one value."""

    begin: float
    end: float
    variant: bool
    """True for the variant's value, false for the baseline's."""

    def stored(self) -> list[Any]:
        """Return the block as a run's facts hold it: begin, end, 1 for the variant."""
        return [round(self.begin, 3), round(self.end, 3), int(self.variant)]


def blocks_of(experiment: Experiment) -> list[Block]:
    """Return pairs of blocks that fill the schedule; the order in a pair is random (seed of the repeats)."""
    assert experiment.switchback is not None
    assert experiment.load.duration_s is not None
    size = experiment.switchback.block_s
    draw = random.Random(experiment.repeat.seed)  # noqa: S311 - an order, not a secret
    found = []
    for pair in range(int(experiment.load.duration_s / (2 * size) + 1e-9)):
        first = draw.random() < 0.5
        begin = 2 * pair * size
        found.append(Block(begin=begin, end=begin + size, variant=first))
        found.append(Block(begin=begin + size, end=begin + 2 * size, variant=not first))
    return found


class BlockSwitcher:
    """Sets a server's limit at the begin of each block during a run."""

    def __init__(
        self,
        experiment: Experiment,
        change: Callable[[str, int], Awaitable[None]],
        on_lost: Callable[[Message], None],
    ) -> None:
        self._name = experiment.tested.name
        self._values = (experiment.baseline[self._name], experiment.tested.values[0])
        self._scale = experiment.target.time_scale
        self._change = change
        self._on_lost = on_lost
        self._task: asyncio.Task[None] | None = None
        self.blocks: Sequence[Block] = blocks_of(experiment)

    async def prepare(self) -> None:
        """Set the first block's value before the load begins.

        Raises:
            InputError: the server refuses the change.
        """
        await self._set(self.blocks[0])

    def begin(self, zero: float) -> None:
        """Start switching; the schedule starts at `zero` of the run's clock."""
        self._task = asyncio.create_task(self._switch(zero))

    async def end(self) -> None:
        """Stop switching."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def _switch(self, zero: float) -> None:
        for block in self.blocks[1:]:
            await asyncio.sleep(max(0.0, zero + block.begin / self._scale - now()))
            try:
                await self._set(block)
            except WorkbenchError as error:
                self._on_lost(message("experiments.switch_failed", why=as_data(error)))
                return

    async def _set(self, block: Block) -> None:
        await self._change(self._name, int(self._values[block.variant]))
