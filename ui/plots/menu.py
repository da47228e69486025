"""A plot's context menu: follow, save the picture, save or copy the data."""

import math
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from ui.files.settings import EnginePlots
from ui.language.texts import said
from ui.live import RunView
from ui.plots.fan import fanned
from ui.plots.plot import LivePlot
from ui.plots.saving import data_text, save_picture
from ui.plots.whole_run import has_ended
from ui.window.dialogs import ask_save
from workbench.base import InputError, write_atomic


class PlotMenu(QObject):
    """Opens for one plot at a time; `said` gives a message with its level after saving."""

    said = Signal(str, str)
    steps_wanted = Signal(str, float)
    """Run and time whose steps are asked for."""
    engines_chosen = Signal(str)
    """The chosen display of several engines: a thin line for each, or all together."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._parent = parent
        self.folder = Path.home()
        self.engine_plots: EnginePlots = "lines"

    def open(self, plot: LivePlot, run: RunView | None, where: QPoint) -> QMenu:
        """Show the menu at a position of the screen."""
        menu = QMenu(self._parent)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self.tr("Follow the run"), plot.follow_asked.emit)
        at = plot.pointed_at
        steps = menu.addAction(self.tr("Show the steps at this time"))
        steps.setEnabled(run is not None and has_ended(run) and not math.isnan(at))
        if run is not None:
            steps.triggered.connect(lambda _checked=False, name=run.name: self.steps_wanted.emit(name, at))
        if plot.small:
            menu.addAction(self.tr("Show it large"), plot.enlarge_asked.emit)
        if run is not None and run.engines and fanned(plot.spec):
            self._add_engines(menu)
        menu.addSeparator()
        stem = f"{_file_stem(run.name if run else '')}-{plot.spec.id}"
        menu.addAction(self.tr("Save picture…"), lambda: self._save_picture(plot, run, stem))
        for text, call in ((self.tr("Save data…"), self._save_data), (self.tr("Copy data"), self._copy)):
            action = menu.addAction(text)
            action.setEnabled(run is not None and len(run.series) > 0)
            action.triggered.connect(lambda _checked=False, act=call: act(plot, run, stem))
        menu.popup(where)
        return menu

    def _add_engines(self, menu: QMenu) -> None:
        """Add the ways to show each engine or replica."""
        menu.addSeparator()
        group = QActionGroup(menu)
        for id_, text in (
            ("off", self.tr("All replicas together")),
            ("lines", self.tr("A thin line for each replica")),
        ):
            action = menu.addAction(text)
            action.setCheckable(True)
            action.setChecked(id_ == self.engine_plots)
            group.addAction(action)
            action.triggered.connect(lambda _checked=False, chosen=id_: self.engines_chosen.emit(chosen))

    def _save_picture(self, plot: LivePlot, run: RunView | None, stem: str) -> None:
        note = self.tr("simulated") if run is not None and run.simulated else ""

        def write(path: Path) -> None:
            self._try(path, lambda: save_picture(plot.item(), path, plot.background(), note))

        kinds = self.tr("Pictures (*.png *.svg)")
        ask_save(self._parent, self.tr("Save picture"), self.folder / f"{stem}.png", kinds, write)

    def _save_data(self, plot: LivePlot, run: RunView, stem: str) -> None:
        text = data_text(run.of_source(plot.spec.source), plot.spec.curves, simulated=run.simulated)

        def write(path: Path) -> None:
            self._try(path, lambda: write_atomic(path, text))

        ask_save(self._parent, self.tr("Save data"), self.folder / f"{stem}.csv", "CSV (*.csv)", write)

    def _copy(self, plot: LivePlot, run: RunView, _stem: str) -> None:
        QApplication.clipboard().setText(_tabbed(plot, run))

    def _try(self, path: Path, act: Callable[[], object]) -> None:
        try:
            act()
        except InputError as error:
            self.said.emit("error", said(error))
        else:
            self.folder = path.parent
            self.said.emit("info", self.tr("Wrote {0}").format(path))


def _tabbed(plot: LivePlot, run: RunView) -> str:
    source = run.of_source(plot.spec.source)
    return data_text(source, plot.spec.curves, "\t", simulated=run.simulated)


def _file_stem(name: str) -> str:
    return (
        "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in name).strip("-") or "run"
    )
