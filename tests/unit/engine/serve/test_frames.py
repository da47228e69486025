"""What the two processes say to each other, however the bytes are cut."""

from hypothesis import given
from hypothesis import strategies as st

from workbench.engine.server.frames import (
    Abort,
    Add,
    EngineReady,
    FinishedRequest,
    Frame,
    Hello,
    Outputs,
    Splitter,
    Timing,
    decode_to_engine,
    decode_to_front,
    encode,
)


def test_that_messages_come_back_as_they_were_sent() -> None:
    add = Add(3, "cmpl-1-0-ab", [101, 102], 16, 1.5, 1.7e9, 42, -1, "salt")
    outputs = Outputs([3], [7], [(3, 16)], [FinishedRequest(3, "length", Timing(1.0, 1.0, 1.1, 1.2))])
    split = Splitter()
    assert [decode_to_engine(body) for body in split.feed(encode(add) + encode(Abort([3], 2.0)))] == [
        add,
        Abort([3], 2.0),
    ]
    assert [decode_to_front(body) for body in split.feed(encode(Hello("x")) + encode(outputs))] == [
        Hello("x"),
        outputs,
    ]


@given(st.lists(st.text(max_size=20), max_size=8), st.lists(st.integers(1, 40), min_size=1))
def test_that_any_cutting_of_the_stream_gives_the_same_messages(texts: list[str], cuts: list[int]) -> None:
    messages: list[Frame] = [Hello(text) for text in texts] + [EngineReady()]
    data = b"".join(encode(message) for message in messages)
    split, got, at, turn = Splitter(), [], 0, 0
    while at < len(data):
        size = cuts[turn % len(cuts)]
        got += [decode_to_front(body) for body in split.feed(data[at : at + size])]
        at, turn = at + size, turn + 1
    assert got == messages
