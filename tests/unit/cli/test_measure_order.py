"""`measure`'s command line: what becomes of each flag, and refusals that name the flag."""

import argparse
import shlex
from string import Formatter

import pytest

from workbench.base import InputError, Place, Refusal, templates
from workbench.cli import main
from workbench.cli.flags import CommandWords
from workbench.cli.measure_arguments import configure
from workbench.cli.measure_order import KINDS, SETTINGS, headers_of, order_of, parse_burst
from workbench.experiments import Burst, MeasureOrder

URL = "http://127.0.0.1:9"
LOAD = "--synthetic 8:2 --rate 5 --requests 3"


def ordered(words: str) -> MeasureOrder:
    parser = argparse.ArgumentParser()
    configure(parser)
    return order_of(parser.parse_args([URL, *shlex.split(words)]))


def test_that_callers_that_give_up_and_come_back_are_ordered_by_flags() -> None:
    load = ordered(
        f"{LOAD} --max-in-flight 4 --queue-timeout 2 --request-timeout 9 --retries 3 --retry-backoff 0.1"
        " --input text"
    ).load
    assert (load.max_in_flight, load.queue_timeout_s, load.request_timeout_s) == (4, 2, 9)
    assert (load.max_retries, load.retry_backoff_s, load.input_mode) == (3, 0.1, "text")


def test_that_a_burst_and_a_profile_are_ordered_by_flags() -> None:
    assert ordered(f"{LOAD} --duration 60 --burst 3:10@20").burst == Burst(factor=3, seconds=10, at=20)
    order = ordered("--synthetic 8:2 --duration 60 --profile ramp:2:20:60")
    assert (order.load.profile, order.load.rates) == ("ramp:2:20:60", None)


def test_that_headers_are_ordered_without_what_their_variables_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEWAY", "hunter2")
    order = ordered(f"{LOAD} --header X-Team=search --header Authorization=env:GATEWAY --ca-file ca.pem")
    assert order.headers == {"X-Team": "search", "Authorization": "env:GATEWAY"}
    assert order.ca_file == "ca.pem"
    assert "hunter2" not in repr(order)


@pytest.mark.parametrize("text", ["", "3", "3:10", "3:10@", "a:10@2", "3:10@nan", "3:10@20@30", ":1@2"])
def test_that_another_form_of_burst_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InputError, match="3:10@20"):
        parse_burst(text)


@pytest.mark.parametrize("given", [["X"], ["=1"], ["X=1", "x=2"]])
def test_that_another_form_of_header_is_refused(given: list[str]) -> None:
    with pytest.raises(InputError, match="headers"):
        headers_of(given)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--synthetic 8:2 --rate -1 --requests 3", "--rate: -1 must be greater than 0"),
        ("--synthetic 8:2 --rate 5 --requests 0", "--requests: 0 must be greater than 0"),
        (f"{LOAD} --warmup -1", "--warmup: -1 is too small"),
        (f"{LOAD} --seed -1", "--seed: -1 is out of range"),
        (f"{LOAD} --retries -1", "--retries: -1 is too small"),
        (f"{LOAD} --request-timeout 0", "--request-timeout: 0 must be greater"),
        (f"{LOAD} --max-in-flight 0", "--max-in-flight: 0 must be greater"),
        (f"{LOAD} --queue-timeout 2", "so it needs --max-in-flight"),
        (f"{LOAD} --burst 3:10@20", "--duration: must be greater than 30 s"),
        (f"{LOAD} --duration 60 --burst 1:10@20", "--burst FACTOR: 1 must be greater than 1"),
        (f"{LOAD} --duration 60 --burst 3:0@20", "--burst SECONDS: 0 must be greater"),
        (f"{LOAD} --duration 60 --burst 3:5@0", "--burst START: 0 must be greater"),
        ("--synthetic 8:2 --concurrency 5 --requests 3 --burst 3:10@20", "--burst: needs --rate"),
        (f"{LOAD} --duration 60 --burst 3:10@20 --arrivals trace", "leave --arrivals out"),
        ("--synthetic 8:2 --concurrency 2 --requests 3 --profile ramp:1:2:3", "--profile: has no meaning"),
        (f"{LOAD} --profile ramp:1:2", "--profile: 'ramp:1:2' is not a rate profile"),
        (f"{LOAD} --profile ramp:1:2:3 --arrivals trace", "--profile: replaces the trace's own times"),
        (
            f"{LOAD} --api-key-env NOT_SET_HERE",
            "--api-key-env: neither the environment nor the keyring has NOT_SET_HERE",
        ),
        (f"{LOAD} --header Authorization=hunter2", "--header: Authorization: looks like a secret"),
        (f"{LOAD} --header X-A=env:NOT_SET_HERE", "--header: X-A: the environment has no NOT_SET_HERE"),
        (f"{LOAD} --replay-text", "--replay-text: needs --trace FILE"),
        ("--trace a.json --replay-text --input ids", "leave --input ids out"),
        ("--trace a.json --replay-text --max-len clamp", "--max-len refuse or drop"),
        (f"{LOAD} --format canonical", "--format: needs --trace FILE"),
        (f"{LOAD} --json .", "is a folder; name a file in it"),
    ],
)
def test_that_a_refusal_is_one_line_that_names_the_flag(
    words: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["measure", URL, *shlex.split(words)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "hunter2" not in error
    assert error.count("\n") == 1
    for left in ("[load]", "[trace]", "[target]", "[burst]", "_s "):
        assert left not in error


@pytest.mark.parametrize(("kind", "own"), KINDS.items())
def test_a_text_in_flags_has_the_fields_of_the_text_that_it_replaces(kind: str, own: str) -> None:
    def fields(kind: str) -> set[str]:
        room, _, name = kind.partition(".")
        return {field for _, field, _, _ in Formatter().parse(templates("en", room)[name]) if field}

    assert fields(own) <= fields(kind)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["measure", URL, "--retries", "1e3"], "argument --retries: invalid int value: '1e3'"),
        (["measure", URL, "--re"], "ambiguous option"),
        (["measure", URL, "--no-such-flag"], "unrecognized arguments: --no-such-flag"),
        (["no-such-command"], "invalid choice: 'no-such-command'"),
        ([], "the following arguments are required: COMMAND"),
    ],
)
def test_that_bad_usage_is_one_line_too(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    error = capsys.readouterr().err
    assert ended.value.code == 2
    assert said in error
    assert error.startswith("error: python -m workbench")
    assert error.count("\n") == 1


def test_a_setting_is_named_by_its_flag_and_a_key_of_a_file_is_not() -> None:
    words = CommandWords("measure", argparse.ArgumentParser(), SETTINGS, KINDS)
    ours = Refusal("base.not_finite", Place(file="measure", table="load", key="duration_s"), value="inf")
    assert words.error_text(ours) == "--duration: inf is not a finite number"
    theirs = Refusal("base.not_finite", Place(file="a.toml", table="load", key="duration_s"), value="inf")
    assert words.error_text(theirs) == "a.toml: [load] duration_s: inf is not a finite number"
    in_flags = words.error_text(Refusal("traces.unscalable_times", Place(file="measure")))
    assert in_flags.endswith("choose --arrivals")
