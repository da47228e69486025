"""A server that is already there is asked what it is, and never changed."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from workbench.base import InputError
from workbench.servers import LifecycleState, ServerFailedError, TargetSpec, make_server
from workbench.servers.read_back import read_back
from workbench.servers.server_api import ServerApi
from workbench.telemetry import open_client

MODELS = json.dumps({"data": [{"id": "a", "max_model_len": 64}, {"id": "b", "root": "/x"}]})
PAGE = 'vllm:cache_config_info{block_size="16",num_gpu_blocks="None",engine="0"} 1.0\n'
Pages = dict[str, tuple[int, str]]
VLLM: Pages = {"/health": (200, ""), "/v1/models": (200, MODELS), "/metrics": (200, PAGE)}


@asynccontextmanager
async def service(pages: Pages, *, delay_s: float = 0.0, drips: bool = False) -> AsyncIterator[str]:
    asked: set[asyncio.Task[object]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.add(asyncio.current_task())
        with suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                await asyncio.sleep(delay_s)
                if drips:
                    writer.write(b"HTTP/1.1 200 X\r\nContent-Length: 100000\r\n\r\n")
                while drips:
                    writer.write(b" ")
                    await asyncio.sleep(0.05)
                status, body = pages.get(head.split()[1].decode(), (404, '{"detail":"Not Found"}'))
                writer.write(f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
        writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    finally:
        listening.close()
        for _ in range(5):
            # Whoever was accepted last has yet to be served.
            await asyncio.sleep(0)
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked)


def attached(url: str, model: str | None = None) -> TargetSpec:
    return TargetSpec(kind="attached", url=url, model=model)


async def begin(pages: Pages, model: str | None = None) -> str:
    """Start, read back and stop; returns the last state's detail."""
    states: list[tuple[str, str]] = []
    async with service(pages) as url:
        server = make_server(attached(url, model), {})
        try:
            await server.start(lambda _: None, lambda state, detail: states.append((state, str(detail))))
        finally:
            await server.stop()
    return states[1][1]


async def test_that_it_is_asked_for_all_that_is_knowable() -> None:
    async with service({**VLLM, "/version": (200, '{"version":"0.32.0"}')}) as url:
        server = make_server(attached(url + "/v1/"), {})
        await server.start(lambda _: None, lambda _, __: None)
        effective = await server.effective()
        assert (server.url, server.model, server.command, server.pid) == (url, "a", None, None)
        await server.stop()
        assert server.state is LifecycleState.STOPPED
    assert (effective.version, effective.max_model_len, effective.block_size) == ("0.32.0", 64, 16)
    assert (effective.num_gpu_blocks, effective.vocab_size, effective.time_scale) == (None, None, None)
    assert effective.has_metrics


async def test_that_a_gateway_without_health_and_metrics_can_be_measured() -> None:
    detail = await begin({"/v1/models": (200, MODELS)}, "b")
    assert "no metrics: " in detail
    assert "answers 404" in detail


async def test_that_half_a_metrics_page_counts_as_none() -> None:
    assert "cut off" in await begin({**VLLM, "/metrics": (200, PAGE[:-5])})


@pytest.mark.parametrize(
    ("pages", "words"),
    [
        ({**VLLM, "/v1/models": (401, '{"error":"Unauthorized"}')}, r"refuses the key \(401 Unauthorized\)"),
        ({"/": (200, "nginx")}, "not an OpenAI server: /v1/models answers 404"),
        ({**VLLM, "/v1/models": (200, "<html>")}, "not an OpenAI server: /v1/models lists no model"),
        ({**VLLM, "/v1/models": (200, '{"data": 3}')}, "lists no model"),
    ],
)
async def test_that_another_service_or_a_wrong_key_is_named(pages: Pages, words: str) -> None:
    with pytest.raises(InputError, match=words):
        await begin(pages)


@pytest.mark.parametrize(("pages", "asked"), [(VLLM, 0), ({**VLLM, "/v1/models": (401, "{}")}, 1)])
async def test_that_the_keyring_is_asked_only_where_the_server_wants_a_key(
    pages: Pages, asked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sought: list[str] = []
    monkeypatch.setattr("workbench.servers.attached.key_at", sought.append)
    if asked:
        with pytest.raises(InputError, match="refuses the key"):
            await begin(pages)
    else:
        await begin(pages)
    assert len(sought) == asked


async def test_that_a_model_that_is_not_served_is_refused_with_those_that_are() -> None:
    with pytest.raises(InputError, match="serves no model 'c'; it serves a, b"):
        await begin(VLLM, "c")


async def test_that_a_dead_engine_behind_a_living_server_is_a_failure() -> None:
    with pytest.raises(ServerFailedError, match="answers 503"):
        await begin({**VLLM, "/health": (503, "")})


async def test_that_nobody_listening_is_said_with_the_url() -> None:
    async with service({}) as url:
        pass
    server = make_server(attached(url), {})
    with pytest.raises(InputError, match=f"{url}: nobody answers there"):
        await server.start(lambda _: None, lambda _, __: None)
    assert server.state is LifecycleState.FAILED
    await server.stop()


async def test_that_a_server_that_takes_too_long_is_said_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.servers.server_api.PROBE_TIMEOUT_S", 0.1)
    async with service(VLLM, delay_s=30.0) as url:
        server = make_server(attached(url), {})
        with pytest.raises(InputError, match=r"no answer within 0\.1 s"):
            await server.start(lambda _: None, lambda _, __: None)


async def test_that_an_answer_that_drips_without_end_is_waited_for_no_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("workbench.servers.server_api.PROBE_TIMEOUT_S", 0.5)

    async with service(VLLM, drips=True) as url:
        server = make_server(attached(url), {})
        with pytest.raises(InputError, match=r"/health: no answer within 0\.5 s"):
            await server.start(lambda _: None, lambda _, __: None)


@pytest.mark.parametrize(
    ("patience_s", "bound"), [(9.0, "0.6 s"), (0.4, "0.4 s"), (0.1, "0.3 s"), (None, "0.6 s")]
)
async def test_that_who_waits_briefly_for_requests_waits_no_longer_for_a_first_answer(
    monkeypatch: pytest.MonkeyPatch, patience_s: float | None, bound: str
) -> None:
    """But long enough for a server under load to say that it lives."""
    monkeypatch.setattr("workbench.servers.server_api.PROBE_TIMEOUT_S", 0.6)
    monkeypatch.setattr("workbench.servers.server_api.LEAST_PROBE_S", 0.3)
    async with service(VLLM, delay_s=30.0) as url:
        server = make_server(attached(url), {}, patience_s=patience_s)
        with pytest.raises(InputError, match=f"no answer within {bound}"):
            await server.start(lambda _: None, lambda _, __: None)


async def test_that_pages_go_the_way_of_the_load_past_any_proxy_and_that_this_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    async with open_client("http://gpu-7:8000") as client:
        assert not client.trust_env
    monkeypatch.setattr("workbench.servers.attached.ignored_proxy", lambda _: "HTTP_PROXY")
    said = "requests and pages go straight to the server, not through the proxy that HTTP_PROXY names"
    assert await begin(VLLM, "a") == said
    with pytest.raises(InputError, match=said):
        await make_server(attached("http://127.0.0.1:9"), {}).start(lambda _: None, lambda _, __: None)


async def test_a_configuration_that_does_not_come_in_time_is_said_and_the_engines_are_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("workbench.servers.server_api._CONFIGURATION_TIMEOUT_S", 0.0)
    async with service(VLLM) as url:
        api = ServerApi(url)
        config = await read_back(api, None, engines=2)
        await api.close()
    (note,) = config.notes
    assert note.values["failed"].kind == "servers.server_info_silent"
    assert config.arguments["data_parallel_size"] == 2


async def test_a_configuration_that_fails_is_said_with_what_is_known_without_it() -> None:
    """vLLM answers 500 where its Python has neither pip nor uv."""
    info = "/server_info?config_format=json"
    broken = (500, '{"error":{"message":"Could not collect pip list output"}}')
    notes = []
    for answer in (broken, (404, '{"detail":"Not Found"}'), (200, "{}")):
        async with service({**VLLM, info: answer}) as url:
            server = make_server(attached(url), {})
            await server.start(lambda _: None, lambda _, __: None)
            notes.append([str(note) for note in (await server.effective()).notes])
            await server.stop()
    said = "the server's settings could not be read back: /server_info answers 500 "
    assert notes == [[f"{said}(Could not collect pip list output); known: block_size"], [], []]
