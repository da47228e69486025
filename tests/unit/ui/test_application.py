"""Drafts that survive, one window a profile, preferences from the settings' schema."""

import subprocess
import sys

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMenu, QPushButton

from ui.app import offer_crash_log
from ui.experiment import Editor
from ui.files.autosave import Autosave
from ui.files.settings import Settings, SettingsFile
from ui.window import single_instance
from ui.window.crash_log import CrashLog
from ui.window.preferences import PreferencesDialog, shown_settings
from ui.window.single_instance import SingleInstance


@pytest.fixture
def editor(qapp):
    editor = Editor()
    yield editor
    editor.deleteLater()


def test_that_unsaved_edits_are_found_again(editor, tmp_path):
    editor.edit("x", values=(48,))
    Autosave(editor, tmp_path / "d.json").save()
    other = Editor()
    assert Autosave(other, tmp_path / "d.json").found().draft.values == (48,)
    other.deleteLater()


def test_that_nothing_is_kept_of_what_is_saved(editor, tmp_path):
    keeper = Autosave(editor, tmp_path / "d.json")
    editor.edit("x", values=(48,))
    keeper.save()
    editor.undo()
    keeper.save()
    assert keeper.found() is None


def test_that_kept_edits_stay_on_offer_until_new_ones_come(editor, tmp_path):
    (tmp_path / "d.json").write_bytes(msgspec.json.encode({"draft": {"name": "Old"}, "path": None}))
    keeper = Autosave(editor, tmp_path / "d.json")
    assert keeper.found().draft.name == "Old"
    keeper.save()
    assert keeper.found().draft.name == "Old"
    editor.edit("x", name="New")
    keeper.save()
    assert keeper.found().draft.name == "New"


@given(st.binary(max_size=100))
def test_that_no_kept_file_can_stop_the_window(qapp, tmp_path_factory, content):
    file = tmp_path_factory.mktemp("draft") / "d.json"
    file.write_bytes(content)
    editor = Editor()
    Autosave(editor, file).found()
    editor.deleteLater()


def test_that_a_window_offers_what_the_last_one_left_behind(make_window, folders, qtbot):
    (folders.config / "draft.json").write_bytes(
        msgspec.json.encode({"draft": {"name": "UnsavedEdits", "values": [48]}, "path": None})
    )
    window = make_window()
    assert "Unsaved changes to UnsavedEdits" in window.messages.texts()[0]
    button = next(b for b in window.messages.findChildren(QPushButton) if b.text() == "Restore them")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert window.editor.draft.values == (48,)
    window.editor.undo()
    window.close()
    qtbot.waitUntil(lambda: not window.isVisible())
    assert not (folders.config / "draft.json").exists()


def test_that_an_edit_is_kept_soon_after_it(window, folders, qtbot):
    window.editor.edit("x", values=(48,))
    qtbot.waitUntil((folders.config / "draft.json").exists)
    window.editor.undo()
    qtbot.waitUntil(lambda: not (folders.config / "draft.json").exists())


def test_that_kept_edits_come_back_as_edits_of_their_file(make_window, folders, qtbot, tmp_path):
    first = make_window()
    first.editor.edit("name", name="Mine")
    first.documents.save_to(tmp_path / "mine.toml")
    text = "# my notes\n" + (tmp_path / "mine.toml").read_text()
    (tmp_path / "mine.toml").write_text(text)
    first.editor.edit("x", values=(48,))
    first.autosave.save()
    second = make_window()
    assert "Unsaved changes to mine.toml" in second.messages.texts()[0]
    press(second, qtbot, "Restore them")
    assert second.editor.path == tmp_path / "mine.toml"
    assert second.isWindowModified()
    second.documents.save()
    assert (tmp_path / "mine.toml").read_text().startswith("# my notes")
    assert "[48]" in (tmp_path / "mine.toml").read_text()


def test_that_edits_nobody_has_answered_about_are_offered_again(make_window, folders, qtbot):
    (folders.config / "draft.json").write_bytes(
        msgspec.json.encode({"draft": {"name": "UnsavedEdits"}, "path": None})
    )
    first = make_window()
    first.close()
    qtbot.waitUntil(lambda: not first.isVisible())
    second = make_window()
    assert "Unsaved changes to UnsavedEdits" in second.messages.texts()[0]
    press(second, qtbot, "Discard them")
    second.close()
    qtbot.waitUntil(lambda: not second.isVisible())
    assert make_window().messages.texts() == []


def press(window, qtbot, text):
    button = next(b for b in window.messages.findChildren(QPushButton) if b.text() == text)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_that_a_crash_is_told_at_the_next_start_with_what_was_said(window, folders, qtbot, monkeypatch):
    monkeypatch.setattr(CrashLog, "begin", lambda self: None)
    (folders.config / "crash.log").write_text("Fatal Python error: Segmentation fault\n")
    offer_crash_log(window, CrashLog(folders.config))
    assert "crash-last.log" in window.messages.texts()[0]
    press(window, qtbot, "Copy it")
    assert "Segmentation fault" in QApplication.clipboard().text()


def test_that_recent_files_can_be_opened_missing_ones_not_and_the_list_be_cleared(window, qtbot, tmp_path):
    window.editor.edit("x", values=(48,))
    window.documents.save_to(tmp_path / "a.toml")
    window.settings.remember_file(tmp_path / "gone.bench")
    window.editor.begin()
    menu = QMenu(window)
    window.documents.fill_recent(menu)
    gone, held = menu.actions()[:2]
    assert (gone.text(), gone.isEnabled()) == ("gone.bench", False)
    assert held.statusTip() == str(tmp_path / "a.toml")
    held.trigger()
    assert window.editor.draft.values == (48,)
    window.documents.fill_recent(menu)
    menu.actions()[-1].trigger()
    assert window.settings.value.recent == ()
    window.documents.fill_recent(menu)
    assert [action.isEnabled() for action in menu.actions()] == [False]


def test_that_a_profile_has_one_window_and_it_is_told_of_the_next(qapp, qtbot, tmp_path):
    first, second = SingleInstance(tmp_path), SingleInstance(tmp_path)
    assert first.claim()
    assert not second.claim()
    code = (
        "import sys, pathlib; from ui.window.single_instance import SingleInstance; "
        "folder = pathlib.Path(sys.argv[1]); "
        "print(SingleInstance(folder).hand_over(folder / 'a.toml'))"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as third:
        with qtbot.waitSignal(first.asked, timeout=30_000) as asked:
            pass
        assert third.communicate()[0] == "True\n"
    assert asked.args == [str(tmp_path / "a.toml")]
    first.release()
    assert second.claim()
    second.release()


def test_that_a_window_that_hangs_is_not_taken_for_one_that_answers(qapp, tmp_path, monkeypatch):
    monkeypatch.setattr(single_instance, "ANSWER_MS", 50)
    first, second = SingleInstance(tmp_path), SingleInstance(tmp_path)
    assert first.claim()
    # Its event loop doesn't run meanwhile, so that it reads nothing.
    assert not second.hand_over(None)
    first.release()


def test_that_another_profile_has_a_window_of_its_own(qapp, tmp_path):
    (tmp_path / "b").mkdir()
    first, other = SingleInstance(tmp_path), SingleInstance(tmp_path / "b")
    assert first.claim()
    assert other.claim()
    first.release()
    other.release()


@pytest.fixture
def dialog(qtbot, theme, window):
    dialog = PreferencesDialog(window, window.settings, theme)
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def test_that_every_setting_with_a_title_has_a_field(dialog):
    assert set(dialog.fields) == set(shown_settings()) == {"appearance", "language", "demo_seconds", "notify"}


def test_that_a_changed_preference_holds_at_once_and_at_the_next_start(dialog, window, qtbot):
    dialog.changed.connect(window.commands.apply_settings)
    dialog.fields["appearance"].chosen.emit("dark")
    assert window.theme.dark
    assert SettingsFile(window.settings.path).value.appearance == "dark"
    assert window.actions_["view.dark"].isChecked()


def test_that_defaults_take_all_back(dialog, window, qtbot):
    window.settings.change(notify=False, demo_seconds=99.0)
    defaults = next(button for button in dialog.findChildren(QPushButton) if button.text() == "Defaults")
    qtbot.mouseClick(defaults, Qt.MouseButton.LeftButton)
    assert window.settings.value == msgspec.structs.replace(
        Settings(), recent=window.settings.value.recent, last_folder=window.settings.value.last_folder
    )
