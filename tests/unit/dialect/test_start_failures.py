"""A start failure is named by its cause, wherever in the log it stands, and never by its last line."""

import string
from pathlib import Path

import pytest

from workbench.base import templates
from workbench.controls import CONTROLS
from workbench.vllm_dialect import ControlChange, Failure, FailureReader, changes_of
from workbench.vllm_dialect.failure_rule import FailureRule
from workbench.vllm_dialect.failure_rules import CONSEQUENCES, RULES
from workbench.vllm_dialect.failure_rules_software import EXCEPTIONS

LANGUAGES = ("en", "zh_CN")
DATA = [rule for rule in (*RULES, *CONSEQUENCES, *EXCEPTIONS) if rule.template]


def explain(*lines: str, exit_code: int | None = 1) -> Failure:
    reader = FailureReader()
    for line in lines:
        reader.feed(line)
    return reader.failure(exit_code)


def engine(text: str) -> str:
    return f"(EngineCore pid=41) ERROR 05-04 09:00:24 [core.py:700] {text}"


def server(text: str) -> str:
    return f"(APIServer pid=40) {text}"


FAILED = (
    server("Traceback (most recent call last):"),
    server('  File "/opt/vllm/v1/engine/utils.py", line 1431, in wait_for_engine_startup'),
    server("    raise RuntimeError("),
    server("RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): %s"),
)


def ended(procs: str) -> tuple[str, ...]:
    return (*FAILED[:-1], FAILED[-1] % procs)


def traceback(*lines: str) -> tuple[str, ...]:
    return (engine("EngineCore failed to start."), engine("Traceback (most recent call last):"),
            engine('  File "/opt/a.py", line 1, in f'), *map(engine, lines))  # fmt: skip


def test_that_the_compilers_words_above_a_traceback_are_the_cause() -> None:
    failure = explain(
        "(EngineCore pid=41) /tmp/x/main.c:5:10: fatal error: Python.h: No such file or directory",
        "(EngineCore pid=41)     5 | #include <Python.h>",
        *traceback("subprocess.CalledProcessError: Command '['/usr/bin/gcc', 'main.c']' returned non-zero"
                   " exit status 1."),
        *ended("{'EngineCore': 1}"),
    )  # fmt: skip
    assert failure.kind == "python_headers"
    assert "python3-dev" in str(failure.message)


def test_that_a_mig_uuid_that_is_not_there_is_the_cause_and_not_what_wraps_it() -> None:
    failure = explain(
        engine("Error in inspecting model architecture 'LlamaForCausalLM'"),
        *traceback("ValueError: invalid literal for int() with base 10: 'MIG-1234-5'"),
        server("pydantic_core._pydantic_core.ValidationError: 1 validation error for ModelConfig"),
        server("  Value error, Model architectures ['LlamaForCausalLM'] failed to be inspected."),
    )
    assert failure.kind == "no_such_gpu"
    assert str(failure.message).startswith("CUDA_VISIBLE_DEVICES holds the MIG UUID MIG-1234-5")


@pytest.mark.parametrize(
    ("procs", "kind", "words"),
    [
        ("{'EngineCore': -9}", "killed", "EngineCore was killed (SIGKILL): most likely the memory"),
        ("{'EngineCore_DP0': 1, 'EngineCore_DP1': -9}", "killed", "EngineCore_DP1 was killed"),
        ("{'EngineCore': -11}", "crashed", "SIGSEGV"),
        ("{'EngineCore': -4}", "illegal_instruction", "AVX-512"),
        ("{'EngineCore': -7}", "bus_error", "/dev/shm"),
        ("{'EngineCore': -6}", "aborted", "SIGABRT"),
        ("{'EngineCore': -15}", "terminated", "from outside"),
        ("{}", "engine_silent", "killed, or crashed"),
    ],
)
def test_that_a_process_ended_by_a_signal_is_the_cause(procs: str, kind: str, words: str) -> None:
    failure = explain(server("loading"), *ended(procs))
    assert failure.kind == kind
    assert words in str(failure.message)


def test_that_what_follows_from_a_killed_worker_is_not_the_cause() -> None:
    failure = explain(
        *traceback("EOFError"),
        engine("Worker proc VllmWorker-1 died unexpectedly (exit code: -9), shutting down executor."),
        *traceback("torch.distributed.DistBackendError: NCCL error: remote process exited or there was a"
                   " network error"),
        *ended("{'EngineCore': 1}"),
    )  # fmt: skip
    assert failure.kind == "killed"
    assert "VllmWorker-1 was killed" in str(failure.message)


@pytest.mark.parametrize("code", [-9, 137])
def test_that_a_killed_server_is_told_as_killed_whatever_it_said_last(code: int) -> None:
    assert explain(*FAILED[:3], exit_code=code).kind == "killed"


@pytest.mark.parametrize("lines", [FAILED[:1], FAILED[:2], FAILED[:3], (server("loading"), *FAILED[:3])])
def test_that_last_words_are_never_a_traceback(lines: tuple[str, ...]) -> None:
    sentence = str(explain(*lines).message)
    assert "exit code 1" in sentence
    assert not any(word in sentence for word in ("Traceback", "File ", "raise ", "^"))


def test_that_a_field_that_pydantic_refuses_is_named() -> None:
    failure = explain(
        server("Traceback (most recent call last):"),
        server("pydantic_core._pydantic_core.ValidationError: 1 validation error for SchedulerConfig"),
        server("max_num_batched_tokens"),
        server("  Input should be greater than or equal to 1 [type=greater_than_equal, input_value=0]"),
    )
    assert str(failure.message).endswith(
        "SchedulerConfig: max_num_batched_tokens: Input should be greater than or equal to 1"
    )


def test_that_an_exception_which_was_caught_is_not_the_cause() -> None:
    failure = explain(
        *traceback("ModuleNotFoundError: No module named 'fancy'"),
        engine("During handling of the above exception, another exception occurred:"),
        engine("weights: Unsupported gpu architecture 'compute_120'"),
    )
    assert failure.kind == "compiler_too_old"


LINES = [
    line.split(" | ")
    for line in Path(__file__).with_name("start_failures.txt").read_text().splitlines()
    if not line.startswith("#")
]


@pytest.mark.parametrize(("kind", "words", "line"), LINES)
def test_that_each_cause_is_named_with_its_fix(kind: str, words: str, line: str) -> None:
    failure = explain(*traceback(line), *ended("{'EngineCore': 1}"))
    assert failure.kind == kind
    assert words in str(failure.message)


def names_of(rule: FailureRule) -> tuple[str, ...]:
    """The templates of a rule."""
    return (rule.template, f"{rule.template}_fix") if rule.has_fix else (rule.template,)


def fields_of(template: str) -> set[str]:
    return {field for _, field, _, _ in string.Formatter().parse(template) if field}


def test_that_every_rule_has_its_texts_and_gives_their_fields() -> None:
    for language in LANGUAGES:
        texts = templates(language, "dialect")
        for rule in DATA:
            for name in names_of(rule):
                assert fields_of(texts[name]) <= set(rule.pattern.groupindex), (language, name)


def test_that_the_controls_of_a_fix_exist_and_their_values_are_groups_of_the_pattern() -> None:
    for rule in DATA:
        for change in rule.changes:
            assert change.control in CONTROLS
            assert change.group is None or change.group in rule.pattern.groupindex


def test_that_no_text_of_a_rule_is_left_over() -> None:
    used = {name for rule in DATA for name in names_of(rule)}
    others = {name for name in templates("en", "dialect") if name.startswith(("phase_", "ended"))}
    others |= {"server", "not_a_version", "failure", "exception", "not_a_step_record"}
    assert set(templates("en", "dialect")) - others == used


def test_that_a_fix_names_its_controls_with_the_values_of_the_log() -> None:
    failure = explain(
        server("ValueError: max_num_batched_tokens (32) must be greater than or equal to max_num_seqs (64)")
    )
    assert changes_of(failure.cause) == (
        ControlChange("max_num_batched_tokens", 64),
        ControlChange("max_num_seqs", 32),
    )
