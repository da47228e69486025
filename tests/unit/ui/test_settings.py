import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.files.folders import ProfileFolders
from ui.files.settings import RECENT_FILES, Settings, SettingsFile
from ui.window.geometry import LayoutFile, Stateful


def test_that_settings_survive(tmp_path):
    SettingsFile(tmp_path / "s.json").change(appearance="dark")
    assert SettingsFile(tmp_path / "s.json").value.appearance == "dark"


@pytest.mark.parametrize(
    "rubbish", [b"", b"{", b"\xff\xfe", b"[]", b'{"appearance": "pink"}', b'{"colour": 1}']
)
def test_that_settings_of_rubbish_are_set_aside_and_said(tmp_path, rubbish):
    path = tmp_path / "s.json"
    path.write_bytes(rubbish)
    held = SettingsFile(path)
    assert held.value == Settings()
    assert "could not be read" in held.complaint
    assert (tmp_path / "s.json.bak").read_bytes() == rubbish


def test_that_a_folder_that_can_t_be_written_to_costs_only_the_change(tmp_path):
    held = SettingsFile(tmp_path / "none" / "s.json")
    assert held.change(appearance="dark").appearance == "dark"


def test_that_recent_files_are_few_and_newest_first(tmp_path):
    held = SettingsFile(tmp_path / "s.json")
    for number in range(RECENT_FILES + 5):
        held.remember_file(tmp_path / f"{number}.toml")
    held.remember_file(tmp_path / "7.toml")
    assert len(held.value.recent) == RECENT_FILES
    assert held.value.recent[0].endswith("7.toml")
    assert len(set(held.value.recent)) == RECENT_FILES


def test_that_a_profile_folder_holds_everything(tmp_path):
    folders = ProfileFolders.under(tmp_path)
    folders.prepare()
    assert folders.config.is_relative_to(tmp_path)
    assert folders.data.is_dir()


def test_that_a_part_of_the_layout_that_fails_costs_only_itself(tmp_path):
    restored = []

    def broken(_data):
        raise ValueError("rubbish")

    parts = [Stateful("bad", lambda: b"1", broken), Stateful("good", lambda: b"2", restored.append)]
    LayoutFile(tmp_path / "l.json").save(parts)
    assert LayoutFile(tmp_path / "l.json").restore(parts)
    assert restored == [b"2"]


@given(st.binary(max_size=200))
def test_that_no_layout_file_can_stop_the_window(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("layout") / "l.json"
    path.write_bytes(content)
    LayoutFile(path).restore([Stateful("a", lambda: b"", lambda data: None)])
