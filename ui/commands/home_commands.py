"""Commands of the start page: a server of others, a running plan, a recent file."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from ui.conductor.background import Background
from ui.connect.first_test import host_of
from ui.experiment.draft import Draft
from ui.language.texts import Sayable
from ui.live import RunView
from ui.window.window_parts import WindowParts
from workbench.base import WorkbenchError

if TYPE_CHECKING:
    from workbench.experiments import RunningPlan
    from workbench.servers import EffectiveConfig


_STOP_PATIENCE_S = 600.0
"""A server that is being started may take minutes to end."""


class HomeCommands(QObject):
    """Connects the start page with the window."""

    def __init__(self, window: WindowParts) -> None:
        super().__init__(window)
        self._window = window
        self._background = Background(self)

    def connect_all(self) -> None:
        """Connect the page's buttons and the action of watching."""
        window, page = self._window, self._window.start_page
        window.actions_.connect_all({"run.watch": lambda: self.watch(window.editor.draft)})
        page.open_wanted.connect(window.documents.open)
        page.trace_wanted.connect(window.documents.open_any)
        page.results.chosen.connect(window.documents.bench_chosen)
        page.running.follow_wanted.connect(self.follow)
        page.running.stop_wanted.connect(self.stop)
        page.refresh_wanted.connect(self.refresh)
        page.show_demos([each for each in window.actions_.all() if each.objectName().startswith("demo.")][:5])
        box = page.connect_box
        box.test_wanted.connect(self.test)
        box.edit_wanted.connect(self.edit)
        box.watch_wanted.connect(self.watch)
        box.connected.connect(self._learn)
        window.closed.connect(box.trial.end)

    def refresh(self) -> None:
        """Show what there is now."""
        window = self._window
        window.start_page.show_recent(window.runs.results, window.settings.value.recent)

    def test(self, draft: Draft) -> None:
        """Put a first test into the form and run it."""
        self._window.documents.unless_unsaved(partial(self._test, draft))

    def _test(self, draft: Draft) -> None:
        self._window.editor.begin(draft)
        self._window.actions_["run.start"].trigger()

    def edit(self, draft: Draft) -> None:
        """Put a server's first test into the form."""

        def begin() -> None:
            self._window.editor.begin(draft)
            self._window.docks["experiment"].show()
            self._window.experiment.show_control()

        self._window.documents.unless_unsaved(begin)

    def watch(self, draft: Draft) -> None:
        """Watch the draft's server under its own traffic."""
        window = self._window
        if window.runs.running:
            return
        words = [draft.url]
        for field in ("model", "api_key_env", "ca_file"):
            value = getattr(draft, field)
            words += [f"--{field.replace('_', '-')}", value] if value else []
        try:
            window.runs.watch(self.tr("Watch of {0}").format(host_of(draft.url)), words)
        except WorkbenchError as error:
            window.messages.show_message("error", error, key="run")
        else:
            window.messages.dismiss("run")

    def follow(self, plan: "RunningPlan") -> None:
        """Show a plan of another process, with its runs so far."""

        def begin(before: dict[str, RunView]) -> None:
            if self._window.runs.running:
                return
            try:
                self._window.runs.follow(plan, before)
            except WorkbenchError as error:
                self._window.messages.show_message("error", error, key="run")
                self.refresh()

        self._background.run(lambda: _runs_so_far(Path(plan.bench)), begin, lambda _error: begin({}))

    def stop(self, plan: "RunningPlan") -> None:
        """Stop a plan of another process; its finished runs are kept."""
        messages, name = self._window.messages, Path(plan.bench).stem
        messages.show_message(
            "info", self.tr("Stopping {0}; its finished runs are kept.").format(name), key="stop"
        )

        def done(_none: object) -> None:
            messages.dismiss("stop")
            self.refresh()

        def failed(error: Sayable) -> None:
            messages.show_message("error", error, key="stop")
            self.refresh()

        self._background.run(lambda: _stop(plan), done, failed)

    def _learn(self, url: str, server: "EffectiveConfig") -> None:
        self._window.editor.learn_server(url, dict(server.arguments))


def _runs_so_far(bench: Path) -> dict[str, RunView]:
    from ui.files.bench_reader import read_bench  # noqa: PLC0415 - in a thread, not at the window's start

    return read_bench(bench).runs


def _stop(plan: "RunningPlan") -> None:
    """Stop the plan and wait for its end."""
    from workbench.experiments import lines_of  # noqa: PLC0415 - as above

    for _ in lines_of(plan, "stop", patience_s=_STOP_PATIENCE_S):
        pass
