"""Colors with a meaning, for light and dark, following the system.

The hues are Okabe and Ito's, which color-blind people can tell apart. A hue without enough contrast on the
background (orange on white: 2.2 : 1) changes its lightness until it has it.
"""

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from ui.files.settings import Appearance
from ui.look.tokens import BASELINE_SHARE, CLASS_HUES, HUES, MARK_CONTRAST, TEXT_CONTRAST


def luminance(colour: QColor) -> float:
    """Return the relative luminance by WCAG 2, 0 to 1."""

    def linear(channel: float) -> float:
        return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4

    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF())


def contrast(one: QColor, other: QColor) -> float:
    """Return the contrast ratio by WCAG 2, 1 to 21."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def readable(colour: QColor, background: QColor, ratio: float) -> QColor:
    """Return `colour`, with its lightness changed as little as needed for `ratio` on `background`."""
    towards = QColor("white") if luminance(background) < 0.18 else QColor("black")
    for step in range(101):
        moved = blend(towards, colour, step / 100)
        if contrast(moved, background) >= ratio:
            return moved
    return towards


def blend(over: QColor, under: QColor, share: float) -> QColor:
    """Return `share` of `over` on `under`, opaque."""
    return QColor.fromRgbF(
        over.redF() * share + under.redF() * (1 - share),
        over.greenF() * share + under.greenF() * (1 - share),
        over.blueF() * share + under.blueF() * (1 - share),
    )


class Theme(QObject):
    """The present colors; `changed` when the system or the user switches."""

    changed = Signal()

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self._application = application
        self._cache: dict[tuple[str, float], QColor] = {}
        self._seen = application.palette().cacheKey()

    def refresh(self) -> None:
        """Check the palette for a change; windows call this from their `changeEvent`.

        An event filter on the application would see every event of every object.
        """
        if self._application.palette().cacheKey() != self._seen:
            self._seen = self._application.palette().cacheKey()
            self._cache.clear()
            self.changed.emit()

    def pin(self, appearance: Appearance) -> None:
        """Follow the system, or stay light or dark."""
        scheme = {
            "system": Qt.ColorScheme.Unknown,
            "light": Qt.ColorScheme.Light,
            "dark": Qt.ColorScheme.Dark,
        }[appearance]
        hints = QGuiApplication.styleHints()
        hints.setColorScheme(scheme)
        if appearance == "dark" and not self.dark:
            # A platform without color schemes (offscreen, plain X11) ignores the request.
            self._application.setPalette(dark_palette())
        elif appearance != "dark" and hints.colorScheme() == Qt.ColorScheme.Unknown:
            self._application.setPalette(QPalette())
        self.refresh()

    @property
    def dark(self) -> bool:
        """True if the background is darker than the text."""
        return luminance(self.background) < luminance(self.text)

    @property
    def background(self) -> QColor:
        """Color behind plots and tables."""
        return self._application.palette().color(QPalette.ColorRole.Base)

    @property
    def text(self) -> QColor:
        """Color of body text."""
        return self._application.palette().color(QPalette.ColorRole.Text)

    @property
    def secondary(self) -> QColor:
        """Color of less important text."""
        return readable(blend(self.text, self.background, 0.62), self.background, TEXT_CONTRAST)

    @property
    def baseline(self) -> QColor:
        """Gray of the baseline's curves, marks and rows."""
        return blend(self.text, self.background, BASELINE_SHARE)

    @property
    def grid(self) -> QColor:
        """Color of grid lines."""
        return blend(self.text, self.background, 0.10)

    @property
    def axis(self) -> QColor:
        """Color of axis lines."""
        return blend(self.text, self.background, 0.25)

    def mark(self, meaning: str) -> QColor:
        """Return the color of curves, bars and symbols of this meaning (a key of `HUES`)."""
        return self._reaching(meaning, MARK_CONTRAST)

    def pale_class(self, place: int, share: float) -> QColor:
        """Return a pale tone of a class's color, for areas: brighter than one of the darkened mark."""
        return blend(QColor(HUES[CLASS_HUES[place % len(CLASS_HUES)]]), self.background, share)

    def of_class(self, place: int) -> QColor:
        """Return the color of a class of requests by its place among the names."""
        return self.mark(CLASS_HUES[place % len(CLASS_HUES)])

    def ink(self, meaning: str) -> QColor:
        """Return the color of text of this meaning."""
        return self._reaching(meaning, TEXT_CONTRAST)

    def _reaching(self, meaning: str, ratio: float) -> QColor:
        key = (meaning, ratio)
        if key not in self._cache:
            self._cache[key] = readable(QColor(HUES[meaning]), self.background, ratio)
        return self._cache[key]


def dark_palette() -> QPalette:
    """Return Fusion's dark palette, for platforms without one."""
    palette = QPalette()
    roles = QPalette.ColorRole
    for role, colour in {
        roles.Window: "#2b2b2d",
        roles.WindowText: "#f0f0f0",
        roles.Base: "#1e1e20",
        roles.AlternateBase: "#262628",
        roles.ToolTipBase: "#3a3a3c",
        roles.ToolTipText: "#f0f0f0",
        roles.Text: "#f0f0f0",
        roles.PlaceholderText: "#9a9a9c",
        roles.Button: "#38383a",
        roles.ButtonText: "#f0f0f0",
        roles.BrightText: "#ffffff",
        roles.Light: "#4a4a4c",
        roles.Midlight: "#404042",
        roles.Mid: "#2a2a2c",
        roles.Dark: "#1a1a1c",
        roles.Shadow: "#000000",
        roles.Highlight: "#2f6ea8",
        roles.HighlightedText: "#ffffff",
        roles.Link: "#6cb2f0",
        roles.Accent: "#2f6ea8",
    }.items():
        palette.setColor(role, QColor(colour))
    for role in (roles.WindowText, roles.Text, roles.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor("#8a8a8c"))
    palette.setColor(QPalette.ColorGroup.Disabled, roles.Highlight, QColor("#48484a"))
    return palette
