"""Before going live: the five questions in the window, and the experiment that answers one in the form."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget

from tests.unit.cli.comparing import bench
from tests.unit.cli.test_compare_systems import SLOW
from tests.unit.experiments.test_experiment import GOOD
from tests.unit.experiments.test_findings import Filling, records
from ui.compare import CompareDialog
from ui.questions import QuestionsDialog


@pytest.fixture
def measured(tmp_path):
    """The baseline queues, 32 seats hold the objective: the first question is answered."""
    filling = Filling(tmp_path / "seats.bench", GOOD)
    filling.run(None, None, {"max_num_seqs": 16}, records(lambda _: 2.0, rate=12))
    filling.run("max_num_seqs", 32, {"max_num_seqs": 32}, records(lambda _: 0.2, rate=12, seed=2))
    filling.bench.close()
    return tmp_path / "seats.bench"


@pytest.fixture
def dialog(qtbot, theme, measured):
    parent = QWidget()
    parent.resize(1366, 768)
    qtbot.addWidget(parent)
    dialog = QuestionsDialog(parent, theme, measured)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
    qtbot.addWidget(dialog)
    dialog.open()
    qtbot.waitUntil(lambda: len(dialog.rows) == 5)
    yield dialog
    # A collected parent would take the dialog along.
    parent.close()


def test_that_each_question_has_its_answer_why_and_runs(dialog):
    targets, burst, *_, cost = dialog.rows
    assert targets.verdict.text() == "✓ yes"
    assert targets.question.text().startswith("Does the highest traffic meet the targets")
    assert targets.why.text() == (
        "At 12 requests/s: TTFT p95 200 ms of the allowed 1.0 s. No target is set for end to end."
    )
    assert "max_num_seqs = 32" in targets.runs.text()
    assert targets.plan.isHidden()
    assert (burst.verdict.text(), burst.plan.text()) == ("– not measured yet", "Plan it")
    assert cost.plan.text() == "Compare systems…"
    assert dialog.said.text() == "Not measured yet: 4 of 5 questions."


def test_that_what_is_missing_is_planned_on_what_was_recommended(qtbot, dialog):
    with qtbot.waitSignal(dialog.plan_wanted) as planned:
        qtbot.mouseClick(dialog.rows[2].plan, Qt.MouseButton.LeftButton)
    (draft,) = planned.args
    assert (draft.kind, dict(draft.baseline)) == ("soak", {"max_num_seqs": 32})
    assert not dialog.isVisible()


def test_that_the_same_again_is_planned_as_a_reproduction(qtbot, dialog, measured):
    with qtbot.waitSignal(dialog.plan_wanted) as planned:
        dialog.rows[3].plan.click()
    (draft,) = planned.args
    assert (draft.kind, draft.reproduces) == ("reproduce", str(measured))


def test_that_it_opens_from_the_menu_and_the_plan_is_a_new_experiment(qtbot, window, measured, tmp_path):
    window.editor.save(tmp_path / "mine.toml")
    before = (tmp_path / "mine.toml").read_text()
    window.runs.state.bench = str(measured)
    window.actions_["file.questions"].setEnabled(True)
    window.actions_["file.questions"].trigger()
    dialog = window.findChild(QuestionsDialog)
    qtbot.waitUntil(lambda: len(dialog.rows) == 5)
    dialog.rows[1].plan.click()
    assert window.editor.draft.kind == "burst"
    assert window.editor.path is None
    assert (tmp_path / "mine.toml").read_text() == before
    window.editor.undo()
    assert window.editor.draft.kind == "ladder"


def test_that_the_cost_question_leads_to_the_comparison(qtbot, window, measured):
    window.runs.state.bench = str(measured)
    window.commands.results.ask_questions()
    dialog = window.findChild(QuestionsDialog)
    qtbot.waitUntil(lambda: len(dialog.rows) == 5)
    dialog.rows[4].plan.click()
    compare = window.findChild(CompareDialog)
    assert [row.path for row in compare.systems.rows()] == [measured]
    compare.reject()


def test_that_a_file_that_plans_nothing_is_said_in_one_line(qtbot, theme, tmp_path):
    parent = QWidget()
    qtbot.addWidget(parent)
    path = bench(tmp_path / "imported.bench", "NVIDIA H200", SLOW)
    dialog = QuestionsDialog(parent, theme, path)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
    qtbot.waitUntil(lambda: dialog.said.text().startswith("⚠"))
    assert "holds no experiment" in dialog.said.text()
    assert dialog.rows == []


def test_that_everything_can_be_named_and_fits_the_smallest_window(dialog):
    for button in dialog.findChildren(QPushButton):
        assert button.accessibleName() or button.text()
    assert dialog.rows[1].plan.accessibleName().startswith("Plan it: Does a burst")
    assert dialog.width() <= 1366
    assert dialog.height() <= 768
