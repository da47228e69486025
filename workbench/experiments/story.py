"""What was seen, in sentences: each variant against the baseline at the same rate, and what to choose."""

from collections.abc import Iterable, Sequence
from typing import Any

from workbench.experiments.verdicts import verdicts_of
from workbench.results import BenchFile, Candidate, Choice, Verdict, Word, choose, scorecard_rows

Cells = dict[str, Any]
_FIGURES = {
    "ttft_p95_ms": "p95 TTFT",
    "itl_p95_ms": "p95 ITL",
    "e2e_p95_ms": "p95 end to end",
    "queue_p95_ms": "p95 queue time",
    "error_rate": "error rate",
}
_SHOWN_RUNNERS_UP = 2


def tell(bench: BenchFile, verdicts: Sequence[Verdict] | None = None) -> list[str]:
    """One sentence for each variant that was compared with its baseline, then the choice.

    `verdicts` None: those of the file.
    """
    rows = [row.cells for row in scorecard_rows(bench)]
    found = verdicts_of(bench) if verdicts is None else verdicts
    baselines = {_pace(row): row for row in rows if not row.get("control")}
    sentences = []
    for row in rows:
        baseline = baselines.get(_pace(row))
        if row.get("control") and baseline is not None:
            own = [verdict for verdict in found if verdict.variant == row["run"]]
            sentences.append(sentence(baseline, row, own))
    return sentences + advise(choose(bench))


def _pace(row: Cells) -> tuple[Any, Any]:
    return row.get("rate"), row.get("concurrency")


def sentence(baseline: Cells, variant: Cells, verdicts: Iterable[Verdict]) -> str:
    """What changed when one control did, and how sure that is."""
    opening = _opening(variant)
    if variant.get("completed_rps") is None or baseline.get("completed_rps") is None:
        return f"{opening}: no conclusion, a run failed."
    if variant.get("valid") is False or baseline.get("valid") is False:
        return f"{opening}: no conclusion, a run is invalid."
    changes = [_rate(baseline, variant), *_figures(baseline, variant, verdicts)]
    said = ", ".join(change for change in changes if change)
    return f"{opening}: {said}{_stability(baseline, variant)}{_basis(baseline, variant)}."


def _opening(variant: Cells) -> str:
    name = f"{variant['control']} {_plain(variant.get('old_value'))} → {_plain(variant['value'])}"
    return f"{name} (also moved: {variant['moved']})" if variant.get("moved") else name


def _rate(baseline: Cells, variant: Cells) -> str:
    before, after = f"{baseline['completed_rps']:.1f}", f"{variant['completed_rps']:.1f}"
    return f"completes as much ({after} req/s)" if before == after else f"completes {before} → {after} req/s"


def _figures(baseline: Cells, variant: Cells, verdicts: Iterable[Verdict]) -> list[str]:
    """Every figure that was judged; of the classes only those that fare otherwise than the whole."""
    found = list(verdicts)
    overall = {verdict.figure: verdict for verdict in found if verdict.cls is None}
    said = [_figure(baseline, variant, verdict) for verdict in overall.values()]
    for verdict in found:
        whole = overall.get(verdict.figure)
        decided = verdict.word in (Word.BETTER, Word.WORSE)
        if verdict.cls is not None and decided and (whole is None or whole.word != verdict.word):
            said.append(f"{_name(verdict)} {verdict.word}")
    return [each for each in said if each]


def _name(verdict: Verdict) -> str:
    name = _FIGURES.get(verdict.figure, verdict.figure)
    return name if verdict.cls is None else f"{name} of {verdict.cls}"


def _figure(baseline: Cells, variant: Cells, verdict: Verdict) -> str | None:
    before, after = baseline.get(verdict.figure), variant.get(verdict.figure)
    name = _name(verdict)
    if before is None or after is None:
        return None if verdict.difference is None else f"{name} {_words(verdict)}"
    show = _share if verdict.figure == "error_rate" else duration
    change = f"{name} {show(before)} → {show(after)}"
    return f"{change} ({_words(verdict)})" if verdict.difference is not None else change


def _words(verdict: Verdict) -> str:
    if verdict.word == Word.NO_DIFFERENCE and verdict.above is not None:
        show = _share if verdict.figure == "error_rate" else duration
        return f"no difference above {show(verdict.above)}"
    if verdict.word == Word.CANT_TELL and verdict.minutes_more is not None:
        return f"can't tell yet, about {minutes(verdict.minutes_more)} more would"
    return str(verdict.word)


def _stability(baseline: Cells, variant: Cells) -> str:
    was, now_is = bool(baseline.get("diverging")), bool(variant.get("diverging"))
    if was and not now_is:
        return "; the queue no longer grows"
    if was and now_is:
        slope = variant.get("ttft_drift_s_per_s")
        by = f" (+{slope:.2g} s per s)" if slope else ""
        return f"; the queue still grows{by}, so percentiles depend on the run's length"
    return "; now the queue grows, so percentiles depend on the run's length" if now_is else ""


def _basis(baseline: Cells, variant: Cells) -> str:
    fewest = min(int(baseline.get("n") or 1), int(variant.get("n") or 1))
    return "; a single run each" if fewest == 1 else f"; {fewest} repeats"


def advise(choice: Choice) -> list[str]:
    """The recommendation and why not the others; nothing where no run ended."""
    everyone = [*([choice.recommended] if choice.recommended else []), *choice.others]
    if not any(each.accepted_rps is not None for each in everyone):
        return []
    best = choice.recommended
    if best is not None and not best.checks:
        return ["No configuration is recommended: no objective is stated."]
    if best is None:
        why = "; ".join(f"{each.run}: {_against(each)}" for each in choice.others)
        return [f"No configuration meets all objectives: {why}."]
    met = ", ".join(check.sentence() for check in best.checks if check.cls is None)
    cost = "" if best.cost is None else f", {best.cost:.3g} per 1,000 accepted responses"
    said = [f"Meets all objectives, best by {choice.by}: {best.run} ({met}{cost})."]
    able = [each.run for each in choice.others if not each.against][:_SHOWN_RUNNERS_UP]
    unable = [f"{each.run} ({_against(each)})" for each in choice.others if each.against]
    if able:
        said.append(f"Runners-up: {', '.join(able)}.")
    if unable:
        said.append(f"Not: {'; '.join(unable)}.")
    return said


def _against(candidate: Candidate) -> str:
    """Why not, without the figures that the scorecard's reasons hold."""
    return ", ".join("invalid" if why.startswith("invalid:") else why for why in candidate.against)


def duration(milliseconds: float) -> str:
    """A time for people, three digits."""
    if milliseconds >= 1000:
        return f"{milliseconds / 1000:.3g} s"
    return f"{milliseconds:.3g} ms"


def minutes(number: float) -> str:
    """Minutes of measuring, for people."""
    return f"{number:.0f} min" if number >= 1 else f"{max(1.0, number * 60):.0f} s"


def _share(value: float) -> str:
    return f"{100 * value:.3g} %"


def _plain(value: Any) -> str:
    if value is None:
        return "default"
    return str(value).lower() if isinstance(value, bool) else str(value)
