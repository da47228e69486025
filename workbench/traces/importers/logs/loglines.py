"""The lines of a text log, without what carried it, and the time at which the carrier wrote each."""

from collections.abc import Iterator

from workbench.traces.importers.formats import Job
from workbench.vllm_dialect.log_prefix import Carried, whole_lines


def log_lines(job: Job) -> Iterator[tuple[int, Carried]]:
    """Numbered lines that aren't blank."""
    lines = ((number, line.decode()) for number, line in job.source.open().raw_lines() if line.strip())
    return whole_lines(lines)
