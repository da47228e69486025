"""Which pages the manual has, and where they lie: in the wheel, or beside the sources. No widgets here."""

import re
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QT_TRANSLATE_NOOP

from workbench.base import WorkFailure

PACKED = Path(__file__).parents[1] / "_docs"
"""Where a wheel has them: see `force-include` in pyproject.toml."""
_SOURCES = Path(__file__).parents[2] / "docs"


def _n(text: str) -> str:
    """Marks `text` for translation in the context of manual."""
    return str(QT_TRANSLATE_NOOP("manual", text))


@dataclass(frozen=True)
class Page:
    """One page."""

    file: str
    title: str
    """Untranslated."""


PAGES = (
    Page("user-guide.md", _n("User guide")),
    Page("definitions.md", _n("What the figures mean")),
    Page("scorecard.md", _n("The scorecard")),
    Page("diagnosis.md", _n("Which limit binds")),
    Page("why-figures-differ.md", _n("Why tools differ")),
    Page("workloads.md", _n("Workloads")),
    Page("servers.md", _n("Servers")),
    Page("sizing.md", _n("Sizing")),
    Page("scheduling-step.md", _n("One scheduling step")),
    Page("served-engine.md", _n("The embedded engine")),
    Page("reference/vllm-versions.md", _n("vLLM versions")),
    Page("events.md", _n("Events")),
    Page("architecture.md", _n("How it is built")),
)
"""In the order that one reads them."""


def manual_folder() -> Path:
    """Where the pages lie.

    Raises:
        WorkFailure: the installation lacks them.
    """
    for folder in (PACKED, _SOURCES):
        if (folder / PAGES[0].file).is_file():
            return folder
    raise WorkFailure("ui.no_manual")


def in_language(folder: Path, file: str, language: str) -> str:
    """A page's file in this language, as `user-guide.zh_CN.md`; in English where the manual lacks it."""
    translated = Path(file).with_suffix(f".{language}.md").as_posix()
    return translated if (folder / translated).is_file() else file


def page_of(file: str) -> str:
    """As `PAGES` names the page that a file is in whatever language: `user-guide.zh_CN.md` is the guide."""
    stem, _, _ = file.partition(".")
    return f"{stem}.md"


def slug(heading: str) -> str:
    """What a link calls a heading: `#as-deployed-or-pinned`."""
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", heading.strip().lower()))
