"""The plot of long prompts: a rising line for each, from its first step to its last."""

import math

from PySide6.QtCore import QCoreApplication

from ui.language import number_text
from ui.live import PromptTracks
from ui.plots.header import Note, ReadOut
from ui.plots.plot import LivePlot
from ui.plots.specs import translated
from ui.plots.whole_run import has_ended


class PromptPlot(LivePlot):
    """Reads out the number of prompts in progress and the first one's share; at the end the longest time."""

    def _read_outs(self) -> tuple[tuple[ReadOut, ...], Note]:
        shown, translate = self._shown, QCoreApplication.translate
        if not isinstance(shown, PromptTracks) or not shown.known:
            return (), Note()
        if math.isnan(self._at) and has_ended(self._run):
            longest = max((track.seconds for track in shown.tracks if track.done), default=None)
            run = translate("plots", "run")
            return (
                self._said(translate("plots", "prompts"), number_text.count(len(shown.tracks))),
                self._said(
                    translate("plots", "longest"), number_text.significant(longest), translate("plots", "s")
                ),
            ), Note(run, run)
        under_way = shown.under_way(math.inf if math.isnan(self._at) else self._at)
        first = number_text.count(100 * under_way[0]) if under_way else number_text.UNKNOWN
        return (
            self._said(translate("plots", "under way"), number_text.count(len(under_way))),
            self._said(translate("plots", "first"), first, "%"),
        ), Note()

    def summary(self) -> str:
        """Return the read-outs with their own units."""
        said = self.header.said()
        title = translated(self.spec.title)
        return f"{title}: {said}" if said else title

    def _said(self, label: str, value: str, unit: str = "") -> ReadOut:
        text = value if value == number_text.UNKNOWN else f"{value} {unit}".rstrip()
        return ReadOut(label, text, self._theme.ink("prefill"))

    def _why_empty(self, shown: object) -> str:
        """Return the text without curves: nothing recorded, or no long prompt."""
        if not isinstance(shown, PromptTracks) or len(shown) or self._run is None:
            return ""
        if not shown.known:
            return super()._why_empty(shown)
        said = QCoreApplication.translate("plots", "No prompt is longer than one step ({0} tokens)")
        return said.format(number_text.count(shown.step_tokens))
