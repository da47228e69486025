"""The KV cache pinned: all servers have the baseline's blocks, so that the control alone moves.

As deployed, a larger token budget takes memory from the KV cache, and two things have changed. With
`kv = "pinned"` in `[target]` later servers are started with the blocks that the baseline's really had.
"""

from workbench.base import InputError
from workbench.controls import Value
from workbench.experiments.kind_checks import PINNED_BY
from workbench.experiments.plan import Configuration
from workbench.results import RunEntry
from workbench.servers import Effective


class Pinning:
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
            raise InputError(
                'kv = "pinned": no server of the baseline has said how many KV-cache blocks it has'
            )
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
