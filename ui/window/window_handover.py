"""The content that one window hands to the next when the language changes."""

from dataclasses import dataclass

from ui.experiment.editor import Document
from ui.live import LiveState, LogLine
from ui.window import arrangements
from ui.window.main_window import MainWindow


@dataclass(frozen=True)
class WindowContent:
    """Content that is neither in the settings nor in the layout file."""

    document: Document
    """The experiment with its history of changes."""
    state: LiveState
    """The plan or bench file that is shown."""
    chosen: str | None
    """Run whose plots are shown."""
    unfolded: tuple[bool, ...]
    """Open sections of the experiment panel."""
    chart: bool
    scale: float
    """Scale of the letters."""
    log: tuple[LogLine, ...]
    page: str | None
    """Page of the manual, if it is open."""


def capture(window: MainWindow) -> WindowContent:
    """Return the window's content; end a running demo."""
    window.demos.end()
    state = window.runs.state
    reader = window.help_commands.reader
    return WindowContent(
        document=window.editor.document(),
        state=state,
        chosen=None if state.phase == "empty" else window.plots.chosen,
        unfolded=tuple(section.header.isChecked() for section, _, _ in window.experiment.sections),
        chart=window.actions_["view.chart"].isChecked(),
        scale=arrangements.scale_of(window),
        log=tuple(window.log.model.kept()),
        page=reader.page if reader is not None and reader.isVisible() else None,
    )


def restore(window: MainWindow, carried: WindowContent) -> None:
    """Show the content of `capture` in a new window."""
    window.editor.continue_with(carried.document)
    window.runs.show_bench(carried.state)
    if carried.chosen in carried.state.runs:
        window.scorecard.run_chosen.emit(carried.chosen)
    for (section, _, _), on in zip(window.experiment.sections, carried.unfolded, strict=True):
        section.header.setChecked(on)
    window.actions_["view.chart"].setChecked(carried.chart)
    if carried.scale != 1.0:
        arrangements.scale(window, carried.scale)
    window.log.add(list(carried.log))
    if carried.page is not None:
        window.help_commands.read(carried.page)
