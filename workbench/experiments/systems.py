"""Bench files of several systems as one comparison: each at its own rate, and with shared flags."""

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from workbench.advice import Decision, Offer, SystemResult, compare_systems, find_card
from workbench.base import InputError, Record
from workbench.experiments.memory import gpu_name
from workbench.results import (
    IMPORTED,
    BenchFile,
    Candidate,
    Demand,
    RunEntry,
    choose,
    scorecard_rows,
)

_SMALLER_POOL = ("parked_kv_blocks", "num_gpu_blocks_override")


class MeasuredSystem(Record, frozen=True, kw_only=True):
    """What one bench file says of its system."""

    path: str
    result: SystemResult
    objectives: dict[str, Any]
    demand: Demand | None
    """Stated in its experiment."""
    baseline: dict[str, Any]
    """Its controls but for the size of the KV pool, which is the system's own or a what-if."""
    run: str | None
    """The configuration and rate that stand for it; None: it meets the objectives at no rate."""
    revision_known: bool
    by_due: bool | None
    """Whether its rate counts what was due in the window, or what ended in it; None: it has none."""


def measured_system(path: Path, offers: Sequence[Offer] = (), wanted: str | None = None) -> MeasuredSystem:
    """The system of a bench file.

    Args:
        path: the bench file.
        offers: of which the one for this system is chosen: `wanted` by name, else the only one for its card.
        wanted: name of the offer.

    Raises:
        InputError: no bench file, one without valid runs of ours or of several traces, no such offer, or
            several.
    """
    with BenchFile.open(path) as bench:
        rows = [row.cells for row in scorecard_rows(bench) if row.cells["status"] != IMPORTED]
        runs = [run for run in bench.runs() if run.status != IMPORTED]
        entries = {entry.id: entry for entry in bench.experiments()}
        choice = choose(bench)
    if not rows or not runs:
        raise InputError(f"{path}: holds no run that could be compared")
    if not any(row["valid"] for row in rows):
        raise InputError(f"{path}: no run of it is valid ({rows[0]['reasons'] or rows[0]['status']})")
    traces = {str(row["trace_sha256"]) for row in rows if row["trace_sha256"]}
    if len(traces) != 1:
        raise InputError(f"{path}: holds {len(traces)} traces; a system is compared on one")
    first, entry = rows[0], entries[runs[0].experiment_id]
    able = [each for each in (choice.recommended, *choice.others) if each is not None and not each.against]
    best = max(able, key=_rate, default=None)
    shared = {str(row["run"]) for row in rows if not row["control"]}
    gpu = str(first["gpu_model"] or str(first["profile"] or "").partition("/")[0] or "unknown")
    offer = _offer_for(gpu, offers, wanted, path)
    told = entry.facts.get("demand")
    result = SystemResult(
        name=str(first["system_name"] or (offer.name if offer else None) or path.stem),
        gpu=gpu,
        accepted_rps=0.0 if best is None else _rate(best),
        capacity_found=best is None or best.capacity_open_at is None,
        runs=sum(run.status == "done" for run in runs),
        trace_sha256=traces.pop(),
        model_revision="@".join(filter(None, (_text(first["model"]), _text(first["model_revision"])))),
        same_flags_rps=max((_rate(each) for each in able if each.run in shared), default=None),
        simulated=any(bool(row["simulated"]) for row in rows),
        what_if=_what_if(runs[0].config),
        offer=offer,
    )
    return MeasuredSystem(
        path=str(path),
        result=result,
        objectives=msgspec.to_builtins(entry.objectives),
        demand=None if told is None else msgspec.convert(told, Demand),
        baseline=_without_pool(runs, shared),
        run=None if best is None else best.run,
        revision_known=bool(first["model_revision"]),
        by_due=next((_by_due(row) for row in rows if best is not None and row["run"] == best.run), None),
    )


def compare_measured(systems: Sequence[MeasuredSystem], demand: Demand | None = None) -> list[Decision]:
    """The decision sheet of several systems; `demand` None: the one that their experiments state.

    Systems of one name are told apart by their files; a line's `position` is that of its system.

    Raises:
        InputError: nobody states a demand, or objectives, traces, models, budgets or currencies differ.
    """
    for other in systems[1:]:
        if other.objectives != systems[0].objectives:
            raise InputError(
                f"{systems[0].path} and {other.path} have different objectives: give them the same"
            )
    stated = demand or next((each.demand for each in systems if each.demand is not None), None)
    if stated is None:
        raise InputError(
            "no demand is stated: type hours and accepted requests a second, such as 8:2,16:6.5"
            " (the command's --curve), or give [demand] in the experiments"
        )
    unlike = _unlike_flags(systems)
    named = zip(systems, _names_apart(systems), strict=True)
    return compare_systems([_as_compared(each.result, name, unlike) for each, name in named], stated)


def _as_compared(result: SystemResult, name: str, unlike: str) -> SystemResult:
    """Under its name; without shared flags no system has a row with them."""
    same = None if unlike else result.same_flags_rps
    return msgspec.structs.replace(result, name=name, same_flags_rps=same, unlike_flags=unlike)


def _unlike_flags(systems: Sequence[MeasuredSystem]) -> str:
    """How the baselines differ; empty: all have the same, so that they are a row with shared flags."""
    names = sorted({name for each in systems for name in each.baseline})
    unlike = [
        name
        for name in names
        if any(each.baseline.get(name) != systems[0].baseline.get(name) for each in systems)
    ]
    return f"the baselines differ in {', '.join(unlike)}" if unlike else ""


def _without_pool(runs: Sequence[RunEntry], baselines: Container[str]) -> dict[str, Any]:
    first = next((run for run in runs if run.name in baselines), None)
    config = {} if first is None else first.config
    return {name: value for name, value in config.items() if name not in _SMALLER_POOL}


def _names_apart(systems: Sequence[MeasuredSystem]) -> list[str]:
    """A name each: its own, where several have it with the file's, then its folder's too, then a number."""
    names = [each.result.name for each in systems]
    paths = [Path(each.path) for each in systems]
    places = [f"{path.absolute().parent.name}/{path.stem}" for path in paths]
    for tell in ([path.stem for path in paths], places):
        times = Counter(names)
        names = [
            name if times[name] == 1 else tell[at] if own == paths[at].stem else f"{own} ({tell[at]})"
            for at, (name, own) in enumerate(zip(names, (each.result.name for each in systems), strict=True))
        ]
    apart: list[str] = []
    for name in names:
        number, free = 1, name
        while free in apart:
            number += 1
            free = f"{name} #{number}"
        apart.append(free)
    return apart


def _by_due(row: Mapping[str, Any]) -> bool:
    return bool(row["cost_rate_basis"] == "accepted_rps_carried")


def _rate(candidate: Candidate) -> float:
    return candidate.accepted_rps or 0.0


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _what_if(config: Mapping[str, Any]) -> str:
    smaller = [f"{name} {config[name]}" for name in _SMALLER_POOL if config.get(name)]
    return f"a smaller KV pool ({', '.join(smaller)}): capacity, not bandwidth" if smaller else ""


def _offer_for(gpu: str, offers: Sequence[Offer], wanted: str | None, path: Path) -> Offer | None:
    if wanted is not None:
        named = [offer for offer in offers if offer.name == wanted]
        if not named:
            known = ", ".join(offer.name for offer in offers) or "none"
            raise InputError(f"{path}: no offer is called {wanted!r}; there are: {known}")
        return named[0]
    fitting = [offer for offer in offers if _card(offer.gpu) is not None and _card(offer.gpu) == _card(gpu)]
    if len(fitting) > 1:
        names = ", ".join(offer.name for offer in fitting)
        raise InputError(
            f"{path}: several offers are for {gpu}: name one as {path}={fitting[0].name} ({names})"
        )
    return fitting[0] if fitting else None


def _card(gpu: str) -> str | None:
    """The catalogue's name of a card, as a server lists it too; None: it isn't in it."""
    try:
        return find_card(gpu_name(gpu)).name
    except InputError:
        return None
