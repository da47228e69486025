"""The menu of plots; the choice is kept in the settings."""

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from ui.files.settings import SettingsFile
from ui.plots.specs import FIRST_SHOWN, PLOTS, translated


class PlotChoice:
    """Checkable actions, one for each plot; the last shown plot can't be hidden."""

    def __init__(self, menu: QMenu, settings: SettingsFile) -> None:
        self._settings = settings
        self.actions: dict[str, QAction] = {}
        shown = self.shown()
        for spec in PLOTS:
            action = menu.addAction(f"{translated(spec.title)} ({translated(spec.unit)})")
            action.setCheckable(True)
            action.setChecked(spec.id in shown)
            action.setStatusTip(translated(spec.meaning))
            self.actions[spec.id] = action
        menu.addSeparator()
        self.all = menu.addAction(menu.tr("All plots"))
        self.first = menu.addAction(menu.tr("The usual ones"))
        self.by_question = menu.addAction(menu.tr("The plan's question chooses the main plot"))
        self.by_question.setCheckable(True)
        self.by_question.setChecked(not self.main)

    def shown(self) -> tuple[str, ...]:
        """Return ids of the plots to show; unknown ids of other versions are left out."""
        known = {spec.id for spec in PLOTS}
        return tuple(id_ for id_ in self._settings.value.plots if id_ in known) or FIRST_SHOWN

    @property
    def main(self) -> str:
        """The main plot that the user chose; "" for the one that fits the plan's question."""
        return self._settings.value.main_plot

    def keep_main(self, id_: str) -> None:
        """Keep the main plot for the next start."""
        self._settings.change(main_plot=id_)
        self.by_question.setChecked(not id_)

    def choose(self, ids: tuple[str, ...]) -> tuple[str, ...]:
        """Show and keep these plots, unless there are none; return the shown ids."""
        if ids:
            self._settings.change(plots=ids)
        for id_, action in self.actions.items():
            action.setChecked(id_ in self.shown())
        return self.shown()

    def checked(self) -> tuple[str, ...]:
        """Return the checked ids."""
        return tuple(id_ for id_, action in self.actions.items() if action.isChecked())
