import json
from typing import Any

import numpy as np
import pytest

from tests.unit.load.playing import rows
from workbench.load import LoadOptions, Target
from workbench.load.messages import LoadRequest
from workbench.load.request_body import BodyBuilder, columns_of
from workbench.load.split_work import requests_of
from workbench.traces import PromptBuilder, Trace, TraceRow, open_loop, synthetic_trace

OPTIONS = LoadOptions(seed=3, vocab_size=5000)


def _built(
    trace: Trace, index: int = 0, options: LoadOptions = OPTIONS, **target: Any
) -> tuple[bytes, dict[str, Any], LoadRequest]:
    request = requests_of(trace, open_loop(trace, rate=1.0, arrivals="constant"), options)[index]
    whole = Target(url="http://h:1", model="m", **target)
    sent = BodyBuilder(whole, options, columns_of(trace), "run").whole(request)
    head, body = sent.split(b"\r\n\r\n", 1)
    assert f"Content-Length: {len(body)}".encode() in head
    return head, json.loads(body), request


def test_that_prompts_are_those_of_the_prompt_builder_in_every_worker() -> None:
    trace = Trace.from_rows(
        [
            TraceRow(timestamp=i, input_length=9000, output_length=4, hash_ids=(7, 2**63 + i))
            for i in range(2)
        ],
        block_tokens=512,
    )
    for index in range(2):
        _, body, _ = _built(trace, index)
        expected = PromptBuilder(5000, 3, 512).token_ids(trace, index).tolist()
        assert body["prompt"] == expected


def test_that_shared_prefixes_stay_shared_as_text() -> None:
    trace = Trace.from_rows(
        [TraceRow(timestamp=i, input_length=100, output_length=4, hash_ids=(7, 8 + i)) for i in range(2)],
        block_tokens=64,
    )
    texts = [_built(trace, i, endpoint="chat")[1]["messages"][0]["content"].split() for i in range(2)]
    assert [len(text) for text in texts] == [100, 100]
    assert texts[0][:64] == texts[1][:64]
    assert texts[0][64:] != texts[1][64:]


def test_that_text_can_be_asked_for_on_completions() -> None:
    options = LoadOptions(input_mode="text")
    _, body, _ = _built(synthetic_trace(20, 4, 1), options=options)
    assert len(body["prompt"].split()) == 20


def test_that_priority_salt_and_more_fields_are_carried() -> None:
    trace = Trace.from_rows(rows(1, priority=5))
    options = LoadOptions(
        cache_salt="s", extra_body={"temperature": 0.7, "top_p": 0.9}, continuous_usage=False
    )
    _, body, _ = _built(trace, options=options)
    assert (body["priority"], body["cache_salt"], body["temperature"], body["top_p"]) == (5, "s", 0.7, 0.9)
    assert body["stream_options"] == {"include_usage": True}
    assert "priority" not in _built(synthetic_trace(20, 4, 1))[1]


def test_that_the_head_names_host_key_and_request() -> None:
    head, _, _ = _built(synthetic_trace(20, 4, 1), api_key="k")
    lines = head.decode().split("\r\n")
    assert lines[0] == "POST /v1/completions HTTP/1.1"
    assert {"Host: h:1", "Authorization: Bearer k", "X-Request-Id: run-0"} <= set(lines)


def test_that_a_long_prompt_is_built_in_short_pieces() -> None:
    trace = synthetic_trace(100_000, 4, 1)
    request = requests_of(trace, open_loop(trace, rate=1.0, arrivals="constant"), OPTIONS)[0]
    builder = BodyBuilder(Target(url="http://h", model="m"), OPTIONS, columns_of(trace), "run")
    pieces = list(builder.pieces(request))
    assert len(pieces) > 20
    assert not any(pieces[:-1])
    assert len(json.loads(pieces[-1].split(b"\r\n\r\n", 1)[1])["prompt"]) == 100_000


@pytest.mark.parametrize("vocab_size", [None, 200, 150_000])
def test_that_ids_lie_within_the_vocabulary(vocab_size: int | None) -> None:
    _, body, _ = _built(synthetic_trace(500, 4, 1), options=LoadOptions(vocab_size=vocab_size))
    ids = np.array(body["prompt"])
    assert ids.min() >= 100
    assert ids.max() < (vocab_size or 2048)
