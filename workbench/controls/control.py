"""One control: a single setting of the scheduler, its memory or its admission."""

from typing import Literal

from workbench.base import ENGLISH, Record
from workbench.vllm_dialect import first_version_with

Value = int | float | bool | str
"""A control's value; None in a configuration means vLLM's own default."""


class ControlWords(Record, frozen=True, kw_only=True):
    """Texts about a control in one language."""

    title: str
    """A few words."""
    limits: str
    """The quantity that the control limits."""
    watch: str
    """Figures to watch when it changes."""


class Control(Record, frozen=True, kw_only=True):
    """One table of `resources/controls.toml`. Sources: vLLM's flag lists and schedulers, 0.11 to 0.33."""

    name: str
    """vLLM's own name, such as `max_num_seqs`; the table's name."""
    kind: Literal["integer", "number", "switch", "choice", "text"]
    flag: str | None = None
    """Flag of `vllm serve`; a switch also has `--no-…`. None: it is the load generator's or the target's."""
    title: str
    """A few words in English."""
    limits: str
    """The quantity that the control limits, in English."""
    watch: str
    """Figures to watch when it changes, in English."""
    zh_CN: ControlWords  # noqa: N815 - the name of the language
    """The same texts in Chinese."""
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    default: str = "vLLM's own"
    """Default value in words; it may depend on version and hardware."""
    unit: str = ""
    ladder: tuple[Value, ...] = ()
    """Values to try first."""
    modeled: bool = False
    """The embedded engine (or the load generator) has it."""
    alters_answers: bool = False
    """It can change the answers' content, not only their times."""
    in_args: bool = False
    """[target] args may hold its flag if no configuration sets it."""
    of_target: bool = False
    """It replaces a key of [target]: a value is another server, not a flag."""
    rejects: bool = False
    """A server rejects requests at this limit, so rejections are expected with it."""
    default_from: str | None = None
    """The control whose value vLLM takes as the default of this one."""
    default_depends_on: tuple[str, ...] = ()
    """The controls that determine vLLM's default of this one, without having the same value."""

    @property
    def of_server(self) -> bool:
        """True if the server is started with it; else it belongs to the load generator."""
        return self.flag is not None or self.of_target

    @property
    def since(self) -> str | None:
        """First vLLM version that has it; None: all supported versions."""
        return None if self.flag is None else first_version_with("flag", self.flag)

    def words(self, language: str = ENGLISH) -> ControlWords:
        """Return the texts in a language; English for languages without their own."""
        if language == "zh_CN":
            return self.zh_CN
        return ControlWords(title=self.title, limits=self.limits, watch=self.watch)
