"""The panel of single requests: what it reads, how it sorts and narrows, what a life is made of."""

import numpy as np
import pytest
from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QLineEdit

from tests.unit.ui.children import get_child
from ui.forms import Choice
from ui.live import Changed, LiveState, RunView
from ui.look.elided_label import ElidedLabel
from ui.requests import RequestsPanel
from ui.requests.columns import COLUMNS, place_of
from ui.requests.life import life_of
from ui.requests.life_view import nice_step
from ui.requests.model import RequestsModel
from ui.requests.preempted import preemptions
from ui.requests.reading import read_requests
from workbench.advice.blame import Blame, Part, RequestBlame
from workbench.base import WorkbenchError
from workbench.results import BenchFile, Outcome, RequestRecord, RunFrame

RUN = "seats = 32 @ 12 req/s"


def request(index, due, **fields):
    """A completed request: sent at once, first token a second later, ten tokens in the next second."""
    plain = {
        "request_id": f"r{index}", "row": index, "cls": "chat", "input_tokens": 300, "output_tokens": 10,
        "released": due, "sent": due, "first_token": due + 1, "last_token": due + 2, "done": due + 2,
        "outcome": Outcome.COMPLETED, "tokens": 11, "queue_ms": 1200.0, "prefill_ms": 600.0,
    }  # fmt: skip
    return RequestRecord(index=index, due=due, **{**plain, **fields})


REQUESTS = [
    request(0, 0.0),
    request(1, 1.0, first_token=4.0, last_token=5.0, done=5.0, queue_ms=None, prefill_ms=None, cls="agent"),
    request(2, 2.0, first_token=None, last_token=None, done=None, outcome=Outcome.UNFINISHED, tokens=None),
    request(3, 3.0, first_token=None, last_token=None, done=3.1, outcome=Outcome.FAILED, error="HTTP 500"),
    request(4, 4.0, phase="warmup"),
]


@pytest.fixture
def bench(tmp_path):
    """One run at twice real time, watched for ten wall seconds."""
    path = tmp_path / "one.bench"
    with BenchFile.create(path) as bench:
        run = bench.add_run(
            bench.add_experiment("e", 'name = "e"'), RUN, control="max_num_seqs", value=32, config={},
            rate=12.0, time_scale=2.0, simulated=True,
            frame=RunFrame(length_s=10, time_scale=2.0, ended=10.0, server_time_scale=1.0),
        )  # fmt: skip
        bench.write_requests(run, REQUESTS)
        bench.finish_run(run, "done", None)
    return path


@pytest.fixture
def table(bench):
    return read_requests(bench, RUN)


@pytest.fixture
def model(qapp, table):
    model = RequestsModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show_table(table)
    yield model
    tester.deleteLater()


def numbers(model):
    return [int(model.index(row, 0).data()) for row in range(model.rowCount())]


def said(model, row, key):
    return model.index(row, place_of(key)).data()


def test_that_times_are_simulated_seconds_and_the_servers_own_are_not_scaled_again(table):
    assert table.numbers["ttft"][0] == pytest.approx(2.0)
    assert table.numbers["queue"][0] == pytest.approx(1.2)
    assert table.numbers["outside"][0] == pytest.approx(2.0 - 1.2 - 0.6)
    assert table.numbers["tpot"][0] == pytest.approx(200.0)
    assert table.ended_s == 20.0


def test_that_the_worst_are_first_and_one_that_still_waits_counts_with_its_wait(model):
    assert numbers(model) == [2, 1, 0, 4, 3]
    assert said(model, 0, "ttft") == "≥ 16.0"


def test_that_unknown_figures_are_last_either_way(model):
    model.sort(place_of("ttft"), Qt.SortOrder.AscendingOrder)
    assert numbers(model) == [0, 4, 1, 2, 3]
    assert said(model, 4, "ttft") == "–"
    model.sort(place_of("tpot"), Qt.SortOrder.DescendingOrder)
    assert said(model, 4, "tpot") == "–"


def test_that_texts_sort_too_and_no_column_means_the_schedules_order(model):
    model.sort(place_of("outcome"), Qt.SortOrder.AscendingOrder)
    assert numbers(model) == [0, 1, 4, 3, 2]
    model.sort(-1, Qt.SortOrder.AscendingOrder)
    assert numbers(model) == [0, 1, 2, 3, 4]


def test_that_the_filter_narrows_by_outcome_class_words_and_warm_up(model):
    model.set_filter(outcome="failed")
    assert numbers(model) == [3]
    model.set_filter(outcome="", cls="agent")
    assert numbers(model) == [1]
    model.set_filter(cls="", text="http 5")
    assert numbers(model) == [3]
    model.set_filter(text="", warm_up=False)
    assert 4 not in numbers(model)


def test_that_the_wait_after_a_preemption_is_drawn_as_waiting(tmp_path):
    path = tmp_path / "two.bench"
    gaps = np.array([10, 20, 500, 10], dtype="<f4").tobytes()
    preempted = request(0, 0.0, gaps_ms=gaps, requeue_wait_ms=800.0)
    with BenchFile.create(path) as bench:
        run = bench.add_run(
            bench.add_experiment("e", 'name = "e"'), RUN, control=None, value=None, config={},
            time_scale=2.0, simulated=True,
            frame=RunFrame(length_s=10, time_scale=2.0, ended=10.0, server_time_scale=1.0),
        )  # fmt: skip
        bench.write_requests(run, [preempted, request(1, 1.0, gaps_ms=gaps)])
        bench.finish_run(run, "done", None)
    table = read_requests(path, RUN)
    spans = {span.part: span for span in life_of(table, 0).spans}
    # Twice real time: the token before the gap of 500 ms came 30 ms after the first, which came after 1 s.
    assert (spans["again"].start, spans["again"].end) == pytest.approx((2.06, 2.86))
    assert [span.part for span in life_of(table, 0).spans][-3:] == ["decode", "again", "decode"]
    assert "again" not in {span.part for span in life_of(table, 1).spans}


def test_that_preemptions_stand_among_the_first_columns():
    assert place_of("preempted") < place_of("prefill") < place_of("tpot")
    assert place_of("requeue") < place_of("prefill")


def test_that_a_header_has_its_unit(model):
    assert model.headerData(place_of("ttft"), Qt.Orientation.Horizontal) == "TTFT (s)"
    assert model.headerData(place_of("index"), Qt.Orientation.Horizontal) == "No."


def test_that_every_cell_of_every_column_can_be_shown(model):
    for row in range(model.rowCount()):
        for section in range(len(COLUMNS)):
            assert isinstance(model.index(row, section).data(), str)


def test_that_a_life_is_queue_prefill_the_way_and_decode_without_a_gap(table):
    life = life_of(table, 0)
    assert [span.part for span in life.spans] == ["queue", "prefill", "outside", "decode"]
    assert [span.start for span in life.spans[1:]] == [span.end for span in life.spans[:-1]]
    assert life.first_token() == pytest.approx(2.0)
    assert life.end == pytest.approx(4.0)


@pytest.mark.parametrize(("place", "parts"), [(1, ["awaiting", "decode"]), (2, ["open"]), (3, ["awaiting"])])
def test_that_what_the_server_does_not_tell_is_one_wait_and_what_never_ended_stays_open(table, place, parts):
    assert [span.part for span in life_of(table, place).spans] == parts


def test_that_a_servers_own_times_never_reach_beyond_the_first_token(tmp_path, table):
    table.numbers["queue"][0] = 99.0
    life = life_of(table, 0)
    assert life.first_token() == pytest.approx(2.0)
    assert [span.part for span in life.spans] == ["queue", "decode"]


@pytest.mark.parametrize(("least", "step"), [(0.3, 0.5), (1.0, 1.0), (2.1, 5.0), (60, 100.0)])
def test_that_ticks_stand_at_round_seconds(least, step):
    assert nice_step(least) == pytest.approx(step)


def state_of(bench):
    state = LiveState(phase="opened", bench=str(bench), read_only=True, current=RUN)
    state.runs[RUN] = RunView(RUN, control="max_num_seqs", value=32, rate=12.0, status="done")
    state.runs["not begun"] = RunView("not begun")
    return state


@pytest.fixture
def panel(qtbot, theme):
    panel = RequestsPanel(theme)
    qtbot.addWidget(panel)
    panel.resize(900, 260)
    return panel


def test_that_requests_are_read_only_when_the_panel_is_looked_at(panel, bench, qtbot):
    panel.show_state(state_of(bench))
    assert panel.model.rowCount() == 0
    panel.show()
    qtbot.waitUntil(lambda: panel.model.rowCount() == 5, timeout=30_000)
    assert get_child(panel, Choice, "runs").count() == 1
    assert "simulated" in get_child(panel, ElidedLabel, "status").text()


def test_that_the_worst_request_is_chosen_and_its_life_told_in_words(panel, bench, qtbot):
    panel.show()
    panel.show_state(state_of(bench))
    qtbot.waitUntil(lambda: panel.model.rowCount() == 5, timeout=30_000)
    assert "No. 2" in panel.life.accessibleDescription()
    everything = QItemSelection(panel.model.index(0, 0), panel.model.index(4, 0))
    flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
    panel.table.selectionModel().select(everything, flags)
    assert not panel.grab().isNull()
    panel.copy()
    lines = QApplication.clipboard().text().splitlines()
    assert len(lines) == 6
    assert "TTFT" in lines[0]


HELD_KEYS = [Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier]


@pytest.mark.parametrize("held", HELD_KEYS)
def test_that_the_worst_request_is_chosen_whichever_keys_are_held(panel, bench, qtbot, held):
    panel.show()
    panel.show_state(state_of(bench))
    qtbot.keyPress(get_child(panel, QLineEdit, "search"), Qt.Key.Key_Shift, held)
    assert QApplication.keyboardModifiers() == held
    qtbot.waitUntil(lambda: panel.model.rowCount() == 5)
    assert [index.row() for index in panel.table.selectionModel().selectedRows()] == [0]
    assert "No. 2" in panel.life.accessibleDescription()


def test_that_columns_which_the_server_does_not_fill_are_hidden(panel, bench, qtbot):
    panel.show()
    panel.show_state(state_of(bench))
    qtbot.waitUntil(lambda: panel.model.rowCount() == 5, timeout=30_000)
    assert panel.table.isColumnHidden(place_of("requeue"))
    assert not panel.table.isColumnHidden(place_of("queue"))


def test_that_typing_narrows_and_says_how_many_are_left(panel, bench, qtbot):
    panel.show()
    panel.show_state(state_of(bench))
    qtbot.waitUntil(lambda: panel.model.rowCount() == 5, timeout=30_000)
    qtbot.keyClicks(get_child(panel, QLineEdit, "search"), "r3")
    assert get_child(panel, ElidedLabel, "status").text().startswith("1 of 5")


def test_that_a_file_that_cannot_be_read_is_one_line(panel, bench, qtbot):
    def refuse(_path, _run):
        raise WorkbenchError("one.bench: damaged")

    panel.read = refuse
    panel.show()
    panel.show_state(state_of(bench))
    qtbot.waitUntil(
        lambda: get_child(panel, ElidedLabel, "status").text() == "one.bench: damaged", timeout=30_000
    )
    assert panel.model.rowCount() == 0


def test_that_a_finished_run_is_read_again(panel, bench, qtbot):
    read = []
    panel.read = lambda path, run: read.append(run) or read_requests(path, run)
    panel.show()
    panel.show_state(state_of(bench))
    qtbot.waitUntil(lambda: panel.model.rowCount() == 5, timeout=30_000)
    panel.on_change(Changed.SAMPLES)
    panel.on_change(Changed.ROWS)
    qtbot.waitUntil(lambda: len(read) == 2, timeout=30_000)


def test_that_a_hundred_thousand_requests_are_sorted_without_asking_python_for_each(qapp, table):
    many = type(table)(
        run=RUN, simulated=False, ended_s=1.0,
        numbers={key: np.resize(values, 100_000) for key, values in table.numbers.items()},
        texts={key: np.resize(values, 100_000) for key, values in table.texts.items()},
        moments={key: np.resize(values, 100_000) for key, values in table.moments.items()},
    )  # fmt: skip
    model = RequestsModel()
    asked = []
    model.words = lambda place, column: asked.append(place)
    model.show_table(many)
    for section in range(len(COLUMNS)):
        model.sort(section, Qt.SortOrder.DescendingOrder)
    assert model.rowCount() == 100_000
    assert asked == []


def test_that_what_was_chosen_stays_chosen_in_another_order(panel, bench, qtbot):
    panel.show()
    panel.show_state(state_of(bench))
    qtbot.waitUntil(lambda: panel.model.rowCount() == 5, timeout=30_000)
    panel.table.sortByColumn(place_of("due"), Qt.SortOrder.DescendingOrder)
    assert "No. 2" in panel.life.accessibleDescription()


def test_that_the_run_measured_last_is_shown_until_one_is_chosen(panel, bench):
    panel.hide()
    state = state_of(bench)
    state.read_only = False
    state.runs["second"] = RunView("second", status="running")
    panel.show_state(state)
    assert panel.run == RUN
    state.runs["second"].row = {"run": "second"}
    panel.on_change(Changed.ROWS)
    assert panel.run == "second"
    panel.show_run(RUN)
    panel.on_change(Changed.ROWS)
    assert panel.run == RUN


def test_that_columns_come_back_as_they_were_left(panel, bench, qtbot, theme):
    panel.table.setColumnHidden(place_of("request_id"), False)
    other = RequestsPanel(theme)
    qtbot.addWidget(other)
    other.restore_layout(panel.save_layout())
    assert not other.table.isColumnHidden(place_of("request_id"))


def test_that_preemptions_are_counted_where_the_schedulers_steps_are_recorded(tmp_path):
    lines = [
        b'{"ev":"header"}\n',
        b'{"ev":"sched","t":0,"pre":[["cmpl-r0-0-1f2e",5]],"sched":[]}\n',
        b'{"ev":"sched","t":1,"pre":[],"sched":[]}\n',
        b'{"ev":"sched","t":2,"pre":[["cmpl-r0-0-1f2e",7],["r2",1],["stranger-9",1]],"sched":[]}\n',
        b'{"ev":"sched","t":3,"pre":[["cmpl-r1-0-1f2e",5]],"sched":[]}\n',
    ]
    (tmp_path / "steps.jsonl").write_bytes(b"".join(lines))
    begin, end = len(lines[0]), sum(map(len, lines[:4]))
    facts = {"steps_file": "steps.jsonl", "steps_bytes": [begin, end]}
    ids = np.array(["r0", "r1", "r2"], dtype=object)
    assert list(preemptions(tmp_path / "one.bench", facts, ids)) == [2, 0, 1]
    (tmp_path / "steps.jsonl.1").write_bytes(lines[1])
    beside = facts | {"steps_more": [["steps.jsonl.1", 0, len(lines[1])]]}
    assert list(preemptions(tmp_path / "one.bench", beside, ids)) == [3, 0, 1]


@pytest.mark.parametrize(
    "facts", [{}, {"steps_file": "gone.jsonl", "steps_bytes": [0, 9]}, {"steps_file": 7}]
)
def test_that_without_a_record_nobody_knows_who_was_preempted(tmp_path, facts):
    counts = preemptions(tmp_path / "one.bench", facts, np.array(["r0"], dtype=object))
    assert np.isnan(counts).all()


def test_that_the_ledger_of_the_chosen_request_is_shown_where_steps_are_recorded(qtbot, theme, bench):
    ledger = Blame(
        requests=[
            RequestBlame(
                request="r1",
                cls="agent",
                e2e_ms=8.0,
                parts=[Part("front_end", 8.0, True)],
                unexplained_ms=0.0,
            )
        ],
        totals={"front_end": 8.0},
        matrix={},
    )
    panel = RequestsPanel(theme, explainer=lambda *_: ledger)
    qtbot.addWidget(panel)
    panel.show()
    panel.show_state(state_of(bench))
    qtbot.waitUntil(panel.blame.isVisible)
    panel.table.selectRow(1)
    qtbot.waitUntil(lambda: "8.00 ms" in panel.blame.accessibleDescription())
    panel.table.selectAll()
    assert "all requests" in panel.blame.accessibleDescription()
