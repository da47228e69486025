"""Sliders for the limits that a running server can change without a restart."""

from ui.live_strip.widget import LiveStrip

__all__ = ["LiveStrip"]
