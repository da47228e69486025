"""A failed server is explained by its cause, never by what only follows from it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.vllm_dialect import Failure, FailureReader

SHARED = Path(__file__).parents[4] / "shared" / "data"
REAL = {
    "vllm/fail-max-model-len.log": (
        "context_over_kv",
        "one request of 2048 tokens: lower max_model_len to 1008",
    ),
    "vllm/fail-port-in-use.log": ("port_in_use", "another port"),
    "vllm/fail-unknown-flag.log": ("unknown_flag", "--no-such-flag 3"),
    "vllm/engine-core-killed.log": ("engine_died", "while serving and logged no cause"),
    "vllm-logs/codellama-codellama-34b---h100-80gb--tp2pp1dp1--8192.FAILED.log": (
        "gpu_busy",
        "cuda:1: 60.87",
    ),
    "vllm-logs/google-gemma-2-27b-it--h100-80gb--tp1pp1dp1--8192.FAILED.log": ("gated_model", "HF_TOKEN"),
    "vllm-logs/google-gemma-3-12b-it--h100-80gb--tp1pp1dp1--8192.FAILED.log": ("gated_model", "HF_TOKEN"),
    "vllm-logs/google-gemma-4-e4b-it--h100-80gb--tp1pp1dp1--8192.FAILED.log": ("model_unsupported", "gemma4"),
    "vllm-logs/meta-llama-llama-4-scout--h100-80gb--tp4pp1dp1--8192.FAILED.log": (
        "gpu_busy",
        "cuda:1: 60.33",
    ),
    "vllm-logs/microsoft-phi-2--h100-80gb--tp1pp1dp1--8192.FAILED.log": ("context_over_model", "2048"),
    "vllm-logs/openai-gpt-oss-20b--h100-80gb--tp1pp1dp1--8192.FAILED.log": ("oom_warmup", "max_num_seqs"),
    "cases/02.txt": ("gpu_busy", "60.87 of 79.19 GiB are free"),
    "cases/03.txt": ("oom_warmup", "1024 sequences: lower max_num_seqs"),
    "cases/05.txt": ("context_over_model", "lower max_model_len to 2048"),
    "cases/07.txt": ("no_kv_memory", "-1.05 GiB"),
    "cases/09.txt": ("context_over_kv", "205728"),
    "cases/20.txt": ("port_in_use", "another port"),
    "cases/23.txt": ("budget_below_context", "chunked prefill"),
}


def explain(text: str, exit_code: int | None = 1) -> Failure:
    reader = FailureReader()
    for line in text.splitlines():
        reader.feed(line)
    return reader.failure(exit_code)


@pytest.mark.skipif(not SHARED.exists(), reason="no recorded logs here")
@pytest.mark.parametrize("name", sorted(REAL))
def test_that_a_real_failure_is_named_with_its_figures(name: str) -> None:
    kind, words = REAL[name]
    lines = (SHARED / name).read_text(errors="replace").splitlines()
    failure = explain("\n".join(line for line in lines if not line.startswith("# ")))
    assert failure.kind == kind
    assert words in str(failure.message)


@pytest.mark.skipif(not SHARED.exists(), reason="no recorded logs here")
def test_that_every_recorded_failure_is_explained_and_no_log_of_a_server_that_served() -> None:
    logs = [*SHARED.glob("vllm/*.log"), *SHARED.glob("vllm-logs/*.log")]
    failed = {name for name in REAL if not name.startswith("cases/")}
    assert len(logs) == 30
    for path in logs:
        name = f"{path.parent.name}/{path.name}"
        kind = explain(path.read_text(errors="replace")).kind
        assert (kind != "unknown") == (name in failed), name


@pytest.mark.parametrize(
    ("line", "kind", "words"),
    [
        (
            "ValueError: Total number of attention heads (32) must be divisible by tensor parallel size (5).",
            "tp_divides",
            "tensor_parallel_size 5 doesn't divide the model's 32",
        ),
        ("AssertionError: 151936 is not divisible by 5", "tp_divides", "151936"),
        (
            "Error while creating shared memory segment /dev/shm/nccl-a: No space left on device",
            "shared_memory",
            'shm_size = "16g"',
        ),
        (
            "OSError: [Errno 28] No space left on device: '/m/cache/x'",
            "disk_full",
            "disk of /m/cache/x is full",
        ),
        ("OSError: [Errno 28] No space left on device", "disk_full", "beside the bench file"),
        ("OSError: [Errno 24] Too many open files: '/m/x'", "open_files", "ulimit -n"),
    ],
)
def test_that_what_a_machine_or_a_split_does_not_allow_is_told_with_its_fix(
    line: str, kind: str, words: str
) -> None:
    failure = explain(line)
    assert failure.kind == kind
    assert words in str(failure.message)


def test_that_an_unknown_failure_shows_the_workers_exception_and_not_the_wrapper() -> None:
    failure = explain(
        "(EngineCore pid=2) ERROR 11-29 15:22:18 [core.py:1] EngineCore failed to start.\n"
        "(EngineCore pid=2) ERROR 11-29 15:22:18 [core.py:1] Traceback (most recent call last):\n"
        '(EngineCore pid=2) ERROR 11-29 15:22:18 [core.py:1]   File "a.py", line 1, in f\n'
        "(EngineCore pid=2) ERROR 11-29 15:22:18 [core.py:1] RuntimeError: second hand\n"
        "(Worker pid=3) ERROR 11-29 15:22:18 [w.py:1] Traceback (most recent call last):\n"
        "(Worker pid=3) ERROR 11-29 15:22:18 [w.py:1] ZeroDivisionError: division by zero\n"
        "(APIServer pid=1) Traceback (most recent call last):\n"
        "(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above.\n"
    )
    assert str(failure.cause) == "ZeroDivisionError: division by zero"


def test_that_lines_glued_together_are_taken_apart() -> None:
    failure = explain(
        "(EngineCore pid=2) Traceback (most recent call last):\n"
        "Loading 100%(EngineCore pid=2) KeyError: 'x'\n"
    )
    assert str(failure.cause) == "KeyError: 'x'"


def test_that_what_pydantic_found_is_part_of_the_cause() -> None:
    failure = explain(
        "Traceback (most recent call last):\n"
        "pydantic_core._pydantic_core.ValidationError: 1 validation error for CacheConfig\n"
        "  Value error, block_size must be a power of two. [type=value_error]\n"
    )
    assert "block_size must be a power of two" in str(failure.cause)


@pytest.mark.parametrize(
    ("line", "kind", "words"),
    [
        ("PermissionError: [Errno 13] Permission denied: '/m/config.json'", "not_readable", "/m/config.json"),
        ("OSError: Permission denied (os error 13)", "not_readable", "a file that it needs"),
        ("safetensors_rust.SafetensorError: I/O error: Permission denied", "not_readable", "a file that it"),
        (
            "WARNING 11-29 15:09:21 [u.py:1] [Errno 13] Permission denied: '/.config'",
            "unknown",
            "exit code 1",
        ),
    ],
)
def test_that_a_file_which_may_not_be_read_is_told_and_a_warning_of_one_is_not(
    line: str, kind: str, words: str
) -> None:
    failure = explain(line)
    assert failure.kind == kind
    assert words in str(failure.message)


def test_that_a_kill_and_a_silent_end_are_told_apart() -> None:
    assert explain("INFO something", -9).kind == "killed"
    assert "exit code 0" in str(explain("INFO something", 0).cause)
    assert "INFO something" in str(explain("INFO something", 0).cause)


def test_that_exhausted_memory_is_counted_even_when_the_server_lives() -> None:
    reader = FailureReader()
    for _ in range(3):
        reader.feed("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 786.00 MiB. GPU 0 has")
    assert reader.out_of_memory == 3


@given(st.lists(st.text()), st.none() | st.integers(-64, 255))
def test_that_any_log_gets_one_clear_line(lines: list[str], code: int | None) -> None:
    sentence = str(explain("\n".join(lines), code).message)
    assert sentence
    assert "\n" not in sentence


FILLS = [
    "x",
    "x ",
    " ",
    "1",
    "/a",
    "'",
    "a.",
    "Error: ",
    "\t",
    "1.5 GiB ",
    "(APIServer pid=1) ",
    "\x1b[0;36m",
    "| ",
]


@pytest.mark.timeout(30)
@pytest.mark.parametrize("fill", FILLS)
def test_that_a_line_as_long_as_a_configuration_is_read_at_once(fill: str) -> None:
    reader = FailureReader()
    for head in ("", "(APIServer pid=1) INFO 11-29 15:09:21 [a.py:1] Initializing an engine with config: "):
        reader.feed(f"{head}{fill * (200_000 // len(fill))}")
    reader.feed("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 786.00 MiB. GPU 0 has")
    assert reader.failure(1).kind == "oom"
