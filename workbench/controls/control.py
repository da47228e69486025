"""One control: a single setting of the scheduler, its memory or its admission."""

from typing import Literal

from workbench.base import Record
from workbench.vllm_dialect import since

Value = int | float | bool | str
"""A control's value; None in a configuration means vLLM's own default."""


class Control(Record, frozen=True, kw_only=True):
    """What a control is, limits and does. Sources: vLLM's flag lists and schedulers, 0.11 to 0.33."""

    name: str
    """vLLM's own name, such as `max_num_seqs`."""
    kind: Literal["integer", "number", "switch", "choice", "text"]
    flag: str | None
    """As `vllm serve` spells it; a switch also has `--no-…`. None: the load generator's own control, or the
    target's."""
    title: str
    """For people: a few words."""
    limits: str
    watch: str
    """What to look at when it changes."""
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    default: str = "vLLM's own"
    """In words where it depends on version and hardware."""
    unit: str = ""
    live: bool = False
    """Whether a running server of ours can change it without a restart."""
    alters_answers: bool = False
    """Whether it can change what is answered, and not only when."""
    in_words: bool = False
    """Whether it may be given among the target's own words instead, where no configuration states it."""
    of_target: bool = False
    """Whether its value takes the place of a key of [target]: another server, and no flag of it."""
    ladder: tuple[Value, ...] = ()
    """Values worth trying first."""

    @property
    def of_server(self) -> bool:
        """Whether a server is started with it; else it is the load generator's own."""
        return self.flag is not None or self.of_target

    @property
    def since(self) -> str | None:
        """The first vLLM version that has it, where not all do."""
        return None if self.flag is None else since("flag", self.flag)
