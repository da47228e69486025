"""Bench files of several systems as one comparison: each at its own rate, and with shared flags."""

from collections import Counter
from collections.abc import Collection, Container, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from workbench.advice import Decision, Offer, SystemResult, compare_systems
from workbench.base import Place, Record, Refusal
from workbench.controls import CONTROLS, ECHOES, FOLLOWS, WITHHELD_BLOCKS
from workbench.profiles import known_card
from workbench.results import (
    IMPORTED,
    Candidate,
    Demand,
    ExperimentEntry,
    Ranking,
    RecomputedBenchFile,
    RunEntry,
    choose,
    scorecard_rows,
)

_SMALLER_POOL = (WITHHELD_BLOCKS, "num_gpu_blocks_override")
_BY_DUE, _BY_END = "accepted_rps_carried", "accepted_rps"
"""What a rate counts: what was due in the window, or what ended in it; as `cost_rate_basis` says it."""


class Standing(Record, frozen=True, kw_only=True):
    """What stands for a system, by one way to count its rates."""

    basis: str
    run: str | None
    """The configuration and rate; None: it meets the objectives at no rate."""
    accepted_rps: float
    capacity_found: bool
    same_flags_rps: float | None

    def figures(self) -> dict[str, Any]:
        """Its fields of `SystemResult`."""
        return {
            "accepted_rps": self.accepted_rps,
            "rate_basis": self.basis,
            "capacity_found": self.capacity_found,
            "same_flags_rps": self.same_flags_rps,
        }


class MeasuredSystem(Record, frozen=True, kw_only=True):
    """What one bench file says of its system."""

    path: str
    result: SystemResult
    objectives: dict[str, Any]
    demand: Demand | None
    """Stated in its experiment."""
    baseline: dict[str, Any]
    """Its controls as asked, but for the size of the KV pool, which is the system's own or a what-if."""
    defaults: dict[str, Any]
    """Controls that weren't asked for, as its server says that it uses them."""
    run: str | None
    """The configuration and rate that stand for it; None: it meets the objectives at no rate."""
    revision_known: bool
    profiles: list[str]
    """Of the embedded engine, where it served; empty: real servers alone did."""
    kept: list[str]
    """Runs whose figures are those of another build's definitions: without raw rows they stay so."""
    by_end: Standing
    by_due: Standing | None
    """None: of a configuration that could be recommended nobody knows what was due in the window."""

    def counted(self, standing: Standing) -> "MeasuredSystem":
        """The system as it stands by one way to count."""
        result = msgspec.structs.replace(self.result, **standing.figures())
        return msgspec.structs.replace(self, result=result, run=standing.run)


class _Contents(Record, frozen=True, kw_only=True):
    """What a comparison takes from a bench file: its own rows and runs, never another tool's."""

    rows: list[dict[str, Any]]
    runs: list[RunEntry]
    experiment: ExperimentEntry
    """That of the first run."""
    choice: Ranking
    kept: list[str]

    @property
    def baselines(self) -> set[str]:
        """Rows of the baseline, by name."""
        return {str(row["run"]) for row in self.rows if not row["control"]}


def measured_systems(
    asked: Sequence[tuple[Path, str | None]], offers: Sequence[Offer] = ()
) -> list[MeasuredSystem]:
    """The systems of bench files, with rates that count alike.

    What was due in the window counts where it is known of all, else what ended in it: of all.

    Args:
        asked: bench files, each with the name of its offer; None: the only one for its card.
        offers: of which they are chosen.

    Raises:
        InputError: no bench file, one without valid runs of ours or of several traces, no such offer, or
            several.
    """
    systems = [_system(path, offers, wanted) for path, wanted in asked]
    standings = [each.by_due for each in systems if each.by_due is not None]
    if len(standings) < len(systems):
        standings = [each.by_end for each in systems]
    return [each.counted(standing) for each, standing in zip(systems, standings, strict=True)]


def _system(path: Path, offers: Sequence[Offer], wanted: str | None) -> MeasuredSystem:
    held = _contents(path)
    able = [each for each in (held.choice.recommended, *held.choice.others) if each and not each.against]
    known = all(each.due_rps is not None for each in able)
    by_end = _standing(able, held.baselines, _BY_END)
    told = held.experiment.facts.get("demand")
    first = next((run for run in held.runs if run.name in held.baselines), None)
    asked = {} if first is None else _without_pool(first.config)
    return MeasuredSystem(
        path=str(path),
        result=_result(path, held, _offer_for(_gpu(held), offers, wanted, path), by_end),
        objectives=msgspec.to_builtins(held.experiment.objectives),
        demand=None if told is None else msgspec.convert(told, Demand),
        baseline=asked,
        defaults=_defaults(first, asked),
        run=by_end.run,
        revision_known=bool(held.rows[0]["model_revision"]),
        profiles=sorted({str(row["profile"]) for row in held.rows if row["simulated"] and row["profile"]}),
        kept=held.kept,
        by_end=by_end,
        by_due=_standing(able, held.baselines, _BY_DUE) if known else None,
    )


def _contents(path: Path) -> _Contents:
    with RecomputedBenchFile.open(path) as bench:
        rows = [row.cells for row in scorecard_rows(bench) if row.cells["status"] != IMPORTED]
        runs = [run for run in bench.runs() if run.status != IMPORTED]
        entries = {entry.id: entry for entry in bench.experiments()}
        choice, kept = choose(bench), bench.not_recomputed()
    if not rows or not runs:
        raise Refusal("experiments.no_runs_to_compare", Place(file=str(path)))
    if not any(row["valid"] for row in rows):
        reason = rows[0]["reasons"] or rows[0]["status"]
        raise Refusal("experiments.no_valid_run", Place(file=str(path)), reason=reason)
    first = entries[runs[0].experiment_id]
    return _Contents(rows=rows, runs=runs, experiment=first, choice=choice, kept=kept)


def _gpu(held: _Contents) -> str:
    first = held.rows[0]
    return str(first["gpu_model"] or str(first["profile"] or "").partition("/")[0] or "unknown")


def _result(path: Path, held: _Contents, offer: Offer | None, standing: Standing) -> SystemResult:
    traces = {str(row["trace_sha256"]) for row in held.rows if row["trace_sha256"]}
    if len(traces) != 1:
        raise Refusal("experiments.several_traces_measured", Place(file=str(path)), count=len(traces))
    first = held.rows[0]
    return SystemResult(
        name=str(first["system_name"] or (offer.name if offer else None) or path.stem),
        gpu=_gpu(held),
        **standing.figures(),
        runs=sum(run.status == "done" for run in held.runs),
        trace_sha256=traces.pop(),
        model_revision="@".join(filter(None, (_text(first["model"]), _text(first["model_revision"])))),
        simulated=any(bool(row["simulated"]) for row in held.rows),
        what_if=_what_if(held.runs[0].config),
        offer=offer,
    )


def _standing(able: Sequence[Candidate], baselines: Collection[str], basis: str) -> Standing:
    rates = [(_rate(each, basis), each) for each in able]
    rate, best = max(rates, key=lambda found: found[0], default=(0.0, None))
    return Standing(
        basis=basis,
        run=None if best is None else best.run,
        accepted_rps=rate,
        capacity_found=best is None or best.capacity_open_at is None,
        same_flags_rps=max((own for own, each in rates if each.run in baselines), default=None),
    )


def _rate(candidate: Candidate, basis: str) -> float:
    return (candidate.due_rps if basis == _BY_DUE else candidate.ended_rps) or 0.0


def compare_measured(systems: Sequence[MeasuredSystem], demand: Demand | None = None) -> list[Decision]:
    """The decision sheet of several systems; `demand` None: the one that their experiments state.

    Systems of one name are told apart by their files; a line's `position` is that of its system.

    Raises:
        InputError: nobody states a demand, or objectives, traces, models, budgets or currencies differ.
    """
    for other in systems[1:]:
        if other.objectives != systems[0].objectives:
            raise Refusal("experiments.unlike_objectives", first=systems[0].path, other=other.path)
    stated = demand or next((each.demand for each in systems if each.demand is not None), None)
    if stated is None:
        raise Refusal("experiments.no_demand")
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


def unlike_defaults(systems: Sequence[MeasuredSystem]) -> dict[str, list[Any]]:
    """Controls that nobody asked for and that servers set unlike, by their hardware or version."""
    shared = set.intersection(*(set(each.defaults) for each in systems)) if systems else set()
    values = {name: [each.defaults[name] for each in systems] for name in sorted(shared)}
    return {name: known for name, known in values.items() if any(value != known[0] for value in known)}


def _defaults(run: RunEntry | None, asked: Container[str]) -> dict[str, Any]:
    told = {} if run is None or run.effective is None else _without_pool(run.effective)
    own = [name for name in CONTROLS if name not in asked and name not in ECHOES and name not in FOLLOWS]
    return {name: told[name] for name in own if told.get(name) is not None}


def _without_pool(config: Mapping[str, Any]) -> dict[str, Any]:
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


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _what_if(config: Mapping[str, Any]) -> str:
    smaller = [f"{name} {config[name]}" for name in _SMALLER_POOL if config.get(name)]
    return f"a smaller KV pool ({', '.join(smaller)}): capacity, not bandwidth" if smaller else ""


def _offer_for(gpu: str, offers: Sequence[Offer], wanted: str | None, path: Path) -> Offer | None:
    if wanted is not None:
        named = [offer for offer in offers if offer.name == wanted]
        if not named:
            place, known = Place(file=str(path)), [offer.name for offer in offers]
            if not known:
                raise Refusal("experiments.no_offers", place, name=wanted)
            raise Refusal("experiments.unknown_offer", place, name=wanted, known=known)
        return named[0]
    fitting = [offer for offer in offers if _card(offer.gpu) is not None and _card(offer.gpu) == _card(gpu)]
    if len(fitting) > 1:
        raise Refusal(
            "experiments.several_offers",
            Place(file=str(path)),
            gpu=gpu,
            argument=f"{path}={fitting[0].name}",
            names=[offer.name for offer in fitting],
        )
    return fitting[0] if fitting else None


def _card(gpu: str) -> str | None:
    """The catalogue's name of a card, as a server lists it too; None: it isn't in it."""
    card = known_card(gpu)
    return None if card is None else card.name
