from hypothesis import given
from hypothesis import strategies as st

from ui.files.history import History


@given(st.lists(st.integers(), max_size=40))
def test_that_undoing_everything_and_redoing_it_ends_where_it_was(states):
    history = History(None)
    for state in states:
        history.push(state, f"to {state}")
    end = history.state
    steps = 0
    while history.undo_label() is not None:
        history.undo()
        steps += 1
    assert history.state is None
    for _ in range(steps):
        history.redo()
    assert history.state == end


def test_that_steps_have_names_to_undo_and_redo_by():
    history = History(1)
    history.push(2, "set max_num_seqs 2")
    assert history.undo_label() == "set max_num_seqs 2"
    history.undo()
    assert (history.undo_label(), history.redo_label()) == (None, "set max_num_seqs 2")


def test_that_consecutive_turns_of_one_field_are_one_step():
    history = History(0)
    for state in (1, 2, 3):
        history.push(state, "duration", merge="duration")
    history.undo()
    assert history.state == 0


def test_that_the_saved_state_is_not_merged_away():
    history = History(0)
    history.push(1, "duration", merge="duration")
    history.mark_clean()
    history.push(2, "duration", merge="duration")
    history.undo()
    assert history.state == 1
    assert history.clean


def test_that_going_back_to_the_saved_state_is_clean_again():
    history = History(0)
    history.push(1, "a")
    assert not history.clean
    history.undo()
    assert history.clean


def test_that_an_edit_after_undo_drops_what_was_ahead():
    history = History(0)
    history.push(1, "a")
    history.undo()
    history.push(2, "b")
    assert history.redo_label() is None
