"""All live plots on one time axis: the shown run, the run behind it, and the repainting."""

import math
from collections import deque

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from ui.insights.bottleneck_timeline import BottleneckTimeline
from ui.live import LiveState, RunView
from ui.plots.caption import PlotCaption
from ui.plots.layout import columns_for, place
from ui.plots.menu import PlotMenu
from ui.plots.no_plots_page import NoPlotsPage
from ui.plots.plot import LivePlot
from ui.plots.prompt_plot import PromptPlot
from ui.plots.scales import next_end
from ui.plots.specs import FIRST_SHOWN, PLOTS
from ui.theme import Theme

PLOTS_A_TICK = 1
"""Plots drawn in one frame, so that no frame draws all of them."""
_MOST_COLUMNS = 3


class PlotGrid(QWidget):
    """The chosen plots of one run, with the baseline in gray behind and the bottleneck timeline below."""

    following_changed = Signal(bool)
    run_chosen = Signal(object)
    """Name of the run that the user looks at; None for the measured one."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._state = LiveState()
        self._run: RunView | None = None
        self._chosen: str | None = None
        self._end = 0.0
        self.following = True
        self.paused = False
        self._dirty: deque[LivePlot] = deque()
        self._behind: str | None = None
        self._other: RunView | None = None
        self.menu = PlotMenu(self)
        self.caption = PlotCaption(theme)
        kinds = {"prompts": PromptPlot}
        self.plots = [kinds.get(spec.source, LivePlot)(spec, theme) for spec in PLOTS]
        self.timelines = [BottleneckTimeline(theme) for _ in range(_MOST_COLUMNS)]
        self._shown_ids: tuple[str, ...] = FIRST_SHOWN
        self._columns = 0
        self.no_plots = NoPlotsPage()
        self._plots_area = QWidget()
        self._plots_area.setObjectName("plots")
        self._grid = QGridLayout(self._plots_area)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._lay_out()
        for plot in self.plots:
            plot.pointed.connect(self._point)
            plot.zoomed.connect(self._zoom)
            plot.follow_asked.connect(lambda: self.set_following(on=True))
            plot.menu_asked.connect(lambda where, asked=plot: self.menu.open(asked, self._run, where))
            # The axis moves with the size and the font, also while nothing is drawn.
            plot.item().getViewBox().sigResized.connect(self._align_timelines)
        theme.changed.connect(self.mark_dirty)
        self.caption.class_chosen.connect(self.mark_dirty)

    def _lay_out(self) -> None:
        self._grid.setSpacing(4)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 2)
        layout.setSpacing(2)
        layout.addWidget(self.caption)
        layout.addWidget(self._plots_area, 1)
        layout.addWidget(self.no_plots, 1)
        for part in (*self.plots, *self.timelines):
            part.setParent(self._plots_area)
        self._place()

    @property
    def shown(self) -> list[LivePlot]:
        """The chosen plots in their fixed order."""
        return [plot for plot in self.plots if plot.spec.id in self._shown_ids]

    def show_plots(self, ids: tuple[str, ...]) -> None:
        """Show the plots with these ids; ignore unknown ids."""
        known = tuple(spec.id for spec in PLOTS if spec.id in ids)
        if known and known != self._shown_ids:
            self._shown_ids = known
            self._columns = 0
            self._place()
            self.mark_dirty()

    def _place(self) -> None:
        columns = columns_for(len(self._shown_ids), self.width(), self.fontMetrics().averageCharWidth())
        if columns == self._columns:
            return
        self._columns = columns
        shown = self.shown
        for plot in self.plots:
            plot.setVisible(plot in shown)
            plot.label_markers(on=plot is shown[0])
        place(self._grid, shown, self.timelines, columns)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: use three columns if there is room."""
        super().resizeEvent(event)
        self._place()

    def set_state(self, state: LiveState) -> None:
        """Show another plan."""
        self._state, self._chosen, self._behind = state, None, None
        self._other = self._other if state.phase != "demo" else None
        self.refresh_run()

    def choose_run(self, name: str | None) -> None:
        """Show this run; None for the measured one."""
        self._chosen = name
        self.refresh_run()
        self.run_chosen.emit(name)

    @property
    def chosen(self) -> str | None:
        """The run that the user chose; None while the measured one is shown."""
        return self._chosen

    def choose_behind(self, name: str | None) -> None:
        """Draw this run behind the shown one; None for the baseline."""
        self._behind, self._other = name, None
        self.refresh_run()

    def set_behind(self, run: RunView | None) -> None:
        """Draw a run of another bench file behind every run; None removes it."""
        self._other = run
        self.refresh_run()

    @property
    def shown_run(self) -> RunView | None:
        """The run drawn in colors."""
        return self._run

    def behind(self) -> RunView | None:
        """Return the run drawn in gray."""
        if self._other is not None:
            return self._other
        run = self._run
        chosen = self._state.runs.get(self._behind) if self._behind else None
        if chosen is not None and chosen is not run:
            return chosen
        return self._state.baseline_of(run) if run else None

    def refresh_run(self) -> None:
        """Update levels, caption and axis after a change of the plan, the run or the choice."""
        state = self._state
        run = state.runs.get(self._chosen) if self._chosen else state.current_run()
        if run is not self._run:
            self._end = 0.0
            self.set_following(on=True)
        self._run = run
        for plot in self.plots:
            plot.set_run(run, state.objectives, state.bursts.get(run.experiment) if run else None)
        self.caption.show_run(state, run, self.behind())
        absent = self.no_plots.show_run(run)
        self.no_plots.setVisible(absent)
        self._plots_area.setVisible(not absent)
        self.mark_dirty()

    @property
    def dirty(self) -> bool:
        """True while a plot waits for its turn to be drawn."""
        return bool(self._dirty) and self.isVisible() and not self.paused

    def mark_dirty(self) -> None:
        """Schedule every plot for drawing."""
        waiting = set(self._dirty)
        self._dirty.extend(plot for plot in self.shown if plot not in waiting)

    def tick(self) -> None:
        """Draw at most `PLOTS_A_TICK` of the scheduled plots."""
        if self.paused or not self.isVisible():
            return
        self._follow_axis()
        run, behind = self._run, self.behind()
        for _ in range(min(PLOTS_A_TICK, len(self._dirty))):
            plot = self._dirty.popleft()
            source = plot.spec.source
            cls = self.caption.chosen_class
            plot.draw(
                run.of_source(source, cls) if run else None,
                behind.of_source(source, cls) if behind else None,
                of_class=run is not None and cls in run.classes,
            )
            if plot.spec.id == self._shown_ids[0]:
                self._draw_timelines()

    def _draw_timelines(self) -> None:
        self.caption.show_classes(self._run.classes if self._run else ())
        found = self._run.diagnosis() if self._run else None
        self._align_timelines()
        for timeline in self.timelines[: self._columns]:
            timeline.show_timeline(found.timeline if found else ())

    def _align_timelines(self) -> None:
        for timeline, plot in zip(self.timelines[: self._columns], self.shown, strict=False):
            timeline.set_margins(*plot.time_margins())

    def draw_all(self) -> None:
        """Draw everything now, for a picture."""
        self.mark_dirty()
        while self._dirty:
            self.tick()
            if self.paused or not self.isVisible():
                return

    def _follow_axis(self) -> None:
        if not self.following:
            return
        run = self._run
        last = run.series.last_time() if run else math.nan
        end = next_end(
            self._end, (run.duration_s if run else None) or 60.0, 0.0 if math.isnan(last) else last
        )
        if end != self._end:
            self._end = end
            self._set_span(0.0, end)
            self.mark_dirty()

    def set_following(self, *, on: bool) -> None:
        """Follow the whole run as it grows, or keep the zoomed span."""
        if on:
            self._end = 0.0
        if on != self.following:
            self.following = on
            self.following_changed.emit(on)

    def set_paused(self, *, on: bool) -> None:
        """Stop drawing; no data is lost."""
        self.paused = on

    def _zoom(self, start: float, end: float) -> None:
        self.set_following(on=False)
        self._set_span(start, end)

    def _set_span(self, start: float, end: float) -> None:
        for plot in self.plots:
            plot.set_span(start, end)
        for timeline in self.timelines:
            timeline.set_span(start, end)

    def _point(self, run_t: float) -> None:
        for plot in self.plots:
            plot.point_at(run_t)
