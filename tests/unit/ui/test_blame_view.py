"""Where a request's time went, in the requests panel."""

import pytest
from PySide6.QtWidgets import QLabel

from ui.requests.blame_view import BlameView
from workbench.advice.blame import Blame, Culprit, Part, RequestBlame

LEDGER = Blame(
    requests=[
        RequestBlame(
            request="slow-1",
            cls="chat",
            e2e_ms=1000.0,
            parts=[
                Part("sequence_limit", 800.0, True, (Culprit("long-7", "document", 600.0),)),
                Part("decode_compute", 198.0, False),
                Part("output_path", 2.0, True),
            ],
            unexplained_ms=0.0,
        ),
        RequestBlame(request="open-2", cls="chat", e2e_ms=None, parts=[], unexplained_ms=None),
    ],
    totals={"sequence_limit": 800.0, "decode_compute": 198.0, "output_path": 2.0},
    matrix={"chat": {"document": 600.0}},
)


@pytest.fixture
def view(qtbot, theme):
    view = BlameView(theme)
    qtbot.addWidget(view)
    view.resize(500, 300)
    view.show()
    return view


def text_of(view, name):
    return view.findChild(QLabel, name).text()


def test_that_a_request_shows_its_causes_by_size_with_who_caused_the_large_ones(view):
    view.show_request(LEDGER, "slow-1")
    assert "1,000 ms" in text_of(view, "blame_title")
    lines = text_of(view, "blame_lines")
    assert lines.index("waited: sequence limit") < lines.index("own decode")
    assert "by long-7 (document) 600 ms" in lines
    assert "modeled" in lines
    assert "way back" not in lines, "too short for a line"
    assert "waited: sequence limit 800 ms" in view.accessibleDescription()


@pytest.mark.parametrize("request_id", ["open-2", "unknown"])
def test_that_a_request_without_an_end_shows_the_whole_run(view, request_id):
    view.show_request(LEDGER, request_id)
    assert "all requests" in text_of(view, "blame_title")
