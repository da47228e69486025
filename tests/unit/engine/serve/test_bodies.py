"""Reading request bodies."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.engine.server.bodies import Asked, read_chat, read_completion
from workbench.engine.server.refusals import Refused, output_limit

VOCABULARY = 1000


def completion(**body: Any) -> Any:
    return read_completion(json.dumps(body).encode(), VOCABULARY)


def limit_of(asked: Asked, prompt_tokens: int, length: int) -> int:
    return output_limit(asked.max_tokens, asked.min_tokens, prompt_tokens, length)


@pytest.mark.parametrize(
    ("prompt", "count"),
    [("abcdefgh", 1), (["abcd", "efgh"], 2), ([1, 2, 3], 1), ([[1, 2], [3]], 2), ("é", 1)],
)
def test_that_a_prompt_comes_in_four_forms(prompt: Any, count: int) -> None:
    assert len(completion(prompt=prompt).prompts) == count


@pytest.mark.parametrize("prompt", ["", [], [[]], [""], [[1], []], None, 3, {"a": 1}, [1.5], [True, "x"]])
def test_that_a_prompt_that_is_none_is_refused(prompt: Any) -> None:
    with pytest.raises(Refused) as refusal:
        completion(prompt=prompt)
    assert refusal.value.body.error.code == 400


def test_that_defaults_are_vllms_sixteen_tokens_and_the_rest_of_the_context() -> None:
    assert limit_of(completion(prompt=[1]), 1, 100) == 16
    assert limit_of(completion(prompt=[1], max_tokens=None), 1, 100) == 16
    chat = read_chat(b'{"messages": [{"role": "user", "content": "hi"}]}', VOCABULARY)
    assert limit_of(chat, len(chat.prompts[0]), 100) == 100 - len(chat.prompts[0])


def test_that_fields_without_meaning_here_are_ignored() -> None:
    asked = completion(
        prompt="x", temperature=0, stop=["\n"], seed=1, top_p=0.5, unknown={"a": [1]}, user="u"
    )
    assert asked.stream is False


def test_that_usage_options_count_only_in_a_stream() -> None:
    asked = completion(prompt="x", stream=True, stream_options={"continuous_usage_stats": True})
    assert (asked.include_usage, asked.continuous_usage) == (True, True)
    asked = completion(
        prompt="x", stream=True, stream_options={"include_usage": False, "continuous_usage_stats": True}
    )
    assert (asked.include_usage, asked.continuous_usage) == (False, False)


def test_that_pictures_are_refused() -> None:
    body = {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]}
    with pytest.raises(Refused, match="image_url"):
        read_chat(json.dumps(body).encode(), VOCABULARY)


def status_of(read: Callable[[bytes, int], Asked], data: bytes) -> int:
    try:
        asked = read(data, VOCABULARY)
        for prompt in asked.prompts:
            limit_of(asked, len(prompt), 50)
    except Refused as refusal:
        return refusal.body.error.code
    return 200


@given(st.binary(max_size=60))
def test_that_any_bytes_are_read_or_refused_with_400(data: bytes) -> None:
    assert {status_of(read, data) for read in (read_completion, read_chat)} <= {200, 400}


_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(
    st.dictionaries(
        st.sampled_from(
            ["prompt", "max_tokens", "n", "stream", "stream_options", "priority", "messages", "min_tokens",
             "cache_salt", "logprobs", "return_token_ids", "model"]
        ),
        _json,
    )
)  # fmt: skip
def test_that_any_fields_are_read_or_refused_with_400(body: dict[str, Any]) -> None:
    data = json.dumps(body).encode()
    assert {status_of(read, data) for read in (read_completion, read_chat)} <= {200, 400}
