"""The load's form: a run that was disturbed can be done again, as the experiment file says it."""

import pytest

from ui.experiment import Editor
from ui.workload import LoadForm
from ui.workload.load_form import MOST_TRIES
from workbench.experiments.spec.validate import MOST_TRIES as MOST_CHECKED


@pytest.fixture
def form(qtbot, theme):
    editor = Editor()
    form = LoadForm(editor, theme)
    qtbot.addWidget(form)
    editor.changed.connect(form.show_draft)
    form.show_draft()
    return form


def test_that_a_disturbed_runs_tries_are_chosen_in_the_form(form):
    form.field("disturbed").setValue(2)
    assert form.editor.draft.disturbed == 2
    form.editor.undo()
    assert form.field("disturbed").value() == 0


def test_that_the_form_offers_as_many_tries_as_the_file_may_state(form):
    assert form.field("disturbed").maximum() == MOST_TRIES == MOST_CHECKED


def test_that_a_file_which_takes_all_from_a_bench_file_has_no_such_row(form):
    form.editor.edit("x", kind="reproduce")
    assert not form.field("disturbed").isVisibleTo(form)
