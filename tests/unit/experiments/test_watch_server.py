"""A server is watched under its own traffic: its metrics are stored and diagnosed, and nothing is sent."""

import http.server
import itertools
import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import refused, workbench
from workbench.base import Refusal
from workbench.experiments import (
    Event,
    ExperimentFinished,
    ExperimentStarted,
    RunFinished,
    SampleTaken,
    Watched,
    WatchOrder,
    watch_server,
)
from workbench.experiments.run.watch_server import Silence
from workbench.results import WATCHED, BenchFile, scorecard_rows, verify
from workbench.servers import TargetSpec

_MODELS = json.dumps({"data": [{"id": "m", "max_model_len": 64}]})
_LIMITS = {"vllm_config": {"scheduler_config": {"max_num_seqs": 4, "max_num_batched_tokens": 64}}}
_PAGE = """\
vllm:num_requests_running{{engine="0"}} 4
vllm:num_requests_waiting{{engine="0"}} 9
vllm:kv_cache_usage_perc{{engine="0"}} 0.5
vllm:num_preemptions_total{{engine="0"}} 7
vllm:prompt_tokens_total{{engine="0"}} {prompt}
vllm:generation_tokens_total{{engine="0"}} {generated}
vllm:time_to_first_token_seconds_bucket{{engine="0",le="0.5"}} {requests}
vllm:time_to_first_token_seconds_bucket{{engine="0",le="1.0"}} {requests}
vllm:time_to_first_token_seconds_bucket{{engine="0",le="+Inf"}} {requests}
vllm:time_to_first_token_seconds_sum{{engine="0"}} {ttft_sum}
vllm:time_to_first_token_seconds_count{{engine="0"}} {requests}
vllm:inter_token_latency_seconds_sum{{engine="0"}} {itl_sum}
vllm:inter_token_latency_seconds_count{{engine="0"}} {generated}
vllm:inter_token_latency_seconds_bucket{{engine="0",le="+Inf"}} {generated}
"""


class Busy(http.server.BaseHTTPRequestHandler):
    """A vLLM that others keep busy: each page has two more requests of 0.25 s of TTFT than the last.

    Each has ten tokens, 20 ms apart.
    """

    pages: "itertools.count[int]"
    with_metrics = True
    asked: list[str]
    url: str

    def do_GET(self) -> None:
        self.asked.append(self.path)
        known = {"/health": "", "/v1/models": _MODELS, "/version": '{"version": "0.32.0"}'}
        known["/server_info?config_format=json"] = json.dumps(_LIMITS)
        if self.with_metrics:
            known["/metrics"] = self.page() if self.path == "/metrics" else ""
        body = known.get(self.path)
        self.send_response(404 if body is None else 200)
        content = (body or "").encode()
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def page(self) -> str:
        number = 2 * next(self.pages)
        return _PAGE.format(
            prompt=100 * number,
            generated=10 * number,
            requests=number,
            ttft_sum=0.25 * number,
            itl_sum=0.02 * 10 * number,
        )

    def do_POST(self) -> None:
        self.asked.append(self.path)
        self.send_error(500)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def busy() -> Iterator[type[Busy]]:
    kind: Any = type("Kind", (Busy,), {"pages": itertools.count(), "asked": []})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), kind)
    server.daemon_threads = True
    kind.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield kind
    server.shutdown()
    server.server_close()


def watched(url: str, bench: Path, samples: int = 6) -> tuple[Watched | None, list[Event]]:
    """Watch until so many samples were seen; then the user stops by Ctrl+C."""
    events: list[Event] = []

    def emit(event: Event) -> None:
        events.append(event)
        if sum(isinstance(each, SampleTaken) for each in events) == samples:
            os.kill(os.getpid(), signal.SIGINT)

    order = WatchOrder(target=TargetSpec(kind="attached", url=url), bench=bench)
    return watch_server(order, emit), events


@pytest.mark.skipif(os.name == "nt", reason="no signals")
def test_that_a_watch_names_the_limit_stores_the_samples_and_sends_no_request(
    busy: type[Busy], tmp_path: Path
) -> None:
    bench = tmp_path / "w.bench"
    found, events = watched(busy.url, bench)
    assert found is not None
    assert found.diagnosis.shares == {"seats": 1.0}
    assert found.diagnosis.change is not None
    assert found.diagnosis.change["control"] == "max_num_seqs"
    figures = found.figures
    assert (figures.running_mean, figures.waiting_max, figures.kv_peak) == (4.0, 9.0, 0.5)
    assert figures.preemptions == 0
    assert figures.ttft_ms is not None
    assert figures.ttft_ms.mean == pytest.approx(250)
    assert figures.ttft_ms.p95 == (0.0, 500.0)
    assert figures.input_tok_s == pytest.approx(100 * figures.ttft_ms.n / figures.seconds)
    started = next(event for event in events if isinstance(event, ExperimentStarted))
    assert started.watch
    assert [event.status for event in events if isinstance(event, RunFinished)] == [WATCHED]
    assert isinstance(events[-1], ExperimentFinished)
    samples = [event for event in events if isinstance(event, SampleTaken)]
    assert {event.running for event in samples if event.running is not None} == {4.0}
    assert {(event.ttft_p95_ms, event.offered_rps, event.completed) for event in samples} == {
        (None, None, None)
    }
    means = {(event.server_ttft_ms, event.server_itl_ms) for event in samples}
    assert (250.0, 20.0) in means
    assert means <= {(250.0, 20.0), (None, None)}
    assert {path.partition("?")[0] for path in busy.asked} == {
        "/health", "/v1/models", "/version", "/server_info", "/metrics"
    }  # fmt: skip
    with BenchFile.open(bench) as stored:
        (row,) = scorecard_rows(stored)
        assert row.cells["status"] == WATCHED
        assert row.cells["completed_rps"] is None
        assert row.cells["valid"] is None
        assert row.cells["waiting_max"] == 9
        assert len(stored.samples(1)) >= 5
        assert stored.samples(1)[-1].itl_count == 10 * (stored.samples(1)[-1].ttft_count or 0)
        assert verify(stored) == []


PLAN = """
name = "a"
[target]
kind = "attached"
url = "{url}"
[baseline]
{baseline}
[trace]
synthetic = "{tokens}"
[load]
rates = [1]
requests = 5
"""


@pytest.mark.parametrize(
    ("baseline", "tokens", "code", "said"),
    [
        ("max_num_seqs = 4", "20:10", 0, ""),
        ("max_num_seqs = 8", "20:10", 2, "max_num_seqs"),
        ("max_in_flight = 8", "60:10", 2, "longest 70"),
    ],
)
def test_that_a_plan_that_a_running_server_can_t_carry_out_is_refused_before_it_runs(
    busy: type[Busy], tmp_path: Path, baseline: str, tokens: str, code: int, said: str
) -> None:
    path = tmp_path / "a.toml"
    path.write_text(PLAN.format(url=busy.url.removeprefix("http://"), baseline=baseline, tokens=tokens))
    done = workbench("run", str(path), "--plan")
    assert done.returncode == code, done.stderr
    assert said in (json.loads(done.stdout)["refused"] or "")
    if code:
        assert said in refused(workbench("run", str(path), "--out", str(tmp_path / "out")))
        assert not list(tmp_path.rglob("*.bench"))


def test_that_a_server_without_metrics_is_refused_and_nothing_is_written(
    busy: type[Busy], tmp_path: Path
) -> None:
    busy.with_metrics = False
    with pytest.raises(Refusal) as found:
        watched(busy.url, tmp_path / "w.bench")
    assert found.value.kind == "experiments.watch_needs_metrics"
    assert found.value.values["url"] == busy.url
    assert list(tmp_path.iterdir()) == []


def test_that_metrics_that_stay_away_are_said_once_and_again_after_they_came_back() -> None:
    silence = Silence(5.0)
    assert not silence.began(100.0)
    assert not silence.heard(100.0)
    assert [silence.began(at) for at in (104.9, 105.0, 106.0)] == [False, True, False]
    assert silence.heard(107.0)
    assert not silence.heard(108.0)
    assert [silence.began(at) for at in (112.9, 113.1)] == [False, True]
