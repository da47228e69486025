"""Real prompts are sent where the user chose it, and are found in nothing that the program leaves behind."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.unit.load.answers import plain
from tests.unit.load.playing import Request, Server, job_for, play, rows, schedule_at
from workbench.base import InputError
from workbench.load import LoadOptions, Target, run_load
from workbench.load.messages import WorkerJob
from workbench.results.run_records import Outcome
from workbench.traces import Trace

SECRET = "PLANTED-SECRET"
TEXTS = {0: f'{SECRET} "quoted"\n', 2: f"{SECRET} ünïcode \u2028 😀"}
OPTIONS = LoadOptions(continuous_usage=True, input_mode="text")


def job_with_texts(url: str, count: int, options: LoadOptions = OPTIONS, **more: str) -> WorkerJob:
    job = job_for(url, rows(count), schedule_at(*[0.02 * i for i in range(count)]), options, **more)
    return msgspec.structs.replace(job, texts=TEXTS)


@pytest.mark.parametrize("endpoint", ["completions", "chat"])
async def test_that_a_row_s_own_text_is_sent_and_others_get_invented_words(endpoint: str) -> None:
    async def good(request: Request) -> None:
        await request.answer()

    async with Server(good) as server:
        played = await play(job_with_texts(server.url, 3, endpoint=endpoint))
    sent = {}
    for request in server.requests:
        prompt = request.body.get("prompt") or request.body["messages"][0]["content"]
        sent[request.headers["x-request-id"]] = prompt
    assert (sent["r-0"], sent["r-2"]) == (TEXTS[0], TEXTS[2])
    assert SECRET not in sent["r-1"]
    assert {record.input_mode for record in played.records} == {"text"}


async def test_that_warm_up_requests_have_prompts_of_their_own() -> None:
    async def good(request: Request) -> None:
        await request.answer()

    options = LoadOptions(continuous_usage=True, input_mode="text", warmup_s=0.1)
    async with Server(good) as server:
        await play(job_with_texts(server.url, 1, options))
    warm = [request for request in server.requests if request.headers["x-request-id"].startswith("r-w")]
    assert warm
    assert all(SECRET not in request.body["prompt"] for request in warm)


async def test_that_a_server_that_quotes_the_prompt_is_not_repeated() -> None:
    async def quoting(request: Request) -> None:
        error = json.dumps({"error": {"message": f"can't take {request.body['prompt']}", "code": 400}})
        await request.say(plain(400, error.encode()))

    async with Server(quoting) as server:
        played = await play(job_with_texts(server.url, 3))
    assert [record.outcome for record in played.records] == [Outcome.FAILED] * 3
    assert all("HTTP 400 (the server's words" in str(record.error) for record in played.records)
    assert SECRET not in repr(played.messages)
    assert SECRET not in repr(job_with_texts(server.url, 3))


async def test_that_texts_are_never_sent_as_ids() -> None:
    with pytest.raises(InputError, match='input_mode = "text"'):
        await run_load(
            Target(url="http://127.0.0.1:9", model="m"),
            Trace.from_rows(rows(1)),
            schedule_at(0),
            LoadOptions(),
            on_records=print,
            on_snapshot=print,
            texts={0: SECRET},
        )


def log_of(*prompts: str) -> str:
    lines: list[dict[str, Any]] = [
        {
            "call_type": "acompletion",
            "startTime": f"2026-01-01T00:00:00.{i}Z",
            "prompt_tokens": 2000 if "too long" in prompt else 20,
            "completion_tokens": 3,
            "messages": prompt,
        }
        for i, prompt in enumerate(prompts)
    ]
    return "".join(json.dumps(line) + "\n" for line in lines)


def _quoting(request: Request) -> bytes:
    body = {"error": {"message": f"can't take {request.body['prompt']}", "code": 400}}
    return plain(400, json.dumps(body).encode())


async def measured(server: Server, log: Path, *more: str) -> tuple[int, str]:
    words = ("measure", server.url, "--trace", str(log), "--replay-text", "--model", "m", *more)
    return await workbench(*words)


async def workbench(*words: str) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "workbench", *words),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, said.decode()


async def test_that_no_artefact_of_a_measurement_of_real_text_holds_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def half_quoting(request: Request) -> None:
        if "second" in request.body["prompt"]:
            await request.say(_quoting(request))
        else:
            await request.answer()

    log, out = tmp_path / "log.jsonl", tmp_path / "out"
    log.write_text(log_of(f"{SECRET} first", f"{SECRET} second", f"{SECRET} third"))
    for name in ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "TMPDIR"):
        (out / name).mkdir(parents=True)
        monkeypatch.setenv(name, str(out / name))
    async with Server(half_quoting, version=True, models=["m"]) as server:
        files = ["--json", str(out / "m.json"), "--per-request", str(out / "r.csv")]
        code, said = await measured(server, log, *files)
    assert code == 0, said
    assert sorted(request.body["prompt"][:20] for request in server.requests) == [
        f"{SECRET} first",
        f"{SECRET} secon",
        f"{SECRET} third",
    ]
    assert "3 rows' own text" in said
    assert "1 failed" in said
    artefacts = [path for path in out.rglob("*") if path.is_file()]
    assert len(artefacts) >= 2
    assert SECRET not in said
    assert all(SECRET.encode() not in path.read_bytes() for path in artefacts)


async def test_that_a_dropped_row_takes_its_text_with_it(tmp_path: Path) -> None:
    async def good(request: Request) -> None:
        await request.answer()

    log = tmp_path / "log.jsonl"
    log.write_text(log_of("the first", "much too long", "the third"))
    async with Server(good, version=True, models=["m"], max_model_len=1000) as server:
        code, said = await measured(server, log, "--max-len", "drop")
    assert code == 0, said
    assert [request.body["prompt"] for request in server.requests] == ["the first", "the third"]
    assert "trace      1 request longer than 1000 tokens dropped (longest 2003)" in said


EXPERIMENT = """
name = "Real prompts"
[target]
kind = "attached"
url = "{url}"
[baseline]
[control]
name = "max_in_flight"
values = [1]
[trace]
file = "log.jsonl"
replay_text = true
[load]
rates = [20.0]
requests = 3
"""


async def test_that_no_artefact_of_an_experiment_of_real_text_holds_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def half_quoting(request: Request) -> None:
        if "second" in request.body["prompt"]:
            await request.say(_quoting(request))
        else:
            await request.answer()

    out = tmp_path / "out"
    monkeypatch.setenv("XDG_DATA_HOME", str(out / "data"))
    (tmp_path / "log.jsonl").write_text(log_of(f"{SECRET} first", f"{SECRET} second", f"{SECRET} third"))
    async with Server(half_quoting, version=True, models=["m"]) as server:
        (tmp_path / "e.toml").write_text(EXPERIMENT.format(url=server.url))
        code, said = await workbench(
            "run", str(tmp_path / "e.toml"), "--out", str(out), "--events", "--no-calibrate"
        )
    assert code == 0, said
    sent = [request.body["prompt"] for request in server.requests]
    assert len(sent) == 6
    assert all(prompt.startswith(SECRET) for prompt in sent)
    artefacts = [path for path in out.rglob("*") if path.is_file()]
    assert {path.suffix for path in artefacts} >= {".bench", ".csv"}
    assert "HTTP 400 (the server's words" in "".join(path.read_text("latin-1") for path in artefacts)
    assert SECRET not in said
    assert all(SECRET.encode() not in path.read_bytes() for path in artefacts)


async def test_that_a_trace_without_text_is_refused(tmp_path: Path) -> None:
    row = '{"timestamp":0,"input_length":8,"output_length":3,"hash_ids":[1]}'
    (tmp_path / "trace.jsonl").write_text(f"{row}\n")

    async def unasked(_: Request) -> None:
        raise AssertionError

    async with Server(unasked, version=True, models=["m"]) as server:
        code, said = await measured(server, tmp_path / "trace.jsonl")
    assert code == 2
    assert "holds no prompt texts" in said
