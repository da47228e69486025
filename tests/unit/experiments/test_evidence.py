"""Whatever happens to a plan, the pack of what is left of it verifies."""

import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.unit.experiments.test_experiment import GOOD, read
from tests.unit.results.making import gaps, request, unanswered
from workbench.experiments import check_pack, pack
from workbench.experiments.findings.summary import keep_conclusions
from workbench.experiments.plan.plan import Plan, Run, make_plan
from workbench.experiments.plan.resume import run_key
from workbench.experiments.run.bench_recorder import BenchRecorder
from workbench.experiments.run.events import RunDiagnosed
from workbench.experiments.run.measurement import Measurement
from workbench.experiments.run.run_figures import Incidents, RunFigures, compute_figures
from workbench.load import LoadOutcome
from workbench.results import (
    BenchFile,
    Histogram,
    LimitChange,
    MachineSample,
    Outcome,
    RequestRecord,
    RunFrame,
    RunIdentity,
    Sample,
    ServerDelta,
    add_peer_runs,
    read_peer_runs,
)
from workbench.servers import EffectiveConfig
from workbench.servers.command import FINE_BUCKETS
from workbench.servers.owned import shown_command
from workbench.traces import open_loop, synthetic_trace

PEERS = Path(__file__).parents[2] / "data/peers/guidellm.json"
FATES = ("done", "invalid", "partial", "skipped", "lost", "failed", "never")
LENGTH_S = 2.0
SCHEDULE = open_loop(synthetic_trace(20, 3, 16), rate=8.0, requests=16, arrivals="poisson")
CLOSED = GOOD.replace("rates = [12.0]\nduration_s = 30", "concurrency = [4]\nrequests = 16")
EFFECTIVE = EffectiveConfig(version="0.32.0", model="m", arguments={"max_num_seqs": 16}, kv_cache_tokens=1600)
COMMAND = shown_command(
    [
        *("vllm", "serve", "m", "--hf-overrides", '{"note_api_key": "c-secret", "rope_theta": 1e6}'),
        *("--custom-histogram-buckets", msgspec.json.encode(FINE_BUCKETS).decode()),
    ],
    {"HF_TOKEN": "c-token"},
)


class KilledError(Exception):
    """The conductor ends here, without a word."""


def seen(run: Run, fate: str) -> Measurement:
    """What a load saw: answers of two classes, refusals, errors, and a warm-up."""
    late = 0.3 if fate == "invalid" else 0.0
    due = [index / 8 for index in range(int(LENGTH_S * 8))]
    records: list[RequestRecord] = [
        request(index, due=at, cls="ab"[index % 2], ttft=0.1 + index / 97 + late, gaps_ms=gaps([9.5, 11.0]))
        for index, at in enumerate(due)
    ]
    records[3] = unanswered(3, due=due[3], error="connection reset by peer", retries=1)
    records[5] = msgspec.structs.replace(records[5], outcome=Outcome.REJECTED, status=503)
    for record in records:
        if fate == "invalid" and record.released is not None:
            record.sent = record.released + late
    records.append(request(0, due=-0.5, phase="warmup"))
    samples = [
        Sample(t=at, running=run.repeat + at, waiting=at, kv_usage=at / 3, preemptions=2 * at) for at in due
    ]
    queue = Histogram(edges=(0.3, 0.5), counts=(9.0, 5.0, 2.0), sum=5.3)
    return Measurement(
        records=records,
        samples=samples,
        server=ServerDelta(preemptions=4, queue=queue, prefix_queries=90.0, prefix_hits=30.0),
        outcome=LoadOutcome(zero=0.0, ended=LENGTH_S + 0.7, workers=1, continuous_usage=True),
        stopped=fate in {"partial", "skipped", "lost"},
        ended=LENGTH_S + 0.7 if fate in {"done", "invalid"} else LENGTH_S / 2,
        clock_step_s=0.001,
        scrape_gaps=0,
    )


def figured(plan: Plan, run: Run, frame: RunFrame, measurement: Measurement, fate: str) -> RunFigures:
    return compute_figures(
        measurement,
        frame,
        RunIdentity(
            simulated=False, trace_sha256="a" * 64, schedule_sha256=SCHEDULE.sha256(), command=COMMAND
        ),
        asked=run.configuration.controls,
        effective=EFFECTIVE,
        objectives=plan.experiments[0].objectives,
        incidents=Incidents(server_lost="it ended" if fate == "lost" else None),
    )


def live(recorder: BenchRecorder, plan: Plan, run: Run, fate: str) -> Iterator[None]:
    """One run as the conductor stores it; between any two steps it may be killed."""
    if fate == "never":
        recorder.store_failed_run(run, "the server wasn't ready within 9 s")
        return
    measurement = seen(run, fate)
    closed = run.concurrency is not None
    frame = RunFrame(length_s=0.0 if closed else LENGTH_S, server_time_scale=1.0)
    recorder.log("server", "INFO GPU KV cache size: 1,600 tokens")
    yield
    recorder.start_run(run, SCHEDULE, frame, COMMAND, EFFECTIVE, "a" * 64, {"input_mode": "ids"})
    yield
    for begin in range(0, len(measurement.records), 6):
        recorder.records(measurement.records[begin : begin + 6])
        recorder.samples(measurement.samples[begin : begin + 6])
        recorder.machine(MachineSample(t=begin / 8, host_cpu=0.25, client_cpu=0.1, gpus=[]))
        recorder.log("server", f"INFO Running: {begin} reqs")
        yield
    change = LimitChange(t=1.0, name="max_num_seqs", asked=8, old=16, new=8, by="user", refusal=None)
    recorder.limit_change(change)
    yield
    if fate == "failed":
        recorder.store_failed_run(run, "the load could not be started")
        return
    recorder.add_facts({"weights_gib": 15.1, "host_cpu": "x"})
    yield
    status = {"invalid": "done", "lost": "failed"}.get(fate, fate)
    recorder.finish_run(status, figured(plan, run, frame, measurement, fate))
    yield
    recorder.diagnosis(
        RunDiagnosed(run=run.name, headline="", strip=[], shares={"x": 0.5}, next_change=None, sentences=[])
    )


def conduct(recorder: BenchRecorder, plan: Plan, fates: Sequence[str], killed_at: int) -> None:
    """Do the plan's runs that aren't kept; it is flushed now and then, and killed after so many steps."""
    steps = 0
    for run, fate in zip(plan.runs, fates, strict=True):
        if run_key(run) in recorder.kept:
            continue
        for _ in live(recorder, plan, run, fate):
            if steps % 3:
                recorder.bench.flush()
            steps += 1
            if steps == killed_at:
                raise KilledError
    keep_conclusions(recorder.bench)
    recorder.finish("done")


def left_of(file: BenchFile, number: int) -> Path:
    """The file as a writer that was killed leaves it, with its log; nobody here is that writer."""
    path = file.path.with_name(f"killed-{number}.bench")
    for suffix in ("", "-wal"):
        source = file.path.with_name(file.path.name + suffix)
        if source.exists():
            shutil.copyfile(source, path.with_name(path.name + suffix))
    file._connection.close()
    connection = sqlite3.connect(path)
    connection.execute(
        "UPDATE meta SET value = replace(value, '\"pid\":', '\"pid\":99999') WHERE key = 'writer'"
    )
    connection.commit()
    connection.close()
    return path


def verified(path: Path) -> None:
    """Whether the pack of the file verifies, and holds no secret."""
    target = path.with_suffix(".zip")
    with BenchFile.open(path) as bench:
        pack(bench, target)
    assert check_pack(target) == []
    assert b"c-secret" not in path.read_bytes()


LIVES = st.lists(
    st.tuples(st.lists(st.sampled_from(FATES), min_size=3, max_size=3), st.integers(1, 27)),
    min_size=1,
    max_size=3,
)


@settings(max_examples=12)
@given(lives=LIVES, again=st.booleans(), peers=st.booleans(), closed=st.booleans())
@example(lives=[(["done"] * 3, 14), (["done"] * 3, 99)], again=False, peers=False, closed=False)
@example(
    lives=[(["done"] * 3, 4), (["invalid"] * 3, 99), (["done"] * 3, 99)], again=True, peers=True, closed=True
)
def test_that_whatever_happens_to_a_plan_its_pack_verifies(
    lives: list[tuple[list[str], int]], again: bool, peers: bool, closed: bool
) -> None:
    """Killed at any moment, stopped, skipped, resumed, done again, beside another tool's results."""
    plan = make_plan([read(CLOSED if closed else GOOD)])
    with TemporaryDirectory() as folder:
        path = Path(folder) / "b.bench"
        file = BenchFile.create(path)
        for number, (fates, killed_at) in enumerate(lives):
            recorder = BenchRecorder(file)
            if number:
                recorder.resume(plan, invalid=again)
            else:
                recorder.start(plan, {"seed": 1})
            try:
                conduct(recorder, plan, fates, killed_at)
                file.close()
            except KilledError:
                path = left_of(file, number)
            verified(path)
            file = BenchFile.open(path, read_only=False)
        if peers:
            add_peer_runs(file, read_peer_runs(PEERS), PEERS)
        file.close()
        verified(path)
