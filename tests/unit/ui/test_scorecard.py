import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QLineEdit

from tests.unit.ui.children import get_child
from ui.live import Candidate, LiveState, Ranking, RunView, read_verdicts
from ui.live.conclusions import ObjectiveCheck
from ui.look.table_columns import choose_row
from ui.scorecard import ScorecardPanel
from ui.scorecard.columns import COLUMNS
from ui.scorecard.model import Role, ScorecardModel
from ui.scorecard.verdict import Concluded, Conclusions, beside_baseline, in_words, on_objectives
from workbench.base import message

BASE = {
    "offered_rps": 12.0, "completed_rps": 7.3, "ttft_p95_ms": 15500.0, "queue_p95_ms": 15000.0,
    "e2e_p95_ms": 17700.0, "error_rate": 0.0, "preemptions": 0, "valid": True, "diverging": True,
    "ttft_drift_s_per_s": 0.6, "simulated": True,
}  # fmt: skip
BETTER = {**BASE, "completed_rps": 11.9, "ttft_p95_ms": 310.0, "diverging": False}


def card(*rows):
    """A state with a baseline and variants, whatever the order they are given in."""
    state = LiveState(phase="finished", simulated=True)
    for name, control, value, row in rows:
        state.runs[name] = RunView(
            name, control=control, value=value, rate=12.0, simulated=True, status="done", row={**row}
        )
    return state


@pytest.fixture
def model(qapp):
    model = ScorecardModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    yield model
    tester.deleteLater()


def shown(model, row, key):
    column = [column.key for column in COLUMNS].index(key)
    return model.index(row, column).data(Role.CELL)


def test_that_the_baseline_is_first_and_grey_and_the_variant_carries_the_accent(model):
    model.show_state(card(("v", "max_num_seqs", 32, BETTER), ("b", None, None, BASE)))
    assert [model.index(row, 0).data() for row in range(2)] == ["b", "v"]
    assert shown(model, 0, "run").baseline
    assert shown(model, 1, "run").under_test


def test_that_a_figure_that_unanswered_requests_can_only_raise_is_marked_as_in_exports(model):
    model.show_state(card(("b", None, None, {**BETTER, "lower_bounds": "ttft_p95_ms e2e_p95_ms"})))
    assert shown(model, 0, "ttft_p95_ms").text == "≥ 0.310"
    assert shown(model, 0, "queue_p95_ms").text == "15.0"


def test_that_differences_to_the_baseline_are_signed_and_judged(model):
    steady = {**BASE, "diverging": False}
    model.show_state(card(("b", None, None, steady), ("v", "max_num_seqs", 32, BETTER)))
    cell = shown(model, 1, "completed_rps")
    assert cell.difference.startswith("+63")
    assert cell.improves is True
    assert shown(model, 1, "ttft_p95_ms").difference.startswith("−98")
    assert shown(model, 1, "ttft_p95_ms").improves is None, "nobody has judged it yet"
    assert shown(model, 0, "completed_rps").difference == ""


def test_that_a_difference_below_what_the_client_resolves_is_none_and_says_so(model):
    floor = {"client_floor_ttft_ms": 4.0, "time_scale": 2.0}
    steady = {**BETTER, **floor}
    variant = {**steady, "ttft_p95_ms": 303.0, "e2e_p95_ms": 17709.0}
    model.show_state(card(("b", None, None, steady), ("v", "max_num_seqs", 32, variant)))
    below = shown(model, 1, "ttft_p95_ms")
    assert (below.difference, below.improves) == ("≈", None)
    tip = model.index(1, [column.key for column in COLUMNS].index("ttft_p95_ms")).data(
        Qt.ItemDataRole.ToolTipRole
    )
    assert "below the load generator's resolution of 8.0 ms" in tip
    assert shown(model, 1, "e2e_p95_ms").difference != "≈", "9 ms are more than 8"
    assert shown(model, 0, "ttft_p95_ms").difference == ""


def test_that_simulated_numbers_carry_their_mark(model):
    model.show_state(card(("b", None, None, BASE)))
    assert model.index(0, 1).data()[0].isdigit()


def test_that_a_diverging_run_says_its_slope_instead_of_a_percentile(model):
    model.show_state(card(("b", None, None, BASE)))
    assert shown(model, 0, "ttft_p95_ms").text == "diverging +0.60 s/s"
    assert shown(model, 0, "e2e_p95_ms").dimmed


def test_that_no_difference_is_made_to_percentiles_of_a_diverging_baseline(model):
    model.show_state(card(("b", None, None, BASE), ("v", "max_num_seqs", 32, BETTER)))
    assert shown(model, 1, "ttft_p95_ms").difference == ""


def test_that_an_unknown_figure_is_a_dash_and_never_zero(model):
    model.show_state(card(("b", None, None, {**BASE, "preemptions": None})))
    assert shown(model, 0, "preemptions").text == "–"


def test_that_a_queue_time_known_to_its_bucket_shows_the_bucket(model):
    row = {**BASE, "queue_p95_ms": None, "queue_p95_lo_ms": 300.0, "queue_p95_hi_ms": 500.0}
    model.show_state(card(("b", None, None, row)))
    assert shown(model, 0, "queue_p95_ms").text == "0.300…0.500"


def test_that_an_invalid_row_says_why(model):
    row = {**BASE, "valid": False, "reasons": "client-bound: client delay p99 83 ms > 10 ms"}
    model.show_state(card(("b", None, None, row)))
    verdict = [column.key for column in COLUMNS].index("verdict")
    assert model.index(0, verdict).data() == "⚠ invalid"
    assert "83 ms" in model.index(0, verdict).data(Qt.ItemDataRole.ToolTipRole)


def test_that_repeats_share_a_row(model):
    state = card(("b #1", None, None, BASE), ("b #2", None, None, {**BASE, "completed_rps": 7.4}))
    model.show_state(state)
    assert model.rowCount() == 1
    assert model.index(0, 0).data() == "b"
    assert shown(model, 0, "completed_rps").text == "7.40"


def found(figure="ttft_p95_ms", word="better", cls=None, **fields):
    """A verdict as the core's events carry it."""
    change = {"baseline": 1000.0, "estimate": -400.0, "lo": -500.0, "hi": -300.0, "repeats": 3}
    told = {
        "figure": figure, "cls": cls, "variant": "v", "word": word, "difference": change,
        "minutes_more": None, "sentence": f"{figure}: {word}", **fields,
    }  # fmt: skip
    (verdict,) = read_verdicts([told])
    return verdict


def once(figure="ttft_p95_ms", word="better", **fields):
    change = msgspec.structs.replace(found().difference, repeats=1)
    return msgspec.structs.replace(found(figure, word, **fields), difference=change)


CANT_TELL = "can't tell yet"


@pytest.mark.parametrize(
    ("verdicts", "text"),
    [
        ([found()], "▲ better"),
        ([found(), found("itl_p95_ms", "no difference")], "▲ better"),
        ([found(difference=None)], "▲ stable"),
        ([found(word="worse")], "▼ worse"),
        ([found(), found("itl_p95_ms", "worse")], "◆ p95 TTFT better, p95 ITL worse"),
        ([found(), found(word="worse", cls="agent")], "◆ p95 TTFT better, p95 TTFT (agent) worse"),
        ([found(word="no difference"), found("e2e_p95_ms", "no difference")], "= no difference"),
        ([once(word=CANT_TELL)], "? one run each"),
        ([once()], "▲ better (one run each)"),
        ([once(word="worse")], "▼ worse (one run each)"),
        ([once(word="no difference")], "= no difference (one run each)"),
        ([once(), once("itl_p95_ms", "worse")], "◆ p95 TTFT better, p95 ITL worse (one run each)"),
        ([found(word="worse", difference=None), once(figure="itl_p95_ms", word=CANT_TELL)], "▼ worse"),
        ([found(word=CANT_TELL, minutes_more=14.0)], "? can't tell, 14 min more would"),
        ([found(word=CANT_TELL, difference=None)], "? can't tell"),
    ],
)
def test_that_a_verdict_is_the_cores_word_with_a_symbol(verdicts, text):
    said = beside_baseline(BETTER, BETTER, Concluded(tuple(verdicts)), {})
    assert str(said) == text
    assert all(in_words(verdict.said) in said.why for verdict in verdicts)


@pytest.mark.parametrize(
    ("row", "baseline", "text"),
    [
        (BETTER, BASE, "▲ stable"),
        (BASE, BETTER, "↗ diverging"),
        (BASE, None, "↗ diverging"),
        (BETTER, None, ""),
        (BETTER, {**BETTER, "ttft_p95_ms": 9000.0}, ""),
    ],
)
def test_that_before_the_end_only_what_rows_say_of_themselves_is_said(row, baseline, text):
    assert str(beside_baseline(row, baseline, Concluded(), {})) == text


def test_that_who_rejects_many_is_not_better_unless_the_objectives_say_how_many_may_fail():
    row = {**BETTER, "rejected_rate": 0.08}
    assert str(beside_baseline(row, BASE, Concluded((found(),)), {})) == "◆ stable, but rejects 8.0 %"
    assert str(beside_baseline(row, BASE, Concluded((found(),)), {"error_rate": 0.1})) == "▲ stable"


def check(objective="ttft_p95_ms", value=310.0, limit=500.0, cls=None, met=True):
    return ObjectiveCheck(objective=objective, cls=cls, limit=limit, value=value, met=met)


def candidate(*checks):
    return Candidate(run="v", checks=checks)


@pytest.mark.parametrize(
    ("checks", "recommended", "text"),
    [
        ([check()], False, "✓ all met"),
        ([check()], True, "✓ all met, best"),
        ([check(value=900.0, met=False)], False, "✗ p95 TTFT"),
        ([check(), check(cls="agent", value=900.0, met=False)], False, "✗ p95 TTFT of agent"),
        ([check(value=900.0, met=False), check("error_rate", 0.5, 0.1, met=False)], False,
         "✗ p95 TTFT +1"),
        ([check("queue_p95_ms", None, 100.0, met=None)], False, "? p95 queue not known"),
        ([], False, ""),
    ],
)  # fmt: skip
def test_that_objectives_are_held_by_all_or_the_worst_is_named(checks, recommended, text):
    said = on_objectives(
        BETTER, {"ttft_p95_ms": 500.0}, Concluded((), candidate(*checks), recommended, "cost")
    )
    assert str(said) == text


@pytest.mark.parametrize(
    ("row", "objectives", "text"),
    [
        (BETTER, {"ttft_p95_ms": 500.0}, "✓ all met"),
        (BASE, {"ttft_p95_ms": 1000.0}, "✗ p95 TTFT"),
        (BETTER, {"itl_p95_ms": 50.0}, ""),
        (BETTER, {}, ""),
        ({**BETTER, "rejected_rate": 0.2}, {"ttft_p95_ms": 500.0}, "⚠ rejects 20 %"),
    ],
)
def test_that_before_the_end_a_row_is_held_against_the_limits_over_all_requests(row, objectives, text):
    assert str(on_objectives(row, objectives, Concluded())) == text


def test_that_a_judged_difference_shows_its_interval_and_one_run_each_none(model):
    state = card(("b", None, None, {**BETTER, "run": "b"}), ("v", "max_num_seqs", 32, {**BETTER, "run": "v"}))
    state.verdicts = [found()]
    model.show_state(state)
    cell = shown(model, 1, "ttft_p95_ms")
    assert cell.difference.replace("\u202f", " ") == "−40 % [−50…−30]"
    assert cell.improves is True
    state.verdicts = [once(word=CANT_TELL)]
    model.refresh()
    cell = shown(model, 1, "ttft_p95_ms")
    assert cell.difference.replace("\u202f", " ") == "−40 %"
    assert cell.improves is None


@pytest.fixture
def widget(qtbot, theme):
    widget = ScorecardPanel(theme)
    qtbot.addWidget(widget)
    widget.resize(1366, 160)
    widget.show_state(card(("b", None, None, BASE), ("v", "max_num_seqs", 32, BETTER)))
    widget.show()
    return widget


def test_that_a_double_click_opens_the_run(widget, qtbot):
    at = widget.table.visualRect(widget.table.model().index(1, 0)).center()
    with qtbot.waitSignal(widget.run_chosen) as chosen:
        qtbot.mouseClick(widget.table.viewport(), Qt.MouseButton.LeftButton, pos=at)
        qtbot.mouseDClick(widget.table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert chosen.args == ["v"]


def test_that_enter_opens_the_run_too(widget, qtbot):
    widget.table.setFocus()
    widget.table.selectRow(0)
    with qtbot.waitSignal(widget.run_chosen) as chosen:
        qtbot.keyClick(widget.table, Qt.Key.Key_Return)
    assert chosen.args == ["b"]


HELD_KEYS = [Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier]


@pytest.mark.parametrize("held", HELD_KEYS)
def test_that_one_run_is_selected_whichever_keys_are_held(widget, qtbot, held):
    choose_row(widget.table, 0)
    qtbot.keyPress(widget.table, Qt.Key.Key_Shift, held)
    assert QApplication.keyboardModifiers() == held
    choose_row(widget.table, 1)
    assert [index.row() for index in widget.table.selectionModel().selectedRows()] == [1]


def test_that_copied_rows_bring_their_headers(widget):
    widget.table.selectRow(1)
    widget.copy()
    lines = QApplication.clipboard().text().splitlines()
    assert lines[0].split("\t")[0] == "Run (simulated)"
    assert lines[1].split("\t")[0] == "v"
    assert "<table>" in QApplication.clipboard().mimeData().html()


def test_that_the_table_fits_its_panel_without_a_horizontal_bar(widget, settle):
    settle(widget)
    assert not widget.table.horizontalScrollBar().isVisible()


def test_that_chosen_columns_are_remembered(widget, theme, qtbot):
    hidden = [column.key for column in COLUMNS].index("itl_p95_ms")
    widget.table.setColumnHidden(hidden, False)
    other = ScorecardPanel(theme)
    qtbot.addWidget(other)
    other.restore_layout(widget.save_layout())
    assert not other.table.isColumnHidden(hidden)


def test_that_the_rows_can_be_narrowed_and_shown_again(widget, qtbot):
    widget.begin_filter()
    qtbot.keyClicks(get_child(widget, QLineEdit, "filter"), "diverging")
    assert widget.table.model().rowCount() == 1
    qtbot.keyClick(get_child(widget, QLineEdit, "filter"), Qt.Key.Key_Escape)
    assert widget.table.model().rowCount() == 2
    assert not get_child(widget, QLineEdit, "filter").isVisible()


def test_that_the_load_stands_in_a_runs_name_only_where_it_tells_rows_apart(model):
    model.show_state(card(("baseline @ 12 req/s", None, None, BASE)))
    assert model.index(0, 0).data() == "baseline"
    state = card(("baseline @ 12 req/s", None, None, BASE))
    state.runs["baseline @ 6 req/s"] = RunView("baseline @ 6 req/s", rate=6.0)
    model.show_state(state)
    assert model.index(0, 0).data() == "baseline @ 6 req/s"


def test_that_a_missed_objective_has_its_figures_in_the_tooltip():
    said = on_objectives(BASE, {"ttft_p95_ms": 1000.0}, Concluded())
    assert said.why == "p95 TTFT 15.5 > 1.00 s"


def test_that_nothing_is_compared_with_or_by_an_invalid_run(model):
    wrong = {**BETTER, "run": "v", "valid": False, "reasons": "client-bound"}
    state = card(("b", None, None, {**BETTER, "run": "b"}), ("v", "max_num_seqs", 32, wrong))
    state.verdicts = [found()]
    model.show_state(state)
    assert shown(model, 1, "ttft_p95_ms").difference == ""
    assert shown(model, 1, "completed_rps").difference == ""


def test_that_what_moved_besides_is_told_with_the_run(model):
    moved = {**BETTER, "moved": "num_gpu_blocks 900 → 850"}
    model.show_state(card(("b", None, None, BETTER), ("v", "max_num_batched_tokens", 64, moved)))
    assert "num_gpu_blocks" in model.index(1, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert shown(model, 1, "moved").text == "num_gpu_blocks 900 → 850"


def test_that_an_invalid_row_meets_no_objective() -> None:
    row = {**BASE, "valid": False, "reasons": "client-bound: client delay p99 83 ms > 10 ms"}
    said = on_objectives(row, {"ttft_p95_ms": 1e9}, Concluded())
    assert (str(said), said.why) == ("⚠ not judged", row["reasons"])


def test_that_a_cell_says_met_overall_where_classes_are_not_judged():
    open_ = msgspec.structs.replace(candidate(check()), classes_open=True)
    assert str(on_objectives(BETTER, {}, Concluded((), open_, False, "cost"))) == "✓ met overall"
    assert str(on_objectives(BETTER, {}, Concluded((), open_, True, "cost"))) == "✓ met overall, best"


def test_that_a_row_is_not_best_where_nothing_was_compared():
    ranking = Ranking(recommended=candidate(check()), by="cost", compared=False)
    assert not Conclusions(ranking=ranking).of("v").recommended


def test_that_sentences_of_the_core_name_figures_by_their_titles():
    name = message("results.figure_of_class", figure="ttft_p95_ms", cls="in 1-512")
    assert (
        in_words(message("results.check_met", name=name, value=365.0, limit=500.0))
        == "p95 TTFT (ms) of in 1-512 365 ≤ 500"
    )
