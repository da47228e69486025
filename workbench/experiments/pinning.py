"""The KV cache pinned: all servers have the baseline's blocks, so that the control alone moves.

As deployed, a larger token budget takes memory from the KV cache, and two things have changed. With
`kv = "pinned"` in `[target]` later servers are started with the blocks that the baseline's really had.
"""

from typing import TYPE_CHECKING

from workbench.base import InputError
from workbench.controls import Value
from workbench.results import RunEntry
from workbench.servers import Effective

if TYPE_CHECKING:
    from workbench.experiments.experiment import Experiment
    from workbench.experiments.plan import Configuration

PINNED_BY = "num_gpu_blocks_override"
_ABOUT_KV = (PINNED_BY, "gpu_memory_utilization", "kv_cache_dtype", "block_size")


def check_pinning(experiment: "Experiment", where: str) -> None:
    """Whether pinning and the controls go together.

    Raises:
        InputError: the experiment itself says how large the KV cache is, or starts one server only.
    """
    if experiment.target.kv != "pinned":
        return
    place = f'{where}: [target] kv = "pinned"'
    if experiment.control.name in _ABOUT_KV:
        raise InputError(f"{place}: {experiment.control.name}, the control under test, is about the KV cache")
    if PINNED_BY in experiment.baseline:
        raise InputError(f"{place}: [baseline] {PINNED_BY} says already how many blocks every server has")
    if experiment.kind == "switchback":
        raise InputError(f"{place} means nothing for a switchback: it has one server")


class Pinning:
    """What each server of a plan is started with."""

    def __init__(self, kv: str) -> None:
        self.blocks: int | None = None
        """The baseline's; None: not seen."""
        self._pinned = kv == "pinned"

    def controls(self, configuration: "Configuration") -> dict[str, Value]:
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

    def saw(self, configuration: "Configuration", effective: Effective) -> None:
        """A server that is ready; the baseline's first is the measure."""
        if configuration.control is None and self.blocks is None:
            self.blocks = effective.num_gpu_blocks

    def take_stored(self, run: RunEntry) -> None:
        """A run that an earlier conductor measured."""
        if run.control is None and self.blocks is None and run.effective is not None:
            blocks = run.effective.get("num_gpu_blocks")
            self.blocks = blocks if isinstance(blocks, int) else None
