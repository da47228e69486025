"""The manual inside the window: whole, found in a checkout and in a wheel, read without a network."""

import tomllib
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QTextDocument

from ui.manual import PAGES, ManualReader, manual_folder, pages
from ui.manual.reader import PageView
from workbench.base import WorkbenchError

ROOT = Path(__file__).parents[3]
NOT_FOR_READERS = {"explanation/desktop-checklist.md"}
SERVERS = "reference/servers.md"
IMAGE = int(QTextDocument.ResourceType.ImageResource.value)


def test_that_every_page_of_docs_is_in_the_list():
    assert {page.file for page in PAGES} == {
        path.relative_to(ROOT / "docs").as_posix()
        for path in (ROOT / "docs").rglob("*.md")
        if ".zh_CN" not in path.name
    } - NOT_FOR_READERS


def test_that_a_wheel_has_the_pages_where_the_window_looks_for_them():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    packed = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert ROOT / packed["docs"] == pages.PACKED


def test_that_an_installed_manual_is_found_without_a_checkout(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "PACKED", tmp_path)
    monkeypatch.setattr(pages, "_SOURCES", tmp_path / "none")
    with pytest.raises(WorkbenchError, match="lacks its manual"):
        manual_folder()
    (tmp_path / PAGES[0].file).write_text("# Guide\n")
    assert manual_folder() == tmp_path


@pytest.fixture
def reader(qtbot, theme, tmp_path):
    for page in PAGES:
        (tmp_path / page.file).parent.mkdir(exist_ok=True)
        (tmp_path / page.file).write_text(f"# {page.title}\n\nNothing here.\n")
    long = "\n\n".join(f"line {number}" for number in range(200))
    (tmp_path / SERVERS).write_text(f"# Servers\n\n{long}\n\n## The keys, and where\n\nneedle\n\n{long}\n")
    reader = ManualReader(None, tmp_path, theme)
    qtbot.addWidget(reader)
    reader.show()
    reader.open_page("reference/window.md")
    return reader


def test_that_links_lead_from_page_to_page_and_back(reader, qtbot):
    reader.follow(QUrl("servers.md"))
    assert "line 7" in reader.view.toPlainText()
    assert reader.list.currentItem().text() == "Servers"
    qtbot.mouseClick(reader.back, Qt.MouseButton.LeftButton)
    assert reader.view.toPlainText().startswith("The window")
    assert not reader.back.isEnabled()
    qtbot.mouseClick(reader.forward, Qt.MouseButton.LeftButton)
    assert "line 7" in reader.view.toPlainText()


def test_a_link_in_a_folder_is_one_from_that_folder(reader):
    reader.follow(QUrl("../explanation/figures.md"))
    assert reader.view.toPlainText().startswith("How figures are defined")
    reader.follow(QUrl("../reference/servers.md"))
    assert reader.list.currentItem().text() == "Servers"


@pytest.mark.parametrize("content", [None, b"# \xff\xfe\x00"])
def test_that_a_page_that_can_not_be_read_is_said_in_one_sentence(reader, tmp_path, content):
    page = tmp_path / SERVERS
    page.unlink()
    if content is not None:
        page.write_bytes(content)
    reader.open_page(SERVERS)
    shown = reader.view.toPlainText()
    assert shown == "The page reference/servers.md can't be read; install the program again."


def test_that_a_link_to_a_heading_scrolls_there(reader):
    reader.follow(QUrl("servers.md#the-keys-and-where"))
    assert reader.view.verticalScrollBar().value() > 0
    reader.follow(QUrl("servers.md"))
    assert reader.view.verticalScrollBar().value() == 0


def test_that_a_page_is_chosen_in_the_list_by_keys(reader, qtbot):
    qtbot.keyClick(reader.list, Qt.Key.Key_Down)
    assert reader.view.toPlainText().startswith("The experiment file")


def test_that_a_text_is_found_and_found_again_from_the_top(reader, qtbot):
    reader.open_page(SERVERS)
    qtbot.keyClicks(reader.search, "needle")
    assert reader.view.textCursor().selectedText() == "needle"
    qtbot.keyClick(reader.search, Qt.Key.Key_Return)
    assert reader.view.textCursor().selectedText() == "needle"
    assert reader.said.text() == ""
    qtbot.keyClicks(reader.search, "s")
    assert reader.said.text() == "Not on this page"


@pytest.mark.parametrize("address", ["https://example.org/a.md", "../pyproject.toml", "file:///etc/hostname"])
def test_that_a_link_out_of_the_manual_is_told_and_not_followed(reader, address):
    before = reader.view.toPlainText()
    reader.follow(QUrl(address))
    assert address in reader.said.text()
    assert reader.view.toPlainText() == before


@pytest.mark.parametrize("address", ["https://example.org/a.png", "../secret.png", "file:///etc/a.png"])
def test_that_no_picture_comes_from_outside_the_manual(qtbot, tmp_path, address):
    view = PageView(tmp_path)
    qtbot.addWidget(view)
    assert view.loadResource(IMAGE, QUrl(address)) is None


def test_that_the_help_menu_opens_the_guide_by_its_key(window, qtbot):
    window.activateWindow()
    qtbot.keyClick(window, Qt.Key.Key_F1)
    reader = window.help_commands.reader
    assert reader.isVisible()
    assert reader.view.toPlainText().startswith("The window")
    window.actions_["help.figures"].trigger()
    assert window.help_commands.reader is reader
    assert PAGES[reader.list.currentRow()].file == "explanation/figures.md"


def test_that_pictures_fit_the_page(qtbot, theme):
    reader = ManualReader(None, manual_folder(), theme)
    qtbot.addWidget(reader)
    reader.resize(640, 480)
    reader.show()
    reader.open_page("reference/window.md")
    # Pictures are read again once the width has rested.
    qtbot.waitUntil(lambda: reader.view.document().idealWidth() <= reader.view.viewport().width() + 1)
    qtbot.waitUntil(lambda: reader.view.horizontalScrollBar().maximum() == 0)
