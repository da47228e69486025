import asyncio

import pytest

from tests.unit.load.answers import DONE, HEAD, TAIL, chunk, completion, event, plain
from tests.unit.load.playing import Request, Server
from workbench.base import WorkbenchError
from workbench.load import LoadOptions, Target, tokenizer_cost

OPTIONS = LoadOptions(continuous_usage=True)


@pytest.mark.slow
async def test_that_the_price_of_text_is_the_servers_time_for_it() -> None:
    async def tokenizing(request: Request) -> None:
        prompt = request.body["prompt"]
        count = len(prompt.split()) if isinstance(prompt, str) else len(prompt)
        await asyncio.sleep(0.08 if isinstance(prompt, str) else 0.02)
        answer = completion(" a", 1, "length")
        answer["usage"]["prompt_tokens"] = count
        await request.say(HEAD, chunk(event(answer)), chunk(DONE), TAIL)

    async with Server(tokenizing) as server:
        target = Target(url=server.url, model="m")
        cost = await tokenizer_cost(target, OPTIONS, input_tokens=50, requests=4)
    assert 30 < cost.cost_ms < 200
    assert cost.comparable
    assert (cost.ids_prompt_tokens, cost.text_prompt_tokens, cost.requests) == (50, 50, 4)
    prompts = [str(request.body["prompt"]) for request in server.requests]
    assert len(set(prompts)) == 8


async def test_that_a_server_that_answers_nothing_is_named_with_its_error() -> None:
    async def broken(request: Request) -> None:
        await request.say(plain(500, b'{"error":{"message":"dead","code":500}}'))

    async with Server(broken) as server:
        with pytest.raises(WorkbenchError, match="dead"):
            await tokenizer_cost(Target(url=server.url, model="m"), OPTIONS, input_tokens=50, requests=2)
