"""Before anything runs: the rate at which the baseline will saturate, and by which limit."""

import json
from pathlib import Path

import pytest

from tests.unit.experiments.test_experiment import GOOD, read
from workbench.cli import main
from workbench.experiments import Experiment, make_plan, predict_saturation, prepare


def of(text: str) -> Experiment:
    return Experiment.from_toml(text, where="x.toml")


def test_that_fewer_seats_saturate_earlier_and_the_plan_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = """
name = "Seats"
[target]
kind = "embedded"
profile = "h100_sxm/Llama-3.1-8B/tp1"
[baseline]
max_num_seqs = SEATS
[control]
name = "max_num_seqs"
values = [32]
[trace]
synthetic = "200:100"
[load]
rates = [4]
requests = 40
"""
    rates = []
    for seats in (4, 8):
        path = tmp_path / f"{seats}.toml"
        path.write_text(text.replace("SEATS", str(seats)))
        assert main(["run", str(path), "--plan"]) == 0
        found = json.loads(capsys.readouterr().out)["saturation"]
        assert found["bound"] == "seats"
        assert found["low_rps"] < found["rate_rps"] < found["high_rps"]
        rates.append(found["rate_rps"])
    # 4 seats complete about 4 / (100 steps of 7.7 ms) = 5 requests a second.
    assert rates[0] == pytest.approx(5.0, rel=0.1)
    assert rates[1] == pytest.approx(2 * rates[0], rel=0.1)


def test_that_of_a_real_server_nothing_is_foretold() -> None:
    text = GOOD.replace('kind = "embedded"', 'kind = "attached"\nurl = "http://127.0.0.1:1"')
    experiment = read(GOOD)
    trace, _ = prepare(make_plan([experiment]), None)
    lines = [line for line in text.splitlines() if not line.startswith(("profile", "time_scale"))]
    real = of("\n".join(lines).replace('name = "max_num_seqs"', 'name = "max_in_flight"'))
    assert predict_saturation(real, trace) is None


def test_a_plan_says_what_a_start_would_refuse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = GOOD.replace('kind = "embedded"', 'kind = "local"\nmodel = "m"\nexecutable = "/no/such/vllm"')
    lines = [line for line in text.splitlines() if not line.startswith(("profile", "time_scale"))]
    path = tmp_path / "local.toml"
    path.write_text("\n".join(lines))
    assert main(["run", str(path), "--plan"]) == 2
    said = capsys.readouterr()
    refused = json.loads(said.out)["refused"]
    assert "/no/such/vllm: no such file" in refused
    assert said.err.strip() == f"a start would be refused: {refused}"


def test_a_plan_of_a_server_that_can_be_had_says_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "embedded.toml"
    path.write_text(GOOD)
    assert main(["run", str(path), "--plan"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["refused"] is None
    assert said.err == ""
