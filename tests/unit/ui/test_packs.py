"""Both kinds of packs open in the window: an order as its experiment, a result with its verdict."""

import pytest

from tests.unit.experiments.made_result import MadeResult
from tests.unit.experiments.tampering import TAMPERINGS, tamper_consistently


@pytest.fixture
def made(tmp_path):
    (tmp_path / "vendor").mkdir()
    return MadeResult(tmp_path / "vendor")


def test_that_an_order_shows_its_experiment_and_what_it_requires(window, qtbot, made):
    window.documents.open_any(made.order_file)
    qtbot.waitUntil(lambda: window.editor.draft.name == "limits")
    (said,) = window.messages.texts()
    assert made.order.terms.id in said
    assert "valid" in said


def test_that_a_result_shows_its_runs_and_the_first_finding(window, qtbot, made):
    tamper_consistently(made, TAMPERINGS[0].edit)
    window.documents.open_any(made.result_file)
    qtbot.waitUntil(lambda: bool(window.runs.state.runs))
    assert any("result.wbpack doesn't hold" in text for text in window.messages.texts())
