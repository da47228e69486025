"""All live plots on one time axis: the shown run, the run behind it, and the repainting."""

import math
from collections import deque

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ui.files.settings import EnginePlots
from ui.insights.bottleneck_timeline import BottleneckTimeline
from ui.live import LiveState, RunView
from ui.look.theme import Theme
from ui.plots.caption import PlotCaption
from ui.plots.layout import Arrangement, PlotLayout, arrange
from ui.plots.menu import PlotMenu
from ui.plots.no_plots_page import NoPlotsPage
from ui.plots.plot import LivePlot
from ui.plots.prompt_plot import PromptPlot
from ui.plots.question import main_plot
from ui.plots.scales import next_end
from ui.plots.specs import FIRST_SHOWN, PLOTS
from ui.plots.whole_run import has_ended

PLOTS_A_TICK = 1
"""Plots drawn in one frame, so that no frame draws all of them."""


class PlotGrid(QWidget):
    """The main plot of one run with small ones beside it, the baseline in gray behind, the timeline below."""

    following_changed = Signal(bool)
    run_chosen = Signal(object)
    """Name of the run that the user looks at; None for the measured one."""
    steps_wanted = Signal(str, float, float)
    """Run, and the span of time whose steps are asked for."""
    main_chosen = Signal(str)
    """Id of the plot that the user made the main one."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._state = LiveState()
        self._run: RunView | None = None
        self._chosen: str | None = None
        self.other_plan: LiveState | None = None
        """The earlier plan whose run is shown; None for the present one."""
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
        self.timeline = BottleneckTimeline(theme)
        self._shown_ids: tuple[str, ...] = FIRST_SHOWN
        self._kept = ""
        """The main plot that the user chose; "" for the one that fits the plan's question."""
        self._asked: tuple[LiveState, bool] | None = None
        """The plan whose question was answered, and whether it had runs."""
        self._main = FIRST_SHOWN[0]
        self._placed: Arrangement | None = None
        self.no_plots = NoPlotsPage()
        self._plots_area = QWidget()
        self._plots_area.setObjectName("plots")
        for part in (*self.plots, self.timeline):
            part.setParent(self._plots_area)
        self._layout = PlotLayout(self._plots_area, self.timeline)
        self._lay_out()
        for plot in self.plots:
            plot.pointed.connect(self._point)
            plot.zoomed.connect(self._zoom)
            plot.follow_asked.connect(lambda: self.set_following(on=True))
            plot.menu_asked.connect(lambda where, asked=plot: self.menu.open(asked, self._run, where))
            plot.enlarge_asked.connect(lambda asked=plot: self._enlarge(asked))
            # The axis moves with the size and the font, also while nothing is drawn.
            plot.item().getViewBox().sigResized.connect(self._align_timeline)
        self.menu.steps_wanted.connect(lambda run, at: self.steps_wanted.emit(run, at - 1.0, at + 1.0))
        self.timeline.chosen.connect(self._ask_for_steps)
        theme.changed.connect(self.mark_dirty)
        self.caption.class_chosen.connect(self.mark_dirty)

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 2)
        layout.setSpacing(2)
        layout.addWidget(self.caption)
        layout.addWidget(self._plots_area, 1)
        layout.addWidget(self.no_plots, 1)
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
            self._place()
            self.mark_dirty()

    def _place(self) -> None:
        room = self.height() - self.caption.sizeHint().height() - self.timeline.sizeHint().height()
        found = arrange(self.shown, self._main, room)
        if found == self._placed:
            return
        self._placed = found
        for plot in self.plots:
            plot.setVisible(plot in self.shown)
            plot.label_markers(on=plot is found.main)
            plot.set_small(on=plot in found.small)
        self._layout.place(found)

    @property
    def main(self) -> LivePlot:
        """The main plot."""
        assert self._placed is not None
        return self._placed.main

    def keep_main(self, id_: str) -> None:
        """Show this plot large in every plan; "" shows the one that fits the plan's question."""
        self._kept, self._asked = id_, None
        self._choose_main()

    def show_engines(self, how: EnginePlots) -> None:
        """Show each engine or replica of several in this way."""
        self.menu.engine_plots = how
        for plot in self.plots:
            plot.fan_shown = how == "lines"
        self.mark_dirty()

    def _ask_for_steps(self, begin: float, end: float) -> None:
        if self._run is not None and has_ended(self._run):
            self.steps_wanted.emit(self._run.name, begin, end)

    def _enlarge(self, plot: LivePlot) -> None:
        """Swap a small plot with the main one."""
        if plot is not self.main:
            self.keep_main(plot.spec.id)
            self.main_chosen.emit(plot.spec.id)

    def _choose_main(self) -> None:
        """Choose the main plot once for a plan, when its runs are known; it then stays."""
        asked = (self._state, bool(self._state.runs))
        if self._asked is not None and self._asked[0] is asked[0] and self._asked[1] == asked[1]:
            return
        self._asked = asked
        main = self._kept or main_plot(self._state)
        if main != self._main:
            self._main = main
            self._place()
            self.mark_dirty()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: use more columns if the small plots would be too low."""
        super().resizeEvent(event)
        self._place()

    def set_state(self, state: LiveState) -> None:
        """Show another plan."""
        self._state, self._chosen, self._behind, self.other_plan = state, None, None, None
        self._other = self._other if state.phase != "demo" else None
        self.refresh_run()

    def choose_run(self, name: str | None, of: LiveState | None = None) -> None:
        """Show this run, of another plan if one is given; None for the measured one."""
        self._chosen, self.other_plan = name, of
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
        state = self.other_plan or self._state
        chosen = state.runs.get(self._behind) if self._behind else None
        if chosen is not None and chosen is not run:
            return chosen
        return state.baseline_of(run) if run else None

    def refresh_run(self) -> None:
        """Update levels, caption and axis after a change of the plan, the run or the choice."""
        self._choose_main()
        state = self.other_plan or self._state
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
            if plot is self.main:
                self._draw_timeline()

    def _draw_timeline(self) -> None:
        self.caption.show_classes(self._run.classes if self._run else ())
        found = self._run.diagnosis() if self._run else None
        self._align_timeline()
        self.timeline.show_timeline(found.timeline if found else ())

    def _align_timeline(self) -> None:
        self.timeline.set_margins(*self.main.time_margins())

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
        self.timeline.set_span(start, end)

    def _point(self, run_t: float) -> None:
        for plot in self.plots:
            plot.point_at(run_t)
