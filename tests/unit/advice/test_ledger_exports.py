"""The ledger as CSV, and the steps as a trace for Perfetto."""

import csv
import io
import json
import random

import msgspec
import numpy as np
import pytest

from tests.unit.advice.test_blame import Job, index_of, run, settings_of
from tests.unit.advice.test_step_index import CONFIG, jobs
from workbench.advice.blame import chrome_trace, ledger_csv, takers
from workbench.advice.blame.step_index import PREEMPTED


def test_the_rows_of_a_request_sum_to_its_time() -> None:
    rng = random.Random(1)
    ledger = run([Job(rng.uniform(0, 1), 100, 20, "=chat") for _ in range(10)], max_num_seqs=2)
    rows = list(csv.DictReader(io.StringIO(ledger_csv([("baseline", ledger)]))))
    assert {row["class"] for row in rows} == {"'=chat"}
    for request in ledger.requests:
        own = [row for row in rows if row["request"] == request.request]
        assert sum(float(row["ms"]) for row in own) == pytest.approx(float(own[0]["e2e_ms"]), abs=0.02)
        assert own[-1]["cause"] == "unexplained"
    waits = [row for row in rows if row["cause"] == "sequence_limit"]
    assert all(row["culprit"] and float(row["culprit_ms"]) <= float(row["ms"]) for row in waits)


def test_each_preemption_names_a_request_of_its_step() -> None:
    index = index_of(jobs(), CONFIG)
    taken = takers(index)
    preempted = index.events.kind == PREEMPTED
    assert (taken[~preempted] == -1).all()
    assert (taken[preempted] >= 0).any()
    # A request that preempts itself has no taker.
    for event in np.flatnonzero(preempted & (taken >= 0)).tolist():
        first, end = index.entries_of(int(index.events.place[event]))
        assert taken[event] in index.entries.request[first:end]
        assert taken[event] != index.events.request[event]


@pytest.mark.parametrize("asynchronous", [False, True])
def test_the_trace_has_a_slice_for_each_step_and_those_of_a_lane_nest(asynchronous: bool) -> None:
    config = msgspec.structs.replace(CONFIG, async_scheduling=asynchronous)
    index = index_of(jobs(), config)
    names = [f"r{number}" for number in range(len(index.requests.ids))]
    trace = json.loads(chrome_trace(index, names, ["chat"] * len(names)))
    events = trace["traceEvents"]
    slices = [event for event in events if event["ph"] == "X"]
    assert sum(event["pid"] == 1 for event in slices) == len(index.steps)
    assert sum(event["ph"] == "i" for event in events) == (index.events.kind == PREEMPTED).sum()
    arrows = {phase: [event["id"] for event in events if event["ph"] == phase] for phase in "sf"}
    assert arrows["s"] == arrows["f"] != []
    for lane in range(CONFIG.max_num_seqs):
        own = [event for event in slices if event["pid"] == 2 and event["tid"] == lane]
        around: list[float] = []
        for event in sorted(own, key=lambda event: (event["ts"], -event["dur"])):
            begin, end = event["ts"], event["ts"] + event["dur"]
            while around and around[-1] <= begin + 1e-3:
                around.pop()
            # Slices of a lane nest, or viewers drop them.
            assert not around or end <= around[-1] + 1e-3
            around.append(end)


def test_an_empty_run_is_a_trace_too() -> None:
    index = index_of([], settings_of())
    assert json.loads(chrome_trace(index, [], []))["traceEvents"]
