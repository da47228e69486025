"""What a record of the scheduler's steps says of one run: its waits, its largest step, who waited again."""

import gzip
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.unit.results.making import request
from workbench.advice import StepWait
from workbench.base import now
from workbench.experiments.run.step_records import (
    RunSteps,
    StepRecordMonitor,
    fill_missing_times,
    sent_request_id,
    sent_request_number,
    with_queue_source,
)
from workbench.results import Outcome, RequestRecord, RunFrame, summarize_run
from workbench.servers import ServerFailedError, TargetSpec
from workbench.servers.attached import AttachedServer
from workbench.servers.inside.workbench_scheduler import stats
from workbench.servers.server import RemoteHost

DATA = Path(__file__).parents[2] / "data" / "steps"


def line(ev: str, **fields: Any) -> str:
    return json.dumps({"ev": ev, **fields}, separators=(",", ":")) + "\n"


def call(mono: float, tokens: int = 1, **fields: Any) -> str:
    told: dict[str, Any] = {"t": 0, "mono": mono, "us": 1.0, "sched": [["a", tokens]], "pre": [], "new": []}
    return line("sched", **{**told, "res": [], "hit": {}, "run": [], "wait": 0, "free": 9, **fields})


class Recorded(AttachedServer):
    """A server whose record grows while it is watched."""

    def __init__(self, file: Path | None, ahead_s: float | None = 0.0) -> None:
        super().__init__(TargetSpec(kind="attached", url="http://127.0.0.1:1"))
        self.steps_file, self._ahead_s = file, ahead_s
        self.fails = False

    async def clock_ahead_s(self) -> float | None:
        return self._ahead_s

    async def flush_steps(self) -> float:
        return 0.0

    async def steps_here(self) -> Path | None:
        if self.fails:
            raise ServerFailedError("servers.ssh_dropped", host="box", cause="gone")
        return self.steps_file


async def watched(server: Recorded, file: Path, text: str, zero: float) -> RunSteps | None:
    return (await watched_all(server, {file: text}, zero)).found


async def watched_all(
    server: Recorded, texts: dict[Path, str], zero: float, *, engines: int = 1
) -> StepRecordMonitor:
    watching = StepRecordMonitor(server, engines)
    watching.begin(zero)
    if watching._beginning is not None:
        await watching._beginning
    for file, text in texts.items():
        with file.open("a") as record:
            record.write(text)
    await watching.end()
    return watching


async def test_that_only_the_runs_own_part_is_read_and_cut_lines_are_left_out(tmp_path: Path) -> None:
    zero, file = now(), tmp_path / "a.steps.jsonl"
    file.write_text(line("header", zero=0.0) + call(zero - 5, 999, why="kv"))
    text = call(zero + 1, 7, why="seat") + line("update", t=0) + call(zero + 2, 5) + call(zero + 3)[:40]
    found = await watched(Recorded(file), file, text, zero)
    assert found is not None
    assert found.waits == [StepWait(pytest.approx(1.0), "seat"), StepWait(pytest.approx(2.0), None)]
    assert (found.tokens_max, found.requeue_s) == (7, {})
    assert found.facts(tmp_path / "x.bench") == {
        "steps_file": "a.steps.jsonl",
        "steps_bytes": [file.stat().st_size - len(text), file.stat().st_size],
        "steps_zero": zero,
    }


async def test_that_a_run_announces_the_records_that_it_writes_on_this_machine(tmp_path: Path) -> None:
    file, stats = tmp_path / "a.steps.jsonl", tmp_path / "a.stats.jsonl"
    for each in (file, stats):
        each.write_text(line("header", zero=0.0))
    told: list[tuple[dict[Path, int], float]] = []
    far = Recorded(file)
    far.remote_host = cast("RemoteHost", object())
    for server in (Recorded(file, ahead_s=2.0), Recorded(stats), Recorded(file, ahead_s=None), far):
        watching = StepRecordMonitor(server, 1, lambda records, zero: told.append((dict(records), zero)))
        watching.begin(100.0)
        assert watching._beginning is not None
        await watching._beginning
    assert told == [({file: file.stat().st_size}, 102.0)]


@pytest.mark.parametrize(
    ("engine_id", "sent"),
    [
        ("cmpl-1f2e3d4c-12", ("1f2e3d4c-12", 12)),
        ("chatcmpl-1f2e3d4c-0-0-9a8b7c6d", ("1f2e3d4c-0", 0)),
        ("cmpl-1f2e3d4c-w3", None),
        ("cmpl-another", None),
    ],
)
def test_that_an_engine_s_id_names_the_request_of_the_schedule(
    engine_id: str, sent: tuple[str, int] | None
) -> None:
    assert sent_request_number(engine_id) == sent


async def test_that_the_steps_of_all_engines_are_read_each_from_its_own_record(tmp_path: Path) -> None:
    zero, file, second = now(), tmp_path / "a.steps.jsonl", tmp_path / "a.steps.jsonl.1"
    file.write_text(line("header", zero=0.0))
    second.write_text(line("header", zero=0.0) + call(zero - 5, 999, why="kv"))
    before = second.stat().st_size
    texts = {file: call(zero + 1, 7, why="seat") + call(zero + 3, 5), second: call(zero + 2, 9, why="kv")}
    found = (await watched_all(Recorded(file), texts, zero, engines=2)).found
    assert found is not None
    assert [wait.reason for wait in found.waits] == ["seat", "kv", None]
    assert found.tokens_max == 9
    assert found.facts(tmp_path / "x.bench")["steps_more"] == [
        ["a.steps.jsonl.1", before, second.stat().st_size]
    ]


async def test_that_an_engine_without_its_record_leaves_nothing_to_be_said_of_the_run(tmp_path: Path) -> None:
    zero, file = now(), tmp_path / "a.steps.jsonl"
    file.write_text(line("header", zero=0.0))
    texts = {file: call(zero + 1, 7, why="seat")}
    watching = await watched_all(Recorded(file), texts, zero, engines=2)
    assert watching.found is None
    assert watching.missing is not None
    assert watching.missing.values == {"found": 1, "engines": 2}


async def test_that_of_two_engines_steps_as_many_are_left_out_of_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.experiments.run.step_records._MOST_WAITS", 20)
    zero, file, second = now(), tmp_path / "a.steps.jsonl", tmp_path / "a.steps.jsonl.1"
    file.write_text(line("header", zero=0.0))
    second.write_text(line("header", zero=0.0))
    texts = {file: call(zero + 1, why="seat") * 40, second: call(zero + 1, why="kv") * 8}
    found = (await watched_all(Recorded(file), texts, zero, engines=2)).found
    assert found is not None
    reasons = [wait.reason for wait in found.waits]
    assert reasons.count("seat") == 5 * reasons.count("kv") > 0


async def test_that_a_record_of_figures_is_named_as_such_and_has_no_decisions(tmp_path: Path) -> None:
    zero, file = now(), tmp_path / "a.stats.jsonl"
    file.write_text(line("header", version="9.9.0"))
    found = await watched(Recorded(file), file, line("stats", mono=zero + 1, running=3), zero)
    assert found is not None
    assert (found.waits, found.tokens_max) == ([], None)
    assert set(found.facts(tmp_path / "x.bench")) == {"stats_file", "stats_bytes"}


async def test_that_times_of_a_simulated_engine_are_wall_seconds_and_its_waits_its_own(
    tmp_path: Path,
) -> None:
    zero, file = now(), tmp_path / "a.steps.jsonl"
    file.write_text(line("header", zero=zero - 10, time_scale=4.0))
    text = call(zero + 30 + 2, pre=[["cmpl-x-1-0", 3]]) + call(zero + 30 + 6, res=["cmpl-x-1-0"])
    found = await watched(Recorded(file), file, text, zero)
    assert found is not None
    assert [wait.t for wait in found.waits] == [pytest.approx(0.5), pytest.approx(1.5)]
    assert found.requeue_s == {"cmpl-x-1-0": pytest.approx(4.0)}


@pytest.mark.parametrize("header", [{"time_scale": 0}, {"time_scale": -2.0}, {"zero": "never"}])
async def test_that_a_record_whose_clock_cannot_be_true_tells_steps_and_no_times(
    tmp_path: Path, header: dict[str, Any]
) -> None:
    zero, file = now(), tmp_path / "a.steps.jsonl"
    file.write_text(line("header", **header))
    found = await watched(Recorded(file), file, call(zero + 1, 7, why="seat"), zero)
    assert found is not None
    assert (found.waits, found.tokens_max) == ([], 7)


async def test_that_of_impossible_steps_nothing_is_kept(tmp_path: Path) -> None:
    zero, file = now(), tmp_path / "a.steps.jsonl"
    file.write_text(line("header"))
    text = call(zero + 1, -5) + call(zero + 1, 10**30) + call(zero + 2, 7)
    found = await watched(Recorded(file), file, text, zero)
    assert found is not None
    assert ([wait.t for wait in found.waits], found.tokens_max) == ([pytest.approx(2.0)], 7)


async def test_that_a_clock_that_jumped_back_leaves_a_wait_unknown(tmp_path: Path) -> None:
    zero, file = now(), tmp_path / "a.steps.jsonl"
    file.write_text(line("header"))
    text = (
        "".join(added(f"cmpl-{name}-0", 0) for name in ("sound", "jumped"))
        + call(zero + 1000)
        + call(zero + 1000.25, t=1, new=["cmpl-sound-0"])
        + call(zero + 2, t=2, new=["cmpl-jumped-0"])
    )
    found = await watched(Recorded(file), file, text, zero)
    assert found is not None
    records = sent("sound", "jumped")
    fill_missing_times(found, records)
    assert [record.queue_ms for record in records] == [pytest.approx(250.0, abs=1), None]


@pytest.mark.parametrize("seconds", [-0.25, 1e300, 1e308])
def test_that_a_time_which_a_logger_cannot_mean_is_not_stored(seconds: float) -> None:
    found = RunSteps(file=Path("a.stats.jsonl"), begin=0, end=1, queue_s={"cmpl-r-0-0": seconds})
    records = sent("r-0")
    assert fill_missing_times(found, records) == []
    assert (records[0].queue_ms, found.queue_taken) == (None, False)


async def test_that_of_very_many_steps_an_even_share_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.experiments.run.step_records._MOST_WAITS", 10)
    zero, file = now(), tmp_path / "a.steps.jsonl"
    file.write_text(line("header"))
    text = "".join(call(zero + number, number) for number in range(50))
    found = await watched(Recorded(file), file, text, zero)
    assert found is not None
    assert [round(wait.t) for wait in found.waits] == list(range(0, 50, 8))
    assert found.tokens_max == 49


async def test_that_of_another_machine_its_clock_counts_and_without_it_no_times_are_told(
    tmp_path: Path,
) -> None:
    file = tmp_path / "a.steps.jsonl"
    file.write_text(line("header"))
    found = await watched(Recorded(file, ahead_s=-1000.0), file, call(now() - 999.0, 3), now() - 1.0)
    assert found is not None
    assert [wait.t for wait in found.waits] == [pytest.approx(2.0, abs=0.1)]
    found = await watched(Recorded(file, ahead_s=None), file, call(5.0, 4), now())
    assert found is not None
    assert (found.waits, found.tokens_max) == ([], 4)


async def test_that_a_record_which_is_not_there_or_cannot_be_fetched_loses_nothing(tmp_path: Path) -> None:
    file = tmp_path / "a.steps.jsonl"
    assert await watched(Recorded(None), file, call(1.0), now()) is None
    server = Recorded(file)
    server.fails = True
    assert await watched(server, file, call(1.0), now()) is None


def test_that_who_waited_again_is_found_by_the_id_that_was_sent() -> None:
    first, second, told = (request(index) for index in range(3))
    told.requeue_wait_ms = 5.0
    found = RunSteps(
        file=Path("f"),
        begin=0,
        end=1,
        requeue_s={f"cmpl-{one.request_id}-0-1f2e3d4c": 0.25 for one in (first, told)} | {"cmpl-strange": 9},
    )
    assert fill_missing_times(found, [first, second, told]) == [first]
    assert (first.requeue_wait_ms, second.requeue_wait_ms, told.requeue_wait_ms) == (250.0, None, 5.0)


@pytest.mark.parametrize(
    ("engine_id", "expected"),
    [
        ("cmpl-ab12-17-0", "ab12-17"),
        ("cmpl-ab12-17-0-deadbeef", "ab12-17"),
        ("chatcmpl-ab12-17", "ab12-17"),
        ("cmpl-ab12-170-0", None),
        ("other", None),
    ],
)
def test_that_an_engines_id_leads_to_ours(engine_id: str, expected: str | None) -> None:
    assert sent_request_id(engine_id, {"ab12-17", "ab12-1"}) == expected


def added(name: str, t_next: int) -> str:
    return line("add", id=name, t_next=t_next, prompt=[5, 6], max_tokens=3)


def sent(*names: str) -> list[RequestRecord]:
    return [request(number, request_id=name) for number, name in enumerate(names)]


async def test_that_who_waits_for_a_first_step_waits_from_the_call_that_could_have_given_it_one(
    tmp_path: Path,
) -> None:
    zero, file = now(), tmp_path / "a.steps.jsonl"
    text = (
        added("cmpl-early-0", 7)
        + call(zero + 1, t=7, us=100_000.0, new=["cmpl-early-0"])
        + added("cmpl-late-0", 8)
        + call(zero + 2, t=8)
        + call(zero + 4, t=9, us=500_000.0, new=["cmpl-late-0"])
        + call(zero + 9, t=10, res=["cmpl-late-0"])
    )
    found = await watched(Recorded(file), file, text, zero)
    assert found is not None
    assert found.queue_s == {"cmpl-early-0": 0.0, "cmpl-late-0": pytest.approx(1.5, abs=1e-5)}


async def test_that_where_lines_are_missing_nobody_knows_who_waited_how_long(tmp_path: Path) -> None:
    zero, file = now(), tmp_path / "a.steps.jsonl"
    text = (
        added("cmpl-a-0", 3)
        + line("dropped", lines=2)
        + call(zero + 2, t=5)
        + call(zero + 3, t=6, new=["cmpl-a-0", "cmpl-never-added-0"])
    )
    found = await watched(Recorded(file), file, text, zero)
    assert found is not None
    assert found.queue_s == {}


@pytest.mark.parametrize(("told", "expected"), [(0, "recorder"), (8, "recorder"), (9, "per_request")])
def test_that_the_record_tells_queue_times_where_the_answers_do_not(told: int, expected: str) -> None:
    names = [f"r-{number}" for number in range(11)]
    records = sent(*names)
    for record in records[:told]:
        record.queue_ms = 5.0
    records[10].outcome = Outcome.REJECTED
    found = RunSteps(
        file=Path("a.steps.jsonl"), begin=0, end=1, queue_s={f"cmpl-{name}-0": 0.25 for name in names}
    )
    changed = fill_missing_times(found, records)
    assert len(changed) == (11 - told if expected == "recorder" else 0)
    assert {record.queue_ms for record in changed} <= {250.0}
    frame = with_queue_source(found, RunFrame(length_s=10.0))
    assert frame.queue_source == expected
    assert summarize_run(records, frame).queue_ms.source == expected


async def test_that_the_stat_loggers_own_lines_tell_queue_and_prefill_of_who_ended(tmp_path: Path) -> None:
    zero, file = now(), tmp_path / "a.stats.jsonl"
    ended = [
        SimpleNamespace(request_id="cmpl-r-0-0", queued_time=0.125, prefill_time=0.5),
        SimpleNamespace(request_id="cmpl-somebody-else-0", queued_time=9.0, prefill_time=9.0),
        SimpleNamespace(request_id=None, queued_time=9.0),
    ]
    steps = [SimpleNamespace(finished_requests=ended), None, SimpleNamespace(finished_requests=[])]
    text = "".join(
        json.dumps(stats.stats_line(SimpleNamespace(), one, 0), separators=(",", ":")) + "\n" for one in steps
    )
    found = await watched(Recorded(file), file, text, zero)
    assert found is not None
    records = sent("r-0", "r-1")
    assert fill_missing_times(found, records) == records[:1]
    assert (records[0].queue_ms, records[0].prefill_ms, records[1].queue_ms) == (125.0, 500.0, None)
    assert with_queue_source(found, RunFrame(length_s=1.0)).queue_source == "stat_logger"
    assert with_queue_source(None, RunFrame(length_s=1.0)).queue_source == "per_request"


async def test_that_a_real_vllms_record_tells_the_queue_times_that_its_answers_told(tmp_path: Path) -> None:
    told = json.loads((DATA / "vllm-0.32-four-seats.told.json").read_text())["queue_ms"]
    file = tmp_path / "a.steps.jsonl"
    recorded = gzip.decompress((DATA / "vllm-0.32-four-seats.steps.jsonl.gz").read_bytes()).decode()
    found = await watched(Recorded(file, ahead_s=None), file, recorded, 0.0)
    assert found is not None
    records = sent(*told)
    fill_missing_times(found, records)
    assert max(told.values()) > 2000
    # What lies between the scheduler's taking a request and its next call is in the server's figure alone.
    assert {record.request_id: record.queue_ms for record in records} == pytest.approx(told, abs=0.5)
