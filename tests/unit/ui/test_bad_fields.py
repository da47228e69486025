"""Every field of every form, with what can't be: it says so in words beside itself, and nothing is lost."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QLabel, QLineEdit

from tests.unit.ui.children import get_child
from ui.experiment import Draft, Editor
from ui.experiment.draft_file import checked_text
from ui.experiment.experiment_panel import ExperimentPanel
from ui.experiment.kinds import fields_of
from ui.experiment.problems import find_problems
from ui.window.preferences import PreferencesDialog
from workbench.base import InputError
from workbench.controls import CONTROLS

SSH = {"target_kind": "ssh", "host": "gpu-1", "model": "m"}
LOCAL = {"target_kind": "local", "model": "m"}
CONTAINER = {"target_kind": "container", "image": "i", "model": "m"}
ATTACHED = {"target_kind": "attached", "url": "http://h:1", "control": "max_in_flight", "values": (4,)}


def of_kind(kind):
    return fields_of(kind, Draft())


BAD = [
    ("name", {}, " "),
    ("time_scale", {}, "soon"),
    ("url", ATTACHED, "somewhere"),
    ("url", ATTACHED, "http://user:secret@h:1"),
    ("url", ATTACHED, "http://h:port"),
    ("ca_file", ATTACHED, "/no/such.pem"),
    ("model", LOCAL, " "),
    ("executable", LOCAL, "/no/such/vllm"),
    ("api_key_env", LOCAL, "sk-1234567890"),
    ("args", LOCAL, '--dtype "half'),
    ("host", SSH, "gpu 1"),
    ("host", SSH, "gpu-1:ssh"),
    ("image", CONTAINER, "two words"),
    ("shm_size", CONTAINER, "a lot"),
    ("trace_file", {"trace_kind": "file"}, "/no/such.jsonl"),
    ("lengths", {}, "0"),
    ("speedup", {"trace_kind": "file"}, "0"),
    ("seed", {}, "-1"),
    ("values", {}, "many"),
    ("rates", {}, "fast"),
    ("rates", {"rates": ()}, "0"),
    ("concurrency", {"loop": "closed"}, "1.5"),
    ("length", {}, "0"),
    ("length", {"bound": "requests"}, "1.5"),
    ("warmup_s", {}, "-1"),
    ("burstiness", {"arrivals": "gamma"}, "0"),
    ("rate_profile", {}, "zigzag"),
    ("max_in_flight", {}, "few"),
    ("queue_timeout_s", {}, "soon"),
    ("request_timeout_s", {}, "-3"),
    ("max_retries", {}, "-1"),
    ("repeats", {}, "0"),
    ("disturbed", {}, "-1"),
    ("ladder", {"loop": "ladder"}, "none"),
    ("ladder", {"loop": "ladder"}, "1000"),
    ("second", of_kind("confirm"), "rubbish"),
    ("burst_factor", of_kind("burst"), "1"),
    ("burst_s", of_kind("burst"), "0"),
    ("burst_at", of_kind("burst"), "x"),
    ("block_s", of_kind("switchback"), "0"),
    ("washout_s", of_kind("switchback"), "-1"),
    ("search_gain", of_kind("search"), "0"),
    ("search_minutes", of_kind("search"), "soon"),
    ("reproduces", {"kind": "reproduce"}, "/no/such.bench"),
    *(
        (f"objectives.{name}", {}, "soon")
        for name in ("ttft_p95_ms", "itl_p95_ms", "e2e_p95_ms", "queue_p95_ms", "error_rate", "preemptions")
    ),
    ("objectives.error_rate", {}, "101"),
    ("scope", {"class_objectives": {"chat": {}}}, "nobody"),
    ("cost_per_hour", {}, "much"),
    ("cost_currency", {"cost_per_hour": 2.5}, " "),
    ("cost_date", {"cost_per_hour": 2.5}, "yesterday"),
    ("cost_source", {"cost_per_hour": 2.5, "cost_source": "offer"}, " "),
]
"""Row, what the draft is like, what is typed there."""

NEVER_WRONG = {
    # One of some values, or on and off.
    *("target_kind", "profile", "max_len", "kind", "loop", "arrivals", "cost_basis", "trace_kind"),
    *("record_steps", "record_light", "live_limits", "ladder_adaptive"),
    # Shown, not typed.
    *("about", "command", "preview", "prepare", "saturation"),
    # Free words: only the other machine, or docker, knows.
    *("load_python", "gpus"),
    # Wrong together with others: tests below.
    *("kv", "mix", "control", "baseline"),
}


@pytest.fixture
def panel(qtbot, theme):
    panel = ExperimentPanel(Editor(), theme)
    panel.editor.setParent(panel)
    qtbot.addWidget(panel)
    panel.resize(400, 2000)
    for section, _, _ in panel.sections:
        section.unfold()
    panel.objectives.set_classes(("agent", "chat"))
    panel.show()
    return panel


def forms_of(panel):
    return [panel.name_form, panel.server, panel.workload, panel.control.form, panel.load,
            panel.objectives, panel.cost]  # fmt: skip


def form_of(panel, id_):
    return next(form for form in forms_of(panel) if id_ in form.ids())


def type_into(qtbot, field, text):
    """As a user does who leaves with Enter."""
    shown = [part for part in (field, *field.findChildren(QLineEdit)) if part.isVisible()]
    entry = next(part for part in shown if isinstance(part, QLineEdit))
    if isinstance(field, QComboBox):
        entry = field.lineEdit()
    entry.setFocus()
    entry.selectAll()
    entry.clear()
    box = entry.parent()
    qtbot.keyClicks(entry, text)
    qtbot.keyClick(box if isinstance(box, QAbstractSpinBox) else entry, Qt.Key.Key_Return)


@pytest.mark.parametrize(("id_", "fields", "typed"), BAD, ids=[f"{case[0]} {case[2]}" for case in BAD])
def test_that_what_can_t_be_is_said_beside_its_field(panel, qtbot, id_, fields, typed):
    panel.editor.edit("as needed", **fields)
    form = form_of(panel, id_)
    field = form.field(id_)
    if id_ == "second":
        field = field.findChild(QLineEdit)
    type_into(qtbot, field, typed)
    said = form.problem(id_)
    assert said.endswith(".")
    assert len(said.split()) > 2
    assert get_child(form, QLabel, f"{id_} problem").isVisible()
    assert (form.field(id_).focusProxy() or form.field(id_)).accessibleDescription() == said


def test_that_no_field_is_left_out_of_these_tests(panel):
    rows = {id_ for form in forms_of(panel) for id_ in form.ids()}
    assert rows == {case[0] for case in BAD} | NEVER_WRONG


def test_that_a_number_that_was_refused_stays_and_its_words_go_with_the_next(panel, qtbot):
    form = form_of(panel, "repeats")
    before = panel.editor.draft
    type_into(qtbot, form.field("repeats"), "many")
    assert (
        form.problem("repeats") == "“many” is not possible. Give a whole number, 1 to 100. The value stays 1."
    )
    assert panel.editor.draft == before
    type_into(qtbot, form.field("repeats"), "3")
    assert form.problem("repeats") == ""
    assert panel.editor.draft.repeats == 3


def test_that_more_decimals_than_a_field_has_are_said(panel, qtbot):
    form = form_of(panel, "time_scale")
    type_into(qtbot, form.field("time_scale"), "1.23456")
    assert "4 decimals" in form.problem("time_scale")


def test_that_the_last_kind_of_request_says_why_it_stays(panel):
    panel.editor.edit("mix", trace_kind="mix", trace_mix="chat")
    panel.workload.field("mix").sliders["chat"].setValue(0)
    assert "is needed" in panel.workload.problem("mix")
    panel.workload.field("mix").sliders["agent"].setValue(2)
    assert panel.workload.problem("mix") == ""


def test_that_a_baseline_value_that_can_t_be_is_said_at_its_row_and_ends_nothing(panel):
    # With a value under test that such a baseline can't be compared with.
    panel.editor.edit("x", control="max_num_seqs", values=(64,), baseline={"max_num_batched_tokens": "soon"})
    assert set(panel.editor.problems) == {"baseline.max_num_batched_tokens"}
    panel.editor.edit("y", baseline={"max_num_seqs": 64, "max_num_batched_tokens": 32})
    assert panel.control.form.problem("baseline").endswith(".")


def test_that_preferences_say_it_too(qtbot, window):
    dialog = PreferencesDialog(window, window.settings, window.theme)
    qtbot.addWidget(dialog)
    dialog.show()
    type_into(qtbot, dialog.fields["demo_seconds"], "forever")
    assert "5 to 600" in dialog.form.problem("demo_seconds")
    assert window.settings.value.demo_seconds == 20.0


WORDS = st.sampled_from(
    ["", " ", "x", "soon", "a b", '"', "-1", "0", "1e999", "[target]", "http://h:1", "http://u:p@h",
     "http://h:x", "http://[", "/no/such", "a:b:c", "ramp:1:5:30", "chat:0", "chat,chat", "2026-13-01"]
)  # fmt: skip
NUMBERS = st.sampled_from([None, "soon", 0, -1, 1, 2.5, 1e9, 1e308, True])
LISTS = st.lists(NUMBERS.filter(lambda value: value is not None), max_size=2).map(tuple)
CHOICES = {
    "target_kind": ["embedded", "local", "ssh", "container", "attached"],
    "loop": ["open", "ladder", "closed", "trace"],
    "kv": ["as_deployed", "pinned"],
    "bound": ["duration", "requests"],
    "arrivals": ["poisson", "constant", "gamma", "trace"],
    "trace_kind": ["synthetic", "mix"],
    "control": list(CONTROLS),
    "second": ["", *CONTROLS],
}
FIELDS = st.fixed_dictionaries(
    {},
    optional={
        **{name: st.sampled_from(values) for name, values in CHOICES.items()},
        **dict.fromkeys(("url", "model", "host", "image", "executable", "args", "api_key_env"), WORDS),
        **dict.fromkeys(("shm_size", "ca_file", "trace_mix", "rate_profile", "cost_date"), WORDS),
        **dict.fromkeys(("max_in_flight", "queue_timeout_s", "request_timeout_s", "second_value"), NUMBERS),
        **dict.fromkeys(("rates", "concurrency", "values"), LISTS),
        "baseline": st.dictionaries(st.sampled_from(list(CONTROLS)), NUMBERS.filter(bool), max_size=2),
        "cost_per_hour": NUMBERS,
    },
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(["single", "ladder", "burst", "soak", "confirm", "switchback"]), FIELDS)
def test_that_a_draft_is_either_complained_about_or_taken_by_the_core(kind, fields):
    draft = Draft().with_fields(**{**fields_of(kind, Draft()), **fields})
    problems = find_problems(draft)
    if problems:
        assert all(text.endswith(".") for text in problems.values())
        return
    try:
        checked_text(draft)
    except InputError as error:
        raise AssertionError(f"nothing was said beside a field: {error}") from error
