"""A server behind a gateway of the house's own: private certificate, headers, a secret in a variable."""

import asyncio
import json
import ssl
import sys
from pathlib import Path

import pytest

from tests.unit.load.certificate import make_certificate
from tests.unit.load.playing import Request, Server

SECRET = "PLANTED-SECRET"


async def measure(url: str, *words: str) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "workbench", "measure", url, "--synthetic", "8:3", "--rate", "20"),
        *("--requests", "3", *words),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, said.decode()


async def test_that_headers_and_the_authority_reach_every_request_and_the_secret_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def good(request: Request) -> None:
        await request.answer()

    certificate, key = make_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    monkeypatch.setenv("GATEWAY", f"Bearer {SECRET}")
    out = tmp_path / "m.json"
    headers = ["--header", "Authorization=env:GATEWAY", "--header", "X-Team=search"]
    async with Server(good, tls=context, version=True, models=["m"]) as server:
        refused = await measure(server.url, *headers)
        code, said = await measure(
            f"{server.url}/v1", *headers, "--ca-file", str(certificate), "--json", str(out)
        )
    assert refused[0] == 2
    assert "certificate" in refused[1].lower()
    assert code == 0, said
    assert len(server.requests) == 3
    for request in server.requests:
        assert request.headers["authorization"] == f"Bearer {SECRET}"
        assert request.headers["x-team"] == "search"
    assert json.loads(out.read_text())["requests"]["completed"] == 3
    assert SECRET not in said + refused[1] + out.read_text()
    assert "env:GATEWAY" in json.loads(out.read_text())["command"]


async def test_that_callers_come_back_and_are_counted(tmp_path: Path) -> None:
    async def busy_at_first(request: Request) -> None:
        if request.number < 2:
            await request.say(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
        else:
            await request.answer()

    async with Server(busy_at_first, version=True, models=["m"]) as server:
        out = tmp_path / "m.json"
        code, said = await measure(
            server.url, "--retries", "4", "--retry-backoff", "0.05", "--json", str(out)
        )
    assert code == 0, said
    figures = json.loads(out.read_text())
    assert figures["requests"]["completed"] == figures["requests"]["scheduled"] == 3
    assert "were sent again, 2 times in all" in said
    assert (figures["client_floor"], figures["input_mode"], figures["real_texts"]) == (None, "ids", 0)
    assert figures["retries"]["times"] == 2
