"""Bytes become lines whatever pieces they come in, and no line can fill the memory."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from workbench.servers.child import MAX_LINE, LineSplitter


def split(pieces: list[bytes]) -> list[str]:
    splitter = LineSplitter()
    lines = [line for piece in pieces for line in splitter.feed(piece)]
    return lines + splitter.end()


@given(st.binary(max_size=400), st.lists(st.integers(0, 400), max_size=6))
def test_that_the_pieces_do_not_matter(data: bytes, cuts: list[int]) -> None:
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    pieces = [data[begin:end] for begin, end in pairwise(places)]
    text = data.decode(errors="replace").replace("\r", "\n")
    assert split(pieces) == [line for line in text.split("\n") if line.strip()]


def test_that_a_progress_bar_gives_a_line_each_time_it_moves() -> None:
    assert split([b"\rLoading  0%\rLoading 50", b"%\rLoading 100%\n\ndone"]) == [
        "Loading  0%",
        "Loading 50%",
        "Loading 100%",
        "done",
    ]


def test_that_an_endless_line_is_cut_and_the_next_one_is_whole() -> None:
    lines = split([b"x" * 20_000] * 10 + [b"\nnext\n"])
    assert [len(lines[0]), *lines[1:]] == [MAX_LINE, "next"]
    assert [len(line) for line in split([b"y" * 100_000 + b"\nnext\n"])] == [MAX_LINE, 4]
