"""The step record of a stored run: its parts, their lines, and the columns written beside them."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from workbench.advice.blame import StepIndex, build_step_index
from workbench.base import Place, Refusal, WorkbenchError
from workbench.experiments.run.step_records import RecordPart
from workbench.results import BenchFile
from workbench.results.bench.entries import RunEntry

Progress = Callable[[float], None]
"""Takes the part that is done, from 0 to 1."""


def open_step_indexes(bench: BenchFile, run: RunEntry, progress: Progress | None = None) -> list[StepIndex]:
    """Return the steps of a run, one index for each engine.

    An index is built from the record at first, which takes a while, and written beside it.

    Args:
        bench: the file that holds the run; the step record is in a folder beside it.
        run: a run whose scheduler's steps were recorded.
        progress: called now and then while an index is built.

    Raises:
        Refusal: the run has no record of steps, or it is gone or damaged.
    """
    parts, zero = record_parts(bench.path, run)
    return [open_or_build(part, zero, progress) for part in parts]


def record_parts(bench: Path, run: RunEntry) -> tuple[list[RecordPart], float]:
    """Return the parts of a run's record, one for each engine, and the schedule's start.

    Raises:
        Refusal: the run has no record of steps.
    """
    facts = run.facts
    place = Place(file=str(bench))
    file, span, zero = facts.get("steps_file"), facts.get("steps_bytes"), facts.get("steps_zero")
    if not file or not span or zero is None:
        if facts.get("stats_file"):
            raise Refusal("experiments.only_step_figures", place, run=run.name)
        raise Refusal("experiments.no_step_record", place, run=run.name)
    named = [(file, *span), *(facts.get("steps_more") or [])]
    return [RecordPart(bench.parent / name, begin, end) for name, begin, end in named], float(zero)


def record_lines(part: RecordPart) -> Iterator[bytes]:
    """Yield the header of a record, then the whole lines of the part.

    Raises:
        Refusal: the file can't be read.
    """
    try:
        with part.file.open("rb") as record:
            header = record.readline()
            yield header
            position = max(part.begin, len(header))
            record.seek(position)
            for line in record:
                position += len(line)
                if position > part.end or not line.endswith(b"\n"):
                    return
                yield line
    except FileNotFoundError as error:
        folder = part.file.parent.name
        raise Refusal("experiments.step_record_gone", Place(file=str(part.file)), folder=folder) from error
    except OSError as error:
        raise Refusal("base.unreadable_file", Place(file=str(part.file)), cause=error.strerror) from error


def index_file(part: RecordPart) -> Path:
    """Return the place of a part's index."""
    return part.file.with_name(f"{part.file.name}.{part.begin}-{part.end}.npz")


def open_or_build(part: RecordPart, zero: float, progress: Progress | None = None) -> StepIndex:
    """Return the index of one engine's part; write it beside the record if it isn't there.

    Raises:
        Refusal: the record is gone or damaged.
    """
    path = index_file(part)
    with suppress(WorkbenchError):
        return StepIndex.open(path)
    length = max(1, part.end - part.begin)
    report = None if progress is None else lambda done: progress(min(1.0, done / length))
    index = build_step_index(record_lines(part), zero, where=str(part.file), progress=report)
    # A folder that can't be written to costs time only.
    with suppress(WorkbenchError):
        index.save(path)
    return index
