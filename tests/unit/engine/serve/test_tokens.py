"""The toy tokeniser and the deterministic answers."""

from hypothesis import given
from hypothesis import strategies as st

from workbench.engine.server.blockkeys import BlockKeys
from workbench.engine.server.tokens import encode_chat, encode_text, output_token, prompt_seed, word, words

VOCABULARY = 128256


@given(st.text(max_size=200))
def test_that_text_costs_at_most_a_token_for_each_byte_and_never_a_special_one(text: str) -> None:
    ids = encode_text(text, VOCABULARY)
    size = len(text.encode("utf-8", "surrogatepass"))
    assert len(ids) <= size
    assert bool(ids) == bool(text)
    assert all(0 <= token < VOCABULARY for token in ids)


def test_that_plain_text_costs_a_token_for_each_started_four_bytes() -> None:
    assert len(encode_text("The quick brown fox, 42 times!", VOCABULARY)) == 8
    assert (
        encode_text("The quick brown fox", VOCABULARY)[:4]
        == encode_text("The quick brown cat", VOCABULARY)[:4]
    )


@given(st.lists(st.integers(100, VOCABULARY - 1), min_size=1, max_size=30))
def test_that_an_answers_text_gives_its_tokens_back(tokens: list[int]) -> None:
    assert encode_text(words(tokens), VOCABULARY) == tokens


@given(st.integers(0, 10_000_000), st.integers(0, 10_000_000))
def test_that_two_tokens_never_read_alike(one: int, other: int) -> None:
    assert (word(one) == word(other)) == (one == other)


def test_that_a_chat_keeps_its_earlier_turns_as_a_prefix() -> None:
    first = encode_chat([("user", "hi there")], VOCABULARY)
    answer = [50_000, 60_000, 70_000]
    second = encode_chat([("user", "hi there"), ("assistant", words(answer)), ("user", "more")], VOCABULARY)
    assert second[: len(first) + len(answer)] == first + answer


@given(st.integers(0, 2**32 - 1), st.integers(0, 200_000), st.integers(1, 300_000))
def test_that_outputs_lie_in_the_vocabulary_and_above_the_special_ids(
    seed: int, index: int, size: int
) -> None:
    token = output_token(seed, index, size)
    assert 0 <= token < size
    assert token >= 100 or size <= 100
    assert token == output_token(seed, index, size)


def test_that_the_seed_follows_from_the_prompt() -> None:
    assert prompt_seed([1, 2, 3]) == prompt_seed([1, 2, 3])
    assert prompt_seed([1, 2, 3]) != prompt_seed([1, 2, 4])


@given(
    st.lists(st.integers(100, 105), min_size=1, max_size=40),
    st.lists(st.integers(100, 105), min_size=1, max_size=40),
    st.integers(1, 6),
)
def test_that_block_keys_are_equal_exactly_when_all_tokens_before_are(
    one: list[int], other: list[int], block: int
) -> None:
    def sequence(prompt: list[int]) -> list[int]:
        return prompt + [output_token(7, k, VOCABULARY) for k in range(9)]

    ours, theirs = (
        BlockKeys(one, 9, 7, VOCABULARY, block, None),
        BlockKeys(other, 9, 7, VOCABULARY, block, None),
    )
    assert len(ours) == (len(one) + 9) // block
    for k in range(min(len(ours), len(theirs))):
        end = (k + 1) * block
        assert (ours[k] == theirs[k]) == (sequence(one)[:end] == sequence(other)[:end])


def test_that_a_salt_makes_other_keys_and_that_they_are_a_sequence() -> None:
    plain, salted = BlockKeys([100] * 8, 1, 0, 200, 4, None), BlockKeys([100] * 8, 1, 0, 200, 4, "s")
    assert list(plain) != list(salted)
    assert plain[0:2] == [plain[0], plain[1]]
    assert len(list(plain)) == 2
