"""A typed number means the same in every locale, and a text that may mean two things is refused visibly."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from tests.unit.ui.children import get_child
from ui.forms import ChipsEditor, DecimalField, Form, OptionalNumber, WholeField
from ui.forms.typed import typed_number, written_number
from ui.live_limits.limit_row import LimitRow
from ui.look.theme import Theme

UI = Path(__file__).parents[3] / "ui"
LOCALES = ("de_DE", "fr_FR", "en_IN", "zh_CN")
COMMA = {"de_DE", "fr_FR"}
"""Where the decimal sign is a comma."""
REFUSED = (
    "1.234,5",
    "1,234.5",
    "1.234.567",
    "1,234,567",
    "1 234",
    "1\u00a0234",
    "1\u202f234",
    "1'234",
    "12,34,567.5",
)
"""Groups of digits, as somebody somewhere writes them."""


@pytest.fixture(params=LOCALES)
def locale(request: pytest.FixtureRequest) -> Iterator[str]:
    before = QLocale()
    QLocale.setDefault(QLocale(request.param))
    yield request.param
    QLocale.setDefault(before)


def _theme() -> Theme:
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    return Theme(application)


def _in_form(qtbot: QtBot, field: DecimalField | WholeField) -> tuple[Form, QLabel]:
    form = Form(_theme())
    form.add("it", "It", field)
    qtbot.addWidget(form)
    return form, get_child(form, QLabel, "it problem")


def _type(qtbot: QtBot, field: DecimalField | WholeField, text: str) -> None:
    edit = field.lineEdit()
    edit.selectAll()
    if text.isascii():
        qtbot.keyClicks(edit, text)
    else:
        # As pasted: no key has these.
        edit.insert(text)
    qtbot.keyClick(field, Qt.Key.Key_Return)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.5", 1.5),
        ("1.234", 1.234),
        ("0.05", 0.05),
        (".5", 0.5),
        ("5.", 5.0),
        ("1e3", 1000.0),
        ("1234.5", 1234.5),
    ],
)
def test_a_decimal_point_always_works(qtbot: QtBot, locale: str, text: str, value: float) -> None:
    field = DecimalField(0, 1e6, "s")
    _form, problem = _in_form(qtbot, field)
    _type(qtbot, field, text)
    assert field.value() == value
    assert problem.text() == ""
    assert typed_number(text) == value


def test_the_decimal_sign_of_the_locale_works_beside_it(qtbot: QtBot, locale: str) -> None:
    field = DecimalField(0, 1e6)
    _form, problem = _in_form(qtbot, field)
    field.show_value(2)
    _type(qtbot, field, "1,5")
    assert field.value() == (1.5 if locale in COMMA else 2)
    assert bool(problem.text()) == (locale not in COMMA)


@pytest.mark.parametrize("text", REFUSED)
def test_separators_of_thousands_are_refused_and_said(qtbot: QtBot, locale: str, text: str) -> None:
    for field in (DecimalField(0, 1e9), WholeField(0)):
        form, problem = _in_form(qtbot, field)
        field.show_value(7)
        _type(qtbot, field, text)
        assert field.value() == 7
        assert text in problem.text()
        assert "The value stays 7." in problem.text()
        form.deleteLater()
    assert typed_number(text) is None


@pytest.mark.parametrize(
    "text", ["1.5", "1,5", "1.234", "1,234", "1e3", "\u0663", "\uff11\uff12", "0x10", "--3"]
)
def test_a_whole_field_takes_digits_alone(qtbot: QtBot, locale: str, text: str) -> None:
    field = WholeField(0)
    _form, problem = _in_form(qtbot, field)
    field.show_value(7)
    _type(qtbot, field, text)
    assert field.value() == 7
    assert text in problem.text()
    _type(qtbot, field, "1234")
    assert field.value() == 1234
    assert problem.text() == ""


@pytest.mark.parametrize("value", [0.1, 1.5, 1234.5, 12_345_678.0, 0.0001])
def test_what_a_field_shows_is_read_as_the_same_number(qtbot: QtBot, locale: str, value: float) -> None:
    field = DecimalField(0, 1e9, "s")
    qtbot.addWidget(field)
    field.show_value(value)
    assert field.valueFromText(field.text()) == field.value() == value
    assert typed_number(written_number(value)) == value
    optional = OptionalNumber("s", "")
    qtbot.addWidget(optional)
    optional.show_value(value)
    assert typed_number(optional.field.text()) == value


def test_a_field_without_a_unit_and_one_whose_unit_was_typed_over_are_read_alike(
    qtbot: QtBot, locale: str
) -> None:
    for unit, text in (("", "3.5"), ("s", "3.5"), ("s", "3.5 s"), ("s", "3.5s"), ("×", " 3.5 ")):
        field = DecimalField(0, 1e6, unit)
        qtbot.addWidget(field)
        _type(qtbot, field, text)
        assert field.value() == 3.5


@pytest.mark.parametrize("text", REFUSED)
def test_a_free_field_hands_on_what_is_no_number_as_its_text(qtbot: QtBot, locale: str, text: str) -> None:
    """The form then says that it is none."""
    field = OptionalNumber("s", "")
    qtbot.addWidget(field)
    with qtbot.waitSignal(field.edited) as given_value:
        field.field.edited.emit(text)
    assert given_value.args == [text]


@pytest.mark.parametrize(
    ("text", "comma", "point"),
    [
        ("1.5", (1.5,), (1.5,)),
        ("1,5", (1.5,), (1, 5)),
        ("16 32; 64", (16, 32, 64), (16, 32, 64)),
        ("16, 32, 64", (16, 32, 64), (16, 32, 64)),
        ("4,8,16", (4, 8, 16), (4, 8, 16)),
        ("64,128", (64.128,), ("64,128",)),
        ("1,234,567", ("1,234,567",), ("1,234,567",)),
    ],
)
def test_a_list_of_values_keeps_what_may_be_one_number_or_two(
    qtbot: QtBot, locale: str, text: str, comma: tuple[object, ...], point: tuple[object, ...]
) -> None:
    chips = ChipsEditor(_theme(), "rates")
    qtbot.addWidget(chips)
    chips.set_parser(lambda word: word if typed_number(word) is None else typed_number(word))
    with qtbot.waitSignal(chips.edited) as made:
        chips.entry.setText(text)
        qtbot.keyClick(chips.entry, Qt.Key.Key_Return)
    assert made.args == [comma if locale in COMMA else point]


def test_a_live_limit_refuses_visibly_too(qtbot: QtBot, locale: str) -> None:
    from workbench.servers import LiveLimit

    row = LimitRow("max_num_seqs", _theme())
    qtbot.addWidget(row)
    row.show_limit(LiveLimit(name="max_num_seqs", value=16, minimum=1, maximum=4096))
    _type(qtbot, row.field, "1.234")
    assert row.field.value() == 16
    assert "1.234" in row.why.text()
    assert row.why.isVisibleTo(row)
    _type(qtbot, row.field, "64")
    assert row.field.value() == 64
    assert not row.why.isVisibleTo(row)


@given(value=st.floats(0, 1e12, allow_nan=False), locale=st.sampled_from(LOCALES))
def test_every_written_number_is_read_back_in_every_locale(value: float, locale: str) -> None:
    there = QLocale(locale)
    assert typed_number(written_number(value, there), there) == float(f"{value:.9g}")
    assert typed_number(repr(value), there) == value


@given(text=st.text(alphabet="0123456789.,' \u00a0\u202fe-+", max_size=12), locale=st.sampled_from(LOCALES))
def test_no_text_becomes_a_number_by_dropping_a_separator(text: str, locale: str) -> None:
    value = typed_number(text, QLocale(locale))
    if value is None:
        return
    signs = [sign for sign in text.strip() if sign in ".,' \u00a0\u202f"]
    assert len(signs) <= 1
    assert value == float(text.strip().replace(",", "."))


def test_no_other_module_makes_a_spin_box_or_reads_numbers_by_the_locale() -> None:
    """So that every number field refuses what the shared one refuses."""
    own = {"numbers.py", "typed.py"}
    barred = {"QSpinBox", "QDoubleSpinBox", "QIntValidator", "QDoubleValidator"}
    barred |= {"toDouble", "toInt", "toFloat", "getInt", "getDouble"}
    found = [
        f"{path.relative_to(UI)}:{node.lineno}: {name}"
        for path in UI.rglob("*.py")
        if not (path.parent.name == "forms" and path.name in own)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Name | ast.Attribute)
        and (name := getattr(node, "id", None) or getattr(node, "attr", None)) in barred
    ]
    assert not found
