"""What a reproduction finds: the same plan again, on another day or machine, with a verdict per figure."""

from collections.abc import Sequence
from pathlib import Path

from workbench.base import Record, WorkbenchError
from workbench.experiments.findings.pairs import FIGURE_NAMES, Repeated, figure_value, figures_for, repeated
from workbench.results import BenchFile, Difference, Word, arm_of, difference_in, holm, judge


class _Compared(Record, frozen=True, kw_only=True):
    run: str
    figure: str
    found: Difference
    minutes: float


def reproduction_findings(bench: BenchFile, earlier: str) -> list[str]:
    """One sentence a row that both files have."""
    try:
        with BenchFile.open(Path(earlier)) as before:
            return _sentences(before, bench)
    except WorkbenchError as error:
        return [f"Nothing to compare with: {error}"]


def _sentences(before: BenchFile, after: BenchFile) -> list[str]:
    then = {row.key: row for row in repeated(before)}
    figures = figures_for([entry.objectives for entry in after.experiments()])
    said, compared = [], []
    for row in repeated(after):
        old = then.get(row.key)
        if old is None:
            said.append(f"{row.name}: {Path(before.path).name} has no valid run of it.")
        elif old.runs[0].trace_sha256 != row.runs[0].trace_sha256:
            said.append(f"{row.name}: not comparable, the traces differ.")
        elif old.diverging or row.diverging:
            said.append(f"{row.name}: {_stability(old, row)}.")
        else:
            compared += _compare(before, after, old, row, figures)
    return said + _judged(compared)


def _stability(old: Repeated, row: Repeated) -> str:
    if old.diverging and row.diverging:
        return "reproduced in that it diverges again; percentiles depend on the run's length"
    return f"not reproduced: {'it diverged then' if old.diverging else 'it diverges now'}"


def _compare(
    before: BenchFile, after: BenchFile, old: Repeated, row: Repeated, figures: Sequence[str]
) -> list[_Compared]:
    length = max((run.summary or {}).get("duration_s", 0.0) / run.time_scale for run in row.runs)
    found = []
    for figure in figures:
        change = difference_in(figure, arm_of(before, old.runs, figure), arm_of(after, row.runs, figure))
        if change is not None:
            found.append(_Compared(run=row.name, figure=figure, found=change, minutes=length / 60))
    return found


def _judged(compared: Sequence[_Compared]) -> list[str]:
    adjusted = holm([each.found.p_value for each in compared])
    rows: dict[str, list[str]] = {}
    held: dict[str, list[Word]] = {}
    basis: dict[str, str] = {}
    for each, p_value in zip(compared, adjusted, strict=True):
        word, above, _ = judge(each.found, p_value, run_minutes=each.minutes)
        then, now = (figure_value(each.figure, level) for level in (each.found.baseline, each.found.variant))
        change = f"{then} → {now}"
        if word == Word.NO_DIFFERENCE and above is not None:
            judged = f"no difference above {figure_value(each.figure, above)}"
        else:
            judged = str(word)
        rows.setdefault(each.run, []).append(f"{FIGURE_NAMES[each.figure]} {change} ({judged})")
        held.setdefault(each.run, []).append(word)
        assumed = each.found.assumed(each.figure)
        if assumed is not None and word != Word.CANT_TELL:
            basis.setdefault(each.run, f"; {assumed}")
    return [
        f"{run}: {_together(held[run])}: {', '.join(said)}{basis.get(run, '')}." for run, said in rows.items()
    ]


def _together(words: Sequence[Word]) -> str:
    """One figure that changed is enough; one that can't be told keeps the rest open."""
    if any(word in (Word.BETTER, Word.WORSE) for word in words):
        return "not reproduced"
    return "can't tell yet" if Word.CANT_TELL in words else "reproduced"
