"""One step of a ladder judged: does the configuration bear this rate within the objectives?"""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from workbench.experiments.plan.plan import Configuration, Plan, Run, make_run
from workbench.experiments.spec.tables import three_digits
from workbench.results import BenchFile, Candidate, Check, ScorecardRow, choose, past_capacity, scorecard_rows

CLEARLY = 1.25
"""An objective missed by a quarter is clearly missed; nearer to it a repeat may say otherwise."""

_NOT_AS_PLANNED = ("partial", "skipped", "failed", "running")


class Rung(msgspec.Struct, frozen=True, kw_only=True):
    """What the runs so far say of one configuration at one rate."""

    run: str
    """The scorecard's row."""
    control: str | None
    value: Any
    rate: float | None
    concurrency: int | None
    bears: bool | None
    """Stable and within all objectives; None: no valid run says so, or too few requests."""
    clearly_out: bool = False
    """Diverging, or an objective clearly missed."""
    why: str = ""
    """Why it doesn't, or why nobody knows."""
    cells: dict[str, Any]


def rungs(bench: BenchFile) -> list[Rung]:
    """All rows of our own runs judged, in the scorecard's order; reads summaries only."""
    choice = choose(bench)
    everyone = [*([choice.recommended] if choice.recommended else []), *choice.others]
    by_name = {candidate.run: candidate for candidate in everyone}
    rows = [(row, by_name.get(str(row.cells["run"]))) for row in scorecard_rows(bench)]
    # What other tools measured is no candidate.
    return [_rung(row, candidate) for row, candidate in rows if candidate is not None]


def _rung(row: ScorecardRow, candidate: Candidate) -> Rung:
    cells = row.cells
    missed = [check for check in candidate.checks if check.met is False]
    bears, why = _bears(cells, candidate.checks)
    return Rung(
        run=str(cells["run"]),
        control=cells.get("control"),
        value=cells.get("value"),
        rate=cells.get("rate"),
        concurrency=cells.get("concurrency"),
        bears=bears,
        clearly_out=bears is False and (past_capacity(cells) is not None or any(map(_clearly, missed))),
        why=why,
        cells=cells,
    )


def _bears(cells: dict[str, Any], checks: list[Check]) -> tuple[bool | None, str]:
    if cells.get("completed_rps") is None or cells.get("status") in _NOT_AS_PLANNED:
        return None, f"no run ended as planned ({cells.get('status')})"
    overload = past_capacity(cells)
    if overload is not None:
        return False, str(overload)
    if cells.get("valid") is False:
        return None, f"invalid: {cells.get('reasons')}"
    missed = [check for check in checks if check.met is False]
    if missed:
        return False, ", ".join(str(check.sentence()) for check in missed)
    unknown = [str(check.sentence()) for check in checks if check.met is None]
    return (None, ", ".join(unknown)) if unknown else (True, "")


def _clearly(check: Check) -> bool:
    return check.value is not None and check.value > CLEARLY * check.limit


# What is left to be run: the plan's order, changed by what finished runs showed where the file allows it.
#
# An adaptive ladder climbs until a rate is too much and then halves the step between; a value that is
# clearly out is not repeated where `[repeat] drop_dominated` says so. Told the same results, it decides the
# same: a resumed plan goes on where it was.

_CLOSE = 1.02
"""Rates nearer than 2 % are not told apart by a run."""


class _Climb(msgspec.Struct, kw_only=True):
    """How far one configuration's ladder is."""

    bears: float | None = None
    too_much: float | None = None
    bisections_left: int
    blind: bool = False
    """A rate could not be measured: no rate above it can, and there is nothing to halve."""


class Agenda:
    """The runs that are left."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._experiment = plan.experiments[0]
        self.left: list[Run] = list(plan.runs)
        self.begun = 0
        self.last: Run | None = None
        self._climbs: dict[str, _Climb] = {}

    def __len__(self) -> int:
        return self.begun + len(self.left)

    def next(self) -> Run | None:
        """The run to begin now; None: all are done."""
        if not self.left:
            return None
        self.last = self.left.pop(0)
        self.begun += 1
        return self.last

    def leave_out(self, which: Callable[[Run], bool]) -> list[Run]:
        """Drop the runs left for which `which` holds; returns them."""
        dropped = [run for run in self.left if which(run)]
        self.left = [run for run in self.left if not which(run)]
        return dropped

    def took(self, run: Run, judged: Sequence[Rung]) -> list[str]:
        """Learn from a finished run, given all rungs so far; returns what changes, for people."""
        notes = []
        ladder = self._experiment.load.ladder
        own = next((rung for rung in judged if rung.run == run.row), None)
        if ladder is not None and ladder.adaptive and run.repeat == 1 and own is not None:
            notes += self._climb(run, own)
        if self._experiment.repeat.drop_dominated:
            notes += self._drop(judged)
        return notes

    def _climb(self, run: Run, rung: Rung) -> list[str]:
        ladder = self._experiment.load.ladder
        assert ladder is not None
        assert run.rate is not None
        climb = self._climbs.setdefault(run.configuration.label, _Climb(bisections_left=ladder.bisections))
        if rung.bears or (rung.bears is None and rung.cells.get("valid")):
            # Valid, stable, and too few requests for a percentile: nothing speaks against more.
            climb.bears = max(climb.bears or 0.0, run.rate)
        elif rung.bears is False or rung.cells.get("valid") is False:
            climb.too_much = min(climb.too_much or run.rate, run.rate)
            climb.blind |= rung.bears is None
        if climb.too_much is None:
            return []
        before = len(self.left)
        self.left = [each for each in self.left if not _above(each, run.configuration, climb.too_much)]
        notes = []
        if len(self.left) < before:
            notes.append(f"{run.row}: {rung.why}; higher rates are left out")
        self._halve(run, climb, ladder.factor)
        return notes

    def _halve(self, run: Run, climb: _Climb, factor: float) -> None:
        """Run next the rate in the middle (in proportion) of what is borne and what is too much."""
        assert climb.too_much is not None
        pending = any(each.configuration == run.configuration and each.repeat == 1 for each in self.left)
        if climb.blind or pending or climb.bisections_left < 1:
            return
        lower = climb.bears if climb.bears is not None else climb.too_much / factor**2
        middle = three_digits((lower * climb.too_much) ** 0.5)
        if middle < lower * _CLOSE or climb.too_much < middle * _CLOSE:
            return
        climb.bisections_left -= 1
        for repeat in range(self._experiment.repeat.n, 0, -1):
            self._insert(make_run(self._experiment, run.configuration, repeat, middle), run)

    def _insert(self, new: Run, after: Run) -> None:
        """Next of its own repeat; of a later one beside that configuration's other rates."""
        if new.repeat == after.repeat:
            self.left.insert(0, new)
            return
        places = [
            place
            for place, each in enumerate(self.left)
            if each.configuration == new.configuration and each.repeat == new.repeat
        ]
        self.left.insert(places[-1] + 1 if places else len(self.left), new)

    def _drop(self, judged: Sequence[Rung]) -> list[str]:
        """Leave out later repeats of values that are clearly out wherever another one is not."""
        notes = []
        borne = {(rung.rate, rung.concurrency) for rung in judged if rung.bears}
        for configuration in {each.configuration.label: each.configuration for each in self.left}.values():
            own = [rung for rung in judged if _is_of(rung, configuration)]
            waits = any(each.configuration == configuration and each.repeat == 1 for each in self.left)
            if configuration.control is None or waits or not own:
                continue
            if all(rung.clearly_out and (rung.rate, rung.concurrency) in borne for rung in own):
                self.left = [each for each in self.left if each.configuration != configuration]
                notes.append(f"{configuration.label}: {own[0].why}, where others hold; it is not repeated")
        return notes


def _above(run: Run, configuration: Configuration, rate: float) -> bool:
    return run.configuration == configuration and run.rate is not None and run.rate > rate


def _is_of(rung: Rung, configuration: Configuration) -> bool:
    return rung.control == configuration.control and rung.value == configuration.value
