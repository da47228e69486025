"""The copies of experiment files beside the results keep no secret once the conductor has read them."""

import stat
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from ui.conductor.conductor_client import ConductorClient, Ended
from ui.conductor.frame_clock import FrameClock
from ui.conductor.run_controller import RunController
from workbench.base import MASK
from workbench.experiments import Event, ExperimentStarted

TEXT = """# the password is c-comment
name = "e"
[target]
kind = "local"
model = "m"
args = ["--hf-token", "c-flag", "--seed", "7"]
[target.env]
MY_KEY = "c-env"
[load]
rates = [12.0]
"""
STARTED = ExperimentStarted(
    name="e", bench="b.bench", plan=[], simulated=False, profile=None, target="local vLLM, m", trace="t",
    trace_sha256="a", objectives={}, limits={},
)  # fmt: skip


class Client(ConductorClient):
    """Starts nothing and says what it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[Event | Ended] = []

    def start(self, arguments: Sequence[str], *, error_file: Path) -> None:
        self.arguments = arguments

    def drain(self, most: int = 2000) -> list[Event | Ended]:
        said, self.said = self.said, []
        return said


@pytest.mark.parametrize("refused", [False, True])
def test_that_a_copy_is_whole_and_private_until_it_is_read_and_holds_no_secret_then(
    qtbot: QtBot, tmp_path: Path, refused: bool
) -> None:
    clock, client = FrameClock(), Client()
    controller = RunController(tmp_path, clock, client)
    controller.start("e", [("experiment.toml", TEXT), ("plain.toml", 'name = "plain"\n')])
    clock.stop()
    copy = Path(client.arguments[1])
    assert copy.read_text() == TEXT
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    client.said = [Ended(2, ())] if refused else [STARTED]
    clock.tick.emit()
    kept = copy.read_text()
    assert "c-" not in kept
    assert tomllib.loads(kept)["target"]["args"] == ["--hf-token", MASK, "--seed", "7"]
    assert tomllib.loads(kept)["load"] == {"rates": [12.0]}
    assert (copy.parent / "plain.toml").read_text() == 'name = "plain"\n'
    clock.deleteLater()
