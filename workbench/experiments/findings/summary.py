"""What a bench file lets one conclude: computed when a plan ends and kept, for it reads every request."""

import contextlib
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from workbench.base import UNREADABLE, Message, Record
from workbench.experiments.findings import find, first_experiment
from workbench.experiments.findings.pairs import FIGURE_NAMES, figure_value, plain
from workbench.experiments.plan.estimate import minutes
from workbench.results import (
    ENOUGH_REPEATS,
    IMPORTED,
    BenchFile,
    Candidate,
    Ranking,
    Verdict,
    Word,
    choose,
    compare,
    near_limits,
    scorecard_rows,
)

_KEY = "conclusions"


class Conclusions(Record, frozen=True, kw_only=True):
    """Verdicts, findings and the runs, with their states, that they rest on."""

    runs: list[tuple[int, str]]
    verdicts: list[Verdict]
    findings: list[str]
    """Sentences of the experiment's kind."""
    near: list[Message] = msgspec.field(default_factory=list)
    """Objectives that the recommended row meets, and could miss with other requests of its kind."""


def conclusions_of(bench: BenchFile) -> Conclusions:
    """Those kept in the file where they still hold, else computed anew."""
    text = bench.meta().get(_KEY)
    # What another version kept is computed anew: the runs say the same.
    with contextlib.suppress(*UNREADABLE):
        kept = msgspec.json.decode(text, type=Conclusions) if text is not None else None
        if kept is not None and kept.runs == _runs(bench):
            return kept
    return _conclude(bench)


def keep_conclusions(bench: BenchFile) -> Conclusions:
    """Compute them and keep them in the file, which must be open for writing."""
    concluded = _conclude(bench)
    bench.set_meta(_KEY, msgspec.json.encode(concluded).decode())
    bench.flush()
    return concluded


def _conclude(bench: BenchFile) -> Conclusions:
    findings, verdicts = find(bench)
    return Conclusions(
        runs=_runs(bench),
        verdicts=[*compare(bench), *verdicts],
        findings=findings,
        near=near_limits(bench, choose(bench)),
    )


def _runs(bench: BenchFile) -> list[tuple[int, str]]:
    return [(run.id, run.status) for run in bench.runs()]


# What was seen, in sentences: each variant against the baseline at the same rate, and what to choose.

Cells = dict[str, Any]
_SHOWN_RUNNERS_UP = 2
_SHOWN_AGAINST = 4
_FEW_ACCEPTED = 0.95
"""Share below which all objectives can be met and more than a p95's twentieth isn't accepted."""


def tell(bench: BenchFile, concluded: Conclusions | None = None) -> list[str]:
    """A sentence for each variant that was compared with its baseline, what the kind found, the choice.

    `concluded` None: the file's own.
    """
    # What another tool measured is no variant of ours.
    rows = [row.cells for row in scorecard_rows(bench) if row.cells["status"] != IMPORTED]
    known = conclusions_of(bench) if concluded is None else concluded
    baselines = {_pace(row): row for row in rows if not row.get("control")}
    sentences = []
    several = len({_pace(row) for row in rows}) > 1
    for row in rows:
        baseline = baselines.get(_pace(row))
        if row.get("control") and baseline is not None:
            own = [verdict for verdict in known.verdicts if verdict.variant == row["run"]]
            sentences.append(sentence(baseline, row, own, paced=several))
    experiment = first_experiment(bench)
    # Both values of a switchback share one row, which is no configuration to choose.
    if experiment is not None and experiment.switchback:
        return [*sentences, *known.findings]
    choice = choose(bench)
    near = [f"{choice.recommended.run}: {each}." for each in known.near] if choice.recommended else []
    return [*sentences, *known.findings, *advise(choice), *near]


def _pace(row: Cells) -> tuple[Any, Any]:
    return row.get("rate"), row.get("concurrency")


def _at_pace(name: str, row: Cells) -> str:
    if row.get("rate") is not None:
        return f"{name} at {row['rate']:g} req/s"
    return f"{name} at {row['concurrency']} at once" if row.get("concurrency") else name


def sentence(baseline: Cells, variant: Cells, verdicts: Iterable[Verdict], *, paced: bool = False) -> str:
    """What changed when one control did, and how sure that is; `paced`: at which rate."""
    opening = _at_pace(_opening(variant), variant) if paced else _opening(variant)
    if variant.get("completed_rps") is None or baseline.get("completed_rps") is None:
        return f"{opening}: no conclusion, a run failed."
    if variant.get("valid") is False or baseline.get("valid") is False:
        return f"{opening}: no conclusion, a run is invalid."
    verdicts = list(verdicts)
    changes = [_rate(baseline, variant), *_figures(baseline, variant, verdicts)]
    said = ", ".join(change for change in changes if change)
    return f"{opening}: {said}{_stability(baseline, variant)}{_basis(baseline, variant, verdicts)}."


def _opening(variant: Cells) -> str:
    control = variant["control"]
    # A 2 by 2's corner has two controls and no old value of both.
    before = "" if " + " in control else f" {plain(variant.get('old_value'))}"
    name = f"{control}{before} → {plain(variant['value'])}"
    return f"{name} (also moved: {variant['moved']})" if variant.get("moved") else name


def _rate(baseline: Cells, variant: Cells) -> str:
    before, after = f"{baseline['completed_rps']:.1f}", f"{variant['completed_rps']:.1f}"
    return f"completes as much ({after} req/s)" if before == after else f"completes {before} → {after} req/s"


def _figures(baseline: Cells, variant: Cells, found: Sequence[Verdict]) -> list[str]:
    """Every figure that was judged; of the classes only those that fare otherwise than the whole."""
    overall = {verdict.figure: verdict for verdict in found if verdict.cls is None}
    said = [_figure(baseline, variant, verdict) for verdict in overall.values()]
    for verdict in found:
        whole = overall.get(verdict.figure)
        decided = verdict.word in (Word.BETTER, Word.WORSE)
        if verdict.cls is not None and decided and (whole is None or whole.word != verdict.word):
            said.append(f"{_name(verdict)} {verdict.word}")
    return [each for each in said if each]


def _name(verdict: Verdict) -> str:
    name = FIGURE_NAMES.get(verdict.figure, verdict.figure)
    return name if verdict.cls is None else f"{name} of {verdict.cls}"


def _figure(baseline: Cells, variant: Cells, verdict: Verdict) -> str | None:
    before, after = baseline.get(verdict.figure), variant.get(verdict.figure)
    name = _name(verdict)
    if before is None or after is None:
        return None if verdict.difference is None else f"{name} {_words(verdict)}"
    if not before and not after:
        return None
    if _grows(baseline, verdict.figure) and _grows(variant, verdict.figure):
        return None
    change = f"{name} {_told(baseline, verdict.figure)} → {_told(variant, verdict.figure)}"
    return f"{change} ({_words(verdict)})" if verdict.difference is not None else change


def _told(cells: Cells, figure: str) -> str:
    """A figure; of a latency that grew as long as the run did, only that: it says more of the length."""
    return "diverging" if _grows(cells, figure) else figure_value(figure, cells[figure])


def _grows(cells: Cells, figure: str) -> bool:
    return bool(cells.get("diverging")) and figure in {"ttft_p95_ms", "queue_p95_ms", "e2e_p95_ms"}


def _words(verdict: Verdict) -> str:
    if verdict.word == Word.NO_DIFFERENCE and verdict.above is not None:
        return f"no difference above {figure_value(verdict.figure, verdict.above)}"
    if verdict.word == Word.CANT_TELL and verdict.floor is not None:
        return f"below the {figure_value(verdict.figure, verdict.floor)} that this client can resolve"
    if verdict.word == Word.CANT_TELL and verdict.difference is not None and verdict.difference.repeats == 1:
        return "repeat to know"
    if verdict.word == Word.CANT_TELL and verdict.minutes_more is not None:
        return f"can't tell yet, about {minutes(verdict.minutes_more)} more would"
    return str(verdict.word)


def _stability(baseline: Cells, variant: Cells) -> str:
    was, now_is = bool(baseline.get("diverging")), bool(variant.get("diverging"))
    # Unknown is not stable: a run in which hardly anything was answered has no drift.
    if was and variant.get("diverging") is None:
        return ""
    if was and not now_is:
        return "; the queue no longer grows"
    if was and now_is:
        slope = variant.get("ttft_drift_s_per_s")
        by = f" (+{slope:.2g} s per s)" if slope else ""
        return f"; the queue still grows{by}, so percentiles depend on the run's length"
    return "; now the queue grows, so percentiles depend on the run's length" if now_is else ""


def _basis(baseline: Cells, variant: Cells, verdicts: Sequence[Verdict]) -> str:
    """What it rests on; where something was concluded from few repeats, what was assumed for it."""
    fewest = min(int(baseline.get("n") or 1), int(variant.get("n") or 1))
    concluded = [verdict.difference for verdict in verdicts if verdict.word != Word.CANT_TELL]
    if not any(found is not None and found.restarts_assumed for found in concluded):
        return "; a single run each" if fewest == 1 else f"; {fewest} repeats"
    would = f"{ENOUGH_REPEATS} repeats would show it"
    if fewest == 1:
        return f"; a single run each, what a restart changes is assumed: {would}"
    return f"; {fewest} repeats, what a restart changes is partly assumed: {would}"


def advise(choice: Ranking) -> list[str]:
    """The recommendation and why not the others; nothing where no run ended."""
    everyone = [*([choice.recommended] if choice.recommended else []), *choice.others]
    if not any(each.accepted_rps is not None for each in everyone):
        return []
    best = choice.recommended
    if not any(each.checks for each in everyone):
        return ["No configuration is recommended: no objective is stated."]
    held = next((each for each in choice.others if each.undecided), None)
    if best is None and held is not None:
        rest = [f"{each.run} ({_against(each)})" for each in choice.others if each is not held]
        return [
            f"No configuration is recommended: {held.run} {_against(held)}.",
            *([f"Not: {_few(rest)}."] if rest else []),
        ]
    if best is None:
        why = _few([f"{each.run}: {_against(each)}" for each in choice.others])
        return [f"No configuration meets all objectives: {why}."]
    met = ", ".join(str(check.sentence()) for check in best.checks if check.cls is None)
    cost = "" if best.cost is None else f", {best.price()}"
    but = "" if best.rejects is None else f"; it {best.rejects}"
    alone = "the only valid configuration, so nothing was compared"
    first = f"best by {choice.by}" if choice.compared else alone
    said = [f"Meets {best.met()}, {first}: {best.run} ({met}{cost}){but}."]
    few = [best.accepts()] if (best.accepted_share or 1.0) < _FEW_ACCEPTED else []
    said += [f"{best.run}: {open_}." for open_ in (*few, *best.not_judged)]
    able = [_runner_up(each) for each in choice.others if not each.against][:_SHOWN_RUNNERS_UP]
    unable = [f"{each.run} ({_against(each)})" for each in choice.others if each.against]
    if able:
        said.append(f"Runners-up: {', '.join(able)}.")
    if unable:
        said.append(f"Not: {_few(unable)}.")
    return said


def _runner_up(candidate: Candidate) -> str:
    return candidate.run if candidate.rejects is None else f"{candidate.run} ({candidate.rejects})"


def _few(said: Sequence[str]) -> str:
    more = len(said) - _SHOWN_AGAINST
    return "; ".join([*said[:_SHOWN_AGAINST], *([f"{more} more"] if more > 0 else [])])


def _against(candidate: Candidate) -> str:
    """Why not, without the figures that the scorecard's reasons hold."""
    return ", ".join("invalid" if why.kind == "results.invalid" else str(why) for why in candidate.against)
