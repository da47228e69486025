"""A few sentences on the plan, from the figures that the plots show.

Bottlenecks and advice come from the diagnosis instead.
"""

import re
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QCoreApplication

from ui.language import number_text, texts
from ui.language.translation import current_language
from ui.live import LiveState, RunSeries, RunView

MOST_SENTENCES = 3
_SETTLED_S = 15.0
"""Seconds before which hardly any request has completed."""
_STILL_ARRIVING = 0.8
"""Share of the usual offered rate; a lower one means that the window reaches beyond the last arrival."""

translate = QCoreApplication.translate


@dataclass(frozen=True)
class Narration:
    """A heading and a few sentences; `more` has them in full."""

    heading: str
    sentences: tuple[str, ...]
    more: tuple[str, ...] = ()

    def beside_more(self) -> tuple[str, ...]:
        """Return the sentences that `more` does not contain in full."""
        held = set(map(short, self.more))
        return tuple(sentence for sentence in self.sentences if sentence not in held)


def narrate(state: LiveState, chosen: str | None = None) -> Narration:
    """Return what to say about the plan; `chosen` is a run that the user looks at instead."""
    if state.phase == "empty":
        return Narration(
            translate("narration", "Nothing is running"),
            (translate("narration", "Run the demo, or an experiment of your own."),),
        )
    run = state.current_run()
    if not state.live and not state.runs:
        return Narration(
            translate("narration", "The plan did not start"),
            (translate("narration", "See the message above the plots."),),
        )
    if chosen in state.runs and chosen != state.current:
        return Narration(state.runs[chosen].name, ())
    if state.phase == "demo":
        said = _while_running(state, run) if run is not None else ()
        return Narration(run.name if run is not None else state.name, said)
    if state.phase == "starting" or run is None:
        connecting, starting = translate("narration", "Connecting"), translate("narration", "Server starting")
        return Narration(connecting if state.attached else starting, _while_starting(state))
    if state.live and run.status == "running":
        return Narration(run.name, _while_running(state, run))
    if state.live:
        fresh = translate("narration", "The next configuration's server starts with an empty cache.")
        stays = translate("narration", "The server stays as it is.")
        return Narration(translate("narration", "Between runs"), (stays if state.attached else fresh,))
    return _at_the_end(state)


def _while_starting(state: LiveState) -> tuple[str, ...]:
    if not state.runs:
        return (translate("narration", "The plan is being prepared."),)
    now = texts.said(state.server_word)
    if state.server_detail:
        colon = "：" if current_language() == "zh_CN" else ": "
        now = f"{now}{colon}{texts.said(state.server_detail)}"
    said = [translate("narration", "The server is {0}.").format(now)]
    if state.simulated:
        said.append(translate("narration", "The embedded engine simulates {0}.").format(state.profile))
    said.append(
        translate("narration", "{0} runs, the baseline first; each gets the same requests.").format(
            len(state.runs)
        )
    )
    return tuple(said)


def _while_running(state: LiveState, run: RunView) -> tuple[str, ...]:
    series = run.series
    said: list[str] = []
    running, waiting = run.now("running"), run.now("waiting")
    # The last sample of a finished replay is not the present.
    if run.status == "running" and running is not None and waiting is not None:
        said.append(_about_requests(running, waiting))
    rates = rates_under_load(series)
    if rates is not None and series.last_time() > _SETTLED_S:
        said.append(_about_rate(*rates))
    preempted = run.now("preemptions")
    if preempted:
        said.append(
            translate("narration", "Preemptions: {0}; that work is computed twice.").format(
                number_text.count(preempted)
            )
        )
    grey = _about_grey(state, run)
    if grey:
        said.append(grey)
    if not said and run.status == "running":
        said.append(translate("narration", "The first requests are on their way."))
    return tuple(said[:MOST_SENTENCES])


def _about_requests(running: float, waiting: float) -> str:
    if waiting > 0:
        return translate("narration", "{0} running, {1} waiting.").format(
            number_text.count(running), number_text.count(waiting)
        )
    return translate("narration", "{0} running, none waiting.").format(number_text.count(running))


def rates_under_load(series: RunSeries) -> tuple[float, float] | None:
    """Return the offered and completed rate in the last third of the time in which requests arrived.

    The drain at the end says nothing about the rate. None if the rates are unknown.
    """
    offered, completed = series.column("offered_rps"), series.column("completed_rps")
    positive = offered[offered > 0]
    if not len(positive):
        return None
    end = int(np.flatnonzero(offered >= _STILL_ARRIVING * np.median(positive))[-1])
    begin = int(np.searchsorted(series.times(), series.times()[end] * 2 / 3))
    known = ~np.isnan(offered[begin : end + 1]) & ~np.isnan(completed[begin : end + 1])
    if not known.any():
        return None
    return (
        float(np.mean(offered[begin : end + 1][known])),
        float(np.mean(completed[begin : end + 1][known])),
    )


def _about_grey(state: LiveState, run: RunView) -> str | None:
    """Return which run is gray: in a demo the variant before, else the baseline; None for no run."""
    if state.phase == "demo":
        names = list(state.runs)
        at = names.index(run.name)
        said = translate("narration", "Gray: “{0}” under the same requests.")
        return said.format(names[at - 1]) if at else None
    if state.baseline_of(run) is None:
        return None
    return translate("narration", "Gray: the baseline under the same requests.")


def _about_rate(offered: float, completed: float) -> str:
    if completed < 0.9 * offered:
        return translate("narration", "It completes {0} of {1} req/s; the rest pile up.").format(
            number_text.significant(completed), number_text.significant(offered)
        )
    return translate("narration", "It keeps up with {0} req/s.").format(number_text.significant(offered))


def _at_the_end(state: LiveState) -> Narration:
    heading = {
        "finished": translate("narration", "Findings"),
        "stopped": translate("narration", "Stopped"),
        "failed": translate("narration", "Ended early"),
    }.get(state.phase, translate("narration", "Results"))
    best = state.ranking.recommended if state.ranking else None
    report = texts.said_all(state.report)
    said = [short(sentence) for sentence in report[: MOST_SENTENCES - bool(best)]]
    if best:
        said.insert(
            0,
            translate("narration", "Best configuration that meets the objectives: {0}.").format(best.run),
        )
    if state.phase in {"stopped", "failed"} or not said:
        kept = sum(bool(run.row) for run in state.runs.values())
        said.insert(
            0, translate("narration", "{0} of {1} runs are in the scorecard.").format(kept, len(state.runs))
        )
    return Narration(heading, tuple(said), tuple(report))


def short(sentence: str) -> str:
    """Return a sentence of the report up to its first semicolon, without its brackets."""
    plain = re.sub(r"\s*[(（][^()（）]*[)）]", "", re.split("; |；", sentence, maxsplit=1)[0]).strip()
    return plain if plain.endswith((".", "。")) else f"{plain}{'。' if '；' in sentence else '.'}"
