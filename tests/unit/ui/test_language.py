"""The language of a window that is open: another window takes its place, and nothing else changes."""

import gc
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QLocale, Qt
from PySide6.QtWidgets import QApplication, QPushButton

from ui.files.settings import SettingsFile
from ui.language import translation
from ui.live import LogLine
from ui.window import arrangements
from ui.window.preferences import PreferencesDialog
from ui.window.window_owner import Windows


@pytest.fixture
def windows(qapp, qtbot, folders):
    SettingsFile(folders.config / "settings.json").change(language="en")
    windows = Windows(qapp, folders)
    windows.window.resize(1366, 768)
    windows.window.show()
    qtbot.waitExposed(windows.window)
    yield windows
    shown: list[Any] = QApplication.topLevelWidgets()
    for window in shown:
        if hasattr(window, "closing"):
            window.runs.client.kill()
            window.closing.may_close = True
            window.close()
            window.deleteLater()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    windows.deleteLater()
    translation.set_language(qapp, "en")


def switch(windows, qtbot, language):
    """As the preferences do it; returns the window that took the place."""
    old = windows.window
    old.settings.change(language=language)
    old.commands.apply_settings()
    qtbot.waitUntil(lambda: windows.window is not old)
    return windows.window


def test_that_a_chosen_language_holds_at_once_and_the_preferences_stay_open(windows, qtbot):
    old = windows.window
    old.commands.preferences()
    dialog = old.findChild(PreferencesDialog)
    dialog.fields["language"].chosen.emit("zh_CN")
    qtbot.waitUntil(lambda: windows.window is not old)
    new = windows.window
    assert new.docks["scorecard"].windowTitle() == "记分卡"
    assert new.isVisible()
    again = new.findChild(PreferencesDialog)
    assert again.isVisible()
    assert again.windowTitle() == "首选项"
    assert again.fields["language"].currentData() == "zh_CN"


def test_that_the_experiment_comes_along_with_its_past_and_is_still_unsaved(windows, qtbot, tmp_path):
    old = windows.window
    old.documents.save_to(tmp_path / "mine.toml")
    old.editor.edit("rate", rates=(3.0,))
    old.editor.edit("values", values=(48,))
    new = switch(windows, qtbot, "zh_CN")
    assert new.editor.draft.values == (48,)
    assert new.editor.path == tmp_path / "mine.toml"
    assert new.isWindowModified()
    assert new.autosave.found().draft == new.editor.draft
    assert not any("Unsaved" in text or "未保存" in text for text in new.messages.texts())
    new.editor.undo()
    assert new.editor.draft.rates == (3.0,)
    new.editor.undo()
    assert not new.isWindowModified()


@pytest.mark.slow
def test_that_results_layout_and_log_come_along(windows, qtbot):
    old = windows.window
    old.editor.edit("quick", time_scale=50.0, duration_s=5.0, values=(32,))
    old.commands.run_plan()
    qtbot.waitUntil(lambda: not old.runs.running, timeout=50_000)
    assert old.runs.state.phase == "finished", old.messages.texts()
    arrangements.review(old)
    old.experiment.sections[0][0].unfold()
    last = list(old.runs.state.runs)[-1]
    old.scorecard.run_chosen.emit(last)
    old.log.add([LogLine(1.0, "server", "info", "a word")])
    shown, state, size = old.log.model.rowCount(), old.runs.state, old.size()
    new = switch(windows, qtbot, "zh_CN")
    assert new.runs.state is state
    assert new.plots.chosen == last
    assert new.centre.currentWidget() is new.plots
    assert new.scorecard.model.rowCount() == 2
    assert new.log.model.rowCount() == shown
    assert new.experiment.sections[0][0].header.isChecked()
    assert not new.docks["insights"].isVisible()
    assert new.actions_["view.chart"].isChecked()
    assert new.size() == size


def test_that_the_old_window_is_gone_and_the_program_goes_on(windows, qtbot):
    gone, ended = [], []
    windows.closed.connect(lambda: ended.append(1))
    old = windows.window
    old.destroyed.connect(lambda: gone.append(1))
    new = switch(windows, qtbot, "zh_CN")
    del old
    qtbot.waitUntil(lambda: bool(gone), timeout=30_000)
    gc.collect()
    assert not ended
    for appearance in ("dark", "light"):
        new.commands.set_appearance(appearance)
        qtbot.wait(20)
    new.close()
    qtbot.waitUntil(lambda: bool(ended))


def test_that_back_and_forth_leads_back(windows, qtbot):
    switch(windows, qtbot, "zh_CN")
    new = switch(windows, qtbot, "en")
    assert new.docks["scorecard"].windowTitle() == "Scorecard"
    assert len([w for w in QApplication.topLevelWidgets() if hasattr(w, "closing") and w.isVisible()]) == 1


def test_that_the_same_language_by_another_name_changes_no_window(windows, qtbot, monkeypatch):
    class System:
        def uiLanguages(self):  # noqa: N802 - Qt's name
            return ["en-GB"]

    monkeypatch.setattr(QLocale, "system", System)
    old = windows.window
    old.settings.change(language="system")
    old.commands.apply_settings()
    qtbot.wait(50)
    assert windows.window is old


def test_that_a_plan_is_not_disturbed_and_the_change_is_offered_after_it(window, qtbot):
    wanted = []
    window.language.wanted.connect(lambda: wanted.append(1))
    window.commands.run_plan()
    window.settings.change(language="zh_CN")
    window.commands.apply_settings()
    assert "once the plan has ended" in window.messages.texts()[0]
    assert not wanted
    qtbot.waitUntil(lambda: not window.runs.running, timeout=30_000)
    qtbot.waitUntil(lambda: any("the language can change" in text for text in window.messages.texts()))
    button = next(b for b in window.messages.findChildren(QPushButton) if b.text() == "Change it now")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert wanted == [1]
