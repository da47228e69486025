"""Which limit binds, told from samples and from the diagnosis, and what is made of the advice."""

import math

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea

from ui.insights import BottleneckTimeline, InsightsPanel
from ui.insights.bottleneck_names import queue_head_text
from ui.insights.narration import narrate, short
from ui.live import COLUMNS, Changed, LiveState, RunSeries, RunView, read_ranking
from ui.live.bottlenecks import LimitStep, Stretch, diagnose_samples, why_head_waits
from workbench.experiments import RunDiagnosed


def series(*rows):
    """Samples a second apart, each (running, waiting, kv_usage, preemptions)."""
    held = RunSeries()
    for step, row in enumerate(rows):
        values = dict(zip(("running", "waiting", "kv_usage", "preemptions"), row, strict=True))
        held.append_values(float(step), [values.get(name) for name in COLUMNS])
    return held


def full_seats(samples=10):
    return series(*[(16, 5, 0.1, 0)] * samples)


def test_that_waiting_with_all_seats_taken_is_bound_by_seats():
    found = diagnose_samples(full_seats(), {"max_num_seqs": 16})
    assert found.shares == {"seats": 1.0}
    assert found.timeline == (Stretch(0.0, 9.0, "seats"),)
    assert not found.final


def test_that_each_engine_of_several_has_the_limit_for_itself():
    limits = {"max_num_seqs": 8}
    assert diagnose_samples(full_seats(), limits, engines=2).shares == {"seats": 1.0}
    assert diagnose_samples(full_seats(), limits, engines=4).main == "token_budget", "16 of 32 run"
    assert why_head_waits(full_seats(), limits, engines=2) == ("seats", (16.0, 16.0))


def test_that_a_preemption_ranks_before_full_seats():
    rows = [(16, 5, 0.95, 0)] * 5 + [(16, 5, 0.95, 3)] * 9
    found = diagnose_samples(series(*rows), {"max_num_seqs": 16})
    assert [part.bound for part in found.timeline] == ["seats", "kv", "seats"]
    assert found.timeline[1].begin == 4.5


def test_that_waiting_with_seats_and_blocks_free_is_the_token_budget():
    assert diagnose_samples(series(*[(4, 2, 0.1, 0)] * 8), {"max_num_seqs": 16}).main == "token_budget"
    assert diagnose_samples(series(*[(4, 0, 0.1, 0)] * 8), {"max_num_seqs": 16}).main is None


def test_that_a_single_sample_is_no_change_of_bound():
    rows = [(4, 0, 0.1, 0)] * 6 + [(16, 1, 0.1, 0)] + [(4, 0, 0.1, 0)] * 6
    assert set(diagnose_samples(series(*rows), {"max_num_seqs": 16}).shares) == {"none"}


def test_that_what_was_not_seen_is_said_to_be_unseen():
    found = diagnose_samples(series(*[(None, None, None, None)] * 6), {})
    assert found.shares == {"unknown": 1.0}
    assert diagnose_samples(series(), {}).shares == {}


def test_that_the_head_waits_for_what_is_short():
    assert why_head_waits(full_seats(), {"max_num_seqs": 16}) == ("seats", (16.0, 16.0))
    assert why_head_waits(series((4, 2, 0.97, 0)), {"max_num_seqs": 16}) == ("kv", (0.97,))
    assert why_head_waits(series((4, 0, 0.1, 0)), {"max_num_seqs": 16}) is None


def test_that_the_wait_in_the_client_is_seen_live():
    held = RunSeries()
    for step in range(10):
        values = {"running": 4.0, "waiting": 0.0, "kv_usage": 0.1, "in_flight": 4.0, "held": 30.0}
        held.append_values(float(step), [values.get(name) for name in COLUMNS])
    limits = {"max_num_seqs": 16, "max_in_flight": 4}
    assert diagnose_samples(held, limits).shares == {"client": 1.0}
    reason = why_head_waits(held, limits)
    assert reason == ("client", (30.0, 4.0))
    assert "30 requests wait in the client" in queue_head_text(reason)


def test_that_under_static_batching_who_waits_waits_for_the_batch_and_not_for_tokens():
    limits = {"max_num_seqs": 16, "static_batching": True}
    assert diagnose_samples(series(*[(1, 1, 0.02, 0)] * 8), limits).shares == {"blocked_head": 1.0}
    assert why_head_waits(series((1, 1, 0.02, 0)), limits) == ("blocked_head", (1.0,))
    assert queue_head_text(("blocked_head", (1.0,))) == (
        "Head of the queue waits: the batch is closed until its last request has ended."
    )


def test_that_the_timeline_knows_which_stretch_is_under_the_mouse(qtbot, theme):
    timeline = BottleneckTimeline(theme)
    qtbot.addWidget(timeline)
    timeline.resize(220, 14)
    timeline.set_margins(10, 10)
    timeline.set_span(0.0, 20.0)
    timeline.show_timeline((Stretch(0.0, 5.0, "none"), Stretch(5.0, 10.0, "seats")))
    assert timeline.part_at(85).bound == "seats"
    assert timeline.part_at(15).bound == "none"
    assert timeline.part_at(150) is None
    assert timeline.part_at(5) is None
    assert "5.0–10.0 s: sequence limit" in timeline.accessibleDescription()
    assert not timeline.grab().isNull()


def test_that_a_report_s_sentence_is_shortened_to_its_core():
    said = "max_num_seqs 16 → 32: completes 6.8 → 10.8 req/s (repeat to know); the queue no longer grows."
    assert short(said) == "max_num_seqs 16 → 32: completes 6.8 → 10.8 req/s."


@pytest.fixture
def panel(qtbot, theme):
    panel = InsightsPanel(theme)
    qtbot.addWidget(panel)
    panel.resize(260, 500)
    panel.show()
    run = RunView("v", limits={"max_num_seqs": 16}, series=full_seats(), status="running")
    state = LiveState(phase="running", current="v", runs={"v": run})
    panel.show_state(state)
    return panel, state


def diagnosis(**changes):
    fields = {
        "run": "v", "headline": "Bound by: sequence limit.", "shares": {"seats": 0.71, "none": 0.29},
        "strip": [{"start": 0.0, "end": 9.0, "bound": "seats"}], "next_change": "max_num_seqs 16 → 32.",
        "sentences": ["71 % of the time."],
        "change": {"control": "max_num_seqs", "value": 32, "text": "", "watch": "TTFT", "cost": "memory"},
    }  # fmt: skip
    return RunDiagnosed(**{**fields, **changes})


def test_that_a_run_under_way_says_so_far_and_why_the_head_waits(panel):
    panel, _ = panel
    assert panel.bound_by.text() == "Bottleneck: sequence limit, so far"
    assert panel.bars.texts() == ["sequence limit 100 %"]
    assert panel.head.text() == "Head of the queue waits for a sequence slot: 16 of 16 in use."
    assert not panel.test.isEnabled()


def test_that_a_variant_is_said_beside_the_baseline_in_short_and_in_full(panel):
    panel, state = panel
    assert not panel.against.isVisible()
    told = [
        "max_num_seqs: 8 → 16.",
        "Better: TTFT.",
        "Worse: ITL.",
        "Within 5 %: errors.",
        "The limit moved.",
    ]
    state.apply(diagnosis(against_baseline=told))
    panel.refresh()
    assert panel.against_title.isVisible()
    for sentence, brief in zip(told, (False, True, True, False, True), strict=True):
        assert (sentence in panel.against.text()) == brief
        assert sentence in panel.evidence.text()
    state.apply(diagnosis(against_baseline=["Not comparable: other requests."]))
    panel.refresh()
    assert "Not comparable" in panel.against.text()
    state.phase, state.report = "finished", ["max_num_seqs 8 → 16: completes more."]
    panel.refresh()
    assert not panel.against.isVisible(), "said once, by the report"
    panel.choose_run("v")
    assert not panel.against.isVisible(), "the run that is shown anyway"


def test_that_the_diagnosis_replaces_what_was_said_so_far(panel, qtbot):
    panel, state = panel
    panel.on_change(state.apply(diagnosis()) | Changed.DIAGNOSIS)
    assert panel.bound_by.text() == "Bottleneck: sequence limit"
    assert panel.bars.texts() == ["sequence limit 71 %", "no limit 29 %"]
    assert "memory" in panel.next_text.text()
    assert not panel.evidence.isVisible()
    qtbot.mouseClick(panel.more, Qt.MouseButton.LeftButton)
    assert "71 % of the time" in panel.evidence.text()
    assert panel.evidence.isVisible()
    with qtbot.waitSignal(panel.test_wanted) as wanted:
        qtbot.mouseClick(panel.test, Qt.MouseButton.LeftButton)
    assert wanted.args[1].value == 32


def test_that_advice_that_is_no_control_has_no_button(panel):
    panel, state = panel
    panel.on_change(state.apply(diagnosis(next_change="a higher rate.", change=None)))
    assert "a higher rate" in panel.next_text.text()
    assert not panel.test.isEnabled()


def test_that_the_advised_change_becomes_the_next_experiment_s_control(window):
    run = RunView("v", control="max_num_batched_tokens", value=4096)
    state = LiveState(phase="running", current="v", runs={"v": run})
    window.runs.show_bench(state)
    window.insights.on_change(state.apply(diagnosis()))
    window.insights.test.click()
    draft = window.editor.draft
    assert (draft.control, draft.values) == ("max_num_seqs", (32,))
    assert draft.baseline["max_num_batched_tokens"] == 4096
    window.actions_["edit.undo"].trigger()
    assert "max_num_batched_tokens" not in window.editor.draft.baseline


def test_that_a_timeline_survives_a_run_without_samples():
    assert diagnose_samples(series((1, 0, 0, 0)), {}).timeline == ()
    assert math.isnan(series().last_time())


def test_that_seats_taken_away_while_it_runs_are_what_binds_from_then_on():
    rows = [(16, 0, 0.1, 0)] * 5 + [(4, 9, 0.1, 0)] * 5
    step = LimitStep(5.0, "max_num_active_seqs", 16, 4)
    found = diagnose_samples(series(*rows), {"max_num_seqs": 16}, [step])
    assert [part.bound for part in found.timeline] == ["none", "seats"]
    assert why_head_waits(series(*rows), {"max_num_seqs": 16}, [step]) == ("seats", (4.0, 4.0))


def test_that_the_recommended_configuration_is_said_first():
    state = LiveState(
        phase="finished", current="v", runs={"v": RunView("v")}, report=["a: b (c); d.", "Best: v."]
    )
    state.ranking = read_ranking({"recommended": {"run": "seats 32"}, "others": []})
    said = narrate(state)
    assert said.sentences == ("Best configuration that meets the objectives: seats 32.", "a: b.", "Best: v.")
    assert said.more == ("a: b (c); d.", "Best: v.")


def rated(offered, completed):
    held = RunSeries()
    for step, rates in enumerate(zip(offered, completed, strict=True)):
        values = dict(zip(("offered_rps", "completed_rps"), rates, strict=True))
        held.append_values(step / 2, [values.get(name, 0.0) for name in COLUMNS])
    return held


def test_that_the_rate_is_judged_while_requests_still_arrive_and_not_while_they_drain():
    run = RunView("v", series=rated([12.0] * 60 + [2.6] * 3 + [0.0] * 40, [7.0] * 60 + [8.0] * 43))
    state = LiveState(phase="demo", current="v", runs={"v": run})
    assert "It completes 7.00 of 12.0 req/s; the rest pile up." in narrate(state).sentences


def test_that_a_demo_names_the_variant_in_grey():
    runs = {"one seat": RunView("one seat", series=full_seats())}
    for seats in (2, 4):
        name = f"{seats} seats"
        runs[name] = RunView(name, control="max_num_seqs", value=seats, series=full_seats())
    said = narrate(LiveState(phase="demo", current="4 seats", runs=runs)).sentences
    assert "Gray: “2 seats” under the same requests." in said
    assert not any(
        "Grey" in line for line in narrate(LiveState(phase="demo", current="one seat", runs=runs)).sentences
    )


def test_that_a_limit_that_held_for_a_short_time_is_no_heading(panel):
    panel, state = panel
    panel.on_change(state.apply(diagnosis(shares={"none": 0.87, "seats": 0.13})) | Changed.DIAGNOSIS)
    assert panel.bound_by.text() == "No bottleneck 87 % of the time; sequence limit 13 %"


def test_that_where_no_limit_bound_the_diagnosis_says_what_that_means(panel):
    panel, state = panel
    told = "No limit held for long, yet requests queued: queue time p95 301 ms, TTFT p95 357 ms."
    panel.on_change(state.apply(diagnosis(shares={"none": 1.0}, headline=told)) | Changed.DIAGNOSIS)
    assert panel.bound_by.text() == told[:-1]


def test_that_a_result_is_said_once_in_short_or_in_full(qtbot, theme):
    full = "max_num_seqs 16 → 32: completes 5.8 → 9.3 req/s; the queue no longer grows."
    state = LiveState(
        phase="finished", report=[full], runs={"v": RunView("v", status="done", row={"run": "v"})}
    )
    state.ranking, state.current = read_ranking({"recommended": {"run": "v"}}), "v"
    panel = InsightsPanel(theme)
    qtbot.addWidget(panel)
    panel.show_state(state)
    assert "completes 5.8" in panel.text.text()
    panel.more.setChecked(True)
    assert "completes 5.8" not in panel.text.text()
    assert "Best configuration that meets the objectives" in panel.text.text()
    assert "no longer grows" in panel.evidence.text()
    panel.more.setChecked(False)
    assert "completes 5.8" in panel.text.text()


def test_that_an_ended_film_has_no_present():
    state = LiveState(phase="demo", name="seats", current="v")
    state.runs["v"] = RunView("v", series=full_seats())
    state.runs["v"].status = "running"
    assert any("16 running" in said for said in narrate(state).sentences)
    state.runs["v"].status = "done"
    assert not any("run" in said for said in narrate(state).sentences)


def test_that_a_long_name_pushes_nothing_out_of_a_narrow_panel(panel, qtbot, settle):
    panel, state = panel
    name = "max_num_batched_tokens_of_a_control = 16384 @ 12 req/s"
    state.runs[name] = RunView(name, status="running")
    state.current = name
    state.apply(diagnosis(run=name, against_baseline=[f"{'long' * 20}: 1 → 2."]))
    panel.resize(200, 220)
    panel.refresh()
    area = panel.findChild(QScrollArea)
    qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() > 0)
    settle(panel)
    assert area.widget().width() == area.viewport().width()
    assert panel.heading.height() > 2 * panel.heading.fontMetrics().height()


def test_that_what_is_told_of_a_simulated_run_carries_the_mark(panel):
    panel, state = panel
    assert not panel.simulated.on
    state.runs["v"].simulated = True
    panel.refresh()
    assert panel.heading.text() == "v"
    assert (panel.simulated.on, panel.simulated.accessibleName()) == (True, "simulated")
