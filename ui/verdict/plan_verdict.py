"""The answer of a plan in one line: the figures of the scorecard's own cells, and the next experiment."""

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from ui.insights import bottleneck_names
from ui.language import number_text, texts
from ui.language.translation import translate_control
from ui.live import LiveState, RunView
from ui.live.bottlenecks import NO_LIMIT, NextChange
from ui.scorecard.columns import COLUMNS, IMPORTED, WATCHED
from ui.scorecard.model import ScorecardModel, without_repeat
from ui.scorecard.verdict import Tone
from workbench.controls import CONTROLS

_BY_KEY = {column.key: column for column in COLUMNS}
_SYMBOLS: dict[Tone, str] = {"good": "✓", "bad": "✗", "warning": "⚠", "mixed": "◆", "neutral": ""}


@dataclass(frozen=True)
class PlanVerdict:
    """Text and actions of the verdict bar."""

    said: str
    tone: Tone = "neutral"
    run: RunView | None = None
    """The run whose next change is offered."""
    change: NextChange | None = None
    """The next experiment; None if no single change of a control is known."""
    next: str = ""
    """The next change as text."""


def plan_verdict(state: LiveState, scorecard: ScorecardModel) -> PlanVerdict:
    """Return the answer of the plan; while it runs, what happens now.

    The figures are the texts of the scorecard's cells, so both always agree.
    """
    if state.phase == "empty":
        return PlanVerdict(_t("No result yet: run a plan, a demo, or open a bench file."))
    if state.phase == "demo":
        return PlanVerdict(state.name)
    if state.live:
        return PlanVerdict(_now(state))
    run = answering_run(state)
    if run is not None and run.status == WATCHED:
        return _watched(run)
    if run is None:
        return PlanVerdict(_t("No run was measured."), "warning")
    tone = scorecard.objectives(run).tone
    if tone == "neutral":
        tone = scorecard.verdict(run).tone
    said = f"{_SYMBOLS[tone]} {_answer(run, scorecard)}".strip()
    change = _next_of(run)
    text = "" if change is None else texts.said(change.text)
    return PlanVerdict(said, tone, run, change if state.testable(change) else None, text)


def answering_run(state: LiveState) -> RunView | None:
    """Return the run that answers the plan's question.

    The recommended one; else the variant with the largest throughput, valid ones first; else the baseline.
    """
    measured = [run for run in state.runs.values() if run.row and run.status != IMPORTED]
    best = state.ranking.recommended if state.ranking else None
    if best is not None:
        named = (run for run in measured if str(run.row.get("run") or without_repeat(run.name)) == best.run)
        found = next(named, None)
        if found is not None:
            return found
    variants = [run for run in measured if not run.is_baseline] or measured
    return max(variants, key=_preference, default=None)


def _preference(run: RunView) -> tuple[bool, float]:
    rate = run.row.get("completed_rps")
    return run.row.get("valid") is not False, float(rate) if isinstance(rate, (int, float)) else -1.0


def _answer(run: RunView, scorecard: ScorecardModel) -> str:
    """Return `Sequence limit 32: 10.8 req/s (+57 %), p95 TTFT 0.402 s; objectives met; stable`."""
    objectives, verdict = scorecard.objectives(run), scorecard.verdict(run)
    parts = [_figures(run, scorecard)]
    if objectives.tone == "good":
        parts.append(_t("objectives met"))
    elif objectives.tone == "bad":
        parts.append(_t("objective missed: {0}").format(objectives.text))
    elif objectives.text:
        parts.append(objectives.text)
    if verdict.text and verdict.text not in parts:
        parts.append(verdict.text)
    return f"{_name(run)}: {'; '.join(part for part in parts if part)}"


def _figures(run: RunView, scorecard: ScorecardModel) -> str:
    rate = scorecard.cell(run, _BY_KEY["completed_rps"])
    ttft = scorecard.cell(run, _BY_KEY["ttft_p95_ms"])
    said = []
    if rate.text not in {"", number_text.UNKNOWN}:
        said.append(_t("{0} req/s").format(rate.text) + (f" ({rate.difference})" if rate.difference else ""))
    if ttft.meaning:  # Diverging: a word, not a figure with a unit.
        said.append(_t("p95 TTFT {0}").format(ttft.text))
    elif ttft.text not in {"", number_text.UNKNOWN}:
        said.append(_t("p95 TTFT {0} s").format(ttft.text))
    return ", ".join(said)


def _watched(run: RunView) -> PlanVerdict:
    """Return what limited a watched server; its next change needs a restart, which isn't ours."""
    found = run.diagnosis()
    if found is None:
        return PlanVerdict(_t("Watched; too few samples for a diagnosis."), "warning", run)
    change = "" if found.change is None else texts.said(found.change.text)
    return PlanVerdict(texts.said(found.headline), "neutral", run, None, change)


def _name(run: RunView) -> str:
    if run.control is None:
        return _t("Baseline")
    known = CONTROLS.get(run.control)
    title = translate_control(known.title) if known else run.control
    return f"{title} {number_text.plain(run.value)}"


def _next_of(run: RunView) -> NextChange | None:
    found = run.diagnosis()
    return found.change if found is not None else None


def _now(state: LiveState) -> str:
    """Return what happens now: the run, its phase, its load, its bottleneck so far."""
    run, progress = state.current_run(), state.progress
    if state.phase == "stopping":
        return _t("Stopping; finished runs are kept")
    if not state.runs:
        return _t("Preparing the plan")
    if run is None or run.status != "running":
        detail = texts.said(state.server_detail) if state.server_detail else ""
        if state.attached:
            return _t("Connecting to the server")
        return _t("Starting the server: {0}").format(detail) if detail else _t("Starting the server")
    if state.watch:
        parts = [_t("Watching, nothing is sent")]
    else:
        parts = [_t("Run {0} of {1}: {2}").format(state.index, len(state.runs), run.name)]
    if progress is not None and progress.phase != "measuring":
        parts.append(texts.said(progress.phase))
    running, waiting = run.now("running"), run.now("waiting")
    if running is not None and waiting is not None:
        load = _t("{0} running, {1} waiting")
        parts.append(load.format(number_text.count(running), number_text.count(waiting)))
    limit = _limit_so_far(run)
    return " · ".join([*parts, limit] if limit else parts)


def _limit_so_far(run: RunView) -> str:
    found = run.diagnosis()
    if found is None or not found.shares:
        return ""
    name = next((each for each in found.shares if each not in NO_LIMIT), None)
    if name is None:
        return _t("no bottleneck so far")
    said = _t("bottleneck so far: {0}, {1} % of the time")
    return said.format(bottleneck_names.title(name), number_text.count(found.shares[name] * 100))


def _t(text: str) -> str:
    """Return `text` in the user's language."""
    return QCoreApplication.translate("verdict bar", text)
