"""The step record reads what was recorded inside a real server and writes the same again."""

import gzip
import json
from pathlib import Path

import pytest

from workbench.base import InputError
from workbench.vllm_dialect import StepHeader, StepLimitChanged, StepScheduled, encode_step, read_steps

RECORDING = (
    Path(__file__).parents[4] / "shared" / "data" / "parity" / "serve" / "serve-60-blocks.steps.jsonl.gz"
)


@pytest.mark.skipif(not RECORDING.exists(), reason="no recording of a real server here")
def test_that_a_real_recording_is_read_and_written_without_loss() -> None:
    with gzip.open(RECORDING) as file:
        lines = file.readlines()
    records = list(read_steps(lines, where=RECORDING.name))
    assert len(records) == len(lines)
    assert isinstance(records[0], StepHeader)
    for line, record in zip(lines, records, strict=True):
        again = json.loads(encode_step(record))
        assert {key: again[key] for key in json.loads(line)} == json.loads(line)


def test_that_the_reason_of_a_waiting_head_and_a_changed_limit_are_kept() -> None:
    line = StepLimitChanged(name="max_num_active_reqs", old=16, new=3, t_next=9)
    step = StepScheduled(
        t=9, mono=1.0, us=5.0, sched=[("a", 4)], pre=[], new=["a"], res=[], hit={"a": 0}, run=["a"], wait=1,
        free=3, why="seat",
    )  # fmt: skip
    assert list(read_steps([encode_step(line), b"\n", encode_step(step)], where="x")) == [line, step]


def test_that_a_foreign_line_is_refused_with_its_place() -> None:
    with pytest.raises(InputError, match=r"steps\.jsonl:2: not a step record"):
        list(read_steps([b"", b'{"ev": "nap"}'], where="steps.jsonl"))
