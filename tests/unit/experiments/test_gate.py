"""`run --require` is met by what the bench file proves, and by nothing else."""

from pathlib import Path

import pytest

from tests.unit.results.test_compare import star
from workbench.experiments import VERDICTS, unmet
from workbench.results import BenchFile, Objectives


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "plan.bench"


def made(path: Path, *variants: tuple[int, float], repeats: int = 4, ttft_p95_ms: float = 150) -> Path:
    """A bench file with a baseline at 0.1 s and these values of a control, each with its TTFT."""
    with BenchFile.create(path) as bench:
        star(bench, *variants, repeats=repeats, objectives=Objectives(ttft_p95_ms=ttft_p95_ms))
    return path


def kinds(path: Path, *required: str) -> list[object]:
    return [reason.values["reason"].kind for reason in unmet(path, required)]


def test_a_variant_that_is_better_meets_better_and_not_worse(path: Path) -> None:
    made(path, (64, 0.05))
    assert unmet(path, ["valid", "objectives", "better"]) == []


def test_a_variant_that_is_worse_meets_neither(path: Path) -> None:
    made(path, (8, 0.3))
    assert kinds(path, "better", "not_worse") == ["experiments.none_better", "experiments.not_proven"]


def test_no_configuration_within_the_objectives_is_said_with_the_figure(path: Path) -> None:
    made(path, (8, 0.3), ttft_p95_ms=1)
    [reason] = unmet(path, ["objectives"])
    assert "ttft_p95_ms" in str(reason)


def test_a_file_without_runs_meets_nothing(path: Path) -> None:
    with BenchFile.create(path):
        pass
    assert len(unmet(path, list(VERDICTS))) == len(VERDICTS)
