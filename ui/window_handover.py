"""What one window hands to the next, so that the next is the same but for its language."""

from dataclasses import dataclass

from ui import arrangements
from ui.experiment.editor import Document
from ui.live import LiveState, LogLine
from ui.main_window import MainWindow


@dataclass(frozen=True)
class WindowContent:
    """What isn't in the settings or the layout's file."""

    document: Document
    """The experiment with its history of changes."""
    state: LiveState
    """The plan or bench file that is shown."""
    chosen: str | None
    """Run whose plots are shown."""
    unfolded: tuple[bool, ...]
    """Sections of the experiment's panel."""
    chart: bool
    scale: float
    """Of the letters, as arranged."""
    log: tuple[LogLine, ...]
    page: str | None
    """Of the manual, where it is open."""


def capture(window: MainWindow) -> WindowContent:
    """Take what the window shows; a demo that is told ends."""
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
    """Show in a new window what `capture` returned from the old one."""
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
