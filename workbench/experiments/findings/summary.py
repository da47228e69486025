"""Conclusions from a bench file: verdicts, findings, comparisons with the baseline, the recommendation.

They are computed when a plan ends and kept in the file, because they read every request.
"""

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from workbench.base import UNREADABLE, InputError, Message, Record, message
from workbench.experiments.findings.burst import burst_findings
from workbench.experiments.findings.capacity import capacity_findings
from workbench.experiments.findings.interaction import interaction_findings
from workbench.experiments.findings.repeat_groups import (
    FIGURE_NAMES,
    control_value,
    figure_value,
    word_message,
)
from workbench.experiments.findings.reproduction import reproduction_findings
from workbench.experiments.findings.search import search_findings
from workbench.experiments.findings.soak import soak_findings
from workbench.experiments.findings.switchback import switchback_findings, switchback_verdicts
from workbench.experiments.plan.estimate import minutes_text
from workbench.experiments.spec.experiment import Experiment
from workbench.results import (
    ENOUGH_REPEATS,
    UNJUDGED,
    BenchFile,
    Candidate,
    Ranking,
    Verdict,
    VerdictKind,
    choose,
    compare,
    near_limits,
    scorecard_rows,
)

_KEY = "conclusions"


class Conclusions(Record, frozen=True, kw_only=True):
    """Verdicts and findings, with the runs that they rest on."""

    runs: list[tuple[int, str]]
    """Id and status of each run."""
    verdicts: list[Verdict]
    findings: list[Message | str]
    """Findings of the experiment's kind; files of older builds hold texts."""
    near: list[Message | str] = msgspec.field(default_factory=list)
    """Objectives that the recommended row meets, and that it could miss by chance."""


def conclusions_of(bench: BenchFile) -> Conclusions:
    """Return the conclusions kept in the file if its runs are unchanged, else compute them."""
    text = bench.meta().get(_KEY)
    # Conclusions that this version can't read are computed again.
    with contextlib.suppress(*UNREADABLE):
        kept = msgspec.json.decode(text, type=Conclusions) if text is not None else None
        if kept is not None and kept.runs == _runs(bench):
            return kept
    return _conclude(bench)


def keep_conclusions(bench: BenchFile) -> Conclusions:
    """Compute the conclusions and keep them in the file, which must be open for writing."""
    concluded = _conclude(bench)
    bench.set_meta(_KEY, msgspec.json.encode(concluded).decode())
    bench.flush()
    return concluded


def _conclude(bench: BenchFile) -> Conclusions:
    findings, verdicts = findings_of(bench)
    return Conclusions(
        runs=_runs(bench),
        verdicts=[*compare(bench), *verdicts],
        findings=[*findings],
        near=[*near_limits(bench, choose(bench))],
    )


def _runs(bench: BenchFile) -> list[tuple[int, str]]:
    return [(run.id, run.status) for run in bench.runs()]


def findings_of(bench: BenchFile) -> tuple[list[Message], list[Verdict]]:
    """Return the file's findings and their verdicts, without those of `compare`.

    Both are empty if this version can't read the file's experiment.
    """
    experiment = first_experiment(bench)
    if experiment is None:
        return [], []
    if experiment.switchback is not None:
        verdicts = switchback_verdicts(bench, experiment.switchback.washout_s)
        return switchback_findings(bench, verdicts), verdicts
    found: list[Message] = []
    if experiment.burst is not None:
        found += burst_findings(bench, experiment.burst, experiment.objectives)
    elif experiment.kind == "soak":
        found += soak_findings(bench)
    elif experiment.kind == "search":
        found += search_findings(bench, list(all_experiments(bench)))
    elif experiment.kind == "confirm":
        found += interaction_findings(bench)
    else:
        found += capacity_findings(bench)
    if experiment.reproduces is not None:
        found += reproduction_findings(bench, experiment.reproduces)
    return found, []


def first_experiment(bench: BenchFile) -> Experiment | None:
    """Return the first readable experiment; None if there is none."""
    return next(iter(all_experiments(bench)), None)


def all_experiments(bench: BenchFile) -> Iterator[Experiment]:
    """Yield the readable experiments."""
    for entry in bench.experiments():
        with contextlib.suppress(InputError):
            yield Experiment.from_toml(entry.toml, where=entry.name)


# The report: each variant against the baseline at its rate, the findings, the recommendation.

Cells = dict[str, Any]
_SHOWN_RUNNERS_UP = 2
_SHOWN_AGAINST = 4
_FEW_ACCEPTED = 0.95
"""A share of accepted requests below this is mentioned although all objectives are met."""


def summarize(bench: BenchFile, concluded: Conclusions | None = None) -> list[Message | str]:
    """Return the report: comparisons with the baseline, findings, the recommendation.

    Args:
        bench: the bench file.
        concluded: its conclusions; None takes them from the file.
    """
    # Rows of other tools are no variants of ours.
    rows = [row.cells for row in scorecard_rows(bench) if row.cells["status"] not in UNJUDGED]
    known = conclusions_of(bench) if concluded is None else concluded
    baselines = {_load_of(row): row for row in rows if not row.get("control")}
    comparisons = []
    several = len({_load_of(row) for row in rows}) > 1
    for row in rows:
        baseline = baselines.get(_load_of(row))
        if row.get("control") and baseline is not None:
            own = [verdict for verdict in known.verdicts if verdict.variant == row["run"]]
            comparisons.append(comparison(baseline, row, own, name_load=several))
    experiment = first_experiment(bench)
    # Both values of a switchback share one row, which is no configuration to choose. A search has its own
    # pick: the load is beyond capacity, where no configuration holds the objectives.
    if experiment is not None and experiment.kind in ("switchback", "search"):
        return [*comparisons, *known.findings]
    choice = choose(bench)
    near = (
        [message("experiments.about_run", run=choice.recommended.run, remark=each) for each in known.near]
        if choice.recommended
        else []
    )
    return [*comparisons, *known.findings, *recommend(choice), *near]


def _load_of(row: Cells) -> tuple[Any, Any]:
    return row.get("rate"), row.get("concurrency")


def comparison(
    baseline: Cells, variant: Cells, verdicts: Iterable[Verdict], *, name_load: bool = False
) -> Message:
    """Return the changes from the baseline's row to the variant's, with their certainty.

    Args:
        baseline: cells of the baseline's row.
        variant: cells of the variant's row.
        verdicts: the verdicts on the variant.
        name_load: add the rate or the concurrency.
    """
    change = _with_load(_change(variant), variant) if name_load else _change(variant)
    if variant.get("completed_rps") is None or baseline.get("completed_rps") is None:
        return message("experiments.compared_failed", change=change)
    if variant.get("valid") is False or baseline.get("valid") is False:
        return message("experiments.compared_invalid", change=change)
    verdicts = list(verdicts)
    figures = [_throughput(baseline, variant), *_figures(baseline, variant, verdicts)]
    stability = _stability(baseline, variant)
    notes = [*([] if stability is None else [stability]), _basis(baseline, variant, verdicts)]
    return message("experiments.compared", change=change, figures=figures, notes=notes)


def _change(variant: Cells) -> Message:
    control, after = variant["control"], control_value(variant["value"])
    if " + " in control:
        # The corner of a 2 by 2 that changes both controls has no old value.
        change = message("experiments.change_to", control=control, after=after)
    else:
        before = control_value(variant.get("old_value"))
        change = message("experiments.change", control=control, before=before, after=after)
    if not variant.get("moved"):
        return change
    return message("experiments.change_moved", change=change, moved=variant["moved"])


def _with_load(change: Message, row: Cells) -> Message:
    if row.get("rate") is not None:
        return message("experiments.change_at_rate", change=change, rate=row["rate"])
    if row.get("concurrency"):
        return message("experiments.change_at_concurrency", change=change, concurrency=row["concurrency"])
    return change


def _throughput(baseline: Cells, variant: Cells) -> Message:
    before, after = f"{baseline['completed_rps']:.1f}", f"{variant['completed_rps']:.1f}"
    if before == after:
        return message("experiments.same_throughput", rate=after)
    return message("experiments.throughput", before=before, after=after)


def _figures(baseline: Cells, variant: Cells, found: Sequence[Verdict]) -> list[Message]:
    """Return every judged figure; of a class only if its verdict differs from that of all requests."""
    overall = {verdict.figure: verdict for verdict in found if verdict.cls is None}
    figures = [_figure(baseline, variant, verdict) for verdict in overall.values()]
    for verdict in found:
        whole = overall.get(verdict.figure)
        decided = verdict.word in (VerdictKind.BETTER, VerdictKind.WORSE)
        if verdict.cls is not None and decided and (whole is None or whole.word != verdict.word):
            figures.append(
                message("experiments.figure_word", name=_name(verdict), word=word_message(verdict.word))
            )
    return [each for each in figures if each is not None]


def _name(verdict: Verdict) -> Message | str:
    name = FIGURE_NAMES.get(verdict.figure, verdict.figure)
    if verdict.cls is None:
        return name
    return message("experiments.figure_of_class", figure=name, name=verdict.cls)


def _figure(baseline: Cells, variant: Cells, verdict: Verdict) -> Message | None:
    before, after = baseline.get(verdict.figure), variant.get(verdict.figure)
    name = _name(verdict)
    if before is None or after is None:
        if verdict.difference is None:
            return None
        return message("experiments.figure_word", name=name, word=_word(verdict))
    if not before and not after:
        return None
    if _grows(baseline, verdict.figure) and _grows(variant, verdict.figure):
        return None
    then, now = _value(baseline, verdict.figure), _value(variant, verdict.figure)
    if verdict.difference is None:
        return message("experiments.figure_changed", name=name, before=then, after=now)
    return message("experiments.figure_judged", name=name, before=then, after=now, word=_word(verdict))


def _value(cells: Cells, figure: str) -> Message | str:
    """Return a figure's value; a latency that grew over the whole run depends on the run's length only."""
    return message("experiments.diverging") if _grows(cells, figure) else figure_value(figure, cells[figure])


def _grows(cells: Cells, figure: str) -> bool:
    return bool(cells.get("diverging")) and figure in {"ttft_p95_ms", "queue_p95_ms", "e2e_p95_ms"}


def _word(verdict: Verdict) -> Message:
    if verdict.word == VerdictKind.NO_DIFFERENCE and verdict.above is not None:
        above = figure_value(verdict.figure, verdict.above)
        return message("experiments.no_difference_above", value=above)
    if verdict.word == VerdictKind.CANT_TELL and verdict.floor is not None:
        floor = figure_value(verdict.figure, verdict.floor)
        return message("experiments.below_resolution", value=floor)
    if (
        verdict.word == VerdictKind.CANT_TELL
        and verdict.difference is not None
        and verdict.difference.repeats == 1
    ):
        return message("experiments.repeat_to_know")
    if verdict.word == VerdictKind.CANT_TELL and verdict.minutes_more is not None:
        return message("experiments.more_time_to_know", time=minutes_text(verdict.minutes_more))
    return word_message(verdict.word)


def _stability(baseline: Cells, variant: Cells) -> Message | None:
    was, now_is = bool(baseline.get("diverging")), bool(variant.get("diverging"))
    # Unknown is not stable: a run with hardly any answers has no drift.
    if was and variant.get("diverging") is None:
        return None
    if was and not now_is:
        return message("experiments.queue_settled")
    slope = variant.get("ttft_drift_s_per_s")
    if was and now_is and slope:
        return message("experiments.queue_still_grows_by", slope=slope)
    if was and now_is:
        return message("experiments.queue_still_grows")
    return message("experiments.queue_now_grows") if now_is else None


def _basis(baseline: Cells, variant: Cells, verdicts: Sequence[Verdict]) -> Message:
    """Return the number of repeats, and the assumption behind conclusions from few repeats."""
    fewest = min(int(baseline.get("n") or 1), int(variant.get("n") or 1))
    concluded = [verdict.difference for verdict in verdicts if verdict.word != VerdictKind.CANT_TELL]
    assumed = any(found is not None and found.restarts_assumed for found in concluded)
    if fewest == 1 and assumed:
        return message("experiments.single_run_assumed", enough=ENOUGH_REPEATS)
    if fewest == 1:
        return message("experiments.single_run")
    if assumed:
        return message("experiments.repeats_assumed", count=fewest, enough=ENOUGH_REPEATS)
    return message("experiments.repeats", count=fewest)


def recommend(choice: Ranking) -> list[Message]:
    """Return the recommendation and the reasons against the others; empty if no run ended."""
    everyone = [*([choice.recommended] if choice.recommended else []), *choice.others]
    if not any(each.accepted_rps is not None for each in everyone):
        return []
    best = choice.recommended
    if not any(each.checks for each in everyone):
        return [message("experiments.no_objectives")]
    undecided = next((each for each in choice.others if each.undecided), None)
    if best is None and undecided is not None:
        rest = [_with_reasons(each) for each in choice.others if each is not undecided]
        open_ = message("experiments.undecided", run=undecided.run, reasons=_against(undecided))
        return [open_, *([message("experiments.rejected", runs=_few(rest))] if rest else [])]
    if best is None:
        reasons = [
            message(
                "experiments.run_state",
                run=each.run,
                state=message("experiments.listed", parts=_against(each)),
            )
            for each in choice.others
        ]
        return [message("experiments.none_meets", runs=_few(reasons))]
    messages = [_recommended(best, choice)]
    few = [best.accepts()] if (best.accepted_share or 1.0) < _FEW_ACCEPTED else []
    messages += [
        message("experiments.about_run", run=best.run, remark=remark) for remark in (*few, *best.not_judged)
    ]
    able = [_runner_up(each) for each in choice.others if not each.against][:_SHOWN_RUNNERS_UP]
    unable = [_with_reasons(each) for each in choice.others if each.against]
    if able:
        messages.append(message("experiments.runners_up", runs=able))
    if unable:
        messages.append(message("experiments.rejected", runs=_few(unable)))
    return messages


def _recommended(best: Candidate, choice: Ranking) -> Message:
    figures: list[Message | str] = [check.sentence() for check in best.checks if check.cls is None]
    price = best.price()
    if price:
        figures.append(price)
    basis = (
        message("experiments.best_by", order=choice.by)
        if choice.compared
        else message("experiments.only_valid")
    )
    if best.rejects is None:
        return message("experiments.recommended", met=best.met(), basis=basis, run=best.run, figures=figures)
    return message(
        "experiments.recommended_rejecting",
        met=best.met(),
        basis=basis,
        run=best.run,
        figures=figures,
        rejects=best.rejects,
    )


def _runner_up(candidate: Candidate) -> Message | str:
    if candidate.rejects is None:
        return candidate.run
    return message("experiments.run_with_reasons", run=candidate.run, reasons=[candidate.rejects])


def _with_reasons(candidate: Candidate) -> Message:
    return message("experiments.run_with_reasons", run=candidate.run, reasons=_against(candidate))


def _few(runs: Sequence[Message]) -> list[Message]:
    more = len(runs) - _SHOWN_AGAINST
    rest = [message("experiments.more_runs", count=more)] if more > 0 else []
    return [*runs[:_SHOWN_AGAINST], *rest]


def _against(candidate: Candidate) -> list[Message]:
    """Return the reasons against a candidate; an invalid run's reasons stand in the scorecard."""
    return [
        message("experiments.invalid") if why.kind == "results.invalid" else why for why in candidate.against
    ]
