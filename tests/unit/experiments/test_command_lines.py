"""Every `limit` line is answered; a line without an end blocks nothing."""

import asyncio
import os
import threading

import pytest

from workbench.experiments.run.channel import (
    MOST_LINE,
    BoundedLines,
    IgnoredLines,
    UserRequests,
    command_of,
    read_commands,
)
from workbench.experiments.run.events import Event, LiveLimitChanged, Notice, decode_event, encode_event


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        (b'{"command": "limit", "name": "max_num_seqs", "value": 8}', "max_num_seqs", 8),
        (b'{"command": "limit", "name": "max_num_seqs", "value": NaN}', "max_num_seqs", "nan"),
        (b'{"command": "limit", "name": "max_num_seqs", "value": 1e400}', "max_num_seqs", "inf"),
        (b'{"command": "limit", "name": 5, "value": 8}', "5", 8),
        (b'{"command": "limit", "name": "\\ud800", "value": 5}', "\\ud800", 5),
        (b'{"command": "limit", "name": "a", "value": "\\ud800"}', "a", "\\ud800"),
        (b'{"command": "limit", "name": "a", "value": ["\\ud800"]}', "a", "['\\ud800']"),
        (b'{"command": "limit", "name": "a\xff", "value": 5}', "a\N{REPLACEMENT CHARACTER}", 5),
        (b'{"command": "limit", "name": "a", "value": ' + b"9" * 5000 + b"}", "a", "9" * 200 + "…"),
        (
            b'{"command": "limit", "name": "a", "value": ' + b"[" * 500 + b"]" * 500 + b"}",
            "a",
            "[" * 200 + "…",
        ),
        (
            b'{"command": "limit", "name": "a", "value": ' + b"[" * 30000 + b"]" * 30000 + b"}",
            "a",
            "brackets nested too deep to be read",
        ),
        (b'{"command": "limit", "name": "' + b"n" * 60000 + b'", "value": 5}', "n" * 200 + "…", 5),
    ],
)
def test_that_every_limit_line_is_a_command(line: bytes, name: str, value: object) -> None:
    command = command_of(line)
    assert command is not None
    assert (command.command, command.name, command.value) == ("limit", name, value)
    event = LiveLimitChanged(
        run=None,
        run_t=None,
        name=name,
        asked=value,
        old=None,
        new=None,
        accepted=False,
        refusal="",
        by="user",
    )
    assert decode_event(encode_event(event)) == event


@pytest.mark.parametrize("line", [b"", b"stop", b"[1]", b'{"command": 5}', b"[" * 30000])
def test_that_what_is_no_command_is_none(line: bytes) -> None:
    assert command_of(line) is None


def test_that_a_line_without_bounds_is_dropped_and_the_next_is_taken(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = BoundedLines()
    taken = [line for _ in range(2 * MOST_LINE // 4096) for line in lines.feed(b"x" * 4096)]
    assert taken == []
    assert lines.feed(b"x\nsh") == []
    assert lines.feed(b"ort\n") == [b"short"]
    assert capsys.readouterr().err.count("is ignored") == 1


def test_that_lines_that_are_no_commands_are_told_once_a_second_with_their_number() -> None:
    told: list[Event] = []
    ignored = IgnoredLines(told.append)
    for at in (5.0, 5.1, 5.9, 6.0, 6.5):
        ignored.add(at)
    texts = [event.text for event in told if isinstance(event, Notice)]
    assert [text.partition(",")[0] for text in texts] == [
        "ignored on standard input: 1 line",
        "ignored on standard input: 3 lines",
    ]


@pytest.mark.parametrize("line", [b"nonsense", b'{"command": "explode"}', b"[1]"])
def test_that_a_line_that_asks_nothing_known_is_answered_by_an_event_and_the_next_is_taken(
    line: bytes,
) -> None:
    told: list[Event] = []
    reading, writing = os.pipe()

    async def listen() -> bool:
        requests = UserRequests()
        read_commands(requests, told.append, reading)
        os.write(writing, line + b'\n\n{"command": "stop"}\n')
        await requests.stop.wait()
        return requests.stop.is_set()

    try:
        assert asyncio.run(listen())
    finally:
        # The thread ends with its input; only then may its descriptor go.
        os.close(writing)
        for thread in threading.enumerate():
            if thread.name == "commands":
                thread.join(10)
        os.close(reading)
    (event,) = told
    assert isinstance(event, Notice)
    assert (event.level, event.text.partition(",")[0]) == ("warning", "ignored on standard input: 1 line")
