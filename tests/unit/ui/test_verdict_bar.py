"""The verdict bar: one answer with the scorecard's figures, one action that runs the next experiment."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from tests.unit.ui.children import get_child
from ui.live import LiveState, RunView
from ui.live.bottlenecks import Diagnosed, NextChange
from ui.scorecard.columns import COLUMNS
from ui.scorecard.model import ScorecardModel
from ui.verdict import VerdictBar, plan_verdict
from workbench.experiments import Progress, ServerLog

VARIANT = "max_num_seqs = 32 @ 12 req/s"


def finished(**changes):
    base = {"completed_rps": 6.85, "ttft_p95_ms": 900.0, "valid": True, "diverging": False}
    state = LiveState(phase="finished", objectives={"ttft_p95_ms": 1000.0})
    state.runs = {
        "baseline @ 12 req/s": RunView("baseline @ 12 req/s", rate=12.0, status="done", row=dict(base)),
        VARIANT: RunView(
            VARIANT, control="max_num_seqs", value=32, rate=12.0, status="done",
            row={**base, "completed_rps": 10.8, "ttft_p95_ms": 402.0, **changes},
        ),
    }  # fmt: skip
    state.runs[VARIANT].diagnosed = Diagnosed(
        change=NextChange("max_num_seqs 32 → 64.", "max_num_seqs", 64), shares={"seats": 1.0}
    )
    return state


@pytest.fixture
def scorecard(qapp):
    return ScorecardModel()


def told(state, scorecard):
    scorecard.show_state(state)
    return plan_verdict(state, scorecard)


def test_that_the_answer_has_the_scorecard_s_own_figures(scorecard):
    state = finished()
    verdict = told(state, scorecard)
    assert verdict.said == "✓ Sequence limit 32: 10.8 req/s (+58\u202f%), p95 TTFT 0.402 s; objectives met"
    for key in ("completed_rps", "ttft_p95_ms"):
        column = next(column for column in COLUMNS if column.key == key)
        assert scorecard.cell(state.runs[VARIANT], column).text in verdict.said
    assert (verdict.next, verdict.change.value) == ("max_num_seqs 32 → 64.", 64)


def test_that_a_missed_objective_and_an_invalid_run_are_the_answer(scorecard):
    assert told(finished(ttft_p95_ms=1500.0), scorecard).said.endswith("objective missed: p95 TTFT")
    verdict = told(finished(valid=False, reasons=["client-bound"]), scorecard)
    assert "Baseline" not in verdict.said.split(":")[0] or verdict.run.is_baseline
    assert told(LiveState(phase="failed"), scorecard).said == "No run was measured."


def test_that_the_time_left_goes_on_between_two_words_on_progress():
    state = LiveState(phase="running", runs={"v": RunView("v")})
    state.apply(Progress(t=10.0, run="v", phase="measuring", run_elapsed_s=1, run_left_s=9, plan_left_s=40))
    state.apply(ServerLog(t=12.5, line="loading"))
    assert state.plan_left_s == 37.5


def test_that_all_panels_show_the_figures_of_one_moment(window, qtbot, monkeypatch):
    monkeypatch.setenv("FAKE_HOLD", "1")
    window.commands.run_demo()
    state = window.runs.state
    qtbot.waitUntil(lambda: window.runs.state.phase == "running")
    state = window.runs.state
    qtbot.waitUntil(lambda: len(state.current_run().series) == 30)
    run = state.current_run()
    run.shown_t = run.series.times()[9]
    window.plots.mark_dirty()
    window.plots.draw_all()
    window.insights.refresh()
    window.verdict.refresh()
    running, waiting = (f"{run.series.at(name, 9):.0f}" for name in ("running", "waiting"))
    assert f"{running} running, {waiting} waiting" in window.insights.text.text()
    assert f"{running} running, {waiting} waiting" in window.verdict.text()
    header = window.plots.plots[0].header.said()
    assert f"running {running}" in header


def test_that_run_this_next_runs_the_advised_change(window, qtbot):
    window.commands.run_demo()
    qtbot.waitUntil(lambda: window.runs.state.phase == "finished" and not window.runs.running)
    button = get_child(window.verdict, QPushButton, "run_next")
    before = button.geometry()
    run = window.runs.state.runs["max_num_batched_tokens = 64 @ 12 req/s"]
    run.diagnosed = Diagnosed(change=NextChange("More sequences.", "max_num_seqs", 32))
    window.runs.state.runs = {run.name: run}
    window.editor.edit("another name", name="Something else", rates=(3.0,))
    window.verdict.refresh()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.runs.running)
    draft = window.editor.draft
    assert (draft.control, draft.values) == ("max_num_seqs", (32,))
    assert draft.baseline["max_num_batched_tokens"] == 64
    assert draft.rates == (12.0,), "of the measured experiment, not of the form"
    assert not button.isEnabled()
    assert button.geometry() == before
    qtbot.waitUntil(lambda: not window.runs.running)


def test_that_the_next_change_is_offered_only_when_the_process_of_the_last_plan_has_ended(window, qtbot):
    window.commands.run_demo()
    qtbot.waitUntil(lambda: window.runs.state.phase == "finished" and not window.runs.running)
    run = window.runs.state.runs["max_num_batched_tokens = 64 @ 12 req/s"]
    run.diagnosed = Diagnosed(change=NextChange("More sequences.", "max_num_seqs", 32))
    window.runs.state.runs = {run.name: run}
    window.insights.choose_run(run.name)
    for idle in (False, True):
        window.verdict.set_idle(idle=idle)
        window.insights.set_idle(idle=idle)
        offered = (window.verdict.run, window.verdict.edit, window.insights.test)
        assert [button.isEnabled() for button in offered] == [idle] * 3


def test_that_the_bar_has_its_height_and_buttons_in_every_state(qtbot, theme, scorecard):
    bar = VerdictBar(theme, scorecard)
    qtbot.addWidget(bar)
    bar.resize(900, bar.height())
    bar.show()
    places = set()
    for state in (LiveState(), LiveState(phase="starting"), finished(), LiveState(phase="failed")):
        scorecard.show_state(state)
        bar.show_state(state)
        qtbot.wait(1)
        places.add((bar.height(), bar.run.geometry().getRect(), bar.edit.geometry().getRect()))
    assert len(places) == 1
