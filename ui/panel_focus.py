"""The keyboard goes from panel to panel: the docks in sight and the middle, as one reads them."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from ui.window_parts import WindowParts


def focus_panel(window: WindowParts, steps: int) -> None:
    """Give the keyboard to the panel so many steps on; one that has no use for it is passed."""
    panes = visible_panels(window)
    held = QApplication.focusWidget()
    present = next((at for at, pane in enumerate(panes) if held and pane.isAncestorOf(held)), -1)
    if present < 0 and steps < 0:
        present = 0
    for step in range(1, len(panes) + 1):
        first = first_focusable(panes[(present + step * steps) % len(panes)])
        if first is not None:
            first.setFocus(Qt.FocusReason.ShortcutFocusReason)
            return


def visible_panels(window: WindowParts) -> list[QWidget]:
    """From left to right, then the bottom; of tabs the one in front."""
    seen = {name: dock.widget() for name, dock in window.docks.items() if not dock.visibleRegion().isEmpty()}
    left = [seen.pop("experiment")] if "experiment" in seen else []
    return [*left, window.centre, *seen.values()]


def first_focusable(pane: QWidget) -> QWidget | None:
    """What Tab would reach first in it."""
    part = pane.nextInFocusChain()
    while part is not None and part is not pane:
        able = part.isVisible() and part.isEnabled() and part.focusPolicy() & Qt.FocusPolicy.TabFocus
        if able and pane.isAncestorOf(part):
            return part
        part = part.nextInFocusChain()
    return None
