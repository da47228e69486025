"""Switchback: one running server, its limit at the baseline's value and at the variant's in turn.

No restart lies between the two, so what a restart changes falls out of the comparison; the order within each
pair of blocks is drawn by chance, which is what the test of the difference rests on.
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
"""Between the two values in the name of the run."""


class Block(Record, frozen=True, kw_only=True):
    """A stretch of the schedule (seconds of the load) under one value."""

    begin: float
    end: float
    variant: bool
    """Under the variant's value; else the baseline's."""

    def stored(self) -> list[Any]:
        """As a run's facts hold it: begin, end, 1 for the variant."""
        return [round(self.begin, 3), round(self.end, 3), int(self.variant)]


def blocks_of(experiment: Experiment) -> list[Block]:
    """Pairs of blocks that fill the schedule, the order within each drawn by the seed of the repeats."""
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
    """Sets a server's limit at the begin of each block while a run goes on."""

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
            InputError: the server doesn't take this limit while it serves; says why.
        """
        await self._set(self.blocks[0])

    def begin(self, zero: float) -> None:
        """The schedule starts at `zero` of the run's clock."""
        self._task = asyncio.create_task(self._switch(zero))

    async def end(self) -> None:
        """No more switching."""
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
