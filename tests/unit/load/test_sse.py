import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.load.stream_chunks import EventSplitter, EventTooLongError


def _split(pieces: list[bytes]) -> list[bytes]:
    splitter = EventSplitter()
    events = [payload for piece in pieces for payload in splitter.feed(piece)]
    return events + splitter.finish()


def _cut(data: bytes, places: list[int]) -> list[bytes]:
    bounds = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[a:b] for a, b in itertools.pairwise(bounds)]


def test_that_one_event_a_read_gives_its_payload() -> None:
    assert _split([b'data: {"a":1}\n\n', b"data: [DONE]\n\n"]) == [b'{"a":1}', b"[DONE]"]


def test_that_several_events_in_one_read_all_come_out() -> None:
    assert _split([b"data: 1\n\ndata: 2\n\ndata: 3\n\n"]) == [b"1", b"2", b"3"]


def test_that_comments_and_other_fields_are_passed_over() -> None:
    assert _split([b": keep-alive\n\nevent: x\nid: 5\nretry: 10\ndata: 1\n\n: more\n\n"]) == [b"1"]


def test_that_data_lines_of_one_event_are_joined_by_newlines() -> None:
    assert _split([b"data: a\ndata:b\ndata\n\n"]) == [b"a\nb\n"]


def test_that_only_one_space_after_the_colon_is_taken_off() -> None:
    assert _split([b"data:  a\n\n"]) == [b" a"]


def test_that_a_byte_order_mark_at_the_start_is_no_part_of_the_first_line() -> None:
    assert _split([b"\xef", b"\xbb\xbfda", b"ta: 1\n\n"]) == [b"1"]


def test_that_an_event_without_its_last_blank_line_counts_at_the_end() -> None:
    assert _split([b"data: 1\n\ndata: [DONE]"]) == [b"1", b"[DONE]"]


def test_that_utf8_cut_between_reads_stays_whole() -> None:
    text = 'data: {"text":"é🙂"}\n\n'.encode()
    for place in range(len(text) + 1):
        assert _split([text[:place], text[place:]]) == [text[6:-2]]


_payload = st.binary(min_size=1, max_size=40).map(lambda b: b.replace(b"\r", b"x").replace(b"\n", b"y"))
_line_end = st.sampled_from([b"\n", b"\r\n", b"\r"])


@given(
    st.lists(st.tuples(_payload, _line_end, st.booleans()), max_size=8),
    st.lists(st.integers(0, 4000), max_size=30),
)
def test_that_events_are_the_same_wherever_the_bytes_are_cut(
    parts: list[tuple[bytes, bytes, bool]], places: list[int]
) -> None:
    data = b""
    for payload, end, comment in parts:
        data += (b": ping" + end + end if comment else b"") + b"data: " + payload + end + end
    assert _split(_cut(data, places)) == [payload for payload, _, _ in parts]


@given(st.binary(max_size=60), st.lists(st.integers(0, 100), max_size=10))
def test_that_any_bytes_give_the_same_events_cut_or_whole(data: bytes, places: list[int]) -> None:
    assert _split(_cut(data, places)) == _split([data])


@given(st.lists(st.sampled_from([b"data: 1\n\n", b"\n", b"\r", b"data: ", b"x", b":", b"data"]), max_size=12))
def test_that_the_quick_path_and_the_careful_one_agree(pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    assert _split(pieces) == _split([data[i : i + 1] for i in range(len(data))])


def test_that_a_line_without_an_end_is_refused_before_it_fills_the_memory() -> None:
    splitter = EventSplitter()
    mebibyte = b"x" * (1 << 20)
    assert splitter.feed(b"data: ") == []
    with pytest.raises(EventTooLongError):
        [splitter.feed(mebibyte) for _ in range(10)]


def test_that_an_event_of_endless_lines_is_refused() -> None:
    splitter = EventSplitter()
    lines = (b"data: " + b"y" * 100 + b"\n") * 1000
    with pytest.raises(EventTooLongError):
        [splitter.feed(lines) for _ in range(100)]


def test_that_a_long_line_in_many_pieces_is_one_event() -> None:
    splitter = EventSplitter()
    pieces = [b"data: ", *([b"z" * 1000] * 1000), b"\n\n"]
    assert [event for piece in pieces for event in splitter.feed(piece)] == [b"z" * 1_000_000]
    assert splitter.between
