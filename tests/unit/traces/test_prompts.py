"""Prompt tokens follow from descriptors by a documented rule, pinned by a golden vector file."""

import hashlib
import json
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base import InputError
from workbench.traces import PROMPT_BUILDER_VERSION, PromptBuilder, Trace, TraceRow, synthetic_trace

GOLDEN = Path(__file__).parents[2] / "data" / "traces" / "prompt_tokens.golden.json"
M = 2**64


def trace_of(*prompts: tuple[int, tuple[int, ...] | None], block_tokens: int = 4) -> Trace:
    rows = [
        TraceRow(timestamp=i, input_length=length, output_length=1, hash_ids=ids)
        for i, (length, ids) in enumerate(prompts)
    ]
    return Trace.from_rows(rows, block_tokens=block_tokens)


def plain_tokens(vocab: int, seed: int, trace: Trace, row: int, cycle: int = 0) -> list[int]:
    """The documented rule once more, in plain integers."""

    def mix(z: int) -> int:
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % M
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % M
        return z ^ (z >> 31)

    def chain(*words: int) -> int:
        state = 0
        for word in words:
            state = mix((state + word + 0x9E3779B97F4A7C15) % M)
        return state

    block, tokens = trace.header.block_tokens, []
    ids = trace.hash_ids(row).tolist()
    for j in range(int(trace.input_length[row])):
        k, within = divmod(j, block)
        key = chain(seed, 1, ids[k]) if k < len(ids) else chain(seed, 2, row, cycle, k)
        x = mix((key + (within + 1) * 0x9E3779B97F4A7C15) % M)
        tokens.append(100 + x % (vocab - 100))
    return tokens


def golden_trace() -> Trace:
    return trace_of((10, (7, 2**64 - 1, 3)), (9, (7, 2**64 - 1, 5)), (6, None), (13, (7,)))


def test_that_tokens_are_those_of_the_golden_vector_file():
    golden = json.loads(GOLDEN.read_text())
    assert golden["prompt_builder_version"] == PROMPT_BUILDER_VERSION
    trace = golden_trace()
    for vector in golden["vectors"]:
        builder = PromptBuilder(vector["vocab_size"], vector["seed"], trace.header.block_tokens)
        tokens = builder.token_ids(trace, vector["row"], vector["cycle"])
        assert tokens.tolist() == vector["token_ids"]


def test_that_a_long_prompt_has_its_golden_digest():
    golden = json.loads(GOLDEN.read_text())
    tokens = PromptBuilder(128_256, 1, 512).token_ids(synthetic_trace(100_000, 1, 1), 0)
    assert hashlib.sha256(tokens.astype("<i8").tobytes()).hexdigest() == golden["synthetic_100000_sha256"]


@given(
    length=st.integers(1, 40),
    ids=st.lists(st.integers(0, M - 1), max_size=12),
    seed=st.integers(0, M),
    vocab=st.integers(101, 300_000),
    cycle=st.integers(0, 5),
)
def test_that_tokens_follow_the_documented_rule(length, ids, seed, vocab, cycle):
    trace = trace_of((length, tuple(ids) or None))
    tokens = PromptBuilder(vocab, seed, 4).token_ids(trace, 0, cycle)
    assert tokens.dtype == np.int64
    assert tokens.tolist() == plain_tokens(vocab, seed, trace, 0, cycle)
    assert tokens.min() >= 100
    assert tokens.max() < vocab


def test_that_equal_leading_ids_give_equal_leading_blocks_and_no_more():
    trace = golden_trace()
    builder = PromptBuilder(128_256, 1, 4)
    first, second, _, third = (builder.token_ids(trace, row) for row in range(4))
    assert first[:8].tolist() == second[:8].tolist()
    assert first[8] != second[8]
    assert third[:4].tolist() == first[:4].tolist()
    assert third[4:8].tolist() != first[4:8].tolist()


def test_that_prompts_without_ids_are_unique_to_row_and_cycle():
    trace = synthetic_trace(64, 1, 3)
    builder = PromptBuilder(128_256, 1, 512)
    prompts = {tuple(builder.token_ids(trace, row, cycle).tolist()) for row in range(3) for cycle in range(3)}
    assert len(prompts) == 9


def test_that_a_signed_id_and_its_unsigned_twin_mean_the_same_block():
    signed, unsigned = trace_of((4, (-1,))), trace_of((4, (M - 1,)))
    builder = PromptBuilder(None, 1, 4)
    assert builder.token_ids(signed, 0).tolist() == builder.token_ids(unsigned, 0).tolist()


def test_that_a_vocabulary_of_special_tokens_only_is_refused():
    with pytest.raises(InputError, match="vocabulary of 100 tokens"):
        PromptBuilder(100, 1, 512)


@pytest.mark.parametrize("block_tokens", [16, 512])
def test_that_a_hundred_thousand_tokens_take_under_two_milliseconds(block_tokens):
    trace = synthetic_trace(100_000, 1, 1)
    builder = PromptBuilder(128_256, 1, block_tokens)
    times = []
    for _ in range(30):
        begin = time.perf_counter()
        builder.token_ids(trace, 0)
        times.append(time.perf_counter() - begin)
    assert min(times) < 0.002
