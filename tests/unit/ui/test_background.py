"""Work in a thread always ends in its owner's thread: with a result or with words."""

import logging

from PySide6.QtCore import QObject

from ui.conductor.background import Background


def test_that_an_unexpected_error_becomes_words_and_is_logged(qtbot, caplog, expected_logs):
    expected_logs.append("unexpected error in the background")
    owner = QObject()
    background, said = Background(owner), []

    def work():
        raise KeyError("AIPerf 5 req/s")

    with caplog.at_level(logging.ERROR, logger="ui.conductor.background"):
        background.run(work, said.append, said.append)
        qtbot.waitUntil(lambda: bool(said), timeout=30_000)
    assert [message.kind for message in said] == ["ui.unexpected_error"]
    assert said[0].values["error"] == "KeyError"
    assert "Traceback" in caplog.text
