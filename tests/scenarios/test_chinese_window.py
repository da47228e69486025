"""A plan in the Chinese window: no sentence of the core stays English in it, all are English in its files."""

import re

import pytest
from PySide6.QtCore import Qt

from ui.app import make_application, make_window
from ui.files.folders import ProfileFolders
from ui.files.settings import SettingsFile
from ui.language import translation

pytestmark = [
    pytest.mark.qt_log_ignore("This plugin does not support"),
]

SENTENCE = re.compile(r"\b[A-Za-z]?[a-z]+(?: [a-z']+){2,}")
"""Three English words in a row."""
CHINESE = re.compile(r"[\u4e00-\u9fff]")


@pytest.fixture
def window(qtbot, qapp, tmp_path):
    folders = ProfileFolders.under(tmp_path / "profile")
    folders.prepare()
    SettingsFile(folders.config / "settings.json").change(language="zh_CN")
    window = make_window(make_application([]), folders)

    def release(window):
        window.runs.client.kill()
        window.closing.may_close = True

    qtbot.addWidget(window, before_close_func=release)
    window.resize(1366, 768)
    window.show()
    yield window
    translation.set_language(qapp, "en")


def shown(window):
    """All that the core made up and the window shows once the plan is done."""
    guide, card = window.insights, window.scorecard.model
    for run in (None, *window.runs.state.runs):
        guide.choose_run(run)
        yield from (guide.text.text(), guide.evidence.text(), guide.next_text.text(), guide.bound_by.text())
    for row in range(card.rowCount()):
        for column in range(card.columnCount()):
            tip = card.index(row, column).data(Qt.ItemDataRole.ToolTipRole)
            yield str(tip or "")
    yield from window.messages.texts()
    yield from (line for line in window.log.lines() if "  server  " not in line)


@pytest.mark.slow
def test_that_a_plan_is_told_in_chinese_and_written_in_english(window, qtbot):
    window.editor.edit("quick", time_scale=20.0, duration_s=20.0, rates=(12.0,), values=(32,))
    window.commands.run_plan()
    qtbot.waitUntil(lambda: not window.runs.running, timeout=90_000)
    state = window.runs.state
    assert state.phase == "finished", window.messages.texts()
    window.insights.more.setChecked(True)
    told = list(shown(window))
    assert [text for text in told if SENTENCE.search(re.sub("<[^>]*>", " ", text))] == []
    assert sum(bool(CHINESE.search(text)) for text in told) > 10
    assert state.report
    assert not any(CHINESE.search(str(sentence)) for sentence in state.report)
    csv = window.runs.results
    files = [path for path in csv.rglob("*") if path.suffix in {".csv", ".toml", ".log"}]
    assert files
    assert not any(CHINESE.search(path.read_text("utf-8")) for path in files)
