"""Brackets in brackets by the thousand: decoders call that a RecursionError, and no reader may let it out."""

import sqlite3
from collections.abc import Callable
from contextlib import closing, nullcontext
from pathlib import Path

import pytest

from workbench.base import InputError, WorkbenchError, decode_json
from workbench.engine.parity.golden_case import decode_case
from workbench.engine.replay.workload import is_measured, lead_in_s, read_measured
from workbench.experiments import Experiment
from workbench.experiments.run.answer_quality import QualityCheck
from workbench.experiments.run.channel import command_of
from workbench.experiments.run.prefill_progress import PrefillTracker, RecordHeader
from workbench.experiments.session.session_file import read_session
from workbench.experiments.spec.tables import Quality
from workbench.load.response import Response
from workbench.results import BenchFile
from workbench.results.bench.mask_stored import mask_toml
from workbench.servers import find_orphans, find_remote_orphans
from workbench.servers.cleanup import server_records_folder
from workbench.servers.read_back import vocabulary
from workbench.vllm_dialect import read_steps

DEEP = b"[" * 100_000
"""Not closed, as from a file that was cut."""
WHOLE = b'{"x":' + DEEP + b"]" * 100_000 + b"}"
DIGITS = b'{"error":{"message":"m","code":' + b"9" * 5000 + b"}}"


def written(folder: Path, content: bytes) -> Path:
    path = folder / "config.json"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("content", [DEEP, WHOLE])
@pytest.mark.parametrize(
    "read",
    [
        lambda content, _: list(read_steps([content], where="f")),
        lambda content, _: decode_case(content, where="f"),
        lambda content, _: decode_json(content, int, where="f"),
        lambda content, folder: read_session(written(folder, content)),
        lambda content, folder: read_measured(written(folder, content)),
        lambda content, _: Experiment.from_toml("a = " + content.decode().replace(":", "="), where="f"),
    ],
)
def test_that_a_file_of_the_users_is_refused(
    tmp_path: Path, read: Callable[[bytes, Path], object], content: bytes
) -> None:
    with pytest.raises(InputError):
        read(content, tmp_path)


@pytest.mark.parametrize("content", [DEEP, WHOLE])
def test_that_what_others_left_is_passed_over(tmp_path: Path, content: bytes) -> None:
    path = written(tmp_path, content)
    assert lead_in_s(path) == 0.0
    assert not is_measured(path)
    assert vocabulary(str(tmp_path)) is None
    assert command_of(content) is None
    assert mask_toml("a = " + content.decode()).startswith("a = ")
    for folder in (server_records_folder(), server_records_folder() / "elsewhere"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "rubbish.json").write_bytes(content)
    assert (find_orphans(), find_remote_orphans()) == ([], [])
    tracks = PrefillTracker(RecordHeader(max_num_batched_tokens=1), 0.0, 1.0)
    tracks.feed(b'{"ev":"add","id":"a","prompt":[1,2]}')
    for kind in (b"sched", b"update", b"finish", b"limit", b"add"):
        tracks.feed(b'{"ev":"%s","id":' % kind + content)
    assert tracks.all_points() == []


@pytest.mark.parametrize("content", [DEEP, WHOLE, b"{}", b"\xff"])
def test_that_a_bench_file_with_rubbish_inside_opens_or_says_what_is_damaged(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "b.bench"
    with BenchFile.create(path) as bench:
        experiment = bench.add_experiment("e", "name = 'e'")
        bench.add_run(experiment, "r", control=None, value=None, config={})
    text = content.decode(errors="replace")
    with closing(sqlite3.connect(path)) as file:
        file.execute("INSERT OR REPLACE INTO meta VALUES ('writer', ?)", (text,))
        file.execute("UPDATE runs SET facts = ?", (text,))
        file.commit()
    with BenchFile.open(path, read_only=False) as bench:
        readable = pytest.raises(WorkbenchError, match="this bench file is damaged in runs")
        with nullcontext() if content == b"{}" else readable:
            bench.runs()
    kept = QualityCheck(Quality(prompts="p"), ["Hello"], {"greedy_answers": text}, lambda _, __: None)
    assert kept._baseline == []


@pytest.mark.parametrize("payload", [DEEP, WHOLE, DIGITS, b'{"error":' + WHOLE + b"}"])
def test_that_an_event_of_a_server_fails_its_request_alone(payload: bytes) -> None:
    reply = Response()
    body = b"data: " + payload + b"\n\n"
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n" % len(body)
    reply.read(0.0, head + body)
    reply.settle()
    assert reply.complete
    assert "can't be read" in str(reply.broken)


@pytest.mark.parametrize("status", [b"200 OK", b"500 Internal Server Error"])
@pytest.mark.parametrize("payload", [DEEP, WHOLE, DIGITS])
def test_that_a_servers_answer_that_is_no_stream_is_an_error(payload: bytes, status: bytes) -> None:
    reply = Response()
    head = b"HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    reply.read(0.0, head % (status, len(payload)) + payload)
    reply.settle()
    assert reply.complete
    assert reply.error or reply.broken
