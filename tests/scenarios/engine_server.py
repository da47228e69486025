"""One process of the served engine, its output as it comes, a client for it."""

import contextlib
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import httpx
import psutil

from workbench.vllm_dialect import listening_url

FAST = ("--step-model", "a=2000,b=1,c=10,d=0,e=0", "--max-model-len", "4096")
SLOW = ("--step-model", "a=20000,b=1,c=10,d=0,e=0", "--max-model-len", "4096")


class Server:
    """One server process, its output as it comes, a client for it."""

    def __init__(self, *flags: str, environment: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "workbench", "engine", "serve", "--port", "0", *flags],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, **(environment or {})},
        )
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.url = self._wait_for_url()
        self.client = httpx.Client(base_url=self.url, timeout=120)

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    def _wait_for_url(self) -> str:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            for line in list(self.lines):
                if url := listening_url(line):
                    return url
            assert self.process.poll() is None, self.lines
            time.sleep(0.02)
        raise AssertionError(self.lines)

    def engine(self) -> psutil.Process:
        (child,) = psutil.Process(self.process.pid).children()
        return child

    def end(self) -> int:
        """Stop it as a launcher would; its exit code."""
        if self.process.poll() is None:
            self.process.terminate()
        try:
            code = self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        self._reader.join(5)
        self.client.close()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()
        return code

    def metrics(self) -> dict[str, float]:
        """Samples by their text, model name left out."""
        page = self.client.get("/metrics").text
        samples = (line.rpartition(" ") for line in page.splitlines() if not line.startswith("#"))
        return {re.sub(r',?model_name="[^"]*",?', "", name): float(value) for name, _, value in samples}

    def complete(self, tokens: int = 4, prompt: Any = "hello world", **body: Any) -> httpx.Response:
        return self.client.post("/v1/completions", json={"prompt": prompt, "max_tokens": tokens, **body})

    def events(self, path: str = "/v1/completions", **body: Any) -> list[dict[str, Any]]:
        """The events of a stream; its [DONE] must be the last."""
        with self.client.stream("POST", path, json={"stream": True, **body}) as response:
            assert response.status_code == 200, response.read()
            return events_of(list(response.iter_lines()))


def events_of(lines: Sequence[str]) -> list[dict[str, Any]]:
    data = [line.removeprefix("data: ") for line in lines if line]
    assert data[-1] == "[DONE]"
    return [json.loads(line) for line in data[:-1]]


@contextlib.contextmanager
def served(*flags: str, environment: dict[str, str] | None = None) -> Iterator[Server]:
    server = Server(*flags, environment=environment)
    try:
        yield server
    finally:
        server.end()


def eventually(condition: Callable[[], bool], seconds: float = 60) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return False
