"""Reading of experiment files; `kind = "reproduce"` takes the experiments from a bench file."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from workbench.base import MASK, InputError, Place, Record, Refusal, read_toml_file
from workbench.experiments.plan.resume import own_experiments, stored_experiment
from workbench.experiments.spec.experiment import Experiment
from workbench.experiments.spec.tables import Quality, TraceChoice
from workbench.results import BenchFile, ExperimentEntry
from workbench.servers import TargetSpec, check_target

BASE = "base"
"""Key in a bench file: the folder that its experiments' relative paths start from."""


class _Reproduction(Record, frozen=True, kw_only=True):
    """An experiment file that measures the experiments of a bench file again."""

    kind: Literal["reproduce"]
    bench: str
    """The bench file; a relative path starts at this file's folder."""
    name: str | None = None
    target: TargetSpec | None = None
    """The server to measure now; None is the one of then."""


def read_experiments(paths: Iterable[Path]) -> list[Experiment]:
    """Read all experiments of the files, in their order.

    Raises:
        Refusal: as `Experiment.load_file`; or a bench file is unreadable or holds no experiment.
    """
    found: list[Experiment] = []
    for path in paths:
        reproduction = _reproduction(path)
        if reproduction is None:
            found.append(Experiment.load_file(path))
        else:
            found += _again(reproduction, path)
    return found


def _reproduction(path: Path) -> _Reproduction | None:
    """Return the file's reproduction; None for an ordinary or unreadable file."""
    try:
        content = read_toml_file(path)
    except InputError:
        return None
    if content.get("kind") != "reproduce":
        return None
    try:
        reproduction = msgspec.convert(content, _Reproduction)
    except msgspec.ValidationError as error:
        raise Refusal("experiments.wrong_reproduction", Place(file=str(path)), problem=str(error)) from error
    if reproduction.target is not None:
        check_target(reproduction.target, where=str(path))
    return reproduction


def _again(reproduction: _Reproduction, path: Path) -> list[Experiment]:
    source = Path(reproduction.bench).expanduser()
    source = source if source.is_absolute() else path.parent / source
    with BenchFile.open(source) as bench:
        entries, base = own_experiments(bench), bench.meta().get(BASE)
    if not entries:
        raise Refusal("experiments.none_to_reproduce", Place(file=str(source)))
    places = [*([Path(base)] if base else []), path.parent, source.parent]
    return [_one_again(entry, reproduction, source, places) for entry in entries]


def experiments_in(bench: Path) -> tuple[list[Experiment], Path]:
    """Read the experiments of a bench file and the folder that their relative paths start from.

    The folder is the one of then if the files are still there, else the bench file's own.

    Raises:
        Refusal: the bench file is unreadable or holds no experiment of ours.
    """
    with BenchFile.open(bench) as file:
        entries, base = own_experiments(file), file.meta().get(BASE)
    if not entries:
        raise Refusal("experiments.none_to_resume", Place(file=str(bench)))
    experiments = [stored_experiment(entry, f"{bench}: {entry.name}") for entry in entries]
    places = [*([Path(base)] if base else []), bench.parent]
    first = experiments[0]
    files = [first.trace.file, first.quality.prompts if first.quality else None]
    named = [file for file in files if file is not None]
    # A folder that was moved as a whole still has all of them.
    whole = next((each for each in places if all(_there(file, [each]) for file in named)), None)
    if whole is not None:
        return experiments, whole
    moved = [
        msgspec.structs.replace(
            each, trace=found_trace(each.trace, places), quality=found_prompts(each.quality, places)
        )
        for each in experiments
    ]
    return moved, places[0]


def _one_again(
    entry: ExperimentEntry, reproduction: _Reproduction, source: Path, places: Sequence[Path]
) -> Experiment:
    before = stored_experiment(entry, str(source))
    target = reproduction.target or before.target
    if MASK in msgspec.json.encode(target).decode():
        raise Refusal("experiments.secret_not_stored", Place(file=str(source), table="target"))
    name = before.name if reproduction.name is None else f"{reproduction.name}: {before.name}"
    return msgspec.structs.replace(
        before,
        name=name,
        target=target,
        trace=found_trace(before.trace, places),
        quality=found_prompts(before.quality, places),
        reproduces=str(source.resolve()),
    )


def found_trace(trace: TraceChoice, places: Sequence[Path]) -> TraceChoice:
    """Return the choice with its trace file resolved in one of `places`; unchanged if no place has it."""
    found = None if trace.file is None else _found(trace.file, places)
    return trace if found is None else msgspec.structs.replace(trace, file=found)


def found_prompts(quality: Quality | None, places: Sequence[Path]) -> Quality | None:
    """Return the table with its prompt file resolved in one of `places`; unchanged if no place has it."""
    found = None if quality is None else _found(quality.prompts, places)
    return quality if quality is None or found is None else msgspec.structs.replace(quality, prompts=found)


def _found(name: str, places: Sequence[Path]) -> str | None:
    """Return the file at its relative path from one of the places, else the file of its name in one."""
    return _there(name, places) or _there(Path(name).name, places)


def _there(name: str, places: Sequence[Path]) -> str | None:
    there = [place / Path(name).expanduser() for place in places]
    return next((str(each.resolve()) for each in there if each.is_file()), None)
