"""The guide's open questions become experiments."""

from pathlib import Path

import pytest

from tests.unit.experiments.test_experiment import GOOD
from tests.unit.experiments.test_findings import BURST, Filling, records
from workbench.base import InputError
from workbench.cli import main
from workbench.experiments import Experiment, next_experiments, read_experiments, summarize
from workbench.experiments.plan.judged_steps import judge_steps
from workbench.results import BenchFile, Sample, add_peer_runs, read_peer_runs


@pytest.fixture
def measured(tmp_path: Path) -> Path:
    """A bench file: the baseline queues, 32 seats hold the objective."""
    filling = Filling(tmp_path / "seats.bench", GOOD)
    filling.run(None, None, {"max_num_seqs": 16}, records(lambda _: 2.0, rate=12))
    filling.run("max_num_seqs", 32, {"max_num_seqs": 32}, records(lambda _: 0.2, rate=12, seed=2))
    filling.bench.close()
    return tmp_path / "seats.bench"


def test_that_burst_and_soak_begin_from_what_was_recommended_at_the_normal_rate(measured: Path) -> None:
    found = {each.name: each for each in next_experiments(measured)}
    assert list(found) == ["targets", "burst", "soak", "reproduce", "cost"]
    for name in ("burst", "soak"):
        assert found[name].answer.verdict == "not measured yet"
        experiment = Experiment.from_toml(found[name].toml or "", where=name)
        assert (experiment.kind, experiment.control.values) == (name, [])
        assert experiment.baseline == {"max_num_seqs": 32}
        assert experiment.load.rates == [pytest.approx(12.0)]
    assert found["targets"].toml is None
    assert found["cost"].toml is None, "a price is the user's to state"


def test_that_kv_use_which_creeps_up_over_a_long_run_is_not_answered_as_stable(tmp_path: Path) -> None:
    """Its peak alone, far from full, wouldn't tell."""
    for name, slope, verdict in (("calm", 0.0, "yes"), ("creeping", 0.3 / 600, "no")):
        filling = Filling(tmp_path / f"{name}.bench", GOOD)
        filling.run(None, None, {"max_num_seqs": 16}, records(lambda _: 0.2, rate=12))
        samples = [Sample(t=float(t), preemptions=0.0, kv_usage=0.3 + slope * t) for t in range(620)]
        filling.bench.write_samples(1, samples)
        told = {"duration_s": 620.0, "preemptions": 0.0, "kv_peak": 0.6}
        filling.bench.update_run(1, summary=(filling.bench.run(1).summary or {}) | told)
        filling.bench.close()
        soak = next_experiments(tmp_path / f"{name}.bench")[2]
        assert soak.answer.verdict == verdict


def test_that_the_command_writes_them_and_they_can_be_run(
    measured: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "next"
    assert main(["run", "--plan-next", str(measured), "--out", str(folder)]) == 0
    said = capsys.readouterr().out
    assert "not measured yet  Are preemptions and KV use stable" in said
    written = sorted(path.name for path in folder.iterdir())
    assert written == ["seats-burst.toml", "seats-reproduce.toml", "seats-soak.toml"]
    assert f"planned, written to {folder / 'seats-soak.toml'}" in said
    assert said.splitlines()[-1] == f"3 experiment files written into {folder}"
    (again,) = read_experiments([folder / "seats-reproduce.toml"])
    assert again.reproduces == str(measured.resolve())


def test_that_from_a_burst_alone_the_normal_rate_is_planned_as_one_configuration(tmp_path: Path) -> None:
    """Nothing was under test there, and a ladder without values is no experiment."""
    filling = Filling(tmp_path / "burst.bench", BURST.replace("values = [32, 64]", "values = []"))
    facts = {"experiment_kind": "burst"}
    filling.run(None, None, {"max_num_seqs": 16}, records(lambda _: 0.2, rate=12), facts=facts)
    filling.bench.close()
    targets = next_experiments(tmp_path / "burst.bench")[0]
    assert targets.answer.verdict == "not measured yet"
    experiment = Experiment.from_toml(targets.toml or "", where="targets")
    assert (experiment.kind, experiment.control.values, experiment.burst) == ("soak", [], None)
    assert experiment.load.rates == [pytest.approx(12.0)]
    assert experiment.load.duration_s is not None
    assert experiment.load.duration_s * 12 >= 400


def test_that_without_a_folder_the_command_says_where_it_wrote(
    measured: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", "--plan-next", str(measured)]) == 0
    said = capsys.readouterr().out
    for path in tmp_path.glob("*.toml"):
        assert f"planned, written to {path}" in said
    assert said.splitlines()[-1] == f"3 experiment files written into {tmp_path}"


def test_that_what_cannot_be_planned_from_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    BenchFile.create(tmp_path / "empty.bench").close()
    with pytest.raises(InputError, match="holds no experiment"):
        next_experiments(tmp_path / "empty.bench")
    assert main(["run"]) == 2
    assert main(["run", "x.toml", "--plan-next", "y.bench"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_that_results_of_other_tools_beside_ours_are_no_step_and_no_variant(measured: Path) -> None:
    peer = Path(__file__).parents[2] / "data" / "peers" / "aiperf.json"
    with BenchFile.open(measured) as bench:
        steps, before = judge_steps(bench), summarize(bench)
    with BenchFile.open(measured, read_only=False) as bench:
        add_peer_runs(bench, read_peer_runs(peer), peer)
        assert judge_steps(bench) == steps
        assert summarize(bench) == before
    assert next_experiments(measured)[0].name == "targets"
