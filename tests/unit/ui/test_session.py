"""The session's room: adopt, branch, note, undo, results that join their step."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPlainTextEdit, QPushButton

from tests.unit.ui.children import get_child
from ui.experiment import Draft, Editor
from ui.forms import Choice
from ui.live import Changed, LiveState, RunView, read_ranking
from ui.session import SessionPanel
from ui.session.node_positions import node_positions
from workbench.experiments.session import read_session


@pytest.fixture
def editor(qapp):
    return Editor()


@pytest.fixture
def room(qtbot, theme, editor, tmp_path):
    room = SessionPanel(theme, editor, tmp_path / "tuning.session.json")
    qtbot.addWidget(room)
    room.resize(1000, 260)
    room.show()
    return room


def steps(room):
    return [(step.id, step.parent, step.experiment.control.name) for step in room.book.session.steps]


def press(qtbot, button):
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def button(room, name):
    return get_child(room, QPushButton, name)


def adopt(room):
    return get_child(room, Choice, "adopt")


def note(room):
    return get_child(room, QPlainTextEdit, "note")


def test_that_an_empty_session_says_what_it_is_for(room):
    assert steps(room) == []
    assert not room.form.isEnabled()
    assert not room.grab().isNull()


def test_that_the_forms_experiment_begins_a_session_which_is_kept_at_once(room, qtbot, tmp_path):
    press(qtbot, button(room, "begin"))
    assert steps(room) == [(1, None, "max_num_seqs")]
    assert len(read_session(tmp_path / "tuning.session.json").steps) == 1


def test_that_a_value_is_adopted_and_the_next_experiment_stands_in_the_form(room, qtbot, editor):
    press(qtbot, button(room, "begin"))
    adopt(room).setCurrentIndex(adopt(room).findData(64))
    adopt(room).chosen.emit(64)
    press(qtbot, button(room, "go"))
    following = room.book.session.steps[-1]
    assert following.parent == 1
    assert following.adopted == 64
    assert following.experiment.baseline["max_num_seqs"] == 64
    assert editor.draft.control == following.experiment.control.name != "max_num_seqs"
    assert editor.draft.baseline["max_num_seqs"] == 64


def test_that_a_branch_tests_another_control_from_the_same_baseline(room, qtbot):
    press(qtbot, button(room, "begin"))
    press(qtbot, button(room, "go"))
    assert len(steps(room)) == 2
    assert room.book.session.steps[-1].experiment.baseline == {"max_num_seqs": 16}
    assert room.book.session.steps[-1].parent is None


def test_that_every_change_can_be_taken_back_and_made_again(room, qtbot):
    press(qtbot, button(room, "begin"))
    press(qtbot, button(room, "go"))
    press(qtbot, button(room, "undo"))
    assert len(steps(room)) == 1
    press(qtbot, button(room, "redo"))
    assert len(steps(room)) == 2
    press(qtbot, button(room, "undo"))
    press(qtbot, button(room, "undo"))
    assert steps(room) == []
    assert not button(room, "undo").isEnabled()


def test_that_typing_a_note_is_one_step(room, qtbot):
    press(qtbot, button(room, "begin"))
    qtbot.keyClicks(note(room), "seats bind")
    assert room.book.session.steps[0].note == "seats bind"
    press(qtbot, button(room, "undo"))
    assert room.book.session.steps[0].note == ""
    assert note(room).toPlainText() == ""


def test_that_an_experiment_with_something_wrong_is_refused_in_a_line(room, qtbot, editor):
    editor.replace(Draft(values=()), "no values")
    with qtbot.waitSignal(room.said) as said:
        press(qtbot, button(room, "begin"))
    assert "at least one value" in said.args[0]
    assert steps(room) == []


def measured(editor, folder):
    """A plan of the form's experiment that has just ended."""
    folder.mkdir()
    (folder / "experiment.toml").write_text(editor.text())
    state = LiveState(phase="finished", bench=str(folder / "one.bench"))
    state.runs["v"] = RunView("v", control="max_num_seqs", value=32, row={"run": "v"}, status="done")
    state.ranking = read_ranking({"recommended": {"run": "v"}, "others": [], "by": "cost"})
    return state


def test_that_results_join_their_step_and_the_recommended_value_is_offered(room, qtbot, editor, tmp_path):
    press(qtbot, button(room, "begin"))
    room.show_state(measured(editor, tmp_path / "run"))
    room.on_change(Changed.END)
    assert room.book.session.steps[0].bench == str(tmp_path / "run" / "one.bench")
    assert room.recommended() == 32
    assert "measured" in room.graph.accessibleDescription()


@pytest.mark.parametrize("opened", [False, True])
def test_that_a_session_begun_with_what_is_on_screen_takes_its_results_along(
    room, qtbot, editor, tmp_path, opened
):
    state = measured(editor, tmp_path / "run")
    if opened:
        state.phase, state.read_only, state.experiments = "opened", True, [editor.text()]
        (tmp_path / "run" / "experiment.toml").unlink()
    room.show_state(state)
    press(qtbot, button(room, "begin"))
    assert room.book.session.steps[0].bench == state.bench
    assert button(room, "results").isEnabled()
    assert adopt(room).currentData() == 32, "what the scorecard recommends is offered first"


def test_that_a_plan_of_an_opened_file_that_was_gone_on_with_joins_whatever_lies_beside_it(
    room, qtbot, editor, tmp_path
):
    press(qtbot, button(room, "begin"))
    state = measured(editor, tmp_path / "run")
    state.experiments = [editor.text()]
    (tmp_path / "run" / "experiment.toml").write_text("[[offer]]\n")
    room.show_state(state)
    room.on_change(Changed.END)
    assert room.book.session.steps[0].bench == state.bench


def test_that_results_of_another_experiment_stay_where_they_are(room, qtbot, editor, tmp_path):
    room.show_state(measured(editor, tmp_path / "run"))
    editor.edit("rate", rates=(99.0,))
    press(qtbot, button(room, "begin"))
    assert room.book.session.steps[0].bench is None


def test_that_results_that_are_gone_are_said_and_others_are_opened(room, qtbot, editor, tmp_path):
    press(qtbot, button(room, "begin"))
    room.show_state(measured(editor, tmp_path / "run"))
    room.on_change(Changed.END)
    with qtbot.waitSignal(room.said) as said:
        press(qtbot, button(room, "results"))
    assert "are gone" in said.args[0]
    (tmp_path / "run" / "one.bench").touch()
    with qtbot.waitSignal(room.bench_wanted) as wanted:
        press(qtbot, button(room, "results"))
    assert wanted.args[0].name == "one.bench"


def test_that_arrow_keys_walk_the_graph_and_enter_puts_a_step_into_the_form(room, qtbot, editor):
    press(qtbot, button(room, "begin"))
    adopt(room).setCurrentIndex(adopt(room).findData(32))
    press(qtbot, button(room, "go"))
    room.graph.setFocus()
    qtbot.keyClick(room.graph, Qt.Key.Key_Left)
    assert room.chosen == 1
    qtbot.keyClick(room.graph, Qt.Key.Key_Return)
    assert editor.draft.control == "max_num_seqs"
    qtbot.keyClick(room.graph, Qt.Key.Key_Right)
    assert room.chosen == 2


def test_that_a_damaged_session_is_left_alone_and_said(qtbot, theme, editor, tmp_path):
    path = tmp_path / "tuning.session.json"
    path.write_text("{")
    room = SessionPanel(theme, editor, path)
    qtbot.addWidget(room)
    with qtbot.waitSignal(room.said) as said:
        room.show()
    assert "tuning-2.session.json" in said.args[0]
    press(qtbot, button(room, "begin"))
    assert path.read_text() == "{"
    assert len(read_session(tmp_path / "tuning-2.session.json").steps) == 1


def test_that_children_go_on_in_their_parents_row_and_further_ones_below(room, qtbot):
    press(qtbot, button(room, "begin"))
    for value in (32, 64):
        room.choose(1)
        adopt(room).setCurrentIndex(adopt(room).findData(value))
        press(qtbot, button(room, "go"))
    places = [(place.step.id, place.column, place.row) for place in node_positions(room.book.session.steps)]
    assert places == [(1, 0, 0), (2, 1, 0), (3, 1, 1)]


def test_that_nothing_can_be_gone_on_from_before_a_session_is_begun(window):
    room = window.docks["session"].widget()
    assert not button(room, "go").isEnabled()
    button(room, "go").click()
    assert not room.book.session.steps
