"""Comparison of several systems from their bench files: each at its best rate, and with shared flags."""

from collections import Counter
from collections.abc import Collection, Container, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from workbench.advice import Decision, Offer, SystemResult, compare_systems
from workbench.base import Message, Place, Record, Refusal, message
from workbench.controls import CONTROLS, ECHOES, FOLLOWS, WITHHELD_BLOCKS
from workbench.experiments.findings.bench_digest import system_title
from workbench.profiles import known_card, name_from_driver
from workbench.results import (
    UNJUDGED,
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
"""The requests that a rate counts: due in the window, or ended in it; values of `cost_rate_basis`."""


class CountedRate(Record, frozen=True, kw_only=True):
    """The best run of a system, by one way to count rates."""

    basis: str
    run: str | None
    """Name of the run; None: it meets the objectives at no rate."""
    accepted_rps: float
    capacity_found: bool
    same_flags_rps: float | None

    def figures(self) -> dict[str, Any]:
        """Return the fields of `SystemResult` that it sets."""
        return {
            "accepted_rps": self.accepted_rps,
            "rate_basis": self.basis,
            "capacity_found": self.capacity_found,
            "same_flags_rps": self.same_flags_rps,
        }


class Evidence(Record, frozen=True, kw_only=True):
    """Origin of the measurement: person, object, date; None: unknown."""

    tool: str | None
    """The program that measured, with its version."""
    measured_utc: str | None
    vllm_version: str | None
    gpu: str | None
    """The driver's name of the GPU, or the profile of a simulated system."""
    driver: str | None
    load_place: str | None
    """Place of the load: here, there, tunnel or network."""
    j_per_accepted: float | None
    """Energy of an accepted response at the best run; None: power wasn't measured."""


class MeasuredSystem(Record, frozen=True, kw_only=True):
    """One system, from its bench file."""

    path: str
    result: SystemResult
    objectives: dict[str, Any]
    demand: Demand | None
    """The demand in its experiment."""
    baseline: dict[str, Any]
    """Controls of its baseline, without the size of the KV pool, which is the system's own or a what-if."""
    defaults: dict[str, Any]
    """Controls at the server's own defaults, as the server reports them."""
    run: str | None
    """Name of its best run; None: it meets the objectives at no rate."""
    revision_known: bool
    profiles: list[str]
    """Profiles of the embedded engine; empty if only real servers ran."""
    kept: list[str]
    """Runs without raw rows, whose figures follow the definitions of another build."""
    title: str
    """GPU and model, such as `2 × NVIDIA H100 SXM · Llama-3.1-8B`."""
    evidence: "Evidence"
    by_end: CountedRate
    by_due: CountedRate | None
    """None if the requests due in the window are unknown for a configuration that could be recommended."""

    def counted(self, counted: CountedRate) -> "MeasuredSystem":
        """Return the system by one way to count."""
        result = msgspec.structs.replace(self.result, **counted.figures())
        return msgspec.structs.replace(self, result=result, run=counted.run)


class _Contents(Record, frozen=True, kw_only=True):
    """Rows and runs of a bench file, without those of other tools."""

    rows: list[dict[str, Any]]
    runs: list[RunEntry]
    experiment: ExperimentEntry
    """The experiment of the first run."""
    choice: Ranking
    kept: list[str]

    @property
    def baselines(self) -> set[str]:
        """Names of the baseline's rows."""
        return {str(row["run"]) for row in self.rows if not row["control"]}


def measured_systems(
    asked: Sequence[tuple[Path, str | None]], offers: Sequence[Offer] = ()
) -> list[MeasuredSystem]:
    """Read the systems of bench files, with rates counted in the same way.

    Rates count the requests due in the window if these are known for all systems, else those that ended in
    it.

    Args:
        asked: bench files, each with the name of its offer; None takes the only offer for its card.
        offers: the offers.

    Raises:
        Refusal: a file is unreadable, has no valid run of ours or runs of several traces; or no offer or
            several match.
    """
    systems = [_system(path, offers, wanted) for path, wanted in asked]
    rates_found = [each.by_due for each in systems if each.by_due is not None]
    if len(rates_found) < len(systems):
        rates_found = [each.by_end for each in systems]
    return [each.counted(counted) for each, counted in zip(systems, rates_found, strict=True)]


def _system(path: Path, offers: Sequence[Offer], wanted: str | None) -> MeasuredSystem:
    contents = _contents(path)
    able = [
        each for each in (contents.choice.recommended, *contents.choice.others) if each and not each.against
    ]
    known = all(each.due_rps is not None for each in able)
    by_end = _counted_rate(able, contents.baselines, _BY_END)
    demand = contents.experiment.facts.get("demand")
    first = next((run for run in contents.runs if run.name in contents.baselines), None)
    asked = {} if first is None else _without_pool(first.config)
    return MeasuredSystem(
        path=str(path),
        result=_result(path, contents, _offer_for(_gpu(contents), offers, wanted, path), by_end),
        objectives=msgspec.to_builtins(contents.experiment.objectives),
        demand=None if demand is None else msgspec.convert(demand, Demand),
        baseline=asked,
        defaults=_defaults(first, asked),
        run=by_end.run,
        revision_known=bool(contents.rows[0]["model_revision"]),
        profiles=sorted(
            {str(row["profile"]) for row in contents.rows if row["simulated"] and row["profile"]}
        ),
        kept=contents.kept,
        title=_title(contents, _offer_for(_gpu(contents), offers, wanted, path)),
        evidence=_evidence(contents, by_end.run),
        by_end=by_end,
        by_due=_counted_rate(able, contents.baselines, _BY_DUE) if known else None,
    )


def _contents(path: Path) -> _Contents:
    with RecomputedBenchFile.open(path) as bench:
        rows = [row.cells for row in scorecard_rows(bench) if row.cells["status"] not in UNJUDGED]
        runs = [run for run in bench.runs() if run.status not in UNJUDGED]
        entries = {entry.id: entry for entry in bench.experiments()}
        choice, kept = choose(bench), bench.not_recomputed()
    if not rows or not runs:
        raise Refusal("experiments.no_runs_to_compare", Place(file=str(path)))
    if not any(row["valid"] for row in rows):
        reason = rows[0]["reasons"] or rows[0]["status"]
        raise Refusal("experiments.no_valid_run", Place(file=str(path)), reason=reason)
    first = entries[runs[0].experiment_id]
    return _Contents(rows=rows, runs=runs, experiment=first, choice=choice, kept=kept)


def _gpu(contents: _Contents) -> str:
    first = contents.rows[0]
    return str(first["gpu_model"] or str(first["profile"] or "").partition("/")[0] or "unknown")


def _title(contents: _Contents, offer: Offer | None) -> str:
    first = contents.rows[0]
    count = offer.count if offer is not None else int(first["gpu_count"] or first["tp"] or 1)
    profile = str(first["profile"] or "").split("/")
    model = str(first["model"] or "") or (profile[1] if len(profile) > 1 else "")
    return system_title(_gpu(contents), model, count)


def _evidence(contents: _Contents, best: str | None) -> Evidence:
    first = contents.rows[0]
    row = next((row for row in contents.rows if row["run"] == best), first)
    gpu = first["profile"] if first["simulated"] else name_from_driver(str(first["gpu_model"] or "")) or None
    return Evidence(
        tool=_text(first["tool_version"]),
        measured_utc=_text(first["start_utc"]),
        vllm_version=_text(first["vllm_version"]),
        gpu=_text(gpu),
        driver=_text(first["driver"]),
        load_place=_text(first["load_place"]),
        j_per_accepted=row["j_per_accepted"] if row["power_method"] else None,
    )


def _result(path: Path, contents: _Contents, offer: Offer | None, counted: CountedRate) -> SystemResult:
    traces = {str(row["trace_sha256"]) for row in contents.rows if row["trace_sha256"]}
    if len(traces) != 1:
        raise Refusal("experiments.several_traces_measured", Place(file=str(path)), count=len(traces))
    first = contents.rows[0]
    return SystemResult(
        name=str(first["system_name"] or (offer.name if offer else None) or path.stem),
        gpu=_gpu(contents),
        **counted.figures(),
        runs=sum(run.status == "done" for run in contents.runs),
        trace_sha256=traces.pop(),
        model_revision="@".join(filter(None, (_text(first["model"]), _text(first["model_revision"])))),
        simulated=any(bool(row["simulated"]) for row in contents.rows),
        what_if=_what_if(contents.runs[0].config),
        offer=offer,
    )


def _counted_rate(able: Sequence[Candidate], baselines: Collection[str], basis: str) -> CountedRate:
    rates = [(_rate(each, basis), each) for each in able]
    rate, best = max(rates, key=lambda found: found[0], default=(0.0, None))
    return CountedRate(
        basis=basis,
        run=None if best is None else best.run,
        accepted_rps=rate,
        capacity_found=best is None or best.capacity_open_at is None,
        same_flags_rps=max((own for own, each in rates if each.run in baselines), default=None),
    )


def _rate(candidate: Candidate, basis: str) -> float:
    return (candidate.due_rps if basis == _BY_DUE else candidate.ended_rps) or 0.0


def compare_measured(systems: Sequence[MeasuredSystem], demand: Demand | None = None) -> list[Decision]:
    """Compare several systems under one demand.

    Systems of one name get the names of their files too. A line's `position` is its system's.

    Args:
        systems: the systems.
        demand: the demand; None takes the first one in their experiments.

    Raises:
        Refusal: there is no demand, or objectives, traces, models, budgets or currencies differ.
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


def _as_compared(result: SystemResult, name: str, unlike: Message | None) -> SystemResult:
    """Return the result under its name; without shared flags it has no row with them."""
    same = None if unlike is not None else result.same_flags_rps
    return msgspec.structs.replace(result, name=name, same_flags_rps=same, unlike_flags=unlike)


def _unlike_flags(systems: Sequence[MeasuredSystem]) -> Message | None:
    """Return the difference of the baselines; None if all have the same flags."""
    names = sorted({name for each in systems for name in each.baseline})
    unlike = [
        name
        for name in names
        if any(each.baseline.get(name) != systems[0].baseline.get(name) for each in systems)
    ]
    return message("experiments.baselines_differ", names=unlike) if unlike else None


def unlike_defaults(systems: Sequence[MeasuredSystem]) -> dict[str, list[Any]]:
    """Return the controls whose defaults differ between the servers, with the value of each system."""
    shared = set.intersection(*(set(each.defaults) for each in systems)) if systems else set()
    values = {name: [each.defaults[name] for each in systems] for name in sorted(shared)}
    return {name: known for name, known in values.items() if any(value != known[0] for value in known)}


def _defaults(run: RunEntry | None, asked: Container[str]) -> dict[str, Any]:
    effective = {} if run is None or run.effective is None else _without_pool(run.effective)
    own = [name for name in CONTROLS if name not in asked and name not in ECHOES and name not in FOLLOWS]
    return {name: effective[name] for name in own if effective.get(name) is not None}


def _without_pool(config: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in config.items() if name not in _SMALLER_POOL}


def _names_apart(systems: Sequence[MeasuredSystem]) -> list[str]:
    """Return a unique name for each system: its own, with the file, with the folder, or with a number."""
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


def _what_if(config: Mapping[str, Any]) -> Message | None:
    smaller = [f"{name} {config[name]}" for name in _SMALLER_POOL if config.get(name)]
    return message("experiments.smaller_pool", controls=smaller) if smaller else None


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
    """Return the catalog's name of a card; None if the catalog has no such card."""
    card = known_card(gpu)
    return None if card is None else card.name
