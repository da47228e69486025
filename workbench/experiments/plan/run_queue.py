"""Judgments of ladder steps, and the queue of runs that they change."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from workbench.base import Message, message
from workbench.experiments.plan.plan import Configuration, Plan, Run, make_run
from workbench.experiments.spec.tables import round_rate
from workbench.results import BenchFile, Candidate, Check, ScorecardRow, choose, past_capacity, scorecard_rows

CLEARLY = 1.25
"""A figure beyond its limit by this factor is clearly out; nearer to the limit a repeat may meet it."""

_NOT_AS_PLANNED = ("partial", "skipped", "failed", "running")


class JudgedStep(msgspec.Struct, frozen=True, kw_only=True):
    """The judgment of the runs so far on one configuration at one rate."""

    run: str
    """Name of the scorecard's row."""
    control: str | None
    value: Any
    rate: float | None
    concurrency: int | None
    sustained: bool | None
    """True: stable and within all objectives; None: no valid run, or too few requests to decide."""
    clearly_out: bool = False
    """Diverging, or an objective is clearly missed."""
    why: Message | str = ""
    """The reason if `sustained` is False or None."""
    cells: dict[str, Any]


def judge_steps(bench: BenchFile) -> list[JudgedStep]:
    """Judge all rows of our own runs, in the scorecard's order; reads summaries only."""
    choice = choose(bench)
    everyone = [*([choice.recommended] if choice.recommended else []), *choice.others]
    by_name = {candidate.run: candidate for candidate in everyone}
    rows = [(row, by_name.get(str(row.cells["run"]))) for row in scorecard_rows(bench)]
    # Rows of other tools are no candidates.
    return [_judged(row, candidate) for row, candidate in rows if candidate is not None]


def _judged(row: ScorecardRow, candidate: Candidate) -> JudgedStep:
    cells = row.cells
    missed = [check for check in candidate.checks if check.met is False]
    sustained, why = _is_sustained(cells, candidate.checks)
    return JudgedStep(
        run=str(cells["run"]),
        control=cells.get("control"),
        value=cells.get("value"),
        rate=cells.get("rate"),
        concurrency=cells.get("concurrency"),
        sustained=sustained,
        clearly_out=sustained is False and (past_capacity(cells) is not None or any(map(_clearly, missed))),
        why=why,
        cells=cells,
    )


def _is_sustained(cells: dict[str, Any], checks: list[Check]) -> tuple[bool | None, Message | str]:
    if cells.get("completed_rps") is None or cells.get("status") in _NOT_AS_PLANNED:
        return None, message("experiments.no_run_as_planned", status=cells.get("status"))
    overload = past_capacity(cells)
    if overload is not None:
        return False, overload
    if cells.get("valid") is False:
        return None, message("experiments.invalid_because", reasons=cells.get("reasons"))
    missed = [check for check in checks if check.met is False]
    if missed:
        return False, message("experiments.listed", parts=[check.sentence() for check in missed])
    unknown = [check.sentence() for check in checks if check.met is None]
    return (None, message("experiments.listed", parts=unknown)) if unknown else (True, "")


def _clearly(check: Check) -> bool:
    return check.value is not None and check.value > CLEARLY * check.limit


# The queue of runs: the plan's order, changed by the results of finished runs if the file allows it.
#
# An adaptive ladder climbs until a rate is too much, and then halves the step between. With `[repeat]
# drop_dominated`, a value that is clearly out is not repeated. The same results lead to the same decisions,
# so that a resumed plan continues as before.

_CLOSE = 1.02
"""A run can't distinguish rates nearer than 2 %."""


class _LadderProgress(msgspec.Struct, kw_only=True):
    """Progress of one configuration's ladder."""

    sustained: float | None = None
    too_much: float | None = None
    bisections_left: int
    blind: bool = False
    """A rate could not be measured, so the step below it is not halved."""


class RunQueue:
    """The queue of runs that are left."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._experiment = plan.experiments[0]
        self.left: list[Run] = list(plan.runs)
        self.started = 0
        self.last: Run | None = None
        self._progress: dict[str, _LadderProgress] = {}

    def __len__(self) -> int:
        return self.started + len(self.left)

    def next(self) -> Run | None:
        """Take the next run from the queue; None if none is left."""
        if not self.left:
            return None
        self.last = self.left.pop(0)
        self.started += 1
        return self.last

    def drop(self, which: Callable[[Run], bool]) -> list[Run]:
        """Drop the waiting runs for which `which` is true, and return them."""
        dropped = [run for run in self.left if which(run)]
        self.left = [run for run in self.left if not which(run)]
        return dropped

    def update(self, run: Run, judged: Sequence[JudgedStep]) -> list[Message]:
        """Change the queue after a finished run, given all judged steps so far; return notes on it."""
        notes = []
        ladder = self._experiment.load.ladder
        own = next((step for step in judged if step.run == run.row), None)
        if ladder is not None and ladder.adaptive and run.repeat == 1 and own is not None:
            notes += self._advance_ladder(run, own)
        if self._experiment.repeat.drop_dominated:
            notes += self._drop(judged)
        return notes

    def _advance_ladder(self, run: Run, step: JudgedStep) -> list[Message]:
        ladder = self._experiment.load.ladder
        assert ladder is not None
        assert run.rate is not None
        progress = self._progress.setdefault(
            run.configuration.label, _LadderProgress(bisections_left=ladder.bisections)
        )
        if step.sustained or (step.sustained is None and step.cells.get("valid")):
            # Valid and stable with too few requests for a percentile: a higher rate may be tried.
            progress.sustained = max(progress.sustained or 0.0, run.rate)
        elif step.sustained is False or step.cells.get("valid") is False:
            progress.too_much = min(progress.too_much or run.rate, run.rate)
            progress.blind |= step.sustained is None
        if progress.too_much is None:
            return []
        before = len(self.left)
        self.left = [each for each in self.left if not _above(each, run.configuration, progress.too_much)]
        notes: list[Message] = []
        if len(self.left) < before:
            notes.append(message("experiments.higher_rates_left_out", run=run.row, why=step.why))
        self._halve(run, progress, ladder.factor)
        return notes

    def _halve(self, run: Run, progress: _LadderProgress, factor: float) -> None:
        """Insert the rate midway, in proportion, between the highest sustained and the lowest too high."""
        assert progress.too_much is not None
        pending = any(each.configuration == run.configuration and each.repeat == 1 for each in self.left)
        if progress.blind or pending or progress.bisections_left < 1:
            return
        lower = progress.sustained if progress.sustained is not None else progress.too_much / factor**2
        middle = round_rate((lower * progress.too_much) ** 0.5)
        if middle < lower * _CLOSE or progress.too_much < middle * _CLOSE:
            return
        progress.bisections_left -= 1
        for repeat in range(self._experiment.repeat.n, 0, -1):
            self._insert(make_run(self._experiment, run.configuration, repeat, middle), run)

    def _insert(self, new: Run, after: Run) -> None:
        """Insert a run of this repeat next; one of a later repeat after the configuration's other rates."""
        if new.repeat == after.repeat:
            self.left.insert(0, new)
            return
        places = [
            place
            for place, each in enumerate(self.left)
            if each.configuration == new.configuration and each.repeat == new.repeat
        ]
        self.left.insert(places[-1] + 1 if places else len(self.left), new)

    def _drop(self, judged: Sequence[JudgedStep]) -> list[Message]:
        """Drop repeats of values that are clearly out at every rate, if others sustain these rates."""
        notes = []
        borne = {(step.rate, step.concurrency) for step in judged if step.sustained}
        for configuration in {each.configuration.label: each.configuration for each in self.left}.values():
            own = [step for step in judged if _is_of(step, configuration)]
            waits = any(each.configuration == configuration and each.repeat == 1 for each in self.left)
            if configuration.control is None or waits or not own:
                continue
            if all(step.clearly_out and (step.rate, step.concurrency) in borne for step in own):
                self.left = [each for each in self.left if each.configuration != configuration]
                notes.append(
                    message("experiments.not_repeated", configuration=configuration.label, why=own[0].why)
                )
        return notes


def _above(run: Run, configuration: Configuration, rate: float) -> bool:
    return run.configuration == configuration and run.rate is not None and run.rate > rate


def _is_of(step: JudgedStep, configuration: Configuration) -> bool:
    return step.control == configuration.control and step.value == configuration.value
