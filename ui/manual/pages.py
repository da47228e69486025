"""The manual's pages and their folder, in the wheel or beside the sources. No widgets."""

import re
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QT_TRANSLATE_NOOP

from workbench.base import WorkFailure

PACKED = Path(__file__).parents[1] / "_docs"
"""The folder in a wheel: see `force-include` in pyproject.toml."""
_SOURCES = Path(__file__).parents[2] / "docs"


def _n(text: str) -> str:
    """Mark `text` for translation in the context manual."""
    return str(QT_TRANSLATE_NOOP("manual", text))


@dataclass(frozen=True)
class Page:
    """One page."""

    file: str
    title: str
    """Untranslated."""


PAGES = (
    Page("index.md", _n("Start here")),
    Page("tutorial.md", _n("Your first session")),
    Page("how-to/own-server.md", _n("Tune your own server")),
    Page("how-to/watch-server.md", _n("See what limits a server now")),
    Page("how-to/over-ssh.md", _n("Measure over SSH")),
    Page("how-to/beyond-one-machine.md", _n("Measure beyond one machine")),
    Page("how-to/own-logs.md", _n("Replay your own requests")),
    Page("how-to/find-capacity.md", _n("Find the capacity")),
    Page("how-to/best-value.md", _n("Find the best value")),
    Page("how-to/slow-request.md", _n("Explain a slow request")),
    Page("how-to/compare-gpus.md", _n("Compare GPUs and prices")),
    Page("how-to/vendor-pack.md", _n("Hand over evidence")),
    Page("how-to/vendor-run.md", _n("Have a vendor measure")),
    Page("how-to/install.md", _n("Install")),
    Page("how-to/live-demo.md", _n("Demonstrate the scheduler")),
    Page("how-to/invalid-run.md", _n("Repair an invalid run")),
    Page("reference/window.md", _n("The window")),
    Page("reference/experiment-file.md", _n("The experiment file")),
    Page("reference/commands.md", _n("Commands")),
    Page("reference/scorecard.md", _n("The scorecard")),
    Page("reference/diagnosis.md", _n("Diagnosis rules")),
    Page("reference/traces.md", _n("Traces")),
    Page("reference/servers.md", _n("Servers")),
    Page("reference/embedded-engine.md", _n("The embedded engine")),
    Page("reference/bench-file.md", _n("The bench file")),
    Page("reference/events.md", _n("Events")),
    Page("reference/vllm-versions.md", _n("vLLM versions")),
    Page("explanation/figures.md", _n("How figures are defined")),
    Page("explanation/why-figures-differ.md", _n("Why tools differ")),
    Page("explanation/scheduling-step.md", _n("One scheduling step")),
    Page("explanation/memory-sizing.md", _n("Memory sizing")),
    Page("explanation/predictions.md", _n("Predictions from your own runs")),
    Page("explanation/architecture.md", _n("Architecture and decisions")),
)
"""In reading order: tutorial, how-to guides, reference, explanation."""


def manual_folder() -> Path:
    """Return the folder of the pages.

    Raises:
        WorkFailure: the installation lacks them.
    """
    for folder in (PACKED, _SOURCES):
        if (folder / PAGES[0].file).is_file():
            return folder
    raise WorkFailure("ui.no_manual")


def in_language(folder: Path, file: str, language: str) -> str:
    """Return a page's file in this language, such as `window.zh_CN.md`, else the English one."""
    translated = Path(file).with_suffix(f".{language}.md").as_posix()
    return translated if (folder / translated).is_file() else file


def page_of(file: str) -> str:
    """Return the name in `PAGES` for a file in any language: `window.zh_CN.md` is `window.md`."""
    stem, _, _ = file.partition(".")
    return f"{stem}.md"


def slug(heading: str) -> str:
    """Return the link target of a heading: `#as-deployed-or-pinned`."""
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", heading.strip().lower()))
