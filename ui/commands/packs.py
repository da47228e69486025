"""Orders and results of vendors, opened in the window: the experiment, or the results with their verdict."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMessageBox, QWidget

from ui.conductor.background import Background
from ui.language.texts import Sayable, said
from ui.window.message_bar import MessageBar, Remedy

if TYPE_CHECKING:
    from workbench.experiments import OpenedPack, PackVerdict

SUFFIX = ".wbpack"
_KEY = "pack"


class Packs(QObject):
    """Opens packs; the files in them are unpacked below `folder`.

    Args:
        window: the parent of the list of findings.
        bar: takes the verdict.
        folder: the folder of results.
        open_experiment: shows an order's experiment.
        open_bench: shows a result.
    """

    def __init__(
        self,
        window: QWidget,
        bar: MessageBar,
        folder: Path,
        open_experiment: Callable[[Path], object],
        open_bench: Callable[[Path], object],
    ) -> None:
        super().__init__(window)
        self._window, self._bar, self._folder = window, bar, folder
        self._open_experiment, self._open_bench = open_experiment, open_bench
        self._background = Background(self)

    def open(self, path: Path) -> None:
        """Open an order or a result; show a refusal and change nothing."""
        self._bar.show_later(self.tr("Checking {0} …").format(path.name), key=_KEY)
        self._background.run(
            lambda: _opened(path, self._folder / "packs"),
            lambda opened: self._show(path, opened),
            self._refuse,
        )

    def _show(self, path: Path, opened: "OpenedPack") -> None:
        if opened.bench is not None and opened.verdict is not None:
            self._open_bench(opened.bench)
            self._show_verdict(path, opened.verdict)
            return
        self._open_experiment(opened.experiments[0])
        assert opened.order is not None
        terms = opened.order.terms
        text = self.tr("Order {0}: {1} experiments; required: {2}").format(
            terms.id, len(opened.experiments), ", ".join([*terms.require, *terms.evidence])
        )
        self._bar.show_message("info", text, key=_KEY)

    def _show_verdict(self, path: Path, verdict: "PackVerdict") -> None:
        lines = [said(each) for each in (*verdict.findings, *verdict.notes)]
        remedies = (Remedy(self.tr("Show all"), lambda: self._list(path, lines)),) if lines else ()
        if verdict.findings:
            text = self.tr("{0} doesn't hold: {1}").format(path.name, said(verdict.findings[0]))
            self._bar.show_message("error", text, key=_KEY, remedies=remedies)
        else:
            text = self.tr("{0}: everything holds").format(path.name)
            self._bar.show_message("info", text, key=_KEY, remedies=remedies)

    def _list(self, path: Path, lines: list[str]) -> None:
        box = QMessageBox(self._window)
        box.setObjectName("pack findings")
        box.setText(path.name)
        box.setInformativeText("\n\n".join(lines))
        box.open()

    def _refuse(self, error: Sayable) -> None:
        self._bar.show_message("error", error, key=_KEY)


def _opened(path: Path, folder: Path) -> "OpenedPack":
    """Read in the background's thread, where loading the core blocks nothing."""
    from workbench.experiments import open_pack  # noqa: PLC0415 - as said

    return open_pack(path, folder)
