"""The window on a real vLLM: what its sliders change."""

from typing import Any

import psutil
import pytest

from tests.vllm.conftest import give_way, local_spec
from tests.window_driver import MINUTE, hold_back_and_release, open_window
from ui.files.folders import ProfileFolders


@pytest.mark.vllm
@pytest.mark.qt_log_ignore("This plugin does not support")
def test_that_a_slider_holds_a_real_vllm_back_and_lets_it_go_without_a_restart(
    qtbot: Any, qapp: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = local_spec()
    for name, value in spec.env.items():
        monkeypatch.setenv(name, value)
    window = open_window(qtbot, ProfileFolders.under(tmp_path / "profile"))
    window.editor.edit(
        "under load", target_kind="local", model=spec.model, executable=spec.executable,
        args=" ".join(spec.args), live_limits=True, values=(32,), loop="closed", concurrency=(12,),
        bound="duration", duration_s=240.0, input_tokens=50, output_tokens=100,
    )  # fmt: skip
    window.commands.run_plan()
    qtbot.waitUntil(lambda: window.runs.state.server == "ready", timeout=4 * MINUTE)
    served = [
        child for child in psutil.Process().children(recursive=True) if "vllm" in " ".join(child.cmdline())
    ]
    assert served
    give_way(served[0].pid)
    hold_back_and_release(window, qtbot, least=3, most=16)
    assert {child.pid for child in served} & {
        child.pid for child in psutil.Process().children(recursive=True)
    }, "restarted"
    window.runs.stop()
    qtbot.waitUntil(lambda: not window.runs.running, timeout=2 * MINUTE)
