"""The next change is tried by replaying the run's recorded steps."""

import random
from pathlib import Path

import msgspec
import pytest

from tests.unit.advice.test_blame import Job, raw_record, settings_of
from workbench.advice import Change, Diagnosis, RunView
from workbench.base import message
from workbench.cli.diagnosis_text import diagnosis_lines
from workbench.experiments.findings.diagnose_run import diagnosis_event
from workbench.experiments.findings.replayed_change import with_replayed_change
from workbench.experiments.run.step_records import RunSteps
from workbench.results import RequestRecord

VIEW = RunView(samples=(), limits={"max_num_seqs": 4, "max_num_batched_tokens": 2048}, name="baseline")


@pytest.fixture
def few_slots(tmp_path: Path) -> tuple[RunSteps, list[RequestRecord]]:
    """The record of a run whose requests wait for sequence slots."""
    rng = random.Random(2)
    jobs = [Job(rng.uniform(0, 1), rng.randint(50, 200), rng.randint(30, 60)) for _ in range(60)]
    content = raw_record(jobs, settings_of(max_num_seqs=4))
    # The engine's ids end with a suffix of its own.
    for number in range(len(jobs)):
        content = content.replace(f'"r{number}"'.encode(), f'"cmpl-r{number}-0"'.encode())
    file = tmp_path / "x.steps.jsonl"
    file.write_bytes(content)
    records = [
        RequestRecord(
            index=number,
            row=number,
            request_id=f"r{number}",
            cls="chat",
            input_tokens=job.prompt,
            output_tokens=job.output,
            due=job.due,
            released=job.due,
            sent=job.due,
            done=job.done,
        )
        for number, job in enumerate(jobs)
    ]
    return RunSteps(file=file, begin=0, end=len(content), zero=0.0), records


def diagnosis(change: Change | None) -> Diagnosis:
    return Diagnosis(
        headline=message("advice.kept_up"),
        timeline=[],
        shares={},
        findings=[],
        headrooms=[],
        classes={},
        change=change,
        unseen=[],
    )


def change(control: str | None, value: int | None) -> Change:
    return Change(control=control, value=value, text=message("advice.higher_rate"))


def test_the_rules_own_change_gets_its_predicted_effect(
    few_slots: tuple[RunSteps, list[RequestRecord]],
) -> None:
    found = with_replayed_change(diagnosis(change("max_num_seqs", 8)), VIEW, *few_slots)
    assert found.change is not None
    assert (found.change.control, found.change.value) == ("max_num_seqs", 8)
    predicted = found.change.predicted
    assert predicted is not None
    assert predicted.kind == "advice.predicted_by_replay"
    values = predicted.values
    assert values["after"] < 0.7 * values["before"]
    assert abs(values["error"]) < 0.02
    assert predicted in found.notes()
    assert f"  {predicted}" in diagnosis_lines(diagnosis_event(VIEW, found=found))


@pytest.mark.parametrize("own", [None, change(None, None), change("max_num_batched_tokens", 4096)])
def test_the_ledgers_change_replaces_one_that_gains_nothing(
    few_slots: tuple[RunSteps, list[RequestRecord]], own: Change | None
) -> None:
    found = with_replayed_change(diagnosis(own), VIEW, *few_slots)
    assert found.change is not None
    assert (found.change.control, found.change.value) == ("max_num_seqs", 8)
    assert found.change.predicted is not None


def test_nothing_is_predicted_by_a_replay_that_is_far_off(
    few_slots: tuple[RunSteps, list[RequestRecord]],
) -> None:
    steps, records = few_slots
    wide = steps.file.read_bytes().replace(b'"max_num_seqs":4', b'"max_num_seqs":64')
    steps.file.write_bytes(wide.replace(b'"max_num_active_seqs":4', b'"max_num_active_seqs":64'))
    steps.end = len(wide)
    found = with_replayed_change(diagnosis(change("max_num_seqs", 128)), VIEW, steps, records)
    # The replay with 64 slots differs from the record with 4: nothing is predicted from it.
    assert found.change is not None
    assert found.change.predicted is None


def test_nothing_is_predicted_without_a_record_or_for_an_invalid_run_or_a_closed_loop(
    few_slots: tuple[RunSteps, list[RequestRecord]],
) -> None:
    steps, records = few_slots
    found = diagnosis(change("max_num_seqs", 8))
    closed = RunView(samples=(), concurrency=4)
    invalid = RunView(samples=(), figures={"valid": False})
    assert with_replayed_change(found, VIEW, None, records) is found
    assert with_replayed_change(found, closed, steps, records) is found
    assert with_replayed_change(found, invalid, steps, records) is found
    steps.file.write_bytes(steps.file.read_bytes().replace(b'"ev":"sched"', b'"ev":"other"', 1))
    gone = msgspec.structs.replace(steps, file=steps.file.with_name("gone.jsonl"))
    assert with_replayed_change(found, VIEW, steps, records) is found
    assert with_replayed_change(found, VIEW, gone, records) is found
