"""The session's panel: adopt, branch, note, undo, results that join their step."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPlainTextEdit, QPushButton

from tests.unit.ui.children import get_child
from ui.experiment import Draft, Editor
from ui.forms import ChipsEditor, Choice
from ui.live import Changed, LiveState, RunView, read_ranking
from ui.session import SessionPanel
from ui.session.node_positions import node_positions
from workbench.experiments.session import read_session


@pytest.fixture
def editor(qapp):
    return Editor()


@pytest.fixture
def panel(qtbot, theme, editor, tmp_path):
    panel = SessionPanel(theme, editor, tmp_path / "tuning.session.json")
    qtbot.addWidget(panel)
    panel.resize(1000, 260)
    panel.show()
    return panel


def steps(panel):
    return [(step.id, step.parent, step.experiment.control.name) for step in panel.history.session.steps]


def press(qtbot, button):
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def button(panel, name):
    return get_child(panel, QPushButton, name)


def adopt(panel):
    return get_child(panel, Choice, "adopt")


def note(panel):
    return get_child(panel, QPlainTextEdit, "note")


def test_that_an_empty_session_says_what_it_is_for(panel):
    assert steps(panel) == []
    assert not panel.form.isEnabled()
    assert not panel.grab().isNull()


def test_that_the_forms_experiment_begins_a_session_which_is_kept_at_once(panel, qtbot, tmp_path):
    press(qtbot, button(panel, "begin"))
    assert steps(panel) == [(1, None, "max_num_seqs")]
    assert len(read_session(tmp_path / "tuning.session.json").steps) == 1


def test_that_a_value_is_adopted_and_the_next_experiment_stands_in_the_form(panel, qtbot, editor):
    press(qtbot, button(panel, "begin"))
    adopt(panel).setCurrentIndex(adopt(panel).findData(64))
    adopt(panel).chosen.emit(64)
    press(qtbot, button(panel, "go"))
    following = panel.history.session.steps[-1]
    assert following.parent == 1
    assert following.adopted == 64
    assert following.experiment.baseline["max_num_seqs"] == 64
    assert editor.draft.control == following.experiment.control.name != "max_num_seqs"
    assert editor.draft.baseline["max_num_seqs"] == 64


def test_that_the_proposed_values_fit_the_baseline_that_is_adopted(panel, qtbot):
    press(qtbot, button(panel, "begin"))
    form = panel.form
    control = get_child(form, Choice, "control")
    control.show_value("max_num_seqs")
    control.chosen.emit("max_num_seqs")
    chips = form.findChild(ChipsEditor)
    assert [chip.text() for chip in chips.chips()] == ["32", "64", "128"]
    adopt(panel).setCurrentIndex(adopt(panel).findData(64))
    adopt(panel).chosen.emit(64)
    assert [chip.text() for chip in chips.chips()] == ["128"], "above what is adopted"
    control.show_value("max_num_batched_tokens")
    control.chosen.emit("max_num_batched_tokens")
    values = [int(chip.text()) for chip in chips.chips()]
    assert values
    assert all(value >= 64 for value in values)


def test_that_a_branch_tests_another_control_from_the_same_baseline(panel, qtbot):
    press(qtbot, button(panel, "begin"))
    press(qtbot, button(panel, "go"))
    assert len(steps(panel)) == 2
    assert panel.history.session.steps[-1].experiment.baseline == {"max_num_seqs": 16}
    assert panel.history.session.steps[-1].parent is None


def test_that_every_change_can_be_taken_back_and_made_again(panel, qtbot):
    press(qtbot, button(panel, "begin"))
    press(qtbot, button(panel, "go"))
    press(qtbot, button(panel, "undo"))
    assert len(steps(panel)) == 1
    press(qtbot, button(panel, "redo"))
    assert len(steps(panel)) == 2
    press(qtbot, button(panel, "undo"))
    press(qtbot, button(panel, "undo"))
    assert steps(panel) == []
    assert not button(panel, "undo").isEnabled()


def test_that_typing_a_note_is_one_step(panel, qtbot):
    press(qtbot, button(panel, "begin"))
    qtbot.keyClicks(note(panel), "seats bind")
    assert panel.history.session.steps[0].note == "seats bind"
    press(qtbot, button(panel, "undo"))
    assert panel.history.session.steps[0].note == ""
    assert note(panel).toPlainText() == ""


def test_that_an_experiment_with_something_wrong_is_refused_in_a_line(panel, qtbot, editor):
    editor.replace(Draft(values=()), "no values")
    with qtbot.waitSignal(panel.said) as said:
        press(qtbot, button(panel, "begin"))
    assert "at least one value" in said.args[0]
    assert steps(panel) == []


def measured(editor, folder):
    """A plan of the form's experiment that has just ended."""
    folder.mkdir()
    (folder / "experiment.toml").write_text(editor.text())
    state = LiveState(phase="finished", bench=str(folder / "one.bench"))
    state.runs["v"] = RunView("v", control="max_num_seqs", value=32, row={"run": "v"}, status="done")
    state.ranking = read_ranking({"recommended": {"run": "v"}, "others": [], "by": "cost"})
    return state


def test_that_results_join_their_step_and_the_recommended_value_is_offered(panel, qtbot, editor, tmp_path):
    press(qtbot, button(panel, "begin"))
    panel.show_state(measured(editor, tmp_path / "run"))
    panel.on_change(Changed.END)
    assert panel.history.session.steps[0].bench == str(tmp_path / "run" / "one.bench")
    assert panel.recommended() == 32
    assert "measured" in panel.graph.accessibleDescription()


@pytest.mark.parametrize("opened", [False, True])
def test_that_a_session_begun_with_what_is_on_screen_takes_its_results_along(
    panel, qtbot, editor, tmp_path, opened
):
    state = measured(editor, tmp_path / "run")
    if opened:
        state.phase, state.read_only, state.experiments = "opened", True, [editor.text()]
        (tmp_path / "run" / "experiment.toml").unlink()
    panel.show_state(state)
    press(qtbot, button(panel, "begin"))
    assert panel.history.session.steps[0].bench == state.bench
    assert button(panel, "results").isEnabled()
    assert adopt(panel).currentData() == 32, "what the scorecard recommends is offered first"


def test_that_a_plan_of_an_opened_file_that_was_gone_on_with_joins_whatever_lies_beside_it(
    panel, qtbot, editor, tmp_path
):
    press(qtbot, button(panel, "begin"))
    state = measured(editor, tmp_path / "run")
    state.experiments = [editor.text()]
    (tmp_path / "run" / "experiment.toml").write_text("[[offer]]\n")
    panel.show_state(state)
    panel.on_change(Changed.END)
    assert panel.history.session.steps[0].bench == state.bench


def test_that_results_of_another_experiment_stay_where_they_are(panel, qtbot, editor, tmp_path):
    panel.show_state(measured(editor, tmp_path / "run"))
    editor.edit("rate", rates=(99.0,))
    press(qtbot, button(panel, "begin"))
    assert panel.history.session.steps[0].bench is None


def test_that_results_that_are_gone_are_said_and_others_are_opened(panel, qtbot, editor, tmp_path):
    press(qtbot, button(panel, "begin"))
    panel.show_state(measured(editor, tmp_path / "run"))
    panel.on_change(Changed.END)
    with qtbot.waitSignal(panel.said) as said:
        press(qtbot, button(panel, "results"))
    assert "are gone" in said.args[0]
    (tmp_path / "run" / "one.bench").touch()
    with qtbot.waitSignal(panel.bench_wanted) as wanted:
        press(qtbot, button(panel, "results"))
    assert wanted.args[0].name == "one.bench"


def test_that_arrow_keys_walk_the_graph_and_enter_puts_a_step_into_the_form(panel, qtbot, editor):
    press(qtbot, button(panel, "begin"))
    adopt(panel).setCurrentIndex(adopt(panel).findData(32))
    press(qtbot, button(panel, "go"))
    panel.graph.setFocus()
    qtbot.keyClick(panel.graph, Qt.Key.Key_Left)
    assert panel.chosen == 1
    qtbot.keyClick(panel.graph, Qt.Key.Key_Return)
    assert editor.draft.control == "max_num_seqs"
    qtbot.keyClick(panel.graph, Qt.Key.Key_Right)
    assert panel.chosen == 2


def test_that_a_damaged_session_is_left_alone_and_said(qtbot, theme, editor, tmp_path):
    path = tmp_path / "tuning.session.json"
    path.write_text("{")
    panel = SessionPanel(theme, editor, path)
    qtbot.addWidget(panel)
    with qtbot.waitSignal(panel.said) as said:
        panel.show()
    assert "tuning-2.session.json" in said.args[0]
    press(qtbot, button(panel, "begin"))
    assert path.read_text() == "{"
    assert len(read_session(tmp_path / "tuning-2.session.json").steps) == 1


def test_that_children_go_on_in_their_parents_row_and_further_ones_below(panel, qtbot):
    press(qtbot, button(panel, "begin"))
    for value in (32, 64):
        panel.choose(1)
        adopt(panel).setCurrentIndex(adopt(panel).findData(value))
        press(qtbot, button(panel, "go"))
    places = [
        (place.step.id, place.column, place.row) for place in node_positions(panel.history.session.steps)
    ]
    assert places == [(1, 0, 0), (2, 1, 0), (3, 1, 1)]


def test_that_nothing_can_be_gone_on_from_before_a_session_is_begun(window):
    panel = window.docks["session"].widget()
    assert not button(panel, "go").isEnabled()
    button(panel, "go").click()
    assert not panel.history.session.steps
