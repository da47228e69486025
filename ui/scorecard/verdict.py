"""A run's verdict as a word with a symbol. No widgets, and no judgement of its own.

The judgements come from the results room when a plan is done: `Verdict` (a variant against its baseline, with
an interval over repeats) and `Ranking` (objectives, rejections). Until then only the row counts.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from ui.language import number_text, texts
from ui.live import Candidate, FigureVerdict, Ranking
from workbench.base import Message

Tone = Literal["good", "bad", "mixed", "neutral", "warning"]
Facts = Mapping[str, Any]

REJECTS_MANY = 0.05
"""As in `results.choose`: above this share only a stated error rate lets a configuration pass."""


def _n(text: str) -> str:
    """Mark `text` for translation in the context verdicts."""
    return str(QT_TRANSLATE_NOOP("verdict", text))


_OBJECTIVES = {
    "ttft_p95_ms": (_n("p95 TTFT"), "s", 1e-3),
    "itl_p95_ms": (_n("p95 ITL"), "ms", 1.0),
    "e2e_p95_ms": (_n("p95 E2E"), "s", 1e-3),
    "queue_p95_ms": (_n("p95 queue"), "s", 1e-3),
    "error_rate": (_n("errors"), "%", 100.0),
    "preemptions": (_n("preemptions"), "", 1.0),
}
"""Objective by its name in the experiment file: title, unit, scale."""

_DRIFTS = _n(
    "TTFT grows throughout the run: the server can't keep up, so percentiles depend on the run's length"
)
_LATER = _n("judged when the plan is done")


def tr(text: str) -> str:
    """Return `text` of a verdict in the user's language."""
    return QCoreApplication.translate("verdict", text) if text else ""


def in_words(said: Message | str) -> str:
    """Return an event's message with the figures' titles in place of their names.

    Another version's plan may have English text only, which stays as it is.
    """
    from workbench.results import titled  # noqa: PLC0415 - the core room loads with the first row

    return said if isinstance(said, str) else texts.said(titled(said))


@dataclass(frozen=True)
class Verdict:
    """A word on a run, with symbol and reason."""

    text: str
    symbol: str
    tone: Tone
    why: str = ""
    """One or more sentences."""

    def __str__(self) -> str:
        return f"{self.symbol} {self.text}".strip()


NOTHING = Verdict("", "", "neutral")


@dataclass(frozen=True)
class Concluded:
    """The core's conclusions on one row of the scorecard."""

    verdicts: tuple[FigureVerdict, ...] = ()
    candidate: Candidate | None = None
    recommended: bool = False
    by: Message | str = ""
    """The figure of the ranking: a message, or its English text."""

    def on(self, figure: str) -> FigureVerdict | None:
        """Return the verdict on a figure over all requests."""
        return next((v for v in self.verdicts if v.figure == figure and v.cls is None), None)


@dataclass(frozen=True)
class Conclusions:
    """The core's conclusions on a plan, by row."""

    verdicts: Sequence[FigureVerdict] = ()
    ranking: Ranking | None = None

    def of(self, row: str) -> Concluded:
        """Return the conclusions on the row of this name."""
        own = tuple(verdict for verdict in self.verdicts if verdict.variant == row)
        if self.ranking is None:
            return Concluded(own)
        candidate, best = self.ranking.of(row), self.ranking.recommended
        # With one valid configuration nothing was compared, so it is not the best.
        first = best is not None and best.run == row and self.ranking.compared
        return Concluded(own, candidate, first, self.ranking.order)


def slope_of(row: Facts) -> float | None:
    """Return the drift of TTFT in s/s if the run diverges; NaN if it diverges with an unknown slope."""
    if row.get("diverging") is not True:
        return None
    slope = row.get("ttft_drift_s_per_s")
    return float(slope) if isinstance(slope, (int, float)) else math.nan


def reasons_of(row: Facts) -> list[str]:
    """Return why the run is invalid; empty if it is valid or unknown."""
    if row.get("valid") is not False:
        return []
    reasons = row.get("reason_messages") or row.get("reasons") or []
    if isinstance(reasons, str):
        reasons = [part.strip() for part in reasons.split(";") if part.strip()]
    return [texts.said(reason) for reason in reasons] or [tr(_n("no reason given"))]


@dataclass(frozen=True)
class Check:
    """One objective compared with its figure."""

    name: str
    said: str
    """`p95 TTFT of chat 1.62 > 1.00 s`."""
    met: bool | None


def check_of(
    objective: str, cls: str | None, value: float | None, limit: float, *, met: bool | None
) -> Check:
    """Return the check as text."""
    title, unit, scale = _OBJECTIVES.get(objective, (objective, "", 1.0))
    name = tr(title) if cls is None else tr(_n("{0} of {1}")).format(tr(title), cls)
    bound = f"{number_text.significant(limit * scale)} {unit}".rstrip()
    if met is None or value is None:
        return Check(name, tr(_n("{0} not known (limit {1})")).format(name, bound), met)
    return Check(name, f"{name} {number_text.significant(value * scale)} {'≤' if met else '>'} {bound}", met)


def on_objectives(row: Facts, objectives: Facts, concluded: Concluded) -> Verdict:
    """Return the verdict on the objectives, overall and in every class; many rejections fail it."""
    if reasons := reasons_of(row):
        return Verdict(tr(_n("not judged")), "⚠", "warning", "; ".join(reasons))
    candidate = concluded.candidate
    if candidate is None:
        return _so_far(row, objectives)
    checks = [check_of(c.objective, c.cls, c.value, c.limit, met=c.met) for c in candidate.checks]
    why = "\n".join([*(check.said for check in checks), *map(in_words, candidate.remarks())])
    missed = [check for check in checks if check.met is False]
    if missed:
        return Verdict(_first_of(missed), "✗", "bad", why)
    if _rejects_many(row, objectives):
        return _rejecting(row)
    unknown = [check for check in checks if check.met is None]
    if unknown:
        return Verdict(tr(_n("{0} not known")).format(_first_of(unknown)), "?", "warning", why)
    if not checks:
        return NOTHING
    open_ = candidate.classes_open
    if concluded.recommended:
        best = tr(_n("Best by {0}.")).format(in_words(concluded.by))
        text = tr(_n("met overall, best")) if open_ else tr(_n("all met, best"))
        return Verdict(text, "✓", "good", f"{best}\n{why}")
    return Verdict(tr(_n("met overall")) if open_ else tr(_n("all met")), "✓", "good", why)


def _so_far(row: Facts, objectives: Facts) -> Verdict:
    """Return the verdict from the row alone while the plan runs: only limits over all requests."""
    checks = []
    for name, limit in objectives.items():
        value = row.get(name)
        if name in _OBJECTIVES and _number(limit) is not None:
            known = _number(value)
            met = None if known is None else known <= limit
            checks.append(check_of(name, None, known, limit, met=met))
    missed = [check for check in checks if check.met is False]
    if missed:
        return Verdict(_first_of(missed), "✗", "bad", "\n".join(check.said for check in checks))
    if checks and _rejects_many(row, objectives):
        return _rejecting(row)
    if not checks or any(check.met is None for check in checks):
        return NOTHING
    later = [tr(_n("Classes are judged when the plan is done."))] if objectives.get("classes") else []
    text = tr(_n("met overall")) if later else tr(_n("all met"))
    return Verdict(text, "✓", "good", "\n".join([*(check.said for check in checks), *later]))


def _first_of(checks: Sequence[Check]) -> str:
    """Return the names of the checks; their figures are in other columns and in the tooltip."""
    more = len(checks) - 1
    return checks[0].name if not more else f"{checks[0].name} +{more}"


def _rejects_many(row: Facts, objectives: Facts) -> bool:
    rejected = _number(row.get("rejected_rate"))
    classes = (objectives.get("classes") or {}).values()
    bounded = "error_rate" in objectives or (bool(classes) and all("error_rate" in own for own in classes))
    return rejected is not None and rejected > REJECTS_MANY and not bounded


def _rejecting(row: Facts) -> Verdict:
    share = number_text.significant(row["rejected_rate"] * 100, 2)
    why = tr(_n("Rejections make the other requests faster: set an error objective to decide."))
    return Verdict(tr(_n("rejects {0} %")).format(share), "⚠", "warning", why)


def beside_baseline(row: Facts, baseline: Facts | None, concluded: Concluded, objectives: Facts) -> Verdict:
    """Return the row's verdict against its baseline; `baseline` is None for the baseline itself."""
    if reasons := reasons_of(row):
        return Verdict(tr(_n("invalid")), "⚠", "warning", "; ".join(reasons))
    so_far = _stability(row, baseline)
    if concluded.verdicts:
        judged = _judged(concluded.verdicts)
        # As the cell said while the plan ran, and then what was judged.
        return _capped(judged if so_far is None else _after(so_far, judged), row, objectives)
    return NOTHING if so_far is None else so_far


def _after(so_far: Verdict, judged: Verdict) -> Verdict:
    """Return the verdict on stability with what was judged at the end; its meaning stays."""
    why = f"{so_far.why}\n{judged.why}".strip()
    if so_far.tone == "good" and judged.tone in {"bad", "mixed"}:
        text = tr(_n("{0}, but {1}")).format(so_far.text, judged.text)
        return Verdict(text, "◆", "mixed", why)
    return Verdict(so_far.text, so_far.symbol, so_far.tone, why)


def _stability(row: Facts, baseline: Facts | None) -> Verdict | None:
    """Return what the rows alone say on a growing queue; None if nothing grows."""
    drifts = slope_of(row) is not None
    if baseline is None or reasons_of(baseline):
        return Verdict(tr(_n("diverging")), "↗", "warning", tr(_DRIFTS)) if drifts else None
    drifted = slope_of(baseline) is not None
    if drifts and not drifted:
        return Verdict(tr(_n("diverging")), "↗", "bad", tr(_DRIFTS))
    if drifted and not drifts:
        why = tr(_n("TTFT doesn't grow during the run, but the baseline's does; "))
        return Verdict(tr(_n("stable")), "▲", "good", why + tr(_LATER))
    return Verdict(tr(_n("diverging")), "↗", "warning", tr(_DRIFTS)) if drifts else None


def _judged(verdicts: Sequence[FigureVerdict]) -> Verdict:
    better, worse = _named(verdicts, "better"), _named(verdicts, "worse")
    why = "\n".join(in_words(verdict.said) for verdict in verdicts)
    once = _rests_on_one_run_each(verdicts)
    if better and worse:
        text = tr(_n("{0} better, {1} worse")).format(better[0], worse[0])
        return Verdict(once.format(text), "◆", "mixed", why)
    if better:
        # Against a diverging baseline no figure is compared; only stability is known.
        compared = any(v.difference is not None for v in verdicts if v.word == "better")
        text = once.format(tr(_n("better"))) if compared else tr(_n("stable"))
        return Verdict(text, "▲", "good", why)
    if worse:
        return Verdict(once.format(tr(_n("worse"))), "▼", "bad", why)
    open_ = [verdict for verdict in verdicts if verdict.word != "no difference"]
    if not open_:
        return Verdict(once.format(tr(_n("no difference"))), "=", "neutral", why)
    return Verdict(_open_words(open_), "?", "neutral", why)


def _rests_on_one_run_each(verdicts: Sequence[FigureVerdict]) -> str:
    """Return a format that adds the number of runs behind a conclusion."""
    once = any(_is_of_one_run(verdict) for verdict in verdicts if verdict.word != "can't tell yet")
    return tr(_n("{0} (one run each)")) if once else "{0}"


def _is_of_one_run(verdict: FigureVerdict) -> bool:
    return verdict.difference is not None and verdict.difference.repeats == 1


def _open_words(verdicts: Sequence[FigureVerdict]) -> str:
    """Return why the comparison is open, and what would settle it."""
    if any(map(_is_of_one_run, verdicts)):
        return tr(_n("one run each"))
    minutes = [verdict.minutes_more for verdict in verdicts if verdict.minutes_more is not None]
    if minutes:
        return tr(_n("can't tell, {0} more would")).format(number_text.span(max(minutes) * 60))
    return tr(_n("can't tell"))


def _capped(verdict: Verdict, row: Facts, objectives: Facts) -> Verdict:
    """Return the verdict limited by rejections: rejecting many requests makes the rest fast."""
    if verdict.tone != "good" or not _rejects_many(row, objectives):
        return verdict
    rejecting = _rejecting(row)
    text = tr(_n("{0}, but {1}")).format(verdict.text, rejecting.text)
    return Verdict(text, "◆", "mixed", f"{rejecting.why}\n{verdict.why}")


def _named(verdicts: Iterable[FigureVerdict], word: str) -> list[str]:
    """Return the titles of figures with this word, those over all requests first."""
    found = sorted((v for v in verdicts if v.word == word), key=lambda v: v.cls is not None)
    return [tr(_OBJECTIVES.get(v.figure, (v.figure,))[0]) + (f" ({v.cls})" if v.cls else "") for v in found]


def interval_text(verdict: FigureVerdict) -> tuple[str, bool | None]:
    """Return a figure's change in percent of the baseline's with its 95 % interval, and whether it is better.

    One run each has no observed interval, so none is shown and the second value is None.
    """
    found = verdict.difference
    if found is None:
        return "", None
    base = found.baseline
    change = number_text.signed_percent(base + found.estimate, base)
    if change is None:
        return "", None
    if found.repeats == 1:
        return change, None
    low, high = (number_text.signed_percent(base + end, base) or "" for end in (found.lo, found.hi))
    low, high = (end.removesuffix("%").strip() for end in (low, high))
    return f"{change} [{low}…{high}]", {"better": True, "worse": False}.get(verdict.word)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
