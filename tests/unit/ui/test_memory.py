"""Memory in the server's room: estimated before a start as the form changes, then beside the server's log."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea

from tests.unit.ui.children import get_child
from ui.experiment import Draft, Editor
from ui.server import memory
from ui.server.memory import MemoryView, size, sizing_input
from ui.server.memory_rows import headline, rows
from workbench.base import InputError
from workbench.experiments import MemoryReported

CONFIGS = json.loads((Path(__file__).parents[2] / "data" / "advice" / "model_configs.json").read_text())
ESTIMATE = {
    "weights_gib": 14.98,
    "kv_bytes_per_token": 131_072,
    "kv_gib": 55.85,
    "kv_tokens": 457_536,
    "kv_tokens_low": 443_201,
    "kv_tokens_high": 471_871,
    "kv_blocks": 28_596,
    "max_concurrency": 3.49,
    "max_model_len": 131_072,
    "max_model_len_fits": 131_072,
    "budget_gib": 72.9,
    "overhead_gib": 2.0,
    "activation_gib": 0.906,
    "block_size": 16,
    "band_pct": 3.1,
    "fits": True,
    "notes": ["weights counted from config.json"],
}


@pytest.fixture
def model(tmp_path):
    folder = tmp_path / "Llama-3.1-8B"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(CONFIGS["meta-llama/Llama-3.1-8B-Instruct"]))
    return folder


@pytest.fixture
def view(qtbot, theme, model):
    editor = Editor()
    editor.begin(Draft(target_kind="local", model=str(model), baseline={"max_num_seqs": 256}))
    view = MemoryView(theme, editor)
    view.editor = editor
    qtbot.addWidget(view)
    view.resize(460, 300)
    view.show()
    qtbot.waitUntil(lambda: bool(figures(view)))
    return view


def figures(view):
    return {line[0]: line[1:] for line in view.texts()}


def choose(qtbot, view, gpu):
    line = view.gpu.lineEdit()
    line.setFocus()
    line.selectAll()
    qtbot.keyClicks(line, gpu)
    qtbot.keyClick(line, Qt.Key.Key_Return)


def test_that_without_a_gpu_only_what_is_known_is_shown_and_the_gap_is_said(qtbot, view):
    assert "for the other figures" in view.said.text()
    assert figures(view)["Weights"] == ["15.0 GiB"]
    assert figures(view)["KV of a token"] == ["131,072 bytes"]
    assert "Tokens" not in figures(view)
    assert view.gpu.currentText() == "this machine's: none known"


def test_that_a_typed_gpu_is_sized_at_once_and_a_baseline_that_changes_again(qtbot, view):
    choose(qtbot, view, "H100 SXM 80 GB")
    qtbot.waitUntil(lambda: "KV cache" in figures(view))
    assert view.gpu.text() == "h100_sxm"
    assert view.said.text() == "✓ 3.49 requests of 131,072 tokens fit at once"
    (cache,) = figures(view)["KV cache"]
    assert cache.endswith("GiB ±3.1 %")
    before = figures(view)["Tokens"]
    view.editor.replace(view.editor.draft.with_baseline("gpu_memory_utilization", 0.5), "less")
    qtbot.waitUntil(lambda: figures(view).get("Tokens") not in (None, before))
    view.editor.replace(view.editor.draft.with_baseline("kv_cache_dtype", "fp8"), "narrow")
    qtbot.waitUntil(lambda: figures(view).get("KV of a token") == ["65,536 bytes"])


def test_that_figures_which_were_replaced_do_not_lie_under_the_new_ones(qtbot, view):
    choose(qtbot, view, "H100 SXM 80 GB")
    qtbot.waitUntil(lambda: "KV cache" in figures(view))
    old = [label for label in view.findChildren(QLabel) if label.text() == "KV cache"]
    assert len(old) == 1
    # A layout shows what was added to it with the event loop's next turn.
    qtbot.waitUntil(old[0].isVisible)
    # Before the event loop has deleted what is gone.
    view.show_figures(view.estimate, None)
    assert not old[0].isVisible()


def test_that_the_longest_length_that_fits_is_put_into_the_baseline_by_its_button(qtbot, view):
    choose(qtbot, view, "24 GiB")
    qtbot.waitUntil(view.use.isVisible)
    assert "One request of 131,072 tokens doesn't fit" in view.said.text()
    qtbot.mouseClick(view.use, Qt.MouseButton.LeftButton)
    longest = view.editor.draft.baseline["max_model_len"]
    assert view.editor.undo_label() == f"max_model_len {longest}, the longest that fits"
    qtbot.waitUntil(lambda: view.said.text().startswith("✓"))
    assert view.use.isHidden()


@pytest.mark.parametrize(
    ("fields", "gpu", "said"),
    [
        ({}, "X9000", "No GPU called 'X9000'"),
        ({"model": "somebody/unknown"}, "24", "no config.json on this machine"),
        ({"target_kind": "embedded"}, "24", "comes from its profile"),
        ({"args": "-tp 3"}, "24", "doesn't divide"),
    ],
)
def test_that_what_cant_be_sized_is_one_plain_line_and_no_figure(qtbot, view, fields, gpu, said):
    view.editor.edit("x", **fields)
    choose(qtbot, view, gpu)
    qtbot.waitUntil(lambda: said in view.said.text())
    assert view.texts() == []
    assert view.use.isHidden()


def test_that_the_servers_log_stands_beside_the_estimate_until_the_form_changes(qtbot, view):
    told = MemoryReported(
        server={"weights_gib": 14.99, "kv_gib": 54.47, "kv_tokens": 446_224, "max_concurrency": 3.4},
        estimate=ESTIMATE,
        differences=[],
    )
    view.show_server_memory(told)
    shown = view.texts()
    assert shown[0] == ["", "Estimated", "Server", "Off by"]
    assert figures(view)["KV cache"] == ["55.9 GiB ±3.1 %", "54.5 GiB", "+3\N{NARROW NO-BREAK SPACE}%"]
    assert figures(view)["Tokens"][1] == "446,224"
    # The same again changes nothing, and a form that changes is estimated anew.
    view.show_server_memory(told)
    assert view.texts() == shown
    view.editor.edit("x", args="--kv-cache-dtype fp8")
    qtbot.waitUntil(lambda: figures(view).get("KV of a token") == ["65,536 bytes"])
    view.show_server_memory(told)
    assert "Server" not in view.texts()[0]


def test_that_a_server_whose_files_lie_elsewhere_is_shown_by_its_log_alone(view):
    view.show_server_memory(
        MemoryReported(
            server={"kv_gib": 54.47},
            estimate=None,
            differences=[],
            why="m: no config.json on this machine",
        )
    )
    assert figures(view)["KV cache"] == ["", "54.5 GiB", ""]
    assert view.said.text() == "M: no config.json on this machine."


def test_that_everything_has_a_name_for_those_who_dont_see_it(view):
    assert view.gpu.accessibleName() == "GPU to size the server on"
    assert view.accessibleName() == "Memory of the server"
    assert "Weights 15.0 GiB" in get_child(view, QScrollArea, "figures").accessibleDescription()


def test_that_light_and_dark_keep_what_is_said(qtbot, view, theme):
    choose(qtbot, view, "24 GiB")
    qtbot.waitUntil(view.use.isVisible)
    said, shown = view.said.text(), view.texts()
    theme.pin("dark")
    QApplication.processEvents()
    assert (view.said.text(), view.texts()) == (said, shown)


def test_that_an_unseen_room_reads_no_files(qtbot, theme, model, monkeypatch):
    monkeypatch.setattr(memory, "size", lambda _asked: pytest.fail("nobody looks"))
    editor = Editor()
    view = MemoryView(theme, editor)
    qtbot.addWidget(view)
    editor.begin(Draft(target_kind="local", model=str(model)))
    qtbot.wait(2 * memory._AFTER_MS)
    assert view.texts() == []


def test_that_words_that_no_shell_could_read_are_no_crash(model):
    asked = sizing_input(Draft(target_kind="local", model=str(model), args='--dtype "half'), "h100")
    with pytest.raises(InputError, match="dtype"):
        size(asked)


def test_that_a_figure_that_nobody_knows_has_no_row():
    assert rows(None) == []
    assert [row.title for row in rows({"weights_gib": 1.0, "kv_gib": None})] == ["Weights"]
    assert headline({}) == ("", None)
    assert headline({"fits": False, "max_model_len": 10, "max_model_len_fits": 0})[0].endswith("doesn't fit")


def test_that_a_stated_gpu_is_remembered_by_the_next_window(qtbot, make_window):
    window = make_window()
    window.docks["server"].raise_()
    view = window.docks["server"].widget().memory
    choose(qtbot, view, "24 GiB")
    assert window.settings.value.sizing_gpu == "24 GiB"
    again = make_window().docks["server"].widget().memory.gpu
    assert (again.text(), again.currentText()) == ("24 GiB", "24 GiB")
