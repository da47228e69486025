"""The manual inside the window: pages of `docs`, read without a network."""

from ui.manual.pages import PAGES, Page, manual_folder
from ui.manual.reader import ManualReader

__all__ = ["PAGES", "ManualReader", "Page", "manual_folder"]
