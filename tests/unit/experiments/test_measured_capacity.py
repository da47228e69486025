"""Where a real server saturates is told from what was measured of it, before the next plan is run."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.experiments.test_experiment import GOOD, read
from tests.unit.experiments.test_findings import Filling, records, rung
from workbench.advice import Bottleneck
from workbench.base import InputError
from workbench.cli import main
from workbench.experiments import Experiment, make_plan, measured_saturation, prepare
from workbench.experiments.findings.capacity import sustained_rate
from workbench.traces import Trace

REAL = GOOD.replace(
    'kind = "embedded"\nprofile = "h100_sxm/Llama-3.1-8B/tp1"\ntime_scale = 2.0',
    'kind = "local"\nmodel = "some/model"',
)
BASELINE = {"max_num_seqs": 16, "max_num_batched_tokens": 8192}
WITH_SEATS_BOUND = {"type": "diagnosis", "shares": {"none": 0.3, "seats": 0.6, "kv": 0.1}}


def settled(at: float) -> float:
    return 0.1


def growing(at: float) -> float:
    return 0.1 + at / 3


def file(tmp_path: Path, runs: dict[float, Callable[[float], float]], toml: str = REAL) -> Path:
    filling = Filling(tmp_path / "known.bench", toml)
    for rate, waits in runs.items():
        filling.run(None, None, BASELINE, records(waits, rate=rate), rate=rate)
    for run in filling.bench.runs():
        filling.bench.write_log(run.id, "event", [json.dumps(WITH_SEATS_BOUND, separators=(",", ":"))])
    filling.bench.close()
    return tmp_path / "known.bench"


def asked(text: str = REAL) -> tuple[Experiment, Trace]:
    experiment = read(text)
    trace, _ = prepare(make_plan([read(GOOD)]), None)
    return experiment, trace


def test_that_a_rate_without_a_valid_run_is_not_passed_over_as_if_it_had_not_been_offered() -> None:
    found = sustained_rate("b", [rung(4, True), rung(8, True), rung(10, None)])
    assert found is not None
    assert str(found.finding()) == "b sustains at least 8 req/s; at 10 req/s no valid run decides."


def test_that_the_capacity_lies_between_what_settled_and_what_grew_without_end(tmp_path: Path) -> None:
    found = measured_saturation(file(tmp_path, {4.0: settled, 12.0: growing, 20.0: growing}), *asked())
    assert (found.low_rps, found.high_rps) == (4.0, 12.0)
    # What it completed meanwhile: of 60 s the last 15 s worth came too late.
    assert found.rate_rps == pytest.approx(9.0, rel=0.05)
    assert found.bottleneck is Bottleneck.SEQUENCES
    assert str(found.notes[0]) == (
        f"Saturates at about {found.rate_rps:.3g} requests/s (4 to 12), by the sequence limit."
    )
    assert "12/s the queue grew without end" in str(found.notes[1])
    assert "4/s settled (known.bench)" in str(found.notes[1])


def test_that_without_a_rate_that_settled_the_band_says_so(tmp_path: Path) -> None:
    found = measured_saturation(file(tmp_path, {12.0: growing}), *asked())
    assert found.low_rps == pytest.approx(0.75 * found.rate_rps)
    assert found.notes[1].kind == "advice.saturation_measured_alone"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (REAL, "no valid run of the file saturated"),
        (REAL.replace("some/model", "another/model"), "of this server, baseline and workload"),
        (REAL.replace("max_num_seqs = 16", "max_num_seqs = 8"), "of this server, baseline and workload"),
        (REAL.replace("300:256", "300:64"), "of this server, baseline and workload"),
    ],
)
def test_that_what_a_file_does_not_tell_is_said_and_not_guessed(tmp_path: Path, text: str, why: str) -> None:
    known = file(tmp_path, {4.0: settled})
    with pytest.raises(InputError, match=why):
        measured_saturation(known, *asked(text))


def test_that_the_plan_tells_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known = file(tmp_path, {4.0: settled, 12.0: growing}, toml=GOOD)
    plan = tmp_path / "next.toml"
    plan.write_text(GOOD)
    assert main(["run", str(plan), "--plan", "--known", str(known)]) == 0
    told = json.loads(capsys.readouterr().out)["saturation"]
    assert (told["bound"], told["low_rps"], told["high_rps"]) == ("seats", 4.0, 12.0)
    assert main(["run", str(plan), "--known", str(known)]) == 2
    assert "--known: needs --plan" in capsys.readouterr().err
