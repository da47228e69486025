"""The replicas behind an address: all must answer and be alike before the load, and still be so after it."""

import json
import sys
from contextlib import AsyncExitStack

import pytest

from tests.unit.servers.test_attached import MODELS, Pages, service
from workbench.base import Message, Refusal
from workbench.servers import Server, TargetSpec, check_target, make_server


def replica(*, started: float = 100.0, version: str = "0.32.0", seats: int = 16, length: int = 64) -> Pages:
    models = json.dumps({"data": [{"id": "a", "max_model_len": length}]})
    server_info = {"vllm_config": {"scheduler_config": {"max_num_seqs": seats}}}
    page = f'process_start_time_seconds {started}\nvllm:num_requests_running{{engine="0"}} 0.0\n'
    return {
        "/health": (200, ""),
        "/v1/models": (200, models),
        "/version": (200, json.dumps({"version": version})),
        "/server_info?config_format=json": (200, json.dumps(server_info)),
        "/metrics": (200, page),
    }


async def start(stack: AsyncExitStack, *replicas: Pages, more: tuple[str, ...] = ()) -> Server:
    """Start on a router without pages of its own; the caller's stack ends all."""
    router = await stack.enter_async_context(service({"/v1/models": (200, MODELS)}))
    urls = [await stack.enter_async_context(service(pages)) for pages in replicas]
    server = make_server(TargetSpec(kind="attached", url=router, urls=[*urls, *more], model="a"), {})
    stack.push_async_callback(server.stop)
    await server.start(lambda _: None, lambda _, __: None)
    return server


async def test_that_alike_replicas_pass_and_give_their_common_configuration() -> None:
    async with AsyncExitStack() as stack:
        server = await start(stack, replica(), replica(started=101.0))
        effective = await server.effective()
        assert [each.name for each in server.replicas] == [each.url[7:] for each in server.replicas]
        assert (effective.version, effective.arguments) == ("0.32.0", {"max_num_seqs": 16})
        assert await server.replica_changes() == []


@pytest.mark.parametrize(
    ("other", "name", "own"),
    [
        (replica(seats=32), "max_num_seqs", 32),
        (replica(version="0.31.0"), "version", "0.31.0"),
        (replica(length=32), "max_model_len", 32),
    ],
)
async def test_that_a_replica_that_differs_is_named_with_the_difference(
    other: Pages, name: str, own: object
) -> None:
    async with AsyncExitStack() as stack:
        with pytest.raises(Refusal) as refused:
            await start(stack, replica(), replica(), other)
    assert refused.value.kind == "servers.replica_differs"
    differences = refused.value.values["differences"]
    assert isinstance(differences, list)
    assert [each.values["name"] for each in differences if isinstance(each, Message)] == [name]
    assert isinstance(differences[0], Message)
    assert differences[0].values["own"] == own


async def test_that_a_silent_replica_is_named_before_the_load() -> None:
    async with AsyncExitStack() as stack:
        with pytest.raises(Refusal) as refused:
            await start(stack, replica(), more=("http://127.0.0.1:9",))
    assert (refused.value.kind, refused.value.values["replica"]) == ("servers.replica_silent", "127.0.0.1:9")


async def test_that_a_replica_without_metrics_is_refused() -> None:
    pages = {path: page for path, page in replica().items() if path != "/metrics"}
    async with AsyncExitStack() as stack:
        with pytest.raises(Refusal) as refused:
            await start(stack, replica(), pages)
    assert refused.value.kind == "servers.replica_silent"


async def test_that_a_restarted_and_a_vanished_replica_are_named_after_the_load() -> None:
    restarts, goes = replica(), replica()
    async with AsyncExitStack() as stack:
        server = await start(stack, replica(), restarts, goes)
        restarts |= replica(started=160.0)
        goes.clear()
        found = await server.replica_changes()
        names = [each.name for each in server.replicas]
    assert [(each.kind, each.values["replica"]) for each in found] == [
        ("servers.replica_restarted", names[1]),
        ("servers.replica_silent", names[2]),
    ]
    assert found[0].values["seconds"] == 60.0


async def test_that_a_command_can_name_the_replicas() -> None:
    async with AsyncExitStack() as stack:
        urls = [await stack.enter_async_context(service(replica())) for _ in range(2)]
        router = await stack.enter_async_context(service({"/v1/models": (200, MODELS)}))
        words = [sys.executable, "-c", f"print({' '.join(urls)!r})"]
        server = make_server(TargetSpec(kind="attached", url=router, urls_command=words, model="a"), {})
        stack.push_async_callback(server.stop)
        await server.start(lambda _: None, lambda _, __: None)
        assert [each.url for each in server.replicas] == urls


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["no-such-command"], "No such file or directory"),
        ([sys.executable, "-c", "exit('no cluster')"], "servers.urls_command_code"),
        ([sys.executable, "-c", ""], "servers.urls_command_empty"),
    ],
)
async def test_that_a_command_that_prints_no_address_is_refused_with_the_reason(
    words: list[str], why: str
) -> None:
    async with service({"/v1/models": (200, MODELS)}) as router:
        server = make_server(TargetSpec(kind="attached", url=router, urls_command=words), {})
        with pytest.raises(Refusal) as refused:
            await server.start(lambda _: None, lambda _, __: None)
        await server.stop()
    assert (refused.value.kind, refused.value.place.key) == ("servers.urls_command_failed", "urls_command")
    reason = refused.value.values["why"]
    assert (reason.kind if isinstance(reason, Message) else reason) == why


def test_that_addresses_are_checked_like_the_url() -> None:
    for urls, command, kind in (
        (["http://u:secret@a"], [], "servers.secret_in_url"),
        (["http://a"], ["x"], "servers.urls_twice"),
    ):
        with pytest.raises(Refusal) as refused:
            check_target(TargetSpec(kind="attached", url="http://r", urls=urls, urls_command=command))
        assert refused.value.kind == kind
    with pytest.raises(Refusal) as refused:
        check_target(TargetSpec(kind="embedded", urls=["http://a"]))
    assert refused.value.kind == "servers.key_without_meaning"
