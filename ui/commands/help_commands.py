"""The Help menu: manual, command palette, versions."""

import platform
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, qVersion
from PySide6.QtWidgets import QApplication, QMessageBox

from ui.window.palette import CommandPalette
from ui.window.window_parts import WindowParts
from workbench import __version__
from workbench.base import WorkbenchError

if TYPE_CHECKING:
    from ui.manual import ManualReader

_PAGES = {"help.guide": "reference/window.md", "help.figures": "explanation/figures.md"}


class HelpCommands(QObject):
    """Connects the action registry with the manual and the palette."""

    def __init__(self, window: WindowParts) -> None:
        super().__init__(window)
        self._window = window
        self.reader: ManualReader | None = None
        """Made when first opened, then kept with its history."""

    def connect_all(self) -> None:
        """Connect every action."""
        pages = {id_: partial(self.read, file) for id_, file in _PAGES.items()}
        self._window.actions_.connect_all(
            {**pages, "help.palette": self.find_command, "help.about": self.about}
        )

    def read(self, page: str) -> None:
        """Open the manual at a page."""
        from ui.manual import ManualReader, manual_folder  # noqa: PLC0415 - loads when first asked for

        if self.reader is None:
            try:
                folder = manual_folder()
            except WorkbenchError as error:
                self._window.messages.show_message("error", error, key="manual")
                return
            self.reader = ManualReader(self._window, folder, self._window.theme)
        self.reader.show()
        self.reader.open_page(page)
        self.reader.raise_()
        self.reader.activateWindow()

    def find_command(self) -> None:
        """Open the palette."""
        CommandPalette(self._window, self._window.actions_.all()).open()

    def about(self) -> None:
        """Show versions, to be copied into a problem report."""
        box = QMessageBox(self._window)
        box.setWindowTitle(self.tr("About vLLM Workbench"))
        box.setText(self._versions())
        box.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        close = box.addButton(self.tr("Close"), QMessageBox.ButtonRole.RejectRole)
        copy = box.addButton(self.tr("Copy"), QMessageBox.ButtonRole.ActionRole)
        copy.clicked.connect(self._copy_versions)
        box.setDefaultButton(close)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()

    def _copy_versions(self) -> None:
        QApplication.clipboard().setText(self._versions())

    def _versions(self) -> str:
        import pyqtgraph as pg  # noqa: PLC0415 - loaded already; only its version is asked

        return "\n".join(
            (
                f"vLLM Workbench {__version__}",
                f"Python {platform.python_version()}, Qt {qVersion()}, pyqtgraph {pg.__version__}",
                f"{platform.system()} {platform.release()} {platform.machine()}",
                self.tr("Apache-2.0. Qt is used under the LGPL."),
            )
        )
