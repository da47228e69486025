"""Keyboard focus from panel to panel: the visible docks and the center, in reading order."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from ui.window.window_parts import WindowParts


def focus_panel(window: WindowParts, steps: int) -> None:
    """Focus the panel `steps` further on; skip panels without a focusable widget."""
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
    """Return the visible panels from left to right, then the bottom ones; of tabs the front one."""
    seen = {name: dock.widget() for name, dock in window.docks.items() if not dock.visibleRegion().isEmpty()}
    left = [seen.pop("experiment")] if "experiment" in seen else []
    return [*left, window.centre, *seen.values()]


def first_focusable(pane: QWidget) -> QWidget | None:
    """Return the first widget that Tab would reach in the panel."""
    part = pane.nextInFocusChain()
    while part is not None and part is not pane:
        able = part.isVisible() and part.isEnabled() and part.focusPolicy() & Qt.FocusPolicy.TabFocus
        if able and pane.isAncestorOf(part):
            return part
        part = part.nextInFocusChain()
    return None
