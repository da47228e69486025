"""The start page: connecting to a running server, watching it, running plans, recent results, one Open."""

import os
import socket
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLabel, QPushButton

from tests.unit.ui.children import get_child
from ui.conductor.follower_client import FollowerClient
from ui.conductor.trial_report import TrialReport
from ui.connect.first_test import first_test, for_attached
from ui.experiment import Draft
from ui.live import LiveState
from ui.start.running_plans import RunningPlans
from workbench.base import encode_line
from workbench.experiments import RunningPlan, ServerState, encode_event, read_experiments
from workbench.results import BenchFile, write_pack
from workbench.servers import EffectiveConfig, abilities_of
from workbench.servers.processes import identify_process

REPORT = TrialReport(
    effective=EffectiveConfig(
        model="m",
        version="0.32.0",
        max_model_len=64,
        arguments={"max_num_seqs": 4, "max_num_batched_tokens": 64},
    ),
    abilities=tuple(abilities_of("0.32.0", "attached")),
)


def text_of(window, name):
    return get_child(window.start_page, QLabel, f"card_{name}").text()


def connect(window, qtbot, monkeypatch, address, report):
    """Type an address and press Connect; the server's answer is given."""
    box = window.start_page.connect_box
    monkeypatch.setattr(box.trial, "start", lambda _toml: box.trial.told.emit(report))
    qtbot.keyClicks(box.address, address)
    qtbot.mouseClick(box.connect_, Qt.MouseButton.LeftButton)
    box.trial.ended.emit()
    return box


def test_that_a_running_server_says_what_it_is_and_what_can_be_tested(window, qtbot, monkeypatch):
    box = connect(window, qtbot, monkeypatch, "h:8000", REPORT)
    assert box.address.text() == "http://h:8000"
    assert box.card.isVisible()
    assert "m · vLLM 0.32.0 · GPU unknown" in text_of(window, "headline")
    assert "context 64 tokens" in text_of(window, "capacity")
    assert "max_num_seqs 4" in text_of(window, "limits")
    assert "Not reported: enable_chunked_prefill" in text_of(window, "limits")
    assert "Client-side admission" in text_of(window, "testable")
    qtbot.mouseClick(box.edit, Qt.MouseButton.LeftButton)
    draft = window.editor.draft
    assert (draft.url, draft.baseline, draft.control) == ("http://h:8000", {}, "")
    assert draft.input_tokens + draft.output_tokens <= 64
    assert not window.editor.problems
    model = window.experiment.control.model
    row = model.row_of("max_num_seqs")
    assert model.index(row, 2).data() == "4"
    assert model.index(model.row_of("max_num_batched_tokens"), 2).data() == "64"
    assert model.index(model.row_of("watermark"), 2).data() == "unknown"
    assert model.row_of("max_in_flight") == 0
    model.test(model.index(row, 0))
    assert window.editor.draft.control == ""


def test_that_nobody_at_an_address_is_said_and_no_card_is_shown(window, qtbot, monkeypatch):
    box = connect(window, qtbot, monkeypatch, "h:8000", TrialReport(error="nobody answers there"))
    assert not box.card.isVisible()
    assert box.status.text() == "nobody answers there"
    assert box.connect_.isEnabled()
    box.address.setText("no address")
    box.ask()
    assert "must look like http" in box.status.text()


def test_that_a_watch_starts_from_the_card(window, qtbot, monkeypatch):
    asked = []
    monkeypatch.setattr(window.runs.client, "start", lambda words, **_: asked.append(words))
    box = connect(window, qtbot, monkeypatch, "h:8000", REPORT)
    qtbot.mouseClick(box.watch, Qt.MouseButton.LeftButton)
    ((command, url, *rest),) = asked
    assert (command, url, rest[0], rest[2]) == ("watch", "http://h:8000", "--bench", "--events")
    assert window.runs.state.watch


@pytest.mark.parametrize(
    ("state", "word"),
    [("starting", "connecting"), ("ready", "connected"), ("stopped", "disconnected"), ("busy", "busy")],
)
def test_that_a_server_of_others_is_connected_never_started(state, word):
    live = LiveState()
    live.apply(ServerState(state=state, attached=True))
    assert live.server_word == word
    live.apply(ServerState(state=state))
    assert live.server_word == state


def test_that_a_running_server_is_asked_for_nothing_that_it_can_t_do(tmp_path):
    draft = Draft(baseline={"max_num_seqs": 16, "max_in_flight": 8})
    changed = for_attached(draft)
    assert (changed.baseline, changed.control, changed.values) == ({"max_in_flight": 8}, "", ())
    kept = for_attached(draft.with_fields(control="max_in_flight", values=(4,)))
    assert (kept.control, kept.values) == ("max_in_flight", (4,))
    from ui.experiment.draft_file import checked_text

    path = tmp_path / "a.toml"
    path.write_text(checked_text(first_test(Draft(url="http://h:1"), "First test of {0}", None)))
    (experiment,) = read_experiments([path])
    assert experiment.name == "First test of h:1"
    assert experiment.load.concurrency == [4, 16]


def a_bench(path: Path, name: str = "Mine") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with BenchFile.create(path) as bench:
        experiment = bench.add_experiment(name, "", facts={"trace_name": "chat mix"})
        run = bench.add_run(experiment, "baseline", control=None, value=None, config={}, profile="l4/M/tp1")
        bench.finish_run(run, "failed", None)
        bench.finish_experiment(experiment, "done")
    return path


def test_that_recent_results_are_found_by_name_system_and_trace_and_opened(make_window, folders, qtbot):
    bench = a_bench(folders.data / "benches" / "x" / "x.bench")
    a_bench(folders.data / "benches" / "y" / "y.bench", "Yours")
    window = make_window()
    results = window.start_page.results
    qtbot.waitUntil(lambda: results.model.rowCount() == 2)
    shown = results.table.model()
    assert shown.index(0, 1).data() == "L4 24 GB · M"
    for text, rows in (("mine", 1), ("l4", 2), ("chat", 2), ("nothing", 0), ("", 2)):
        results.search.setText(text)
        assert shown.rowCount() == rows, text
    results.search.setText("mine")
    assert shown.index(0, 3).data() == "no valid run"
    results._choose(0)
    qtbot.waitUntil(lambda: window.runs.state.bench == str(bench))


def test_that_one_open_takes_a_pack(window, qtbot, tmp_path):
    pack = tmp_path / "p.zip"
    with BenchFile.open(a_bench(tmp_path / "b.bench")) as bench:
        write_pack(bench, pack)
    window.actions_["file.open"].trigger()
    qtbot.waitUntil(lambda: window.findChild(QFileDialog) is not None)
    window.findChild(QFileDialog).fileSelected.emit(str(pack))
    qtbot.waitUntil(lambda: window.runs.state.bench.endswith("p.bench"))
    assert Path(window.runs.state.bench).is_relative_to(window.runs.results)


@pytest.fixture
def plan(tmp_path):
    """A plan's socket: the events that are sent and the commands that come."""
    if not hasattr(socket, "AF_UNIX"):
        pytest.skip("no Unix sockets")
    path = tmp_path / "s"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()
    mine = identify_process(os.getpid())
    assert mine is not None
    yield RunningPlan(bench=str(tmp_path / "b.bench"), host="here", process=mine, socket=str(path)), listener
    listener.close()


def test_that_a_followed_plan_shows_its_events_takes_commands_and_is_left(plan, qtbot):
    running, listener = plan
    client = FollowerClient(running)
    client.connect()
    link, _ = listener.accept()
    link.sendall(encode_event(ServerState(state="ready")) + b"{}\n")
    events = []
    qtbot.waitUntil(lambda: bool(events.extend(client.drain()) or events))
    assert events == [ServerState(state="ready")]
    assert client.send("stop")
    assert b'"stop"' in link.recv(1000)
    assert encode_line({"a": 1}) == b'{"a":1}\n'
    link.close()
    qtbot.waitUntil(lambda: bool(client.drain()))
    assert not client.running
    assert not client.send("stop")


def test_that_running_plans_have_follow_and_stop(plan, qtbot):
    running, _ = plan
    page = RunningPlans()
    qtbot.addWidget(page)
    page.show_plans([running])
    with qtbot.waitSignal(page.follow_wanted) as wanted:
        get_child(page, QPushButton, "follow").click()
    assert wanted.args == [running]
    with qtbot.waitSignal(page.stop_wanted):
        get_child(page, QPushButton, "stop").click()
    page.show_plans([])
    assert page.isHidden()
