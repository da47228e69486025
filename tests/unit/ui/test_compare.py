"""Compare systems: bench files, offers and demand by clicks and keys; the sheet and its exports."""

import json
import re

import pytest
from msgspec import structs
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QToolButton,
    QWidget,
)

from tests.unit.cli.comparing import bench
from tests.unit.cli.test_compare_systems import FAST, OFFERS, SLOW
from tests.unit.ui.children import get_child
from ui.compare import CompareDialog
from ui.compare.comparison import Sheet
from ui.compare.offer_dialog import OfferDialog
from ui.compare.page import page_html
from ui.compare.sheet import COLUMNS, SheetModel
from workbench.advice import Decision, read_offers
from workbench.base import InputError, message
from workbench.experiments import SheetLine
from workbench.results import Demand

H100, H200 = "H100 SXM 80 GB · M", "H200 SXM 141 GB · M"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "offers.toml").write_text(OFFERS)
    return [
        bench(tmp_path / "ours.bench", "NVIDIA H100 80GB HBM3", SLOW),
        bench(tmp_path / "theirs.bench", "NVIDIA H200", FAST),
    ]


@pytest.fixture
def dialog(qtbot, theme, tmp_path):
    parent = QWidget()
    parent.resize(1366, 768)
    qtbot.addWidget(parent)
    dialog = CompareDialog(parent, theme, [], tmp_path)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
    qtbot.addWidget(dialog, before_close_func=lambda held: setattr(held.offers, "unsaved", False))
    dialog.open()
    yield dialog
    # A collected parent would take the dialog along.
    parent.close()


def type_in(qtbot, field, text):
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text)
    qtbot.keyClick(field, Qt.Key.Key_Return)


def draw(dialog, curve):
    dialog.demand.show_curve(curve)
    dialog.demand.edited.emit()


def cells(dialog):
    head, *lines = dialog.model.as_lines()
    return [dict(zip(head, line, strict=True)) for line in lines]


def servers(dialog):
    return {line["System"]: line["Servers"] for line in cells(dialog)}


def load(qtbot, dialog, files):
    dialog.systems.add_files(files)
    dialog.offers.load(files[0].with_name("offers.toml"))
    qtbot.waitUntil(lambda: dialog.offers.list.count() == 2)
    draw(dialog, ((12.0, 4.0), (12.0, 8.0)))
    qtbot.waitUntil(lambda: dialog.model.sheet is not None)


def test_that_the_sheet_says_servers_and_cost_of_each_system_cheapest_first(qtbot, dialog, files):
    QAbstractItemModelTester(dialog.model, QAbstractItemModelTester.FailureReportingMode.Warning, dialog)
    load(qtbot, dialog, files)
    assert dialog.said.text().startswith(
        f"Cheapest: 1 × {H200}, 0.25 EUR per 1,000 accepted responses; too close"
    )
    first, second = cells(dialog)
    assert (first["System"], first["Servers"], first["At"]) == (H200, "≤ 1", "16 @ 12")
    assert (second["System"], second["Servers"], second["Runs"]) == (H100, "≤ 2", "4")
    assert first["Per 1,000 used, EUR"] == "≤ 0.125"
    assert dialog.offers.list.item(0).text() == "one H100 · 1 × h100 · 3.6 EUR an hour"
    said = [dialog.notes.item(at).text() for at in range(dialog.notes.count())]
    assert any(note.startswith(f"{H100}: capacity not found") for note in said)
    assert any(note.endswith("theirs.bench: the model's revision isn't recorded") for note in said)


def a_sheet(decision, line):
    return Sheet(
        decisions=(decision,),
        lines=(line,),
        notes=(),
        titles=(line.name,),
        recommendation=message("experiments.buy_none"),
        missing=(),
        demand=Demand(curve=((24.0, 1.0),)),
        points=(),
        scenarios=(),
        evidence=(),
    )


def test_that_every_figure_of_a_simulated_system_carries_its_mark_and_what_was_counted_does_not(qapp):
    line = SheetLine(
        name="s", gpu="h100", offer="o", run="16 @ 12", accepted_rps=8, capacity_found=False, runs=4,
        servers=2, utilisation=0.5, currency="EUR", cost_per_hour=5, one_per_hour=2.5, per_1k_reserved=0.5,
        per_1k_used=0.25, sensitivity_low=0.4, sensitivity_high=None, marks=(), path="s.bench",
    )  # fmt: skip
    decision = Decision(
        name="s", servers=2, utilisation=0.5, currency="EUR", cost_per_hour=5, per_1k_reserved=0.5,
        per_1k_used=0.25, sensitivity_low=0.4, sensitivity_high=None, marks=(), simulated=True,
    )  # fmt: skip
    model = SheetModel()
    for simulated in (True, False):
        model.show_sheet(a_sheet(structs.replace(decision, simulated=simulated), line))
        head, cells_ = model.as_lines()
        shown = dict(zip(head, cells_, strict=True))
        mark = "∿ " if simulated else ""
        assert shown["Accepted (req/s)"] == f"{mark}≥ 8.00"
        assert shown["Per 1,000 used, EUR"] == f"{mark}≤ 0.250"
        assert (shown["System"], shown["Runs"], shown["Reserved ± a tenth, EUR"]) == ("s", "4", "–")
        assert model.index(0, 1).data() == shown["Accepted (req/s)"]


def test_that_what_an_offer_costs_is_never_out_of_sight(qtbot, dialog, files):
    """At the line's end; where the room is short the middle is left out, and the tooltip has it."""
    load(qtbot, dialog, files)
    listed = dialog.offers.list
    assert listed.textElideMode() == Qt.TextElideMode.ElideMiddle
    assert listed.horizontalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAlwaysOff
    assert listed.item(0).text().endswith("3.6 EUR an hour")
    assert listed.item(0).toolTip() == listed.item(0).text()


def test_that_headroom_and_spare_change_the_servers_by_keys(qtbot, dialog, files):
    load(qtbot, dialog, files)
    type_in(qtbot, dialog.spare, "2")
    qtbot.waitUntil(lambda: servers(dialog) == {H100: "≤ 4", H200: "≤ 3"})
    type_in(qtbot, dialog.headroom, "200")
    qtbot.waitUntil(lambda: servers(dialog) == {H100: "≤ 5", H200: "≤ 4"})
    # Enter in a field opens nothing.
    assert dialog.findChild(QFileDialog) is None


def test_that_a_file_is_left_out_by_its_button_and_its_offer_is_chosen(qtbot, dialog, files):
    load(qtbot, dialog, files)
    row = dialog.systems.rows()[1]
    row.offer.setCurrentIndex(row.offer.findText("one H100"))
    row.offer.chosen.emit("one H100")
    qtbot.waitUntil(lambda: dialog.model.sheet is not None)
    assert [line["Offer"] for line in cells(dialog)] == ["one H100", "one H100"]
    qtbot.mouseClick(dialog.systems.rows()[0].remove, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog.model.sheet is not None and len(cells(dialog)) == 1)
    qtbot.mouseClick(dialog.systems.rows()[0].remove, Qt.MouseButton.LeftButton)
    assert dialog.said.text().startswith("Add the bench files")
    assert not dialog.copy.isEnabled()


def test_that_without_a_demand_one_is_assumed_and_named_as_missing(qtbot, dialog, files):
    dialog.systems.add_files(files)
    qtbot.waitUntil(lambda: dialog.model.sheet is not None)
    assert dialog.model.sheet.demand.curve == ((24.0, 12.0),)
    missing = dialog.missing.text()
    assert "your demand: shown is 12 accepted responses a second" in missing
    assert f"a price: {H100}, {H200}" in missing
    assert "a test at higher rates" in missing
    assert "prices are missing" in dialog.said.text()
    assert not dialog.demand.stated


def test_that_a_demand_is_drawn_by_dragging_and_changed_by_keys(qtbot, dialog, files):
    load(qtbot, dialog, files)
    demand = dialog.demand
    plot = demand._plot()
    width = plot.width() / 24
    begin = QPoint(round(plot.left() + width / 2), round(plot.bottom() - plot.height() / 2))
    qtbot.mousePress(demand, Qt.MouseButton.LeftButton, pos=begin)
    qtbot.mouseMove(demand, pos=QPoint(round(plot.left() + 11.5 * width), begin.y()))
    qtbot.mouseRelease(
        demand, Qt.MouseButton.LeftButton, pos=QPoint(round(plot.left() + 11.5 * width), begin.y())
    )
    ((hours, rate), rest) = demand.curve()
    assert (hours, rest) == (12.0, (12.0, 8.0))
    assert rate == pytest.approx(5, rel=0.05)
    qtbot.keyClick(demand, Qt.Key.Key_Right)
    qtbot.keyClick(demand, Qt.Key.Key_Up)
    assert demand.curve()[1] == (1.0, 8.5)
    assert "peak 8.50" in demand.summary()
    qtbot.keyClick(demand, Qt.Key.Key_Delete)
    assert demand.curve() == ()
    assert demand.summary() == "not drawn yet"
    demand.show_curve(((48.0, 20.0),))
    assert demand.curve() == ((24.0, 20.0),)
    assert demand.top == 20


def test_that_the_page_is_one_page_with_all_that_a_decision_needs(qtbot, dialog, files, tmp_path):
    load(qtbot, dialog, files)
    sheet = dialog.model.sheet
    html = page_html(sheet, 100)
    for needed in (
        H100,
        "price of",
        "demand × 2",
        "spare server",
        "not measured",
        "Who measured what",
        "ours.bench",
    ):
        assert needed in html, needed
    assert len(sheet.scenarios) == 8
    dialog.write_page_to(tmp_path / "p.pdf")
    content = (tmp_path / "p.pdf").read_bytes()
    assert content.startswith(b"%PDF")
    assert len(re.findall(rb"/Type /Page\b", content)) == 1
    assert "Wrote" in dialog.said.text()
    dialog.write_page_to(tmp_path / "no folder" / "p.pdf")
    assert dialog.said.text().startswith("⚠ ")


def test_that_a_file_that_is_none_is_named(qtbot, dialog, tmp_path):
    (tmp_path / "x.bench").write_text("no database")
    dialog.systems.add_files([tmp_path / "x.bench", tmp_path / "x.bench"])
    assert len(dialog.systems.rows()) == 1
    qtbot.waitUntil(lambda: "x.bench" in dialog.said.text())
    assert dialog.said.text().startswith("⚠ ")


def test_that_the_sheet_is_copied_and_written_as_csv_and_json(qtbot, dialog, files, tmp_path):
    load(qtbot, dialog, files)
    qtbot.mouseClick(dialog.copy, Qt.MouseButton.LeftButton)
    head, first, *_ = QApplication.clipboard().text().splitlines()
    assert head.split("\t")[0] == "System"
    assert first.startswith(f"{H200}\t")
    dialog.export_to(tmp_path / "sheet.csv")
    qtbot.waitUntil(lambda: "sheet.csv" in dialog.said.text())
    assert (tmp_path / "sheet.csv").read_text().splitlines()[1].startswith("one H200,")
    dialog.export_to(tmp_path / "sheet.json")
    qtbot.waitUntil(lambda: "sheet.json" in dialog.said.text())
    assert [line["name"] for line in json.loads((tmp_path / "sheet.json").read_text())] == [
        "one H200",
        "one H100",
    ]
    dialog.export_to(tmp_path / "no folder" / "sheet.csv")
    qtbot.waitUntil(lambda: dialog.said.text().startswith("⚠ "))


OFFER = {
    "name": "two H100",
    "supplier": "B",
    "count": "2",
    "price": "60000",
    "currency": "EUR",
    "date": "2026-11-01",
    "source": "their letter",
    "amortisation_months": "48",
}


def fill(qtbot, form, fields):
    form.gpu.setCurrentIndex(form.gpu.findData("h100_sxm"))
    form.basis.setCurrentIndex(form.basis.findData("purchase"))
    form.basis.chosen.emit("purchase")
    for id_, text in fields.items():
        field = get_child(form, QLineEdit, id_)
        field.setFocus()
        qtbot.keyClicks(field, text)


def test_that_an_offer_is_stated_in_the_form_and_saved(qtbot, dialog, tmp_path):
    qtbot.mouseClick(dialog.offers.add, Qt.MouseButton.LeftButton)
    form = dialog.findChild(OfferDialog)
    assert all(not field.text() for field in form.form.findChildren(QLineEdit))
    fill(qtbot, form, OFFER)
    qtbot.mouseClick(form.use, Qt.MouseButton.LeftButton)
    assert dialog.offers.names() == ["two H100"]
    assert dialog.offers.list.item(0).text() == "two H100 · 2 × h100_sxm · 60000 EUR"
    assert dialog.offers.unsaved
    dialog.offers.save_to(tmp_path / "mine.toml")
    qtbot.waitUntil(lambda: not dialog.offers.unsaved)
    (offer,) = read_offers(tmp_path / "mine.toml")
    assert (offer.price, offer.amortisation_months, offer.residual_pct) == (60_000, 48, 0)


def test_that_an_offer_is_edited_renamed_and_removed(qtbot, dialog, files):
    load(qtbot, dialog, files)
    dialog.offers.list.setCurrentRow(0)
    qtbot.mouseClick(dialog.offers.edit, Qt.MouseButton.LeftButton)
    form = dialog.findChild(OfferDialog)
    assert (get_child(form, QLineEdit, "price").text(), form.gpu.currentData()) == ("3.6", "h100")
    # A basis that is no purchase has no rows of one.
    assert not form.form.field("residual_pct").isVisible()
    get_child(form, QLineEdit, "price").setText("36")
    qtbot.mouseClick(form.use, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog.model.sheet is not None)
    assert {line["Per 1,000 used, EUR"] for line in cells(dialog)} == {"≤ 1.25", "≤ 0.125"}
    qtbot.mouseClick(dialog.offers.remove, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog.model.sheet is not None)
    assert cells(dialog)[1]["Offer"] == "–"


@pytest.mark.parametrize(
    ("changes", "field", "said"),
    [
        ({"price": "much"}, "price", "Expected"),
        ({"date": "yesterday"}, "date", "write a date such as 2026-11-01"),
        ({"currency": "Euro"}, "currency", "three capital letters"),
        ({"count": "0"}, "count", "out of range"),
        ({"amortisation_months": ""}, "amortisation_months", "a purchase needs"),
        ({"supplier": ""}, "supplier", "This is required."),
    ],
)
def test_that_what_an_offer_cant_be_stands_under_its_field(qtbot, dialog, changes, field, said):
    dialog.offers.begin_offer()
    form = dialog.findChild(OfferDialog)
    fill(qtbot, form, OFFER | changes)
    qtbot.mouseClick(form.use, Qt.MouseButton.LeftButton)
    assert form.isVisible()
    assert said.lower() in form.form.problem(field).lower()
    assert dialog.offers.offers == []
    form.reject()


def test_that_two_offers_of_one_name_are_refused(qtbot, dialog, files):
    load(qtbot, dialog, files)
    dialog.offers.put(None, dialog.offers.offers[0])
    assert "Several offers are called one H100" in dialog.said.text()
    assert len(dialog.offers.offers) == 2


def test_that_offers_that_no_file_holds_are_asked_about(qtbot, dialog, files):
    load(qtbot, dialog, files)
    dialog.offers.list.setCurrentRow(0)
    dialog.offers.remove_offer()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    asking = dialog.findChild(QMessageBox)
    assert dialog.isVisible()
    assert asking.text() == "The offers are not saved."
    asking.findChild(QPushButton, "discard").click()
    assert not dialog.isVisible()


def test_that_everything_can_be_named_and_reached(qtbot, dialog, files):
    load(qtbot, dialog, files)
    for button in (*dialog.findChildren(QPushButton), *dialog.findChildren(QToolButton)):
        assert button.accessibleName() or button.text()
    for widget in (
        dialog.table,
        dialog.notes,
        dialog.scenarios,
        dialog.chart,
        dialog.offers.list,
        dialog.systems.rows()[0].offer,
    ):
        assert widget.accessibleName()
    assert dialog.demand.accessibleName() == "Demand over the day"
    # At the smallest window it is meant for.
    assert dialog.width() <= 1366
    assert dialog.height() <= 768


def test_that_it_opens_from_the_menu_with_the_results_that_are_shown(qtbot, window, files):
    window.runs.state.bench = str(files[0])
    window.actions_["file.compare"].trigger()
    dialog = window.findChild(CompareDialog)
    assert [row.path for row in dialog.systems.rows()] == [files[0]]
    dialog.reject()


def test_that_a_table_without_a_sheet_is_empty():
    model = SheetModel()
    assert (model.rowCount(), len(model.as_lines())) == (0, 1)
    assert all(column.header() for column in COLUMNS)


def test_that_rubbish_offers_are_one_line(qtbot, dialog, tmp_path):
    (tmp_path / "bad.toml").write_text("offer = 3")
    dialog.offers.load(tmp_path / "bad.toml")
    qtbot.waitUntil(lambda: "bad.toml" in dialog.said.text())
    with pytest.raises(InputError):
        read_offers(tmp_path / "bad.toml")


def test_that_what_decides_is_seen_without_scrolling_however_long_a_systems_name_is(
    qtbot, dialog, tmp_path, settle
):
    long = "a model with quite a long name " * 3
    files = [bench(tmp_path / "x.bench", "NVIDIA H200", FAST, model=long)]
    dialog.systems.add_files(files)
    draw(dialog, ((12.0, 4.0), (12.0, 8.0)))
    qtbot.waitUntil(lambda: dialog.model.sheet is not None)
    settle(dialog)
    table = dialog.table
    seen = table.viewport().width()
    last = next(place for place, column in enumerate(COLUMNS) if column.title == "Reserved ± a tenth")
    assert COLUMNS[1].title == "Accepted (req/s)"
    assert table.columnViewportPosition(last) + table.columnWidth(last) <= seen
    named = dialog.model.index(0, 0)
    assert table.columnWidth(0) < table.fontMetrics().horizontalAdvance(named.data())
    assert named.data() in named.data(Qt.ItemDataRole.ToolTipRole)


def test_that_needed_fields_of_an_offer_are_marked_and_all_are_as_wide_as_their_room(qtbot, dialog, settle):
    qtbot.mouseClick(dialog.offers.add, Qt.MouseButton.LeftButton)
    form = dialog.findChild(OfferDialog)
    labels = {
        label.buddy(): label.text() for label in form.form.findChildren(QLabel) if label.buddy() is not None
    }
    marked = {
        id_: labels[form.form.field(id_).focusProxy() or form.form.field(id_)].endswith(" *")
        for id_ in form.form.ids()
    }
    needed = {"name", "supplier", "gpu", "count", "price", "currency", "basis", "date", "source"}
    assert {id_ for id_, mark in marked.items() if mark} == {*needed, "amortisation_months"}
    assert get_child(form, QLineEdit, "price").accessibleName() == "Price, required"
    assert get_child(form, QLineEdit, "region").accessibleName() == "Region"
    settle(form)
    assert get_child(form, QLineEdit, "name").width() > 100
    width = get_child(form, QLineEdit, "name").width()
    for unitless in ("count", "price", "pue", "tariff_per_kwh"):
        assert get_child(form, QLineEdit, unitless).width() == width, unitless
