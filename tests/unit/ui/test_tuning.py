"""Tune for me: the button starts one plan after the other, and each step joins the session."""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from tests.unit.experiments.test_tuning import SLOTS, Scripted
from tests.unit.ui.children import get_child
from ui.conductor.conductor_client import ConductorClient, Ended
from ui.experiment import Draft
from ui.files.folders import ProfileFolders
from ui.files.settings import SettingsFile
from ui.forms import DecimalField
from ui.look.theme import Theme
from ui.session import SessionPanel
from ui.tuning.tune_dialog import TuneDialog
from ui.tuning.tuned_plan import TunedPlan
from ui.window.main_window import MainWindow
from workbench.experiments import (
    Event,
    Experiment,
    ExperimentFinished,
    ExperimentStarted,
    RunFinished,
    RunStarted,
    make_plan,
)
from workbench.experiments.session import TuneEnd
from workbench.results import BenchFile


class ScriptedClient(ConductorClient):
    """Measures a plan in no time on a server whose figures follow from its sequence slots."""

    def __init__(self) -> None:
        super().__init__()
        self.server = Scripted(SLOTS)
        self._items: list[Event | Ended] = []
        self.held = False
        """Keep the plans running."""
        self.drifts = False
        """Halve the server's speed after the first plan."""
        self.commands: list[str] = []

    @property
    def running(self) -> bool:
        return bool(self._items)

    def start(self, arguments: Sequence[str], *, error_file: Path) -> None:
        at = arguments.index("--bench")
        experiments = [Experiment.load_file(Path(text)) for text in arguments[1:at]]
        path = Path(arguments[at + 1])
        if self.drifts and len(self.server.steps) == 1:
            self.server.accepted = {slots: 0.5 * rate for slots, rate in self.server.accepted.items()}
        status = self.server.measure(experiments, path)
        self._items = [*events(experiments, path, status), Ended(0, ())]

    def drain(self, most: int = 2000) -> list[Event | Ended]:
        if self.held:
            return []
        taken, self._items = self._items, []
        return taken

    def end_as(self, status: str) -> None:
        """Let the held plan end with this status."""
        finished = self._items[-2]
        assert isinstance(finished, ExperimentFinished)
        self._items[-2] = msgspec.structs.replace(finished, status=status)
        self.held = False

    def send(self, command: str, **_fields: object) -> bool:
        self.commands.append(command)
        return True


def events(experiments: Sequence[Experiment], path: Path, status: str) -> Iterator[Event]:
    plan = make_plan(experiments)
    yield ExperimentStarted(
        name="tuning", bench=str(path), plan=plan.planned_runs(), simulated=True, profile=None, target="t",
        trace="t", trace_sha256="t", objectives={}, limits={},
    )  # fmt: skip
    with BenchFile.open(path) as bench:
        for index, run in enumerate(bench.runs(), start=1):
            yield RunStarted(
                run=run.name, index=index, of=len(plan.runs), experiment=experiments[0].name,
                control=run.control, value=run.value, rate=run.rate, duration_s=12.0, requests=360,
                simulated=True, limits=dict(run.config),
            )  # fmt: skip
            yield RunFinished(run=run.name, status="done", row={"run": run.name, "valid": True})
    yield ExperimentFinished(status=status, bench=str(path), csv=None, report=[])


@pytest.fixture
def client() -> ScriptedClient:
    return ScriptedClient()


@pytest.fixture
def window(qtbot: QtBot, theme: Theme, folders: ProfileFolders, client: ScriptedClient) -> MainWindow:
    window = MainWindow(folders, SettingsFile(folders.config / "settings.json"), theme, client)

    def release(window: MainWindow) -> None:
        client.held = False
        window.closing.may_close = True

    qtbot.addWidget(window, before_close_func=release)
    window.editor.begin(
        Draft(
            name="Bad start",
            baseline={"max_num_seqs": 2, "max_num_batched_tokens": 64},
            rates=(30.0,),
            duration_s=12.0,
            objectives={},
        )
    )
    window.resize(1366, 768)
    window.show()
    qtbot.waitExposed(window)
    return window


def session(window: MainWindow) -> SessionPanel:
    room = window.docks["session"].widget()
    assert isinstance(room, SessionPanel)
    return room


def begin(window: MainWindow, qtbot: QtBot, minutes: float = 60) -> None:
    qtbot.mouseClick(window.start_page.tune, Qt.MouseButton.LeftButton)
    dialog = window.findChild(TuneDialog)
    assert dialog is not None
    get_child(dialog, DecimalField, "minutes").setValue(minutes)
    qtbot.mouseClick(get_child(dialog, QPushButton, "start"), Qt.MouseButton.LeftButton)


def test_tune_for_me_measures_step_after_step_and_puts_the_result_into_the_form(
    window: MainWindow, qtbot: QtBot, client: ScriptedClient
) -> None:
    begin(window, qtbot)
    assert not window.actions_["run.start"].isEnabled()
    qtbot.waitUntil(lambda: not window.tune_commands.tuning)
    steps = session(window).history.session.steps
    assert len(steps) == len(client.server.steps) > 1
    assert steps[0].experiment.tested.name == "max_num_seqs"
    assert [step.parent for step in steps] == [None, *(step.id for step in steps[:-1])]
    assert all(Path(step.bench or "").is_file() and step.note and step.chosen for step in steps)
    assert window.editor.draft.baseline["max_num_seqs"] == 16
    assert window.actions_["run.start"].isEnabled()
    window.editor.undo()
    assert window.editor.draft.baseline["max_num_seqs"] == 2
    session(window).undo()
    undone = session(window).history.session.steps
    assert undone == steps[:-1]


def test_a_surprise_waits_for_an_answer(window: MainWindow, qtbot: QtBot, client: ScriptedClient) -> None:
    client.drifts = True
    begin(window, qtbot)
    qtbot.waitUntil(lambda: window.tune_commands.paused)
    room = session(window)
    assert len(room.history.session.steps) == 2
    before = room.history.session.steps[-1].note
    assert not window.actions_["run.start"].isEnabled()
    window.tune_commands.go_on()
    qtbot.waitUntil(lambda: not window.tune_commands.tuning)
    assert room.history.session.steps[1].note != before
    assert window.editor.draft.baseline["max_num_seqs"] == 16


def test_stop_ends_the_tuning_with_the_present_step(
    window: MainWindow, qtbot: QtBot, client: ScriptedClient
) -> None:
    client.held = True
    begin(window, qtbot)
    get_child(session(window), QPushButton, "stop_tuning").click()
    assert client.commands == ["stop"]
    client.end_as("stopped")
    qtbot.waitUntil(lambda: not window.tune_commands.tuning)
    assert len(session(window).history.session.steps) == 1
    assert window.editor.draft.baseline["max_num_seqs"] == 2


def test_stop_between_steps_keeps_the_measured_step(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered, may_end, finish = threading.Event(), threading.Event(), TunedPlan.finish

    def slow(plan: TunedPlan, experiments: Sequence[Experiment], bench: Path, status: str) -> TuneEnd | None:
        entered.set()
        may_end.wait()
        return finish(plan, experiments, bench, status)

    monkeypatch.setattr(TunedPlan, "finish", slow)
    begin(window, qtbot)
    try:
        qtbot.waitUntil(entered.is_set)
        get_child(session(window), QPushButton, "stop_tuning").click()
        assert window.tune_commands.tuning, "the step is taken over first"
    finally:
        may_end.set()
    qtbot.waitUntil(lambda: not window.tune_commands.tuning)
    steps = session(window).history.session.steps
    assert len(steps) == 1
    assert steps[0].note
    assert window.editor.draft.baseline["max_num_seqs"] > 2, "what the step found is in the form"
