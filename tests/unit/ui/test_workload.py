"""The workload's room: mixes by slider, an unknown file's columns, steps that change a trace."""

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from tests.unit.ui.children import get_child
from ui.experiment import Draft, Editor
from ui.experiment.experiment_panel import ExperimentPanel
from ui.workload import WorkloadForm
from ui.workload.mix_form import MixSliders, mix_text, weights_of
from ui.workload.preview import prepared, preview_mix
from ui.workload.sketch import TraceSketch, figures_of
from ui.workload.trace_dialog import TraceDialog
from workbench.base import InputError
from workbench.traces import read_trace

UNKNOWN = "when;asked;got;kind\n" + "".join(f"{t};{100 + t};{20 + t};{'ab'[t % 2]}\n" for t in range(40))


@pytest.fixture
def unknown(tmp_path):
    path = tmp_path / "usage.csv"
    path.write_text(UNKNOWN.replace(";", ","))
    return path


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / "t.jsonl"
    rows = [f'{{"timestamp": {t * 100}, "input_length": 50, "output_length": 5}}' for t in range(20)]
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.fixture
def form(qtbot, theme):
    editor = Editor()
    form = WorkloadForm(editor, theme)
    qtbot.addWidget(form)
    editor.changed.connect(form.show_draft)
    form.resize(320, 500)
    form.show()
    return form


@pytest.mark.parametrize("text", ["chat", "chat:3,agent:1", "long-context", "chat:2,long-context:5,agent:1"])
def test_that_a_mix_survives_its_sliders(text):
    assert mix_text(weights_of(text)) == text


def test_that_moving_a_slider_makes_a_mix_with_its_shares(qtbot):
    sliders = MixSliders()
    qtbot.addWidget(sliders)
    sliders.show_mix("chat")
    with qtbot.waitSignal(sliders.edited) as edited:
        sliders.sliders["agent"].setValue(3)
    assert edited.args == ["chat:1,agent:3"]
    assert sliders.figures["agent"].text() == "75 %"


def test_that_the_last_mix_stays(qtbot):
    sliders = MixSliders()
    qtbot.addWidget(sliders)
    sliders.show_mix("chat")
    sliders.sliders["chat"].setValue(0)
    assert sliders.sliders["chat"].value() == 1


def test_that_a_chosen_mix_is_drawn_by_class(form, qtbot):
    form.editor.edit("mix", trace_kind="mix", trace_mix="chat:1,long-context:1")
    qtbot.waitUntil(get_child(form, TraceSketch, "sketch").isVisible, timeout=30_000)
    assert get_child(form, TraceSketch, "sketch").preview.classes == ("chat", "long-context")
    assert "2,000 requests" in form.field("preview").text()
    assert not form.grab().isNull()


def test_that_every_mix_can_be_previewed_and_says_what_is_seen_again():
    found = preview_mix("agent", 2.0, 1)
    assert found.hit_ideal > 0.5
    assert "2,000 requests" in figures_of(found)


def test_that_a_file_that_is_no_trace_says_so_in_the_form(form, qtbot, tmp_path):
    bad = tmp_path / "bad.csv"
    bad.write_text("nonsense\n")
    form.editor.edit("trace", trace_kind="file", trace_file=str(bad))
    qtbot.waitUntil(lambda: str(bad) in form.field("preview").text(), timeout=30_000)
    assert not get_child(form, TraceSketch, "sketch").isVisible()


def test_that_steps_are_carried_out_in_their_order(trace):
    kept, found = prepared(trace, None, (("window", "0:1"), ("speedup", "2")))
    assert len(kept) == 10
    assert found.rate == pytest.approx(2 * 10, rel=0.2)


@pytest.mark.parametrize(
    ("steps", "said"),
    [((("speedup", "fast"),), "step 1: "), ((("speedup", "2"), ("window", "9")), "step 2: ")],
)
def test_that_a_wrong_step_is_named_by_its_number(trace, steps, said):
    with pytest.raises(InputError, match=said):
        prepared(trace, None, steps)


@pytest.fixture
def dialog_of(qtbot, form, theme):
    def make(path):
        dialog = TraceDialog(form, theme, path)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        qtbot.addWidget(dialog)
        dialog.open()
        return dialog

    return make


def test_that_columns_of_an_unknown_file_are_named_and_a_canonical_trace_is_written(
    dialog_of, unknown, qtbot, tmp_path
):
    dialog = dialog_of(unknown)
    qtbot.waitUntil(dialog.mapping.isVisible, timeout=30_000)
    assert not dialog.use.isEnabled()
    assert dialog.mapping.table.columnCount() == 4
    for field, column in (("timestamp", "when"), ("input_length", "asked"), ("output_length", "got")):
        dialog.mapping.choices[field].show_value(column)
    dialog.mapping.choices["class"].show_value("kind")
    dialog.mapping.unit.show_value("s")
    dialog.mapping.changed.emit()
    qtbot.waitUntil(dialog.use.isEnabled, timeout=30_000)
    with qtbot.waitSignal(dialog.made, timeout=30_000) as made:
        dialog.save_to(tmp_path / "made.jsonl")
    written = read_trace(made.args[0])
    assert len(written) == 40
    assert tuple(written.classes.names) == ("a", "b")
    assert unknown.read_text().startswith("when,asked")


def test_that_a_step_without_its_value_is_asked_for_it_and_nothing_is_saved_without_it(
    dialog_of, trace, qtbot
):
    dialog = dialog_of(trace)
    qtbot.waitUntil(dialog.use.isEnabled, timeout=30_000)
    dialog.steps.add("speedup")
    (row,) = dialog.steps.rows
    assert "Enter its value" in get_child(row, QLabel, "problem").text()
    assert not dialog.use.isEnabled()
    row.value.setText("2")
    row.value.editingFinished.emit()
    qtbot.waitUntil(dialog.use.isEnabled, timeout=30_000)
    assert not get_child(row, QLabel, "problem").isVisible()


def test_that_a_step_is_added_edited_and_taken_away_with_the_mouse(dialog_of, trace, qtbot):
    dialog = dialog_of(trace)
    qtbot.waitUntil(dialog.use.isEnabled, timeout=30_000)
    qtbot.mouseClick(dialog.steps.add_button, Qt.MouseButton.LeftButton)
    row = dialog.steps.rows[0]
    row.kind.show_value("window")
    row.kind.chosen.emit("window")
    row.value.setText("0:1")
    row.value.editingFinished.emit()
    qtbot.waitUntil(lambda: "10 requests" in get_child(dialog, QLabel, "status").text(), timeout=30_000)
    row.value.setText("9:8")
    row.value.editingFinished.emit()
    qtbot.waitUntil(lambda: "step 1" in get_child(dialog, QLabel, "status").text(), timeout=30_000)
    assert not dialog.use.isEnabled()
    assert get_child(row, QLabel, "problem").isVisible()
    assert row.value.accessibleDescription() == get_child(row, QLabel, "problem").text() != ""
    row.removed.emit()
    qtbot.waitUntil(dialog.use.isEnabled, timeout=30_000)
    assert dialog.steps.steps() == ()


def test_that_steps_change_places(dialog_of, trace, qtbot):
    dialog = dialog_of(trace)
    dialog.steps.add("speedup", "2")
    dialog.steps.add("window", "0:1")
    dialog.steps.rows[1].raised.emit()
    assert dialog.steps.steps() == (("window", "0:1"), ("speedup", "2"))


def test_that_the_saturation_is_told_before_anything_is_run(form):
    form.show_saturation(("Saturates at about 7.28 requests/s.", "Next: KV."))
    assert "7.28" in form.field("saturation").text()
    form.show_saturation(())
    assert not form.field("saturation").text()


@pytest.mark.parametrize(
    "other",
    [
        {
            "target_kind": "attached",
            "url": "http://127.0.0.1:8000",
            "control": "queue_timeout_s",
            "values": (1,),
        },
        {"rates": ()},
        {"trace_kind": "file", "trace_file": "/no/such/trace.csv"},
    ],
    ids=["another server", "a field to mend", "no trace"],
)
def test_that_nothing_is_foretold_of_what_nothing_is_known_of(qtbot, theme, other):
    editor = Editor()
    panel = ExperimentPanel(editor, theme)
    qtbot.addWidget(panel)
    panel.show()
    panel.sections[1][0].unfold()
    told: Any = panel.workload.field("saturation")
    qtbot.waitUntil(lambda: told.isVisible() and "7.28" in told.text())
    editor.edit("x", **other)
    qtbot.waitUntil(lambda: not told.text())


def test_that_a_draft_of_a_mix_can_be_run():
    assert Draft(trace_kind="mix", trace_mix="chat:3,agent:1", loop="open").runs() == 3


TRACES = Path(__file__).parents[2] / "data" / "traces"


def test_that_a_folded_section_marks_a_trace_that_was_read_with_a_warning(qtbot, theme):
    warned, sound = TRACES / "synthetic_per_request.csv", TRACES / "synthetic_canonical.jsonl"
    editor = Editor()
    panel = ExperimentPanel(editor, theme)
    qtbot.addWidget(panel)
    panel.show()
    header = panel.sections[1][0].header
    assert not header.isChecked()
    editor.edit("trace", trace_kind="file", trace_file=str(warned))
    qtbot.waitUntil(lambda: header.accessibleDescription() == f"⚠ {warned.name}", timeout=30_000)
    editor.edit("seed", seed=2)
    assert header.accessibleDescription() == f"⚠ {warned.name}"
    editor.edit("trace", trace_file=str(sound))
    preview: Any = panel.workload.field("preview")
    qtbot.waitUntil(lambda: "requests" in preview.text(), timeout=30_000)
    with qtbot.waitSignal(panel.workload.previewed, timeout=30_000):
        editor.edit("trace", trace_file=str(warned))
        editor.edit("trace", trace_file=str(sound))
    assert header.accessibleDescription() == sound.name
