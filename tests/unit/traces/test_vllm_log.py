"""vLLM's request log of every age, cut or whole, whoever carried it."""

import json
from collections.abc import Callable

import pytest

from workbench.base import Refusal
from workbench.traces import import_trace
from workbench.traces.importers.formats.vllm_log import LoggedPrompt, cut_prompts
from workbench.traces.prompt_texts import PromptBlocks

Write = Callable[..., object]


def received(number: int, second: int, rest: str) -> str:
    return (
        f"(APIServer pid=1) INFO 10-01 10:00:{second:02} [logger.py:49] Received request r-{number}: {rest}"
    )


def params(tokens: int) -> str:
    return f"params: SamplingParams(n=1, max_tokens={tokens}, min_tokens=0), lora_request: None."


def details(number: int, second: int, prompt: str, ids: list[int] | None) -> str:
    return (
        f"(APIServer pid=1) DEBUG 10-01 10:00:{second:02} [logger.py:41] Request r-{number} details: "
        f"prompt: {prompt!r}, prompt_token_ids: {ids}, prompt_embeds shape: None."
    )


def old(number: int, prompt: str, ids: list[int] | None) -> str:
    return (
        f"INFO 10-01 10:00:{number:02} [logger.py:39] Received request r-{number}: prompt: {prompt!r}, "
        f"params: SamplingParams(n=1, max_tokens={100 + number}), prompt_token_ids: {ids}, "
        "lora_request: None."
    )


def lengths(path: object, **options: object) -> list[tuple[float, int, int]]:
    trace = import_trace(path, **options).trace
    return [(row.timestamp, row.input_length, row.output_length) for row in trace.rows()]


@pytest.mark.parametrize("details_first", [True, False])
def test_both_lines_of_a_request_are_joined_by_its_id(write: Write, details_first: bool) -> None:
    lines = []
    for number in range(4):
        pair = [
            details(number, number, "Hello there", list(range(30 + number))),
            received(number, number, params(100 + number)),
        ]
        lines += pair if details_first else pair[::-1]
    path = write("\n".join(lines))
    assert lengths(path) == [(1000 * n, 30 + n, 100 + n) for n in range(4)]
    assert import_trace(path).report.rows_dropped == {}


def test_requests_that_interleave_find_their_own_prompts(write: Write) -> None:
    lines = [
        received(1, 0, params(11)),
        received(2, 1, params(12)),
        details(2, 1, "b", [1, 2]),
        details(1, 1, "a", [1]),
        received(3, 2, params(13)),
    ]
    imported = import_trace(write("\n".join(lines)))
    assert [(row.input_length, row.output_length) for row in imported.trace.rows()] == [(1, 11), (2, 12)]
    assert imported.report.rows_dropped == {"no token counts": 1}


def test_a_log_without_prompts_is_refused_with_what_to_set(write: Write) -> None:
    path = write("\n".join(received(n, n, params(9)) for n in range(3)))
    with pytest.raises(Refusal, match=r"3 received requests and no prompts: .*VLLM_LOGGING_LEVEL=DEBUG"):
        import_trace(path)


def test_prompts_that_were_cut_to_nothing_are_said_to_be(write: Write) -> None:
    path = write("\n".join(old(n, "", []) for n in range(3)))
    with pytest.raises(Refusal, match="only empty prompts: they were cut to nothing"):
        import_trace(path)


def test_a_prompt_that_quotes_the_log_changes_nothing(write: Write) -> None:
    prompt = (
        "prompt_token_ids: [1, 2, 3], params: SamplingParams(max_tokens=7), INFO 10-01 10:00:59 [x.py:1] Hi"
    )
    path = write(
        old(1, prompt, [5, 6]) + "\n" + details(2, 2, prompt, [5]) + "\n" + received(2, 2, params(8))
    )
    assert lengths(path) == [(0, 2, 101), (1000, 1, 8)]


def test_a_text_is_counted_as_the_user_sent_it(write: Write) -> None:
    """Python spells a line end with two characters."""
    path = write("\n".join(old(n, "\n" * 40 + "it's" + '"', None) for n in range(2)))
    imported = import_trace(path, count_tokens=len, keep_text=True)
    assert imported.trace.input_length.tolist() == [45, 45]
    assert imported.texts == ("\n" * 40 + "it's" + '"',) * 2


@pytest.mark.parametrize(
    "carrier",
    [
        lambda line, n: f"vllm-1  | {line}",
        lambda line, n: f"\x1b[0;36m{line.replace(') ', chr(27) + '[0;0m) ', 1)}",
        lambda line, n: f"[pod/vllm-0/vllm] 2026-10-01T12:00:0{n}.25Z {line}",
        lambda line, n: f"vllm-0 vllm {line}",
        lambda line, n: json.dumps(
            {"log": f"{line}\n", "stream": "stderr", "time": f"2026-10-01T12:00:0{n}.25Z"}
        ),
        lambda line, n: f"Oct 01 12:00:0{n} host vllm[3]: {line}",
    ],
)
def test_a_carried_log_is_read_as_the_log_itself(write: Write, carrier: Callable[[str, int], str]) -> None:
    lines = [old(n, "Hello", list(range(20 + n))) for n in range(4)]
    assert lengths(write("\n".join(carrier(line, n) for n, line in enumerate(lines)), "c.log")) == lengths(
        write("\n".join(lines), "p.log")
    )


def test_a_collector_s_finer_times_are_the_arrivals_where_they_agree(write: Write) -> None:
    lines = [f"2026-10-01T08:00:0{n}.{n}00Z {old(n, 'Hello', [1, 2])}" for n in range(4)]
    imported = import_trace(write("\n".join(lines)))
    assert imported.trace.timestamp_ms.tolist() == [0, 1100, 2200, 3300]
    assert any("finer" in str(note) for note in imported.report.notes)
    late = [line.replace(f"08:00:0{n}", "08:07:09") for n, line in enumerate(lines)]
    assert import_trace(write("\n".join(late))).trace.timestamp_ms.tolist() == [0, 1000, 2000, 3000]


def test_a_json_formatter_s_time_is_the_arrival(write: Write) -> None:
    lines = [
        json.dumps(
            {
                "message": f"Received request r{n}: prompt: 'Hi', {params(5)[:-1]}, prompt_token_ids: [1, 2]",
                "levelname": "INFO",
                "asctime": f"2026-10-01 10:00:0{n},500",
            }
        )
        for n in range(3)
    ]
    assert lengths(write("\n".join(lines))) == [(0, 2, 5), (1000, 2, 5), (2000, 2, 5)]


def prompt(characters: int | None, ids: int | None) -> LoggedPrompt:
    return LoggedPrompt(tokens=ids, kept=PromptBlocks(()), characters=characters, ids=ids)


@pytest.mark.parametrize(
    ("prompts", "cut"),
    [
        # Text and ids end at the same length.
        ([(100, 100)] * 3, (3, 100)),
        ([(777, 777), (777, 777), (60, 15)], (2, 777)),
        # Of a text that was cut the ids are whole where they are fewer.
        ([(1000, 250), (1000, 260), (1000, 1000), (1000, 1000)], (2, 1000)),
        # A round length of ids or of texts alone.
        ([(None, 256)] * 4, (4, 256)),
        ([(512, None)] * 3 + [(90, None)], (3, 512)),
        # Text longer than all ids: nothing was cut.
        ([(4000, 1024), (4100, 1024), (4200, 1024)], None),
        ([(None, 251), (None, 251), (None, 90)], None),
        ([(18, None)] * 5, None),
        ([(100, 100)], None),
        ([], None),
    ],
)
def test_a_prompt_that_was_cut_shows_by_its_length(
    prompts: list[tuple[int | None, int | None]], cut: tuple[int, int] | None
) -> None:
    assert cut_prompts([prompt(*each) for each in prompts]) == cut


def test_cut_prompts_are_warned_of_as_lower_bounds(write: Write) -> None:
    text = "\n".join(old(n, f"w{n % 10} " * 33 + "x", list(range(100))) for n in range(12))
    report = import_trace(write(text)).report
    assert any("12 of 12 prompts look cut (--max-log-len)" in str(each) for each in report.to_act_on)
