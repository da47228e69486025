"""One window that is driven and pictured, without a screen."""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication, QWidget

from ui.app import make_application, make_window
from ui.files.folders import ProfileFolders
from ui.files.settings import SettingsFile
from ui.window.main_window import MainWindow

SIZE = (1366, 768)
SETTLE_S = 0.6
COLOUR_BITS = 5
PLAN_WITHIN_S = 600


class Photographer:
    """Drives one window and takes its pictures."""

    only: frozenset[str] | None = None
    """Names of the files that are wanted; None: all."""
    language = "en"

    def __init__(self, folder: Path, profile: Path, language: str | None = None) -> None:
        language = language or self.language
        self._folder = folder
        self._application = make_application(sys.argv[:1])
        folders = ProfileFolders.under(profile)
        folders.prepare()
        SettingsFile(folders.config / "settings.json").change(language=language)
        self.window: MainWindow = make_window(self._application, folders)
        self.window.resize(*SIZE)
        self.window.show()
        self.settle()

    def settle(self, seconds: float = SETTLE_S) -> None:
        """Let the window live for a while."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            QApplication.processEvents()
            time.sleep(0.005)

    def wait(self, until: Callable[[], bool]) -> None:
        """Let it live until something holds."""
        deadline = time.monotonic() + PLAN_WITHIN_S
        while not until():
            if time.monotonic() > deadline:
                raise SystemExit(f"still {self.window.runs.state.phase} after {PLAN_WITHIN_S} s")
            self.settle(0.05)

    def take(self, name: str, appearance: str = "light", of: QWidget | None = None) -> None:
        """Write `window-<name>-<appearance>.png`, of a dialog where one is given."""
        path = self._folder / f"window-{name}-{appearance}.png"
        if self.only is not None and path.name not in self.only:
            return
        self.window.theme.pin("dark" if appearance == "dark" else "light")
        self.settle()
        if self.window.centre.currentWidget() is not self.window.start_page:
            self.window.plots.draw_all()
        save_small((of or self.window).grab().toImage(), path)
        print(path)

    def both(self, name: str, of: QWidget | None = None) -> None:
        """In light and in dark."""
        self.take(name, "light", of)
        self.take(name, "dark", of)

    def close(self) -> None:
        """End whatever runs, and the window."""
        self.window.runs.client.end()
        self.window.closing.may_close = True
        self.window.close()


def save_small(picture: QImage, path: Path) -> None:
    """As PNG of 256 colours: a third of the bytes, and nothing that a reader of the manual would miss.

    Colours are first rounded to `COLOUR_BITS` a channel, so that the many greys of smoothed letters don't
    crowd out the hues of thin curves.
    """
    image = picture.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)
    step = 255 / (2**COLOUR_BITS - 1)
    rounded = np.ascontiguousarray((np.round(pixels / step) * step).round().astype(np.uint8))
    rounded[..., 3] = 255
    colours, counts = np.unique(rounded.view(np.uint32), return_counts=True)
    table = [int(colour) for colour in colours[np.argsort(counts)[::-1][:256]]]
    size = image.width(), image.height(), image.bytesPerLine()
    flags = Qt.ImageConversionFlag.AvoidDither | Qt.ImageConversionFlag.ThresholdDither
    coarse = QImage(rounded.data, *size, QImage.Format.Format_RGB32)
    small = coarse.convertToFormat(QImage.Format.Format_Indexed8, table, flags)
    if not small.save(str(path), quality=0):
        raise SystemExit(f"{path}: can't be written")


def contact_sheet(pictures: list[Path], path: Path, across: int = 4) -> None:
    """Put all pictures on one, each a quarter as large: as the last row of an audience sees them."""
    width, line, gap = SIZE[0] // 4, 16, 8
    smooth = Qt.TransformationMode.SmoothTransformation
    small = [QImage(str(each)).scaledToWidth(width, smooth) for each in pictures]
    height = max(each.height() for each in small) + line + gap
    sheet = QImage(across * (width + gap), -(-len(small) // across) * height, QImage.Format.Format_RGB32)
    sheet.fill(Qt.GlobalColor.lightGray)
    painter = QPainter(sheet)
    for place, (name, picture) in enumerate(zip(pictures, small, strict=True)):
        left, top = place % across * (width + gap), place // across * height
        painter.drawText(left + 2, top + line - 3, name.stem)
        painter.drawImage(left, top + line, picture)
    painter.end()
    path.parent.mkdir(parents=True, exist_ok=True)
    if not sheet.save(str(path)):
        raise SystemExit(f"{path}: can't be written")
