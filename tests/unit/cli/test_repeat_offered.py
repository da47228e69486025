"""A plan with invalid runs ends with the command that does them again, and with what may help."""

from pathlib import Path

from tests.unit.results.making import request, with_run
from workbench.cli.table import repeat_offered
from workbench.results import BenchFile, Conditions, MachineSample, RunFrame, sharing_of, summarize_run


def ended(bench: Path, others: float) -> None:
    """Store one run during which others took this share of the machine."""
    looks = [MachineSample(t=float(t), others_cpu=others) for t in range(1, 10)]
    conditions = Conditions(sharing=sharing_of(looks, 10.0, frozenset()))
    summary = summarize_run([request()], RunFrame(length_s=10.0), conditions=conditions)
    with BenchFile.create(bench) as file:
        file.finish_run(with_run(file), "done", summary)


def test_an_invalid_run_is_offered_to_be_done_again(tmp_path: Path) -> None:
    bench = tmp_path / "a b.bench"
    ended(bench, 0.6)
    again, helps = repeat_offered(bench)
    assert again == (
        f"1 run is invalid; done again by: python -m workbench run --bench '{bench}' --resume --again"
    )
    assert (
        helps == "what may help: the run again, once the other processes have ended, or on a quieter machine"
    )


def test_valid_runs_need_no_word(tmp_path: Path) -> None:
    ended(tmp_path / "a.bench", 0.01)
    assert repeat_offered(tmp_path / "a.bench") == []
