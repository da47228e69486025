"""The teaching demos: the question first, the answer by a key, in slow motion."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QLabel, QProgressDialog

from tests.unit.ui.children import get_child
from tests.unit.ui.step_cases import preemption
from ui.commands.actions import SPECS
from ui.commands.demo_commands import DEMOS
from ui.demos import DemoPlayer, Story
from ui.demos.export import DemoExport
from ui.demos.films import FRAMES, DemoFilms
from ui.demos.player import filmed, speed_text
from ui.demos.story import DemoText
from ui.files.documents import is_demo
from ui.live import LiveState, RunSeries, RunView
from workbench.engine import film, list_demos, load_demo, save_demo

TOLD = DemoText("T", "Who waits?", ("At first.", "At last."), (("a", "B waits."), ("b", "Nobody does.")))


def test_that_nothing_is_given_away_before_it_was_seen():
    story = Story(TOLD)
    assert story.lines() == ("At first.",)
    seen = []
    while not story.over:
        story.step()
        seen.append(story.lines())
    assert seen == [("a …",), ("a: B waits.",), ("b …",), ("b: Nobody does.",), ("At first.", "At last.")]


def test_that_every_demo_has_its_command_under_its_own_title():
    texts = {spec.id: spec.text.replace("&", "") for spec in SPECS}
    titles = {demo.name: demo.title for demo in list_demos()}
    assert set(DEMOS) == set(titles)
    assert {name: texts[f"demo.{name}"] for name in DEMOS} == titles


def test_that_speeds_are_said_as_one_says_them():
    assert [speed_text(speed) for speed in (0.25, 1.0, 5.0)] == ["1/4", "1", "5"]


@pytest.fixture(scope="module")
def reel():
    demo = load_demo("static-and-continuous")
    return DemoFilms(demo, [film(demo, variant) for variant in demo.variants])


def test_that_a_film_shows_what_the_scheduler_did(reel):
    static, continuous = (reel.state.runs[name] for name in reel.names)
    for run in (static, continuous):
        assert reel.show_until(run.name, float("inf"))
        assert 0.8 * FRAMES <= len(run.series) <= FRAMES + 1
    assert static.series.column("waiting").max() == 1.0
    assert continuous.series.column("waiting").max() == 0.0
    assert continuous.series.column("running").max() == 3.0
    assert np.nanmax(static.series.column("oldest_waiting_s")) == pytest.approx(5.9, abs=0.1)
    tokens = static.series.column("output_tok_s")
    assert 100 < np.nanmax(tokens) < 500


def test_that_variants_have_their_names_in_the_language_of_the_window(monkeypatch):
    monkeypatch.setattr("ui.demos.films.translate_demo", lambda text: f"<{text}>")
    demo = load_demo("static-and-continuous")
    told = DemoFilms(demo, [film(demo, variant) for variant in demo.variants])
    assert told.names == list(told.state.runs) == ["<static>", "<continuous>"]
    assert [name for name, _ in told.told.variants] == told.names


def test_that_a_film_comes_bit_by_bit():
    demo = load_demo("kv-cliff")
    reel = DemoFilms(demo, [film(demo, variant) for variant in demo.variants])
    name = reel.names[0]
    assert not reel.show_until(name, reel.length / 2)
    run = reel.state.runs[name]
    assert len(run.series) == pytest.approx(FRAMES / 2, abs=2)
    reel.show_until(name, reel.length)
    assert run.series.last("preemptions") == 9.0
    assert run.diagnosis().shares["kv"] > 0


def test_that_long_prompts_come_with_the_film():
    demo = load_demo("token-budget")
    reel = DemoFilms(demo, [film(demo, variant) for variant in demo.variants])
    run = reel.state.runs["budget 512"]
    assert run.prompts.known
    assert run.prompts.step_tokens == 512
    t = 0.0
    while not run.prompts.tracks:
        t += 0.05
        reel.show_until(run.name, t)
    reel.show_until(run.name, t + 0.25)
    assert 0 < run.prompts.under_way()[0] < 1
    reel.show_until(run.name, float("inf"))
    assert [track.done for track in run.prompts.tracks] == [True]
    assert run.prompts.tracks[0].seconds == pytest.approx(0.66, abs=0.05)


def test_that_a_film_that_was_seen_whole_has_its_own_figures_and_one_cut_off_has_none(reel):
    for name in reel.names:
        reel.show_until(name, float("inf"))
        reel.close_run(name)
    continuous = reel.state.runs["continuous"]
    assert continuous.status == "done"
    assert continuous.row["ttft_p50_ms"] > 0
    seats = load_demo("seats")
    cut = DemoFilms(seats, [film(seats, variant) for variant in seats.variants])
    for name in cut.names:
        cut.close_run(name)
    few, many = cut.state.runs["8 slots"], cut.state.runs["64 slots"]
    assert few.row == {}, "a queue without end: its percentiles are its length's"
    assert many.row["ttft_p95_ms"] == pytest.approx(24.0, abs=0.1)


def test_that_speed_is_simulated_time_over_wall_time(qapp, reel):
    now = [0.0]
    player = DemoPlayer(qapp, clock=lambda: now[0])
    player.start_film(reel)
    player.change_speed(100)
    assert player.speed == 10.0
    player.change_speed(-100)
    assert player.speed == 0.05
    player.step()
    run = reel.state.runs[player.current]
    run.series = RunSeries()
    now[0] = 20.0
    player.tick()
    assert run.series.last_time() == pytest.approx(1.0, abs=0.05)
    player.deleteLater()


def test_that_a_demo_is_told_by_one_key_and_leaves_the_window_as_it_was(window, qtbot):
    visible = lambda: {name for name, dock in window.docks.items() if dock.isVisible()}  # noqa: E731
    before = visible()
    window.activateWindow()
    window.actions_["demo.static-and-continuous"].trigger()
    qtbot.waitUntil(window.banner.isVisible)
    assert "When does its first token come?" in window.banner.question.text()
    assert "5.9 s" not in window.banner.lines.text()
    assert visible() == {"insights"}
    qtbot.keyClick(window, Qt.Key.Key_Space)
    assert window.demos.playing
    name = window.demos.current
    qtbot.waitUntil(lambda: len(window.runs.state.runs[name].series) > 5)
    qtbot.keyClick(window, Qt.Key.Key_Space)
    assert "B waits 5.9 s" in window.banner.lines.text()
    qtbot.keyClick(window, Qt.Key.Key_Space)
    qtbot.keyClick(window, Qt.Key.Key_Space)
    assert window.plots.behind().name == name
    qtbot.keyClick(window, Qt.Key.Key_Space)
    assert "decides anew at every step" in window.banner.lines.text()
    assert not window.banner.end.isVisible(), "one button ends it"
    qtbot.keyClick(window, Qt.Key.Key_Space)
    assert not window.banner.isVisible()
    assert window.centre.currentWidget() is window.start_page
    assert visible() == before
    assert not window.actions_["demo.next"].isEnabled()


def test_that_a_demo_s_file_is_presented_full_screen_with_the_keys_of_a_remote(window, qtbot, tmp_path):
    path = tmp_path / "shown.wbdemo"
    save_demo(load_demo("static-and-continuous"), path)
    window.demo_commands.present(path)
    qtbot.waitUntil(window.banner.isVisible)
    assert window.isFullScreen()
    assert not window.menuBar().isVisible()
    qtbot.keyClick(window, Qt.Key.Key_PageDown)
    assert window.demos.playing
    qtbot.keyClick(window, Qt.Key.Key_PageDown)
    assert not window.demos.playing
    qtbot.keyClick(window, Qt.Key.Key_B)
    assert window.presentation.blank.size() == window.size()
    assert window.presentation.blank.isVisible()
    qtbot.keyClick(window, Qt.Key.Key_Period)
    assert not window.presentation.blank.isVisible()
    qtbot.keyClick(window, Qt.Key.Key_F5)
    assert window.demos.current is None, "at the question"
    assert not window.runs.running, "F5 starts no plan"
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert not window.banner.isVisible()
    assert not window.isFullScreen()
    assert window.menuBar().isVisible()


def test_that_a_file_that_is_no_demo_leaves_the_full_screen_and_says_so(window, qtbot, tmp_path):
    path = tmp_path / "bad.wbdemo"
    path.write_text("x")
    window.documents.open_any(path)
    window.demo_commands.present(path)
    qtbot.waitUntil(lambda: any("not a demo" in text for text in window.messages.texts()))
    assert not window.isFullScreen()


def test_that_a_recorded_run_is_presented_with_the_keys_of_a_remote(window, qtbot):
    window.show()
    window.runs.show_bench(LiveState(phase="opened", name="mine"))
    window.commands.results.play_steps()
    assert window.isFullScreen()
    stage = window.docks["steps"].widget().stage
    stage.show_data(preemption())
    qtbot.keyClick(window, Qt.Key.Key_PageDown)
    assert stage.playing
    qtbot.keyClick(window, Qt.Key.Key_PageDown)
    assert not stage.playing
    assert stage.scene.upto is not None
    qtbot.keyClick(window, Qt.Key.Key_F5)
    assert stage.playing
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert not window.isFullScreen()
    assert window.actions_["run.start"].shortcut() == QKeySequence("F5")


def test_that_f5_starts_no_plan_in_a_presentation_whose_results_arrive_later(window, qtbot, monkeypatch):
    window.show()
    window.commands.results.play_steps()
    window.runs.show_bench(LiveState(phase="opened", name="mine"))
    stage = window.docks["steps"].widget().stage
    stage.show_data(preemption())
    started = []
    monkeypatch.setattr(window.runs, "start", lambda *words: started.append(words))
    assert window.actions_["run.start"].shortcut().isEmpty()
    qtbot.keyClick(window, Qt.Key.Key_F5)
    assert stage.playing
    assert not started
    window.presentation.end()
    assert window.actions_["run.start"].shortcut() == QKeySequence("F5")


def test_that_the_ending_of_a_demo_may_be_in_capitals(tmp_path):
    path = tmp_path / "shown.wbdemo"
    save_demo(load_demo("static-and-continuous"), path)
    path = path.rename(tmp_path / "SHOWN.WBDEMO")
    assert is_demo(path)
    assert len(filmed(str(path)).names) == 2


def test_that_an_ended_export_is_deleted_and_a_closed_window_leaves_no_part(window, qtbot, reel, tmp_path):
    for end in ("cancel", "close"):
        export = window.demo_commands.export(reel, tmp_path / "demo.gif")
        progress = window.findChild(QProgressDialog)
        if end == "cancel":
            progress.canceled.emit()
        else:
            qtbot.waitSignal(export.progressed).wait()
            assert (tmp_path / ".demo.gif.part").exists()
            window.closed.emit()
        assert not any("demo.gif" in path.name for path in tmp_path.iterdir())
        qtbot.waitUntil(lambda: not window.findChildren(QProgressDialog))
        assert window.demo_commands.findChildren(DemoExport) == []


def test_that_a_demo_leads_back_to_the_results_that_were_open(window, qtbot):
    runs = {name: RunView(name, status="done", row={"run": name}) for name in ("base", "v")}
    opened = LiveState(phase="opened", name="mine", runs=runs, current="base")
    window.runs.show_bench(opened)
    window.commands.results.choose_run("v")
    draft = window.editor.draft
    window.actions_["demo.static-and-continuous"].trigger()
    qtbot.waitUntil(window.banner.isVisible)
    assert window.runs.state is not opened
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert not window.banner.isVisible()
    assert window.runs.state is opened
    assert window.plots.shown_run is runs["v"]
    assert window.scorecard.model.rowCount() == 2
    assert window.editor.draft == draft


def test_that_an_ended_film_reads_out_figures_and_names_the_variant_in_grey(window, qtbot):
    window.actions_["demo.static-and-continuous"].trigger()
    qtbot.waitUntil(window.banner.isVisible)
    for _ in range(4):
        window.demos.step()
    window.plots.draw_all()
    said = {plot.spec.id: plot.summary() for plot in window.plots.shown}
    assert said["ttft"].startswith("TTFT: whole run p50 ")
    assert "–" not in said["ttft"]
    legend = get_child(window, QLabel, "legend").text()
    assert "static" in legend
    assert "baseline" not in legend


def test_that_a_demo_shows_its_stage_with_one_plot_and_gives_the_plots_back(window, qtbot):
    before = [plot.spec.id for plot in window.plots.shown]
    window.actions_["demo.token-budget"].trigger()
    qtbot.waitUntil(window.banner.isVisible)
    assert [plot.spec.id for plot in window.plots.shown] == ["itl"]
    stage = window.demo_stage.view
    assert stage.isVisible()
    assert stage.scene.upto == 0.0
    window.demos.step()
    window.demos.step()
    assert stage.scene.upto == window.demos.reel.length
    assert stage.scene.data.arrays.classes == ["chat", "document"]
    window.actions_["demo.end"].trigger()
    assert not window.demo_stage.isVisible()
    assert [plot.spec.id for plot in window.plots.shown] == before


def test_that_going_back_plays_a_variant_again_and_ends_at_the_question(qapp, reel):
    player = DemoPlayer(qapp, clock=lambda: 0.0)
    player.start_film(reel)
    for _ in range(4):
        player.step()
    run = reel.state.runs[reel.names[1]]
    assert (player.story.stage, player.current) == ("said", run.name)
    player.step_back()
    assert (player.story.stage, len(run.series), player.t) == ("playing", 0, 0.0)
    player.step_back()
    assert (player.story.stage, player.current) == ("said", reel.names[0])
    assert len(reel.state.runs[reel.names[0]].series) > 300
    player.step_back()
    player.step_back()
    player.step_back()
    assert (player.story.stage, player.current) == ("question", None)
    player.deleteLater()


def test_that_the_stage_of_a_film_has_the_figures_of_the_film(reel):
    static, continuous = (reel.stages[name] for name in reel.names)
    assert static.lanes == continuous.lanes == 3
    assert static.queue.sum(axis=1).max() == 1
    assert continuous.queue.sum(axis=1).max() == 0
    assert static.arrays.end == pytest.approx(7.15, abs=0.01)
