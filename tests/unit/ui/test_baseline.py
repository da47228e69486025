import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QStyleOptionViewItem

from ui.experiment.baseline_model import BaselineColumn, BaselineModel, BaselineRole, explained, parse
from ui.experiment.baseline_view import BaselineView
from workbench.controls import CONTROLS


@pytest.fixture
def model(qapp):
    model = BaselineModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show_content({"max_num_seqs": 16}, "max_num_seqs", {})
    yield model
    tester.deleteLater()


@pytest.fixture
def view(qtbot, theme, model):
    view = BaselineView(model, theme)
    qtbot.addWidget(view)
    view.resize(300, 240)
    view.show()
    return view


def row_named(view, title):
    names = [view.model().index(row, BaselineColumn.CONTROL).data() for row in range(view.model().rowCount())]
    return names.index(title)


def test_that_exactly_one_control_is_under_test(model):
    tested = [model.index(row, 0).data(BaselineRole.UNDER_TEST) for row in range(model.rowCount())]
    assert tested.count(True) == 1


def test_that_one_click_chooses_the_control_under_test(view, model, qtbot):
    index = view.model().index(row_named(view, "Token budget"), BaselineColumn.TEST)
    with qtbot.waitSignal(model.test_wanted) as wanted:
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(index).center())
    assert wanted.args == ["max_num_batched_tokens"]


def test_that_space_chooses_it_from_the_keyboard(view, model, qtbot):
    view.setCurrentIndex(view.model().index(row_named(view, "Chunked prefill"), BaselineColumn.CONTROL))
    with qtbot.waitSignal(model.test_wanted) as wanted:
        qtbot.keyClick(view, Qt.Key.Key_Space)
    assert wanted.args == ["enable_chunked_prefill"]


def test_that_a_value_is_edited_in_place(view, model, qtbot):
    view.setCurrentIndex(view.model().index(row_named(view, "Token budget"), BaselineColumn.VALUE))
    qtbot.keyClick(view, Qt.Key.Key_Return)
    editor = view.focusWidget()
    with qtbot.waitSignal(model.value_wanted) as wanted:
        qtbot.keyClicks(editor, "4096")
        qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert wanted.args == ["max_num_batched_tokens", 4096]


def test_that_delete_goes_back_to_vllm_s_own_default(view, model, qtbot):
    view.setCurrentIndex(view.model().index(row_named(view, "Sequence limit"), BaselineColumn.VALUE))
    with qtbot.waitSignal(model.value_wanted) as wanted:
        qtbot.keyClick(view, Qt.Key.Key_Delete)
    assert wanted.args == ["max_num_seqs", None]


def test_that_the_rare_controls_show_when_asked(view):
    few = view.model().rowCount()
    view.show_all(on=True)
    assert few < view.model().rowCount() == len(CONTROLS)


def test_that_an_attached_server_offers_the_caller_s_own_controls(view, model):
    model.show_content({}, "max_in_flight", {}, attached=True)
    assert row_named(view, "Client-side admission") >= 0
    assert row_named(view, "Queue timeout") >= 0


def test_that_a_control_which_the_server_lacks_is_grey_with_its_reason_and_is_not_chosen(
    view, model, qtbot, theme
):
    reason = "max_num_batched_tokens: vLLM 0.1 has no --max-num-batched-tokens"
    row = row_named(view, "Token budget")
    name, value, test = (view.model().index(row, column) for column in (1, 2, 0))
    model.show_lacking({"max_num_batched_tokens": reason})
    assert name.data(Qt.ItemDataRole.ToolTipRole) == reason
    assert name.data(Qt.ItemDataRole.AccessibleDescriptionRole) == reason
    assert not value.flags() & Qt.ItemFlag.ItemIsEditable
    option = QStyleOptionViewItem()
    view.itemDelegate().initStyleOption(option, name)
    assert option.palette.text().color() == theme.secondary
    with qtbot.assertNotEmitted(model.test_wanted):
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(test).center())
    # A value that a file brought can be taken away.
    model.show_content({"max_num_batched_tokens": 64}, "max_num_seqs", {})
    assert value.flags() & Qt.ItemFlag.ItemIsEditable
    model.show_lacking({})
    assert "limits" in name.data(Qt.ItemDataRole.ToolTipRole)


@pytest.mark.parametrize("name", CONTROLS)
def test_that_every_control_says_what_it_limits_and_what_to_watch(name):
    text = explained(CONTROLS[name])
    assert CONTROLS[name].limits.removeprefix("the ") in text
    assert all(figure in text for figure in CONTROLS[name].watch.split(", "))
    assert "Default" in text


@pytest.mark.parametrize(
    ("name", "typed", "value"),
    [
        ("max_num_seqs", "64", 64),
        ("max_num_seqs", "", None),
        ("max_num_seqs", "lots", "lots"),
        ("enable_chunked_prefill", "off", False),
        ("enable_chunked_prefill", "maybe", "maybe"),
        ("scheduling_policy", "priority", "priority"),
        ("watermark", "0.1", 0.1),
    ],
)
def test_that_what_is_typed_becomes_what_the_control_takes(name, typed, value):
    assert parse(CONTROLS[name], typed) == value
