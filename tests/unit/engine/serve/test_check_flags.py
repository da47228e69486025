"""The user's words of an embedded engine are checked before a start."""

import pytest

from workbench.base import InputError
from workbench.engine.server.check_flags import check_extra_flags

OURS = ("--profile", "h100_sxm/Llama-3.1-8B/tp1", "--max-num-seqs", "16")


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        (["--bogus", "3"], "unrecognized arguments: --bogus 3"),
        (["stray"], "unrecognized arguments: stray"),
        (["--help"], "unrecognized arguments: --help"),
        (["--block-size", "abc"], "invalid int value: 'abc'"),
        (["--served-model-name"], "expected at least one argument"),
        (["--vocab-size", "0"], "--vocab-size: 0"),
        (["--stream-interval", "0"], "stream_interval: "),
        (["--max-model-len", "100000000"], "max seq len (100000000)"),
        (["--max-num-batched-tokens", "8"], "max_num_seqs"),
    ],
)
def test_that_a_word_that_would_end_the_start_is_refused(extra: list[str], words: str) -> None:
    with pytest.raises(InputError) as refused:
        check_extra_flags(OURS, extra)
    assert str(refused.value).startswith("[target] args: ")
    assert words in str(refused.value)


@pytest.mark.parametrize("extra", [[], ["--vocab-size", "1000"], ["--no-enable-per-request-metrics"]])
def test_that_good_words_pass(extra: list[str]) -> None:
    check_extra_flags(OURS, extra)
