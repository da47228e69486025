"""`measure`: what its command line refuses and what its two instrument checks tell."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.experiments.test_experiment import GOOD as GOOD_EXPERIMENT
from workbench.base import data_folder
from workbench.cli import main, measure_instrument, run
from workbench.load import Calibration, TokenizerCost, store_resolution, stored_resolution
from workbench.load.calibration.rates import CalibrationRate
from workbench.servers import TargetSpec

FLOORS = {"client_delay_p99_ms": 1.0, "ttft_floor_ms": 1.25, "itl_floor_ms": 0.05, "cpu_us_per_token": 12.0}


def level(tokens_per_s: float, *, holds: bool, late: float) -> CalibrationRate:
    return CalibrationRate(
        tokens_per_s=tokens_per_s,
        requests=40,
        client_delay_p50_ms=0.1,
        client_delay_p99_ms=0.2,
        ttft_error_p50_ms=0.3,
        ttft_error_p99_ms=1.25,
        itl_error_p50_ms=0.05,
        itl_error_p99_ms=0.05,
        server_late_p99_ms=late,
        holds=holds,
    )


def calibration(limit: float, limited_by: str, *levels: CalibrationRate) -> Calibration:
    return Calibration(
        **FLOORS,
        limit_tokens_per_s=limit,
        limited_by=limited_by,
        workers=2,
        remote=False,
        levels=list(levels),
    )


GOOD = calibration(1000, "client", level(1000, holds=True, late=0.1), level(5000, holds=False, late=0.1))
BUSY = calibration(0, "null server", level(1000, holds=False, late=80))
SLOW = calibration(0, "client", level(1000, holds=False, late=0.1))


def calibrating(monkeypatch: pytest.MonkeyPatch, found: Calibration) -> None:
    async def answer(**_: Any) -> Calibration:
        return found

    monkeypatch.setattr(measure_instrument, "calibrate", answer)


def test_that_a_calibration_is_told_in_lines_to_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calibrating(monkeypatch, GOOD)
    assert main(["measure", "--calibrate"]) == 0
    said = capsys.readouterr().out
    assert "this client holds up to 1,000 output tokens/s with 2 load processes" in said
    assert "differences below 1.25 ms of TTFT" in said
    assert "{" not in said


def test_that_a_rate_that_held_above_the_limit_is_said_to_show_a_busy_machine(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shaky = calibration(0, "client", level(1000, holds=False, late=0.1), level(5000, holds=True, late=0.1))
    for found, code in ((GOOD, 0), (shaky, 1)):
        calibrating(monkeypatch, found)
        assert main(["measure", "--calibrate"]) == code
        assert ("higher rates held" in capsys.readouterr().out) is bool(code)


def test_that_a_calibration_is_kept_for_the_runs_after_it_and_a_failed_one_replaces_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert stored_resolution() is None
    for found in (GOOD, BUSY):
        calibrating(monkeypatch, found)
        main(["measure", "--calibrate"])
    kept = stored_resolution("http://gpu-box:8000")
    assert kept is not None
    assert (kept.ttft_floor_ms, kept.itl_floor_ms, kept.limit_tokens_per_s) == (1.25, 0.05, 1000)
    assert kept.path is None
    calibrating(monkeypatch, GOOD)
    main(["measure", "http://gpu-box:9000", "--calibrate"])
    of_path, of_machine = stored_resolution("http://gpu-box:8000/v1"), stored_resolution("http://elsewhere")
    assert of_path is not None
    assert of_machine is not None
    assert (of_path.path, of_machine.path) == ("gpu-box", None)


def test_that_a_calibration_of_another_machine_or_an_unreadable_one_says_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calibrating(monkeypatch, GOOD)
    main(["measure", "--calibrate"])
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr("platform.node", lambda: "another")
        assert stored_resolution() is None
    assert stored_resolution() is not None
    (data_folder() / "calibration.json").write_text("{")
    assert stored_resolution() is None


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (
            BUSY,
            "is too busy to calibrate: the null server itself was late; try again when it is quiet",
        ),
        (SLOW, "this client is too slow or too busy to measure with: not even 1,000 output tokens/s held"),
    ],
)
def test_that_a_calibration_in_which_nothing_held_says_why_and_ends_with_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], found: Calibration, words: str
) -> None:
    calibrating(monkeypatch, found)
    assert main(["measure", "--calibrate"]) == 1
    assert words in capsys.readouterr().out


def test_that_a_calibration_is_json_only_where_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    calibrating(monkeypatch, BUSY)
    assert main(["measure", "--calibrate", "--json", "-"]) == 1
    heard = capsys.readouterr()
    assert json.loads(heard.out)["limited_by"] == "null server"
    assert "too busy" in heard.err
    assert main(["measure", "--calibrate", "--json", str(tmp_path / "c.json")]) == 1
    assert json.loads((tmp_path / "c.json").read_text())["workers"] == 2


@pytest.mark.parametrize(
    ("comparable", "words"), [(True, "takes about 2.5 ms a request"), (False, "not comparable")]
)
def test_that_the_tokeniser_s_cost_is_told_in_lines_to_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], comparable: bool, words: str
) -> None:
    async def probed(_: Any) -> TokenizerCost:
        return TokenizerCost(
            ids_ttft_ms=10.0,
            text_ttft_ms=12.5,
            cost_ms=2.5,
            ids_prompt_tokens=2000.0,
            text_prompt_tokens=None,
            comparable=comparable,
            requests=20,
        )

    monkeypatch.setattr(measure_instrument, "_probe", probed)
    assert main(["measure", "http://127.0.0.1:9", "--probe-tokenizer"]) == 0
    said = capsys.readouterr().out
    assert "2,000 prompt tokens" in said
    assert "prompt tokens unknown" in said
    assert words in said


@pytest.mark.parametrize(
    "words",
    [
        ["measure", "127.0.0.1:9", "--synthetic", "8:2", "--rate", "1", "--requests", "1"],
        ["measure", "127.0.0.1:9", "--calibrate"],
        ["measure", "127.0.0.1:9", "--probe-tokenizer"],
        ["engine", "calibrate", "127.0.0.1:9"],
    ],
)
def test_a_url_without_its_scheme_gets_it(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) in (1, 2)
    error = capsys.readouterr().err
    assert "http://127.0.0.1:9" in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    "words", [["measure", "ftp://h:9", "--calibrate"], ["engine", "calibrate", "ftp://h:9"]]
)
def test_a_url_of_another_scheme_is_named_as_the_argument_that_it_is(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    error = capsys.readouterr().err
    assert "URL: 'ftp://h:9' must look like http://HOST:PORT" in error
    assert "[target]" not in error
    assert error.count("\n") == 1


def test_that_the_form_of_synthetic_is_checked_before_what_else_is_missing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["measure", "http://127.0.0.1:9", "--synthetic", "300"]) == 2
    assert "--synthetic: '300' is not IN:OUT in tokens" in capsys.readouterr().err


def test_that_a_session_can_begin_with_a_calibration(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    async def answer(_: TargetSpec) -> Calibration:
        store_resolution(GOOD, None)
        return GOOD

    begun: list[float | None] = []

    def carried(*_: Any, **__: Any) -> str:
        floor = stored_resolution()
        begun.append(None if floor is None else floor.ttft_floor_ms)
        return "stopped"

    monkeypatch.setattr(run, "calibrate_whole", answer)
    monkeypatch.setattr(run, "run_experiments", carried)
    monkeypatch.setattr(run, "report", lambda *_: None)
    (tmp_path / "e.toml").write_text(GOOD_EXPERIMENT)
    for words in ((), ("--calibrate",)):
        main(["run", str(tmp_path / "e.toml"), "--out", str(tmp_path / "out"), *words])
    assert begun == [None, 1.25]
    assert "this client holds up to 1,000 output tokens/s" in capsys.readouterr().err
