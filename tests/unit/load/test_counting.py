"""How tokens are counted: what usage means is decided by what the counts of the stream do."""

from typing import Any

import numpy as np
import pytest

from tests.unit.load.answers import HEAD, TAIL, chat, chunk, completion, event, usage
from workbench.load.response import Response

NO_COUNT = chat({"content": "a"})
ROLE = chat({"role": "assistant", "content": ""})


def with_usage(value: dict[str, Any], prompt: object, count: object) -> dict[str, Any]:
    return value | {"usage": {"prompt_tokens": prompt, "completion_tokens": count}}


def heard(*values: Any, whole: bool = True) -> Response:
    """A stream whose n-th event comes 50 n ms after its head, and its end at once after the last."""
    reply = Response()
    reply.read(0.0, HEAD)
    for number, value in enumerate(values, 1):
        reply.read(number * 0.05, chunk(event(value)))
    if whole:
        reply.read(len(values) * 0.05 + 0.001, chunk(b"data: [DONE]\n\n") + TAIL)
    else:
        reply.end(len(values) * 0.05)
    reply.settle()
    return reply


def gap_tokens(reply: Response) -> list[int]:
    gaps = len(reply.tokens.gaps_ms()) // 4
    stored = reply.tokens.gap_tokens()
    return np.frombuffer(stored, "<u2").tolist() if stored else [1] * gaps


EIGHT = [chat({"content": "a"}) for _ in range(8)]
EIGHT_OF_ZERO = [with_usage(chat({"content": "a"}), 0, 0) for _ in range(8)]
FINISH = chat({}, None, "length")

FINAL_COUNTS = {
    "beside the choice that ends": [ROLE, *EIGHT, with_usage(FINISH, 16, 8)],
    "beside the last output": [ROLE, *EIGHT[:7], with_usage(chat({"content": "a"}, None, "length"), 16, 8)],
    "beside an empty choice after the end": [ROLE, *EIGHT, FINISH, with_usage(chat({}), 16, 8)],
    "twice": [ROLE, *EIGHT, with_usage(FINISH, 16, 8), with_usage({"choices": []}, 16, 8)],
    "null until the end": [*({**value, "usage": None} for value in EIGHT), with_usage(FINISH, 16, 8)],
    "zeros until the end": [with_usage(ROLE, 0, 0), *EIGHT_OF_ZERO, with_usage(FINISH, 16, 8)],
    "zeros, and the count with the last output": [
        *EIGHT_OF_ZERO[:7],
        with_usage(chat({"content": "a"}, None, "length"), 16, 8),
    ],
    "zeros of output beside the prompt's length": [
        *(with_usage(chat({"content": "a"}), 16, 0) for _ in range(8)),
        with_usage(FINISH, 16, 8),
    ],
    "the count of the whole beside every event": [with_usage(value, 16, 8) for value in (*EIGHT, FINISH)],
    "one at the start, all at the end": [with_usage(ROLE, 16, 1), *EIGHT, with_usage(FINISH, 16, 8)],
    "a running count that lags by one": [
        *(with_usage(chat({"content": "a"}), 16, count) for count in range(8)),
        with_usage({"choices": []}, 16, 8),
    ],
    "counts that go back": [
        *(with_usage(chat({"content": "a"}), 16, count) for count in (1, 2, 3, 1, 2, 3, 1, 2)),
        with_usage(FINISH, 16, 8),
    ],
    "usage alone": [ROLE, *EIGHT, FINISH, usage(8)],
}


@pytest.mark.parametrize("name", FINAL_COUNTS)
def test_that_a_count_of_the_whole_is_no_running_count(name: str) -> None:
    reply = heard(*FINAL_COUNTS[name])
    assert (reply.counted_by, reply.tokens.total, reply.completion_tokens) == ("usage", 8, 8)
    assert reply.tokens.first_count == 1
    assert gap_tokens(reply) == [1] * 7
    assert np.frombuffer(reply.tokens.gaps_ms(), "<f4") == pytest.approx([50.0] * 7)


RUNNING = {
    "one each": ([1, 2, 3, 4], [1, 1, 1]),
    "several each": ([2, 5, 9, 16], [3, 4, 7]),
    "one, then many": ([1, 16], [15]),
    "a last event without a new one": ([1, 2, 4, 4], [1, 2]),
}


@pytest.mark.parametrize("name", RUNNING)
def test_that_a_count_that_rises_with_the_output_is_running(name: str) -> None:
    counts, expected = RUNNING[name]
    values = [with_usage(chat({"content": "a"}), 16, count) for count in counts]
    reply = heard(with_usage(ROLE, 16, 0), *values, usage(counts[-1]))
    assert reply.counted_by == "continuous"
    assert (reply.tokens.first_count, gap_tokens(reply)) == (counts[0], expected)
    assert reply.tokens.total == counts[-1]


@pytest.mark.parametrize("ending", ["after the choices", "beside the choice that ends"])
def test_that_tokens_of_an_event_are_unknown_where_the_count_is_not_that_of_the_events(ending: str) -> None:
    end = [FINISH, usage(20)] if ending == "after the choices" else [with_usage(FINISH, 16, 20)]
    reply = heard(ROLE, *EIGHT, *end)
    assert (reply.counted_by, reply.tokens.total) == ("usage", 20)
    assert gap_tokens(reply) == [0] * 7
    assert reply.tokens.last == pytest.approx(0.45)


@pytest.mark.parametrize("values", [EIGHT, EIGHT_OF_ZERO], ids=["no usage", "usage of zeros"])
def test_that_without_a_count_the_tokens_of_an_event_are_unknown(values: list[Any]) -> None:
    reply = heard(*values, FINISH if values is EIGHT else with_usage(FINISH, 0, 0))
    assert (reply.counted_by, reply.tokens.total) == ("events", 8)
    assert (reply.prompt_tokens, reply.completion_tokens) == (None, None)
    assert gap_tokens(reply) == [0] * 7


def test_that_zeros_after_a_running_count_take_nothing_back() -> None:
    values = [with_usage(chat({"content": "a"}), 16, count) for count in (1, 2, 3)]
    reply = heard(*values, with_usage(FINISH, 0, 0) | {"choices": []})
    assert (reply.counted_by, reply.completion_tokens, reply.prompt_tokens) == ("continuous", 3, 16)


def test_that_an_answer_without_output_has_no_tokens() -> None:
    reply = heard(ROLE, with_usage(FINISH, 16, 0))
    assert (reply.completion_tokens, reply.tokens.total, reply.tokens.first) == (0, 0, None)


def test_that_tokens_of_which_nothing_was_seen_have_no_times() -> None:
    reply = heard(ROLE, *[chat({"content": ""}) for _ in range(4)], with_usage(FINISH, 16, 8))
    assert (reply.completion_tokens, reply.tokens.first, reply.tokens.total) == (8, None, 8)


def test_that_a_stream_cut_off_keeps_its_running_count() -> None:
    reply = heard(*[with_usage(chat({"content": "a"}), 16, count) for count in (2, 4, 6)], whole=False)
    assert (reply.counted_by, reply.tokens.total, gap_tokens(reply)) == ("continuous", 6, [2, 2])


@pytest.mark.parametrize("count", [8.0, "8"])
def test_that_counts_written_as_floats_or_text_are_counts(count: object) -> None:
    reply = heard(*EIGHT, with_usage(FINISH, 16.0, count))
    assert (reply.completion_tokens, reply.prompt_tokens, gap_tokens(reply)) == (8, 16, [1] * 7)
    assert reply.broken is None


@pytest.mark.parametrize("count", [8.5, "eight", True, [8], None])
def test_that_what_is_no_count_is_unknown_and_costs_no_answer(count: object) -> None:
    reply = heard(*EIGHT, with_usage(FINISH, 16, count))
    assert (reply.completion_tokens, reply.prompt_tokens, reply.broken) == (None, 16, None)


OUTPUT = {
    "reasoning_details": [{"type": "reasoning.text", "text": "a", "index": 0}],
    "reasoning_text": "a",
    "thinking_blocks": [{"type": "thinking", "thinking": "a", "signature": ""}],
    "audio": {"id": "audio_1", "data": "AAAA"},
    "images": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}],
    "reasoning": {"content": "a"},
}


@pytest.mark.parametrize("member", OUTPUT)
def test_that_whatever_the_model_generated_is_output(member: str) -> None:
    reply = heard(ROLE, *[chat({"content": "", member: OUTPUT[member]}) for _ in range(4)], FINISH, usage(4))
    assert reply.tokens.first == pytest.approx(0.1)
    assert (reply.tokens.total, gap_tokens(reply)) == (4, [1, 1, 1])


@pytest.mark.parametrize(
    "delta",
    [
        {"role": "assistant", "content": "", "id": "msg_1", "name": "a"},
        {"content": [{"type": "text", "text": ""}]},
        {"audio": {"id": "audio_1", "expires_at": 1780000000}},
        {"reasoning_details": [{"type": "reasoning.text", "text": "", "signature": "abc"}]},
        {"content": None, "annotations": [{"type": "url", "url": "x"}]},
    ],
)
def test_that_what_only_describes_a_message_is_no_output(delta: dict[str, Any]) -> None:
    reply = heard(chat(delta), *EIGHT, FINISH, usage(8))
    assert reply.tokens.first == pytest.approx(0.1)
    assert reply.tokens.total == 8


def test_that_a_cancelling_count_is_not_that_of_the_whole_answer() -> None:
    reply = Response()
    reply.read(0.0, HEAD)
    for number in range(1, 4):
        reply.read(number * 0.05, chunk(event(with_usage(chat({"content": "a"}), 16, 100))))
        assert reply.received == number
    running = Response()
    running.read(0.0, HEAD)
    for number, count in enumerate((1, 4, 8), 1):
        running.read(number * 0.05, chunk(event(completion("a", count))))
        assert running.received == count
