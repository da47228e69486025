"""A window whose theme is switched draws every text in the ink of a window that starts with that theme."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QImage, QRegion
from PySide6.QtWidgets import QApplication, QWidget

_ALIKE = 40
"""Difference of two inks, 0 to 255, that smoothed letters may have."""


def ink_of(part):
    """Return the brightness of the pixel that differs most from the widget's commonest one."""
    image = QImage(part.size(), QImage.Format.Format_Grayscale8)
    image.fill(0)
    # A view's own `render` draws its scene.
    QWidget.render(part, image, QPoint(), QRegion(), QWidget.RenderFlag.DrawWindowBackground)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    drawn = rows[:, : image.width()].astype(int)
    paper = np.bincount(drawn.ravel()).argmax()
    return int(drawn.ravel()[np.abs(drawn - paper).argmax()])


def inks(window):
    """Return the ink of all that the window shows, by the place in the window."""
    found = {}
    around = [("bar", window.verdict), ("line", window.run_bar), ("page", window.start_page)]
    window.centre.setCurrentWidget(window.plots)
    for name, dock in [*around, ("plots", window.plots), *window.docks.items()]:
        dock.raise_()
        for at, each in enumerate([dock, *dock.findChildren(QWidget)]):
            if each.isVisibleTo(window) and each.width() > 0 and each.height() > 0:
                found[name, at, type(each).__name__] = ink_of(each)
    return found


@pytest.mark.parametrize(
    ("first", "then"), [("light", "dark"), pytest.param("dark", "light", marks=pytest.mark.slow)]
)
def test_that_a_switched_window_has_the_inks_of_a_fresh_one(make_window, theme, first, then):
    theme.pin(first)
    switched = make_window()
    theme.pin(then)
    QApplication.processEvents()
    expected, seen = inks(make_window()), inks(switched)
    assert len(seen) > 200
    pairs = {where: (ink, expected[where]) for where, ink in seen.items()}
    wrong = {where: pair for where, pair in pairs.items() if abs(pair[0] - pair[1]) > _ALIKE}
    assert wrong == {}
