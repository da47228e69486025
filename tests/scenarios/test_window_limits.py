"""The live strip with the real conductor and the embedded engine."""

import pytest

from tests.window_driver import MINUTE, hold_back_and_release, open_window
from ui.files.folders import ProfileFolders

pytestmark = [
    pytest.mark.qt_log_ignore("This plugin does not support"),
]


def test_that_a_slider_holds_the_engines_running_requests_back_and_lets_them_go(qtbot, qapp, tmp_path):
    window = open_window(qtbot, ProfileFolders.under(tmp_path / "profile"))
    window.editor.edit(
        "under load", live_limits=True, values=(32,), loop="closed", concurrency=(12,), bound="duration",
        duration_s=120.0, output_tokens=64,
    )  # fmt: skip
    window.commands.run_plan()
    hold_back_and_release(window, qtbot, least=3, most=16)
    window.runs.stop()
    qtbot.waitUntil(lambda: not window.runs.running, timeout=MINUTE)
    assert not window.live_limits.rows["max_num_active_seqs"].isVisible()
