"""The ledgers of a bench file's runs: for the report, and for packs, which carry the steps behind them."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.advice.blame import Blame, RequestBlame, StepIndex, ledger_csv
from workbench.base import Message, WorkbenchError, message
from workbench.experiments.findings.explain_run import explain_records
from workbench.experiments.findings.step_indexes import open_step_indexes
from workbench.experiments.run.events import as_data
from workbench.results import BenchFile, write_html
from workbench.results.bench.entries import RunEntry
from workbench.results.exports.html_elements import element, table

_FOLDER = "ledger/"
_WORST = 5
_LEAST_SHARE = 0.005
_NAMED_PARTS = 3
_TOLERANCE_MS, _TOLERANCE = 0.01, 1e-4
"""The fit of a step's costs may differ in its last digits between machines."""


@dataclass(frozen=True, slots=True)
class RunLedger:
    """A run, its steps and its ledger."""

    run: RunEntry
    indexes: Sequence[StepIndex]
    ledger: Blame


def run_ledgers(bench: BenchFile) -> tuple[list[RunLedger], list[Message]]:
    """Return the ledgers of all runs that recorded their steps, and the records that can't be read."""
    found, absent = [], []
    for run in _recorded(bench):
        try:
            indexes = open_step_indexes(bench, run)
            found.append(RunLedger(run, indexes, _ledger(bench, run, indexes)))
        except WorkbenchError as error:
            absent.append(message("experiments.steps_absent", run=run.name, problem=as_data(error)))
    return found, absent


def _recorded(bench: BenchFile) -> Iterator[RunEntry]:
    facts = ("steps_file", "steps_bytes", "steps_zero")
    return (
        run for run in bench.counted_runs().values() if all(run.facts.get(name) is not None for name in facts)
    )


def _ledger(bench: BenchFile, run: RunEntry, indexes: Sequence[StepIndex]) -> Blame:
    return explain_records(bench.requests(run.id), indexes, float(run.facts["steps_zero"]))


# The report's section.


def write_report(bench: BenchFile, path: Path) -> None:
    """Write the report, with a section on where the requests' time went if the steps were recorded.

    Raises:
        Refusal: the folder does not exist or can't be written to.
    """
    write_html(bench, path, sections=[blame_section(run_ledgers(bench)[0])])


def blame_section(ledgers: Sequence[RunLedger]) -> str:
    """Return totals, who lost time to whom, and the slowest requests of each run; empty without any."""
    if not ledgers:
        return ""
    parts = [
        element("h2", "Where the requests' time went"),
        element("p", "From the scheduler's own steps. The parts of a request sum to its time."),
    ]
    for one in ledgers:
        parts += [element("h3", one.run.name), _totals(one.ledger), _matrix(one.ledger), _worst(one.ledger)]
    return "".join(parts)


def _totals(ledger: Blame) -> str:
    whole = sum(ledger.totals.values())
    rows = [
        [
            element("td", _words(cause)),
            element("td", f"{ms / 1000:,.2f}", "number"),
            element("td", f"{100 * ms / whole:.1f} %", "number"),
        ]
        for cause, ms in sorted(ledger.totals.items(), key=lambda pair: -pair[1])
        if ms >= _LEAST_SHARE * whole
    ]
    return table(("cause", "all requests, s", "share"), rows)


def _matrix(ledger: Blame) -> str:
    if len(ledger.matrix) < 2:
        return ""
    classes = sorted({culprit for row in ledger.matrix.values() for culprit in row})
    rows = [
        [
            element("td", victim),
            *(element("td", f"{row.get(culprit, 0.0) / 1000:,.2f}", "number") for culprit in classes),
        ]
        for victim, row in ledger.matrix.items()
    ]
    return table(("class: seconds lost to", *classes), rows)


def _worst(ledger: Blame) -> str:
    ended = [one for one in ledger.requests if one.e2e_ms is not None]
    worst = sorted(ended, key=lambda one: -(one.e2e_ms or 0.0))[:_WORST]
    rows = [
        [
            element("td", one.request),
            element("td", one.cls),
            element("td", f"{one.e2e_ms:,.0f}", "number"),
            element("td", _largest_parts(one)),
        ]
        for one in worst
    ]
    return table(("slowest requests", "class", "E2E, ms", "largest parts, ms, and who caused most"), rows)


def _largest_parts(one: RequestBlame) -> str:
    texts = []
    for part in sorted(one.parts, key=lambda part: -part.ms)[:_NAMED_PARTS]:
        culprit = part.culprits[0] if part.culprits else None
        by = "" if culprit is None else f" ({culprit.request} {culprit.ms:,.0f})"
        texts.append(f"{_words(part.cause)} {part.ms:,.0f}{by}")
    return "; ".join(texts)


def _words(cause: str) -> str:
    return str(Message(kind=f"blame.{cause}"))


# Packs.


def ledger_members(bench: BenchFile) -> tuple[dict[str, bytes], list[Message]]:
    """Return the steps and the ledger of each run by their names in a pack, and the records that are gone."""
    found, absent = run_ledgers(bench)
    members = {}
    for one in found:
        for name, index in zip(_steps_names(one.run), one.indexes, strict=False):
            members[name] = index.to_bytes()
        members[_ledger_name(one.run)] = ledger_csv([(one.run.name, one.ledger)]).encode()
    return members, absent


def ledger_problems(bench: BenchFile, contents: Mapping[str, bytes]) -> Iterator[Message]:
    """Yield the ledgers in a pack that do not follow from its rows and steps."""
    runs = {_ledger_name(run): run for run in _recorded(bench)}
    for name, content in contents.items():
        if not (name.startswith(_FOLDER) and name.endswith(".csv")):
            continue
        run = runs.get(name)
        if run is None:
            yield message("experiments.ledger_of_no_run", name=name)
            continue
        try:
            indexes = [
                StepIndex.from_bytes(contents[each], where=each)
                for each in _steps_names(run)
                if each in contents
            ]
            again = ledger_csv([(run.name, _ledger(bench, run, indexes))]) if indexes else ""
        except WorkbenchError as error:
            yield message("experiments.ledger_not_compared", name=name, why=as_data(error))
            continue
        if not _same(content.decode(errors="replace"), again):
            yield message("experiments.ledger_differs", name=name)


def _ledger_name(run: RunEntry) -> str:
    return f"{_FOLDER}run-{run.id}.csv"


def _steps_names(run: RunEntry) -> list[str]:
    """Return the names of a run's steps, one for each engine."""
    engines = 1 + len(run.facts.get("steps_more") or [])
    return [f"{_FOLDER}run-{run.id}{f'-{rank}' if rank else ''}.npz" for rank in range(engines)]


def _same(written: str, again: str) -> bool:
    """Return whether all parts are the same; equal culprits may be named in another order."""
    rows = [list(csv.DictReader(io.StringIO(text))) for text in (written, again)]
    about = ("run", "request", "class", "cause", "measured")
    return len(rows[0]) == len(rows[1]) and all(
        all(one.get(name) == other.get(name) for name in about)
        and all(_near(one.get(name), other.get(name)) for name in ("e2e_ms", "ms", "culprit_ms"))
        for one, other in zip(*rows, strict=True)
    )


def _near(one: str | None, other: str | None) -> bool:
    if not one or not other:
        return one == other
    try:
        left, right = float(one), float(other)
    except ValueError:
        return False
    return abs(left - right) <= _TOLERANCE_MS + _TOLERANCE * abs(right)
