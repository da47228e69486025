"""From files named on a command line to experiments; `kind = "reproduce"` takes them from a bench file."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from workbench.base import MASK, InputError, Record, read_toml_file
from workbench.experiments.plan.resume import own_experiments, stored_experiment
from workbench.experiments.spec.experiment import Experiment
from workbench.experiments.spec.tables import Quality, TraceChoice
from workbench.results import BenchFile, ExperimentEntry
from workbench.servers import TargetSpec, check_target

BASE = "base"
"""Of a bench file: the folder in which its experiments' relative paths were sought."""


class _Reproduction(Record, frozen=True, kw_only=True):
    """A file that says: the same again."""

    kind: Literal["reproduce"]
    bench: str
    """Bench file, sought beside this one."""
    name: str | None = None
    target: TargetSpec | None = None
    """Where it is to be measured now; None: as then."""


def read_experiments(paths: Iterable[Path]) -> list[Experiment]:
    """All experiments of the files, in their order.

    Raises:
        InputError: as `Experiment.load_file`; a bench file that can't be read or holds no experiment.
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
    """None: any other file, or none that can be read; the ordinary reading says why."""
    try:
        content = read_toml_file(path)
    except InputError:
        return None
    if content.get("kind") != "reproduce":
        return None
    try:
        reproduction = msgspec.convert(content, _Reproduction)
    except msgspec.ValidationError as error:
        raise InputError(
            f'{path}: kind = "reproduce" takes bench, and name and [target] where they differ: {error}'
        ) from error
    if reproduction.target is not None:
        check_target(reproduction.target, where=str(path))
    return reproduction


def _again(reproduction: _Reproduction, path: Path) -> list[Experiment]:
    source = Path(reproduction.bench).expanduser()
    source = source if source.is_absolute() else path.parent / source
    with BenchFile.open(source) as bench:
        entries, base = own_experiments(bench), bench.meta().get(BASE)
    if not entries:
        raise InputError(f"{source}: holds no experiment that could be reproduced")
    places = [*([Path(base)] if base else []), path.parent, source.parent]
    return [_one_again(entry, reproduction, source, places) for entry in entries]


def experiments_in(bench: Path) -> tuple[list[Experiment], Path]:
    """What a bench file was begun with, and the folder of its relative paths: that of then, or its own now.

    Raises:
        InputError: no bench file that can be read, or one without an experiment of ours.
    """
    with BenchFile.open(bench) as file:
        entries, base = own_experiments(file), file.meta().get(BASE)
    if not entries:
        raise InputError(f"{bench}: holds no experiment that could be gone on with")
    experiments = [stored_experiment(entry, f"{bench}: {entry.name}") for entry in entries]
    places = [*([Path(base)] if base else []), bench.parent]
    first = experiments[0]
    files = [first.trace.file, first.quality.prompts if first.quality else None]
    named = [file for file in files if file is not None]
    # A folder that was moved as a whole still has them.
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
        raise InputError(
            f"{source}: its [target] held a secret that isn't stored; give [target] in the reproducing file"
        )
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
    """A relative trace file where it was then, or beside either file now; left as it is where none is."""
    found = None if trace.file is None else _found(trace.file, places)
    return trace if found is None else msgspec.structs.replace(trace, file=found)


def found_prompts(quality: Quality | None, places: Sequence[Path]) -> Quality | None:
    """As `found_trace`, of the prompts whose answers are compared."""
    found = None if quality is None else _found(quality.prompts, places)
    return quality if quality is None or found is None else msgspec.structs.replace(quality, prompts=found)


def _found(name: str, places: Sequence[Path]) -> str | None:
    """Return the file where its path leads from one of the places, else of the same name beside one."""
    return _there(name, places) or _there(Path(name).name, places)


def _there(name: str, places: Sequence[Path]) -> str | None:
    there = [place / Path(name).expanduser() for place in places]
    return next((str(each.resolve()) for each in there if each.is_file()), None)
