"""Rows of earlier plans stay in the scorecard: grouped, foldable, and each shows its plots."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from tests.unit.ui.test_scorecard import BASE, BETTER, card, found
from ui.commands import result_commands
from ui.live import RunSeries
from ui.scorecard.columns import COLUMNS
from ui.scorecard.earlier_plans import MOST_EARLIER
from ui.scorecard.model import Role, ScorecardModel
from ui.scorecard.scorecard_panel import ScorecardPanel
from ui.scorecard.verdict import Concluded, beside_baseline
from workbench.experiments import Experiment
from workbench.experiments.session import Session, add_first, attach, write_session


def plan(bench, *values):
    state = card(("b", None, None, BASE), *((f"v{value}", "max_num_seqs", value, BETTER) for value in values))
    state.bench, state.name, state.phase = bench, f"plan {bench}", "finished"
    return state


@pytest.fixture
def widget(qtbot, theme):
    widget = ScorecardPanel(theme)
    qtbot.addWidget(widget)
    widget.resize(1366, 220)
    widget.show()
    return widget


def names(widget):
    table = widget.table.model()
    return [table.index(row, 0).data().strip() for row in range(table.rowCount())]


def test_that_earlier_plans_stay_under_their_titles_and_fold(widget, qtbot):
    first = plan("a", 32)
    widget.show_state(first)
    widget.show_state(plan("b", 64, 128))
    assert names(widget) == ["b", "v64", "v128", "▾ plan a: max_num_seqs 32", "b", "v32"]
    title = widget.table.visualRect(widget.table.model().index(3, 0)).center()
    qtbot.mouseClick(widget.table.viewport(), Qt.MouseButton.LeftButton, pos=title)
    assert names(widget) == ["b", "v64", "v128", "▸ plan a: max_num_seqs 32"]
    widget.show_state(first)
    assert names(widget) == ["b", "v32", "▾ plan b: max_num_seqs 64, 128", "b", "v64", "v128"]


def test_that_sorting_keeps_each_plan_together(widget):
    widget.show_state(plan("a", 32))
    widget.show_state(plan("b", 64))
    for order, inside in (
        (Qt.SortOrder.AscendingOrder, ["b", "v64"]),
        (Qt.SortOrder.DescendingOrder, ["v64", "b"]),
    ):
        widget.table.sortByColumn(0, order)
        assert names(widget)[:2] == inside
        assert names(widget)[2].startswith("▾ plan a")


def test_that_a_selected_row_shows_its_plots_and_a_renewed_table_keeps_it(widget):
    earlier, shown = [], []
    widget.run_chosen.connect(shown.append)
    widget.earlier_chosen.connect(lambda state, name: earlier.append((state.bench, name)))
    widget.show_state(plan("a", 32))
    widget.show_state(plan("b", 64))
    widget.table.selectRow(1)
    widget.table.selectRow(4)
    assert (shown, earlier) == (["v64"], [("a", "v32")])
    widget.show_state(plan("c", 8))
    (row,) = widget.table.selectionModel().selectedRows()
    assert (row.data(Role.PLAN).bench, row.data(Role.RUN)) == ("a", "v32")
    assert (shown, earlier) == (["v64"], [("a", "v32")]), "nothing new is shown by itself"


def test_that_an_earlier_plan_s_run_is_drawn_with_its_own_baseline(window, qtbot):
    first, second = plan("a", 32), plan("b", 64)
    for state in (first, second):
        for run in state.runs.values():
            run.series = RunSeries()
            run.series.append_values(1.0, [1.0] * len(run.series.columns))
        window.runs.show_bench(state)
    window.scorecard.table.selectRow(4)
    assert window.plots.shown_run is first.runs["v32"]
    assert window.plots.behind() is first.runs["b"]
    assert window.insights.run() is first.runs["v32"]
    window.scorecard.table.selectRow(1)
    assert window.plots.shown_run is second.runs["v64"]


@pytest.mark.parametrize("drifts", [(True, True), (True, False), (False, True)])
def test_that_a_verdict_keeps_its_meaning_when_the_plan_ends(drifts):
    base, own = ({**BETTER, "diverging": each, "ttft_drift_s_per_s": 0.5} for each in drifts)
    before = beside_baseline(own, base, Concluded(), {})
    after = beside_baseline(own, base, Concluded((found(),)), {})
    assert (before.text, before.symbol, before.tone) == (after.text, after.symbol, after.tone)
    assert len(after.why) > len(before.why)


def test_that_a_title_widens_no_column(widget, qapp):
    widget.show_state(plan("a" * 200, 32))
    before = widget.table.columnWidth(0)
    widget.show_state(plan("b", 32))
    assert widget.table.columnWidth(0) <= before
    assert ScorecardModel().columnCount() == widget.grouped.columnCount() == len(COLUMNS)


def test_that_a_session_s_bench_files_become_one_table(window, qtbot, tmp_path, monkeypatch):
    monkeypatch.setattr(result_commands, "_read_bench", lambda path: plan(str(path), 32))
    session = Session(name="s")
    tables = '[target]\nkind = "embedded"\n[trace]\nsynthetic = "9:9"\n[load]\nrates = [1]\nrequests = 9'
    text = f'name = "x"\n{tables}'
    for number in range(MOST_EARLIER + 3):
        session = add_first(session, Experiment.from_toml(text, where="x"))
        session = attach(session, session.steps[-1].id, f"gone/{number}.bench")
    path = tmp_path / "s.session.json"
    write_session(session, path)
    window.documents.open_any(path)
    qtbot.waitUntil(lambda: window.runs.state.bench == str(tmp_path / "0.bench"))
    shown = [Path(earlier.state.bench).stem for earlier in window.scorecard.grouped.earlier]
    assert shown == [str(number) for number in range(1, MOST_EARLIER + 3)]
    first = window.scorecard.grouped.earlier[0]
    next(iter(first.state.runs.values())).row["node"] = "10.0.0.1/abcdef"
    assert " · 10.0.0.1/abcdef: " in first.title()


def test_that_a_session_without_results_is_refused(window, qtbot, tmp_path):
    path = tmp_path / "s.session.json"
    write_session(Session(name="s"), path)
    window.documents.open_any(path)
    qtbot.waitUntil(lambda: any("session" in text for text in window.messages.texts()))
