"""Step models that runs teach, and the predictions of planned runs by them."""

import json
import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from workbench.cli import main
from workbench.engine import Row, SchedulerConfig
from workbench.experiments import Experiment, ServerModel, learned_model, make_plan, predict_plan, prepare
from workbench.experiments.learned import server_model
from workbench.experiments.learned.learn import prediction_errors
from workbench.experiments.learned.server_model import (
    SeenRange,
    TrainingRows,
    refined,
    save_model,
    server_key,
    with_errors,
)
from workbench.profiles import StepModel
from workbench.results import StoredFigures
from workbench.servers import TargetSpec

TRUTH = StepModel(a=9000, b=30, c=40, d=0.08, e=0.001)
EXPERIMENT = """
name = "Known"
[target]
kind = "attached"
url = "http://127.0.0.1:1"
[baseline]
max_in_flight = 64
[control]
name = "max_in_flight"
values = [8]
[trace]
synthetic = "300:60"
[load]
rates = [15]
duration_s = 6
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(server_model, "data_folder", lambda: tmp_path)
    return tmp_path


def found(seed: int, *, slower: float = 1.0, version: str = "0.32.0", most: int = 32) -> TrainingRows:
    """What a run tells: noisy steps, a few of them beside a pause."""
    draw, rows = random.Random(seed), []
    for _ in range(300):
        decodes, prefill = draw.randrange(1, most), draw.choice([0, 0, 0, 300, 600])
        contexts = decodes * draw.randrange(100, 900)
        us = slower * TRUTH.step_us(prefill, decodes, contexts, prefill**2 / 2) * draw.gauss(1, 0.02)
        pause = 6 if draw.random() < 0.02 else 1
        rows.append(Row(us * pause, 1, prefill, decodes, contexts, prefill**2 / 2))
    return TrainingRows(
        rows=rows,
        seen=SeenRange(decodes=most, context=900, prefill=1500),
        config=SchedulerConfig(num_gpu_blocks=5000, max_model_len=8192, max_num_seqs=64),
        configured={},
        version=version,
    )


def learned(*runs: TrainingRows) -> ServerModel:
    model: ServerModel | None = None
    for number, run in enumerate(runs):
        model = refined(model, run, server="here", run=f"run {number}")
    assert model is not None
    return model


def test_that_runs_refine_the_model_and_later_ones_weigh_more():
    model = learned(found(1), found(2), found(3))
    assert model.step_model.a == pytest.approx(TRUTH.a, rel=0.03)
    assert model.step_model.b == pytest.approx(TRUTH.b, rel=0.05)
    assert abs(model.time_error) < 0.02
    assert model.runs == ["run 0", "run 1", "run 2"]
    slower = learned(found(1), found(2, slower=1.5), found(3, slower=1.5))
    assert 1.25 * TRUTH.a < slower.step_model.a < 1.5 * TRUTH.a


def test_that_the_error_is_that_of_a_run_before_it_is_learned():
    assert learned(found(1), found(2, slower=1.25)).time_error == pytest.approx(-0.2, abs=0.02)


def test_that_another_version_starts_afresh():
    model = learned(found(1, slower=3.0), found(2, version="0.33.0"))
    assert model.runs == ["run 1"]
    assert model.step_model.a == pytest.approx(TRUTH.a, rel=0.05)


def test_that_a_server_is_known_by_its_place_and_the_flags_that_change_its_steps():
    one = TargetSpec(kind="local", model="m", args=["--dtype", "half", "--max-num-seqs", "8"])
    same = msgspec.structs.replace(one, args=["--max-num-seqs=64", "--dtype=half"])
    other = msgspec.structs.replace(one, args=["--dtype", "bfloat16"])
    assert server_key(one) == server_key(same) != server_key(other)
    assert learned_model(one) is None
    save_model(one, learned(found(1)))
    assert learned_model(same) == learned(found(1))
    assert learned_model(other) is None


def planned(text: str = EXPERIMENT) -> tuple[Any, Any]:
    plan = make_plan([Experiment.from_toml(text, where="known.toml")])
    trace, _ = prepare(plan, None)
    return plan, trace


def test_that_each_planned_run_is_predicted_with_a_band():
    plan, trace = planned()
    model = learned(found(1), found(2))
    predicted = predict_plan(plan, trace, model)
    assert set(predicted) == {run.name for run in plan.runs}
    free, capped = (predicted[run.name].figures for run in plan.runs)
    for band in (*free.values(), *capped.values()):
        assert band.low <= band.value <= band.high
    assert capped["ttft_p95_ms"].low > free["ttft_p95_ms"].high
    assert not predicted[plan.runs[0].name].beyond
    assert len(predict_plan(plan, trace, model, most=1)) == 1


def test_that_a_run_beyond_what_was_seen_says_so():
    plan, trace = planned(EXPERIMENT.replace("[15]", "[40]"))
    predicted = predict_plan(plan, trace, learned(found(1, most=4)))
    kinds = [each.kind for each in predicted[plan.runs[0].name].beyond]
    assert "experiments.beyond_decodes" in kinds
    assert "predicted_beyond" in predicted[plan.runs[0].name].facts()


def test_that_a_closed_loop_is_predicted():
    closed = EXPERIMENT.replace("rates = [15]", "concurrency = [4, 16]")
    for left_out in ('[control]\nname = "max_in_flight"\nvalues = [8]\n', "[baseline]\nmax_in_flight = 64\n"):
        closed = closed.replace(left_out, "")
    plan, trace = planned(closed)
    predicted = predict_plan(plan, trace, learned(found(1)))
    few, many = (predicted[run.name].figures["output_tok_s"].value for run in plan.runs)
    assert 2 * few < many


def test_that_earlier_errors_widen_the_band():
    plan, trace = planned()
    model = learned(found(1), found(2))
    name = plan.runs[0].name
    usual = predict_plan(plan, trace, model)[name].figures["itl_p95_ms"]
    wider = predict_plan(plan, trace, with_errors(model, {"itl_p95_ms": 0.4}))[name].figures["itl_p95_ms"]
    assert wider.value == usual.value
    assert wider.high == pytest.approx(1.4 * wider.value)
    assert wider.low < usual.low


def test_that_a_runs_predictions_are_compared_with_what_it_measured():
    entry = SimpleNamespace(
        facts={"predicted_ttft_p95_ms": 110.0, "predicted_itl_p95_ms": 9.0},
        figures=msgspec.convert({"ttft_ms": {"p95": 100.0}}, StoredFigures),
    )
    errors = prediction_errors(entry)  # type: ignore[arg-type]  # only these are read
    assert errors == {"ttft_p95_ms": pytest.approx(0.1)}


def test_that_the_printed_plan_holds_the_predictions(tmp_path: Path, capsys: Any):
    path = tmp_path / "known.toml"
    path.write_text(EXPERIMENT)
    main(["run", str(path), "--plan"])
    assert [run["predicted"] for run in json.loads(capsys.readouterr().out)["runs"]] == [None, None]
    save_model(Experiment.from_toml(EXPERIMENT, where="known.toml").target, learned(found(1)))
    main(["run", str(path), "--plan"])
    plan = json.loads(capsys.readouterr().out)
    band = plan["runs"][0]["predicted"]["figures"]["ttft_p95_ms"]
    assert band["low"] <= band["value"] <= band["high"]
    assert any("1 earlier run" in note for note in plan["notes"])
