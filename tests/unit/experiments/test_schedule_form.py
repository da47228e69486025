"""A bench file's schedules stay those that it was begun with, whichever build goes on with it."""

from pathlib import Path

import pytest

from tests.unit.experiments.test_experiment import GOOD, read
from workbench.base import InputError
from workbench.experiments import Experiment
from workbench.experiments.plan.resume import check_resumable, in_stored_form
from workbench.experiments.plan.workload import load_trace, make_schedule
from workbench.experiments.run.run_settings import shared_facts
from workbench.experiments.spec.read_experiments import experiments_in, read_experiments
from workbench.results import BenchFile

BY_NUMBER = GOOD.replace("duration_s = 30", "requests = 40")


def begun(folder: Path, facts: dict[str, object]) -> Path:
    """A bench file that an experiment was begun in."""
    path = folder / "begun.bench"
    with BenchFile.create(path) as bench:
        bench.add_experiment(read(BY_NUMBER).name, BY_NUMBER, facts={"trace_sha256": "same", **facts})
    return path


def due(experiment: Experiment) -> list[float]:
    trace, _ = load_trace(experiment.trace, experiment.load)
    found: list[float] = make_schedule(trace, experiment.trace, experiment.load, 12.0, None).due_s.tolist()
    return found


def test_that_a_new_plan_says_in_which_form_its_schedules_are() -> None:
    assert shared_facts(read(BY_NUMBER), trace_name="t", trace_sha256="s")["schedule_form"] == 2
    old = BY_NUMBER.replace("requests = 40", "requests = 40\nschedule_form = 1")
    assert shared_facts(read(old), trace_name="t", trace_sha256="s")["schedule_form"] == 1


@pytest.mark.parametrize(("facts", "form"), [({}, 1), ({"schedule_form": 2}, 2)])
def test_that_a_bench_file_is_gone_on_with_in_its_own_form(
    tmp_path: Path, facts: dict[str, object], form: int
) -> None:
    path = begun(tmp_path, facts)
    (by_file,) = experiments_in(path)[0]
    (by_hand,) = in_stored_form(path, [read(BY_NUMBER)])
    stated = read(BY_NUMBER.replace("requests = 40", f"requests = 40\nschedule_form = {form}"))
    assert due(by_file) == due(by_hand) == due(stated)
    with BenchFile.open(path) as bench:
        check_resumable(bench, [by_hand], "same")


def test_that_a_form_that_is_asked_and_is_not_the_bench_files_is_refused(tmp_path: Path) -> None:
    path = begun(tmp_path, {})
    (other,) = in_stored_form(
        path, [read(BY_NUMBER.replace("requests = 40", "requests = 40\nschedule_form = 2"))]
    )
    with BenchFile.open(path) as bench, pytest.raises(InputError, match=r"another load\.schedule_form"):
        check_resumable(bench, [other], "same")


def test_that_a_plan_of_an_older_build_is_reproduced_with_its_own_times(tmp_path: Path) -> None:
    path = begun(tmp_path, {})
    again = tmp_path / "again.toml"
    again.write_text(f'kind = "reproduce"\nbench = "{path.name}"\n')
    (experiment,) = read_experiments([again])
    assert experiment.load.schedule_form == 1
    assert due(experiment) != due(read(BY_NUMBER))
