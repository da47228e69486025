"""The toolbar's right half: what it says of a plan in each of its states, in both languages."""

import re

import pytest

from tests.unit.ui.test_translation import chinese
from ui.live import LiveState, RunView
from ui.window.run_bar import RunBar
from workbench.experiments import Progress

__all__ = ["chinese"]

NAMES = ("max_num_seqs = 32 @ 12 req/s", "h100/L/tp1")
"""What is called alike in all languages."""


def under_way(phase="measuring", server="busy", **more):
    state = LiveState(phase="running", server=server, index=2, current=NAMES[0], target=NAMES[1], **more)
    state.runs = {"b": RunView("b"), NAMES[0]: RunView(NAMES[0])}
    state.apply(Progress(run=NAMES[0], phase=phase, run_elapsed_s=10, run_left_s=30, plan_left_s=42))
    return state


@pytest.fixture
def bar(qtbot, theme):
    bar = RunBar(theme)
    qtbot.addWidget(bar)
    return bar


def said(bar):
    return [text for text, _ in bar.parts()]


def test_that_nothing_is_said_of_nothing(bar):
    assert said(bar) == []
    assert bar.share() is None


def test_that_a_plan_under_way_has_its_server_place_run_and_time_left(bar):
    bar.show_state(under_way(simulated=True))
    assert said(bar) == [f"{NAMES[1]} (simulated)", "◉ busy", f"run 2/2 · {NAMES[0]} · 0:42 left"]
    assert bar.share() == pytest.approx((1 + 10 / 40) / 2)
    assert bar.accessibleName() == ", ".join(said(bar))


def test_that_a_run_that_is_not_measured_yet_says_what_it_does(bar):
    bar.show_state(under_way("warming up"))
    assert said(bar)[-1] == "run 2/2 · warming up · 0:42 left"


@pytest.mark.parametrize(
    ("phase", "words"),
    [
        ("finished", "finished"),
        ("stopped", "finished runs are kept"),
        ("failed", "measured runs are kept"),
        ("opened", "read-only"),
    ],
)
def test_that_a_plan_that_has_ended_says_how(bar, phase, words):
    state = under_way()
    state.phase = phase
    bar.show_state(state)
    assert words in said(bar)[-1]
    assert "◉ busy" not in said(bar)
    assert bar.share() is None


@pytest.mark.parametrize(
    "phase", ["starting server", "comparing answers", "warming up", "measuring", "draining", "computing"]
)
@pytest.mark.parametrize("server", ["idle", "starting", "ready", "busy", "degraded", "stopping", "failed"])
def test_that_all_of_it_is_chinese_in_the_chinese_window(chinese, bar, phase, server):
    bar.show_state(under_way(phase, server, simulated=True))
    text = bar.accessibleName()
    for name in NAMES:
        text = text.replace(name, "")
    assert re.findall("[A-Za-z]+", text) == []


def test_that_where_there_is_no_room_the_least_needed_is_left_out(bar):
    bar.show_state(under_way())
    bar.resize(90, 24)
    assert not bar.grab().isNull()
    assert NAMES[1] in bar.toolTip(), "and stands in the tooltip"
