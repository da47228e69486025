"""A record to fork: its lines, and what is known about its requests and its clock."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from workbench.base import Place, Refusal
from workbench.engine.fork.golden_lines import golden_lines
from workbench.engine.parity.check_files import file_content
from workbench.engine.parity.golden_case import decode_case
from workbench.vllm_dialect import AnyStepLine, StepHeader, StepScheduled, read_steps


@dataclass(frozen=True, slots=True)
class Recording:
    """A step record from its server's start on, and the part of it that is one run."""

    lines: Sequence[AnyStepLine]
    where: str
    timed: bool = True
    """False for a golden case, whose steps count a millisecond each."""
    begin: int = 1
    """Index of the run's first line; the lines before it only rebuild the state."""
    zero: float = 0.0
    """Time of the record's clock at which the run's time is 0."""
    classes: Mapping[str, str] = field(default_factory=dict)
    """Class of each request by the engine's id."""
    names: Mapping[str, str] = field(default_factory=dict)
    """The id that was sent, by the engine's id."""
    follows: Mapping[str, str] = field(default_factory=dict)
    """Sessions: the request that must end before this one is sent, both by the engine's id."""
    concurrency: int | None = None
    """Closed loop: requests under way at a time."""

    @property
    def header(self) -> StepHeader:
        """The first line."""
        header = self.lines[0]
        assert isinstance(header, StepHeader)
        return header


def read_recording(path: Path) -> Recording:
    """Read a step record or a golden case, gzipped or not.

    Raises:
        Refusal: the file can't be read, or is neither.
    """
    data = file_content(path)
    where = str(path)
    if data.lstrip()[:5] != b'{"ev"':
        return Recording(golden_lines(decode_case(data, where=where)), where, timed=False)
    lines = list(read_steps(data.splitlines(), where=where))
    if not isinstance(lines[0], StepHeader):
        raise Refusal("engine.no_header", Place(file=where, line=1))
    first = next((line for line in lines if isinstance(line, StepScheduled)), None)
    if first is None:
        raise Refusal("engine.too_few_steps", Place(file=where), steps=0, least=1)
    return Recording(lines, where, zero=first.mono - first.us / 1e6)
