"""Servers and executables that are none: one clear line with what to do, exit 2, nothing written.

Or, where it can be measured all the same, what is missing and why.
"""

import http.server
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import refused, workbench

METRICS = b"""# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="m"} 0.0
# TYPE vllm:num_requests_waiting gauge
vllm:num_requests_waiting{engine="0",model_name="m"} 0.0
# TYPE vllm:kv_cache_usage_perc gauge
vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.0
"""
MODELS = json.dumps({"object": "list", "data": [{"id": "m", "max_model_len": 4096}]}).encode()
NAMES = ("--synthetic", "10:5", "--rate", "20", "--requests", "10")


class Serving(http.server.BaseHTTPRequestHandler):
    """As much of vLLM as a measurement asks for; `answers` replaces what single paths say."""

    protocol_version = "HTTP/1.1"
    answers: dict[str, tuple[int, bytes]]
    silent: threading.Event | None

    def do_GET(self) -> None:
        if self.silent is not None:
            self.silent.wait()
        usual = {
            "/health": (200, b""),
            "/v1/models": (200, MODELS),
            "/version": (200, b'{"version":"0.32.0"}'),
        }
        status, body = (usual | self.answers).get(self.path, (404, b"<html>not here</html>"))
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        wanted, prompt = asked["max_tokens"], len(asked["prompt"])
        for number in range(1, wanted + 1):
            choice = {"index": 0, "text": "a", "finish_reason": "length" if number == wanted else None}
            self.event({"choices": [choice], "usage": usage(prompt, number)})
        self.event({"choices": [], "usage": usage(prompt, wanted)})
        self.chunk(b"data: [DONE]\n\n")
        self.chunk(b"")

    def event(self, told: dict[str, Any]) -> None:
        self.chunk(b"data: " + json.dumps(told).encode() + b"\n\n")

    def chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def log_message(self, *_: object) -> None:
        pass


def usage(prompt: int, output: int) -> dict[str, int]:
    return {"prompt_tokens": prompt, "completion_tokens": output, "total_tokens": prompt + output}


Serve = Callable[..., str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts a server that says `answers`; returns its URL. With `silent` it says nothing at all."""
    servers: list[http.server.ThreadingHTTPServer] = []
    over = threading.Event()

    def start(*, silent: bool = False, **answers: tuple[int, bytes]) -> str:
        paths = {f"/{name.replace('__', '/')}": answer for name, answer in answers.items()}
        kind = type("Kind", (Serving,), {"answers": paths, "silent": over if silent else None})
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), kind)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_address[1]}"

    yield start
    over.set()
    for server in servers:
        server.shutdown()
        server.server_close()


EXPERIMENT = """
name = "a"
kind = "soak"
[target]
{target}
[baseline]
{baseline}
[control]
name = "{control}"
values = []
[trace]
synthetic = "10:5"
[load]
rates = [20]
duration_s = 2
"""


def run(folder: Path, target: str, baseline: str = "", control: str = "max_in_flight") -> Any:
    path = folder / "a.toml"
    path.write_text(EXPERIMENT.format(target=target, baseline=baseline, control=control))
    return workbench("run", str(path), "--out", str(folder / "out"), "--no-calibrate")


BAD = [
    (
        {"health": (404, b""), "v1__models": (404, b"<html></html>")},
        "/v1/models answers 404; give the address",
    ),
    ({"v1__models": (200, b'{"status":"green"}')}, "lists no model; give the address of vLLM's own"),
    (
        {"v1__models": (401, b'{"error":"Unauthorized"}')},
        "refuses the key (401 Unauthorized); name the variable",
    ),
]


@pytest.mark.parametrize(("answers", "said"), BAD, ids=["html", "json", "key"])
def test_that_another_service_and_a_wrong_key_are_told_with_what_to_give(
    serve: Serve, tmp_path: Path, answers: dict[str, tuple[int, bytes]], said: str
) -> None:
    url = serve(**answers)
    for done in (workbench("measure", url, *NAMES), run(tmp_path, f'kind = "attached"\nurl = "{url}"')):
        line = refused(done)
        assert line.startswith(f"error: {url}: ")
        assert said in line
    assert not (tmp_path / "out").exists()


def test_that_a_server_which_answers_too_late_is_told_with_where_to_look(serve: Serve) -> None:
    line = refused(workbench("measure", serve(silent=True), *NAMES, "--request-timeout", "1"))
    assert "no answer within 2 s" in line
    assert "still loading" in line


def test_that_half_a_page_of_metrics_costs_its_figures_alone_and_is_told(
    serve: Serve, tmp_path: Path
) -> None:
    url = serve(metrics=(200, METRICS[: METRICS.index(b"vllm:num_requests_waiting{") + 20]))
    done = workbench("measure", url, *NAMES, "--json", str(tmp_path / "a.json"))
    assert done.returncode == 0, done.stderr
    told = json.loads((tmp_path / "a.json").read_text())
    assert (told["requests"]["completed"], told["running_max"]) == (10, None)
    # A machine with much else to do spoils the run; a page that is cut off does not.
    assert not any("metrics" in reason for reason in told["reasons"])
    assert told["server_note"].startswith(f"no metrics: {url}/metrics: cut off at ")
    assert told["server_note"] in done.stderr
    whole_url = serve(metrics=(200, METRICS))
    assert json.loads(workbench("measure", whole_url, *NAMES, "--json", "-").stdout)["server_note"] is None
    done = run(tmp_path, f'kind = "attached"\nurl = "{url}"')
    assert done.returncode == 0, done.stderr
    assert "no metrics" in done.stderr
    # A busy machine spoils the run: its load generator is late.
    told = ("the server reported no figures (", "no conclusion, the run is invalid")
    assert any(text in done.stdout for text in told)


def test_that_an_executable_which_is_no_vllm_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    bare = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True)
    broken = tmp_path / "vllm"
    broken.write_text("#!/nowhere/python\n")
    for executable, said in (
        ("/bin/sh", "not vLLM: its Python"),
        (bare, "has no distribution named vllm"),
        (bare / "bin" / "python", "has no distribution named vllm"),
        (broken, "neither its first line nor its folder names a Python"),
        (tmp_path / "missing", "no such file, folder or command"),
    ):
        line = refused(
            run(tmp_path, f'kind = "local"\nmodel = "m"\nexecutable = "{executable}"', "", "max_num_seqs")
        )
        assert said in line
    assert not (tmp_path / "out").exists()


def test_that_a_budget_below_the_sequence_limit_is_refused_with_vllms_reason(tmp_path: Path) -> None:
    baseline = "max_num_seqs = 256\nmax_num_batched_tokens = 128"
    line = refused(run(tmp_path, 'kind = "local"\nmodel = "m"', baseline, "max_num_seqs"))
    assert "max_num_batched_tokens (128) must be at least max_num_seqs (256)" in line
    assert not (tmp_path / "out").exists()
