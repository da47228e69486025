"""A log reads the same whoever carried it: colors and collectors' marks change nothing."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.vllm_dialect import FailureReader, rendezvous_file, split_line
from workbench.vllm_dialect.log_prefix import PrefixStripper, join_lines, strip_prefix, without_colors

Carrier = Callable[[str], str]


def colored(line: str) -> str:
    """As vLLM colors the process and the level."""
    if not line.startswith("("):
        return line
    process, _, rest = line.partition(") ")
    return f"\x1b[1;36m{process})\x1b[0;0m {rest.replace('INFO', chr(27) + '[32mINFO' + chr(27) + '[0m', 1)}"


CARRIERS: dict[str, Carrier] = {
    "colors": colored,
    "colors whose escape was lost": lambda line: colored(line).replace("\x1b", ""),
    "docker compose": lambda line: f"vllm-1  | {line}",
    "docker compose, colored": lambda line: f"\x1b[33mvllm-1  | \x1b[0m{colored(line)}",
    "docker service": lambda line: f"vllm.1.x8k2@node-3    | {line}",
    "docker timestamps": lambda line: f"2026-10-01T10:00:00.123456789Z {line}",
    "kubectl": lambda line: f"[pod/vllm-7c9-x2/vllm] {line}",
    "kubectl timestamps": lambda line: f"[pod/vllm-7c9-x2/vllm] 2026-10-01T10:00:00.123456789Z {line}",
    "CRI": lambda line: f"2026-10-01T10:00:00.123456789+02:00 stderr F {line}",
    "journald": lambda line: f"Oct 01 10:00:00 gpu-3 vllm[4711]: {line}",
    "journald, ISO": lambda line: f"2026-10-01T10:00:00+0200 gpu-3 python3[4711]: {line}",
    "syslog": lambda line: f"<30>1 2026-10-01T10:00:00.123Z gpu-3 vllm 4711 - - {line}",
    "logcli": lambda line: f'2026-10-01T10:00:00Z {{namespace="llm", pod="vllm-0"}} {line}',
    "GitHub": lambda line: f"2026-10-01T10:00:00.1234567Z {line}",
    "gh": lambda line: f"serve\tStart vLLM\t2026-10-01T10:00:00.1234567Z {line}",
    "GitLab": lambda line: f"2026-10-01T10:00:00.123456Z 01O {line}",
    "torch": lambda line: f"[rank0]: {line}",
    "json-file": lambda line: json.dumps(
        {"log": line + "\n", "stream": "stderr", "time": "2026-10-01T10:00:00Z"}
    ),
    "cloud": lambda line: json.dumps({"textPayload": line, "timestamp": "2026-10-01T10:00:00Z"}),
}
LINES = (
    "(EngineCore_DP0 pid=12) INFO 11-29 15:09:57 [core.py:133] Initializing a V1 LLM engine",
    "INFO 11-29 15:09:57 [core.py:133] # GPU blocks: 2588",
    '  File "/x/core.py", line 699, in run_engine_core',
    "INFO:     Application startup complete.",
    "(APIServer pid=7) Traceback (most recent call last):",
)
FAILURE = (
    "(EngineCore_DP0 pid=300) ERROR 10-01 10:00:09 [core.py:708] EngineCore failed to start.",
    "(EngineCore_DP0 pid=300) ERROR 10-01 10:00:09 [core.py:708] Traceback (most recent call last):",
    '(EngineCore_DP0 pid=300) ERROR 10-01 10:00:09 [core.py:708]   File "/x/core.py", line 9, in run',
    "(EngineCore_DP0 pid=300) ERROR 10-01 10:00:09 [core.py:708] SomeVendorError: tile 7 does not match",
    "(APIServer pid=100) Traceback (most recent call last):",
    '(APIServer pid=100)   File "/x/api.py", line 1, in main',
    "(APIServer pid=100) RuntimeError: Engine core initialization failed. See root cause above.",
)


@pytest.mark.parametrize("carrier", CARRIERS.values(), ids=CARRIERS.keys())
@pytest.mark.parametrize("line", LINES)
def test_a_carried_line_is_read_as_the_line_itself(carrier: Carrier, line: str) -> None:
    assert split_line(carrier(line)) == split_line(line)


@pytest.mark.parametrize("carrier", CARRIERS.values(), ids=CARRIERS.keys())
def test_a_carried_failure_has_the_same_cause(carrier: Carrier) -> None:
    reader = FailureReader()
    for line in FAILURE:
        reader.feed(carrier(line))
    assert str(reader.failure(1).cause) == "SomeVendorError: tile 7 does not match"


@pytest.mark.parametrize("carrier", CARRIERS.values(), ids=CARRIERS.keys())
def test_the_file_where_processes_meet_is_found_under_every_carrier(carrier: Carrier) -> None:
    path = "/tmp/vllm_dist_" + "0123456789abcdef" * 2
    line = (
        "(Worker_TP0 pid=3) INFO 10-01 10:00:00 [parallel_state.py:1] world_size=2 rank=0 local_rank=0 "
        f"distributed_init_method=file://{path} backend=nccl"
    )
    assert rendezvous_file(carrier(line)) == path


def test_a_mark_that_only_stamped_lines_reveal_is_taken_off_tracebacks_too() -> None:
    reader = FailureReader()
    for line in (
        "INFO 10-01 10:00:00 [api_server.py:1] vLLM API server version 0.32",
        "Traceback (most recent call last):",
        '  File "/x/api.py", line 1, in main',
        "SomeVendorError: tile 7",
    ):
        reader.feed(f"vllm-0 vllm {line}")
    assert str(reader.failure(1).cause) == "SomeVendorError: tile 7"


def test_an_exception_to_which_the_next_line_is_glued_is_no_mark() -> None:
    glued = "KeyError: 'x'(EngineCore pid=2) ERROR 10-01 10:00:00 [core.py:1] EngineCore failed to start."
    assert PrefixStripper().unwrap(glued).text == glued


def test_the_carrier_s_time_is_kept() -> None:
    assert strip_prefix("[pod/a/b] 2026-10-01T10:00:00.5Z INFO x").when == "2026-10-01T10:00:00.5Z"
    assert strip_prefix("INFO 10-01 10:00:00 [x.py:1] hello").when is None


def test_a_json_formatter_s_level_is_the_line_s() -> None:
    line = split_line('{"message": "hello", "levelname": "ERROR", "asctime": "2026-10-01 10:00:00,123"}')
    assert (line.level, line.text) == ("ERROR", "hello")


@pytest.mark.parametrize(
    "lines",
    [
        (
            "2026-10-01T10:00:00.1Z stdout P INFO 10-01 10:00:00 [l.py:1] Received ",
            "2026-10-01T10:00:00.2Z stdout F request r",
        ),
        (
            '{"log":"INFO 10-01 10:00:00 [l.py:1] Received ","stream":"e","time":"2026-10-01T10:00:00.1Z"}',
            '{"log":"request r\\n","stream":"e","time":"2026-10-01T10:00:00.2Z"}',
        ),
    ],
)
def test_a_line_that_the_container_runtime_cut_is_whole_again(lines: tuple[str, str]) -> None:
    ((number, found),) = join_lines(enumerate(lines, 1))
    assert (number, found.text) == (1, "INFO 10-01 10:00:00 [l.py:1] Received request r")
    assert found.when == "2026-10-01T10:00:00.1Z"


@given(st.text(st.characters(blacklist_categories=("Cs",))))
def test_no_line_is_too_strange(text: str) -> None:
    assert "\x1b[" not in without_colors(text)
    assert isinstance(strip_prefix(text).text, str)
    assert isinstance(PrefixStripper().unwrap(text).text, str)


@given(st.text(st.characters(whitelist_categories=("L", "N", "Zs", "P"))), st.sampled_from(sorted(CARRIERS)))
def test_what_a_line_says_after_its_stamp_is_never_changed(message: str, carrier: str) -> None:
    """A prompt in a log may look like a mark, a color or a log line."""
    line = f"(APIServer pid=7) INFO 11-29 15:09:57 [logger.py:1] said: {message}"
    said = split_line(line).text
    assert said == f"said: {message}"
    assert split_line(CARRIERS[carrier](line)).text == said
