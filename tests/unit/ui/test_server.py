"""The server's panel: the form for each kind, the trial, remembered targets, failures with their fix."""

import json
import sys
import textwrap

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QToolButton

from tests.unit.ui.children import get_child
from ui.experiment import Draft, Editor
from ui.live import Changed, LiveState
from ui.server import ServerForm
from ui.server.command import preview_command
from ui.server.findings import FindingsView
from ui.server.remedies import fixed
from ui.server.server_panel import ServerPanel
from ui.server.targets import FIELDS, TargetsFile, with_target
from ui.server.trial import DoctorRun, Trial
from workbench.base import InputError, message
from workbench.vllm_dialect import ControlChange

NO_ROOM = message(
    "dialect.failure",
    cause=message("dialect.context_over_kv", length="4096", needed="1.5", available="0.4", limit="1008"),
    fix=message("dialect.context_over_kv_fix", limit="1008"),
)
SAID = {"detail": str(NO_ROOM), "message": msgspec.to_builtins(NO_ROOM)}


def test_that_a_fix_changes_the_baseline_and_drops_values_that_would_fail_alike():
    draft = Draft(baseline={"max_num_seqs": 256}, values=(128, 512))
    assert fixed(draft, ControlChange("max_model_len", 1008)).baseline["max_model_len"] == 1008
    mended = fixed(draft, ControlChange("max_num_seqs", 200))
    assert (mended.baseline["max_num_seqs"], mended.values) == (200, (128,))


@pytest.mark.parametrize(
    ("draft", "command"),
    [
        (Draft(), "python -m workbench engine serve --profile h100_sxm/Llama-3.1-8B/tp1 --max-num-seqs 16"),
        (Draft(target_kind="local", model="m", args="--dtype half"),
         "vllm serve m --max-num-seqs 16 --dtype half"),
        (Draft(target_kind="ssh", host="gpu-1", model="m", baseline={}), "ssh gpu-1 'vllm serve m'"),
        (Draft(target_kind="container", image="i", model="m", gpus="all", baseline={}),
         "docker run --gpus all i --model m"),
        (Draft(target_kind="attached", url="http://h:1"), ""),
        (Draft(baseline={"max_num_seqs": "many"}),
         "python -m workbench engine serve --profile h100_sxm/Llama-3.1-8B/tp1"),
    ],
)  # fmt: skip
def test_that_the_command_is_shown_before_a_server_is_started(draft, command):
    assert preview_command(draft) == command


def test_that_a_key_in_the_command_is_masked():
    assert "s3cret" not in preview_command(Draft(target_kind="local", model="m", args="--api-key s3cret"))


@pytest.fixture
def form(qtbot, theme):
    editor = Editor()
    form = ServerForm(editor, theme)
    qtbot.addWidget(form)
    editor.changed.connect(form.show_draft)
    form.show()
    return form


@pytest.mark.parametrize("kind", ["embedded", "local", "ssh", "container", "attached"])
def test_that_each_kind_shows_its_own_fields_only(form, kind):
    form.editor.edit("kind", target_kind=kind)
    assert form.field("url").isVisible() == (kind == "attached")
    assert form.field("host").isVisible() == (kind == "ssh")
    assert form.field("image").isVisible() == (kind == "container")
    assert form.field("profile").isVisible() == (kind == "embedded")
    assert form.field("live_limits").isVisible() == (kind != "attached")
    assert form.field("record_light").isVisible() == (kind in {"local", "ssh", "container"})
    assert form.field("load_python").isVisible() == (kind == "ssh")
    assert form.field("kv").isVisible() == (kind != "attached")


def test_that_the_lighter_record_is_one_of_steps_too(qtbot, form):
    form.editor.edit("kind", target_kind="local")
    qtbot.mouseClick(form.field("record_light"), Qt.MouseButton.LeftButton)
    assert form.editor.draft.record_steps == "stats"
    assert form.field("record_steps").isChecked()
    qtbot.mouseClick(form.field("record_light"), Qt.MouseButton.LeftButton)
    assert form.editor.draft.record_steps is True
    qtbot.mouseClick(form.field("record_light"), Qt.MouseButton.LeftButton)
    qtbot.mouseClick(form.field("record_steps"), Qt.MouseButton.LeftButton)
    assert form.editor.draft.record_steps is False
    assert not form.field("record_light").isChecked()


def test_that_the_command_is_copied(form):
    form.show_draft()
    get_child(form, QToolButton, "copy").click()
    assert QApplication.clipboard().text().startswith("python -m workbench engine serve")


@pytest.mark.parametrize(("kind", "default"), [("embedded", True), ("local", False)])
def test_that_recording_steps_is_switched_with_undo_from_the_kinds_default(form, qtbot, kind, default):
    form.editor.edit("kind", target_kind=kind)
    assert form.field("record_steps").isChecked() == default
    qtbot.mouseClick(form.field("record_steps"), Qt.MouseButton.LeftButton)
    assert form.editor.draft.record_steps is not default
    form.editor.undo()
    assert form.editor.draft.record_steps is None
    assert form.field("record_steps").isChecked() == default


def test_that_the_kv_cache_is_pinned_and_let_go_again_by_undo(form, qtbot):
    assert form.field("kv").currentData() == "as_deployed"
    form.field("kv").setFocus()
    qtbot.keyClick(form.field("kv"), Qt.Key.Key_Down)
    assert form.editor.draft.kv == "pinned"
    assert "pinned" in form.editor.undo_label()
    form.editor.undo()
    assert form.editor.draft.kv == form.field("kv").currentData() == "as_deployed"


def test_that_the_load_is_sent_to_the_servers_machine_by_naming_a_python_there(form, qtbot):
    form.editor.edit("kind", target_kind="ssh", host="gpu-1", model="m")
    field = form.field("load_python")
    qtbot.keyClicks(field, " /opt/bench/bin/python ")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert form.editor.draft.load_python == "/opt/bench/bin/python"
    form.editor.undo()
    assert field.text() == ""


def test_that_a_pinned_cache_under_test_is_refused_beside_its_field(form):
    form.editor.edit("pin", kv="pinned", control="gpu_memory_utilization", values=(0.8,))
    assert form.show_draft()
    assert "KV cache" in form.field("kv").accessibleDescription()


def test_that_a_target_is_remembered_without_its_key_and_comes_back(tmp_path):
    file = TargetsFile(tmp_path / "servers.json")
    file.remember("gpu", Draft(target_kind="ssh", host="gpu-1", model="m", api_key_env="KEY"))
    fields = file.read()["gpu"]
    assert set(fields) == set(FIELDS)
    draft = with_target(Draft(name="mine", values=(7,)), fields)
    assert (draft.host, draft.name, draft.values) == ("gpu-1", "mine", (7,))
    file.forget("gpu")
    assert file.read() == {}


def test_that_rubbish_in_the_targets_file_is_said_and_left_alone(tmp_path):
    path = tmp_path / "servers.json"
    path.write_text("[1]")
    file = TargetsFile(path)
    assert file.read() == {}
    assert "can't be read" in file.complaint
    with pytest.raises(InputError, match="not overwritten"):
        file.remember("gpu", Draft())
    assert path.read_text() == "[1]"


def test_that_a_target_edited_by_hand_is_refused_in_a_line():
    with pytest.raises(InputError, match="can't be used"):
        with_target(Draft(), {"time_scale": "fast"})


def program(tmp_path, text):
    """A stand-in for the process of a trial or of a look around."""
    path = tmp_path / f"program-{len(list(tmp_path.iterdir()))}.py"
    path.write_text(textwrap.dedent(text))
    return (sys.executable, str(path))


@pytest.fixture
def panel_of(qtbot, qapp, theme, tmp_path):
    def make(text="", editor=None):
        trial = Trial(qapp, program(tmp_path, text))
        panel = ServerPanel(theme, editor or Editor(), tmp_path / "servers.json", trial)
        trial.setParent(panel)
        panel.findings.examination = DoctorRun(panel.findings, program(tmp_path, "print('{}')"))
        qtbot.addWidget(panel)
        panel.resize(1000, 220)
        panel.show()
        return panel

    return make


SAYS = """
import json
for said in {lines}:
    print(json.dumps(said), flush=True)
"""


FAILS = SAYS.format(lines=[{"state": "failed", **SAID}, {"error": str(NO_ROOM), **SAID}])


def test_that_a_trial_shows_phases_command_and_what_the_server_uses(panel_of, qtbot):
    lines = [
        {"state": "starting", "detail": "loading weights (40 %)", "command": "vllm serve m"},
        {"state": "starting", "detail": "sizing the KV cache", "command": "vllm serve m"},
        {"state": "ready", "detail": ""},
        {"effective": {"version": "0.32.0", "model": "m", "max_model_len": 4096, "kv_cache_tokens": 9000,
                       "arguments": {"max_num_seqs": 16}},
         "abilities": [{"standing": "no", "what": {"kind": "servers.lacks_controls",
                                                   "values": {"names": ["watermark"]}}}]},
        {"memory": {"server": {"kv_gib": 54.47}, "estimate": None, "differences": [], "why": "no files"}},
        {"state": "stopped", "detail": ""},
    ]  # fmt: skip
    panel = panel_of(SAYS.format(lines=lines))
    qtbot.mouseClick(panel.test, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not panel.trial.running, timeout=30_000)
    assert "loading weights" in panel.phases.text()
    assert "→ sizing the KV cache" in panel.phases.text()
    assert panel.command.text() == "vllm serve m"
    assert "max_model_len 4096" in panel.effective.text()
    assert "KV 9,000 tokens" in panel.effective.text()
    assert panel.abilities.text() == "✗ Controls that this version lacks: watermark."
    assert not panel.abilities.isHidden()
    assert ["KV cache", "", "54.5 GiB", ""] in panel.memory.texts()
    assert panel.test.text() == "Try it out"


def test_that_a_failed_trial_offers_its_fix_as_a_button(panel_of, qtbot):
    editor = Editor()
    panel = panel_of(
        SAYS.format(lines=[{"state": "failed", **SAID}, {"error": str(NO_ROOM), **SAID}]), editor
    )
    qtbot.mouseClick(panel.test, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not panel.trial.running, timeout=30_000)
    assert "no room for one request" in panel.status.text()
    assert panel.fixes[0].text() == "Use max_model_len 1008"
    with qtbot.waitSignal(panel.control_wanted) as wanted:
        qtbot.mouseClick(panel.fixes[0], Qt.MouseButton.LeftButton)
    assert editor.draft.baseline["max_model_len"] == 1008
    assert wanted.args == ["max_model_len"]


def test_that_what_a_trial_came_to_goes_with_its_server_and_not_with_another(panel_of, qtbot):
    editor = Editor()
    panel = panel_of(
        SAYS.format(lines=[{"state": "failed", **SAID}, {"error": str(NO_ROOM), **SAID}]), editor
    )
    qtbot.mouseClick(panel.test, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not panel.trial.running)
    editor.edit("values", values=(24, 48))
    assert "no room for one request" in panel.status.text()
    editor.edit("server", target_kind="attached", url="http://127.0.0.1:8000")
    assert panel.status.text() == "○ no server yet"
    assert panel.command.text() == ""
    assert not any(button.isVisible() for button in panel.fixes)


def test_that_a_plans_failed_server_offers_the_same(panel_of, qtbot):
    panel = panel_of()
    state = LiveState(phase="running", server="failed", server_detail=NO_ROOM)
    panel.show_state(state)
    with qtbot.waitSignal(panel.failed) as failed:
        panel.on_change(Changed.SERVER)
    assert failed.args == [str(NO_ROOM)]
    assert [words for words, _ in panel.remedies()] == [
        "Use max_model_len 1008",
        "Change gpu_memory_utilization",
    ]


def test_that_a_trial_ends_when_asked(panel_of, qtbot):
    panel = panel_of("import sys\nsys.stdin.buffer.read()\n")
    qtbot.mouseClick(panel.test, Qt.MouseButton.LeftButton)
    assert panel.test.text() == "End the trial"
    qtbot.mouseClick(panel.test, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not panel.trial.running, timeout=30_000)


def test_that_no_trial_begins_while_a_plan_runs_or_a_field_is_wrong(panel_of, qtbot):
    editor = Editor()
    panel = panel_of("", editor)
    panel.show_state(LiveState(phase="running"))
    with qtbot.waitSignal(panel.said):
        panel.try_out()
    panel.show_state(LiveState())
    editor.replace(Draft(values=()), "no values")
    with qtbot.waitSignal(panel.said):
        panel.try_out()
    assert not panel.trial.running


def test_that_remembered_targets_are_used_by_enter_and_one_that_is_gone_is_said(panel_of, qtbot):
    editor = Editor()
    editor.replace(
        Draft(target_kind="attached", url="http://gpu:8000", control="max_in_flight", values=(1,)), "x"
    )
    panel = panel_of("", editor)
    qtbot.mouseClick(panel.remember, Qt.MouseButton.LeftButton)
    assert panel.targets.item(0).text() == "http://gpu:8000"
    editor.replace(Draft(), "other")
    panel.use_target("http://gpu:8000")
    assert editor.draft.url == "http://gpu:8000"
    with qtbot.waitSignal(panel.said) as said:
        panel.use_target("another")
    assert "not in the list any more" in said.args[1]


FINDINGS = [
    {"area": "disk", "level": "fine", "text": "12 GiB free"},
    {"area": "vllm", "level": "fine", "text": "vLLM 0.32.0: /opt/vllm"},
    {"area": "gpu", "level": "note", "text": "0: H100, 40 of 80 GiB used by python (77) 40 GiB"},
    {"area": "left-overs", "level": "wrong", "text": "VLLM::EngineCore (99)", "fix": "end it"},
]


def test_that_this_machine_is_told_with_installs_first_and_left_overs_can_be_ended(qtbot, theme, tmp_path):
    told = json.dumps({"findings": FINDINGS})
    view = FindingsView(theme)
    view.examination = DoctorRun(view, program(tmp_path, f"import sys\nprint({told!r})\n"))
    qtbot.addWidget(view)
    view.show()
    qtbot.waitUntil(lambda: view.list.count() == 4, timeout=30_000)
    assert "vLLM 0.32.0" in view.list.item(0).text()
    assert "by python (77)" in view.list.item(1).text()
    assert view.clean.isVisible()


def test_that_a_look_around_that_fails_says_why(qtbot, theme, tmp_path):
    view = FindingsView(theme)
    view.examination = DoctorRun(view, program(tmp_path, "import sys\nsys.exit('no luck')\n"))
    qtbot.addWidget(view)
    view.show()
    qtbot.waitUntil(lambda: view.list.count() == 1 and "no luck" in view.list.item(0).text(), timeout=30_000)


def test_that_a_trial_of_the_embedded_engine_reads_back_what_it_uses(qtbot, theme, tmp_path):
    panel = ServerPanel(theme, Editor(), tmp_path / "servers.json")
    qtbot.addWidget(panel)
    panel.try_out()
    qtbot.waitUntil(lambda: not panel.trial.running, timeout=55_000)
    assert "max_num_seqs 16" in panel.effective.text()
    assert "--max-num-seqs 16" in panel.command.text()


def test_that_the_machine_is_looked_at_when_its_panel_comes_into_sight_and_not_before(
    window, qtbot, tmp_path
):
    view = window.docks["server"].widget().findings
    told = json.dumps({"findings": FINDINGS})
    view.examination = DoctorRun(view, program(tmp_path, f"print({told!r})\n"))
    qtbot.wait(50)
    assert view.list.count() == 0
    window.docks["server"].raise_()
    qtbot.waitUntil(lambda: view.list.count() == 4, timeout=30_000)


def test_that_each_configurations_server_has_its_own_phases(panel_of):
    panel = panel_of()
    for state, detail in (
        ("starting", "loading weights"), ("ready", ""), ("stopping", ""), ("starting", "reading the model"),
    ):  # fmt: skip
        panel.show_server_state(state, detail)
    assert "loading weights" not in panel.phases.text()
    assert "reading the model" in panel.phases.text()


def test_that_a_second_server_is_timed_anew_while_the_first_one_ends(panel_of, monkeypatch):
    panel = panel_of()
    clock = iter([0.0, 1.0, 50.0, 53.0, 54.0, 55.0])
    for state, detail in (
        ("starting", "starting the HTTP server"), ("ready", ""), ("stopping", ""),
        ("starting", "starting the HTTP server"), ("starting", "loading weights"), ("ready", ""),
    ):  # fmt: skip
        now = next(clock)
        monkeypatch.setattr("ui.server.server_panel.time.monotonic", lambda now=now: now)
        panel.show_server_state(state, detail)
    monkeypatch.undo()
    assert panel.phases.text() == "starting the HTTP server 1.0 s → loading weights 1.0 s"
