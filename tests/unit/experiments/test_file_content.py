"""An experiment file's unknown and missing keys are all named; values that no key may have are refused."""

import pytest

from tests.unit.experiments.test_experiment import GOOD, read
from workbench.base import Refusal


def refused(*changes: tuple[str, str]) -> str:
    text = GOOD
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    with pytest.raises(Refusal) as found:
        read(text)
    return str(found.value)


def test_that_all_unknown_keys_are_named_with_what_was_meant() -> None:
    said = refused(
        ("seed = 1", "sead = 1"), ("duration_s", "duration"), ("max_num_seqs = 16", "max_seqs = 16")
    )
    assert "[trace]: unknown key 'sead': did you mean 'seed'?" in said
    assert "[load] unknown key 'duration': did you mean 'duration_s'?" in said
    assert "[baseline] unknown key 'max_seqs': did you mean 'max_num_seqs'?" in said


def test_that_a_key_of_another_table_is_told_its_place() -> None:
    assert "'seed': it belongs in [trace]" in refused(("rates = ", "seed = 2\nrates = "))
    said = refused(('name = "Seats on chat"\n', ""), ("ttft_p95_ms = 1000", 'ttft_p95_ms = 1\nname = "x"'))
    assert "'name': it belongs above the first table" in said
    assert "missing" not in said


def test_that_all_missing_keys_are_named() -> None:
    said = refused(('name = "Seats on chat"\n', ""), ('name = "max_num_seqs"\n', ""))
    assert "missing key name; [control] missing key name" in said


def test_that_words_of_other_load_generators_are_understood() -> None:
    assert "did you mean 'requests'?" in refused(("duration_s = 30", "num_prompts = 30"))


def test_that_a_misspelt_table_is_not_missing_too() -> None:
    said = refused(("[load]", "[Load]"))
    assert said == "seats.toml: unknown key 'Load': did you mean 'load'?"


@pytest.mark.parametrize("value", ["inf", "-inf", "nan"])
def test_that_a_number_which_is_not_finite_is_refused_as_that(value: str) -> None:
    said = refused(("ttft_p95_ms = 1000", f"ttft_p95_ms = {value}"))
    assert said == f"seats.toml: [objectives] ttft_p95_ms: {value} is not a finite number"


def test_that_an_infinite_rate_leads_to_concurrency() -> None:
    assert "give concurrency" in refused(("[12.0]", "[inf]"))


def test_that_escapes_in_a_path_are_not_taken_for_its_letters() -> None:
    said = refused(('synthetic = "300:256"', 'file = "C:\\traces\\new.jsonl"'))
    assert r'write "C:\traces\new.jsonl" with / or \\' in said
    assert said.startswith("seats.toml: [trace] file: ")


@pytest.mark.parametrize(
    ("old", "new", "right"),
    [
        ("duration_s = 30", 'requests = "20"', "write requests = 20"),
        ("duration_s = 30", "requests = 2e1", "not 20; write requests = 20"),
        ("duration_s = 30", "requests = 20.5", "must be a whole number, not 20.5"),
        ("[12.0]", "12", "write rates = [12]"),
        ("[12.0]", '[12, "8"]', "write 8"),
        ("[load]", "[[load]]", "write [load]"),
        ("time_scale = 2.0", 'args = "--seed"', 'write args = ["--seed"]'),
    ],
)
def test_that_a_value_of_the_wrong_kind_is_shown_written_right(old: str, new: str, right: str) -> None:
    with pytest.raises(Exception, match="must be") as found:
        read(GOOD.replace(old, new, 1))
    assert right in str(found.value)
