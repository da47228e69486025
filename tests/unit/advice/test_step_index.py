"""The columns of a step record: they hold what the record says, in few bytes, and open from a file."""

import io
import random
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.unit.advice.test_blame import Job, index_of, raw_record, record, settings_of
from workbench.advice.blame import StepIndex, StepIndexBuilder, build_step_index, newest_part
from workbench.advice.blame.step_index import DECODE, PREEMPTED, REASONS, RECOMPUTE
from workbench.base import Refusal
from workbench.vllm_dialect import RequestAdded, StepScheduled, StepUpdated, encode_step

CONFIG = settings_of(num_gpu_blocks=150, max_num_seqs=6, max_num_batched_tokens=256, max_model_len=2000)


def jobs(seed: int = 1) -> list[Job]:
    """Requests that wait, are cut into chunks, and are preempted."""
    rng = random.Random(seed)
    return [Job(rng.uniform(0, 0.3), rng.randint(1, 900), rng.randint(1, 300)) for _ in range(12)]


def test_the_columns_hold_what_the_record_says() -> None:
    index, lines = index_of(jobs(), CONFIG), record(jobs(), CONFIG)
    calls = [line for line in lines if isinstance(line, StepScheduled)]
    steps = index.steps
    assert steps.number.tolist() == [line.t for line in calls]
    assert steps.running.tolist() == [len(line.run) for line in calls]
    assert [REASONS[why] for why in steps.why.tolist()] == [line.why for line in calls]
    assert steps.free.tolist() == [line.free for line in calls]
    tokens = (steps.prefill + steps.recompute + steps.decode).tolist()
    assert tokens == [sum(count for _, count in line.sched) for line in calls]
    assert (index.events.kind == PREEMPTED).sum() == sum(len(line.pre) for line in calls) > 0
    assert (index.entries.kind == RECOMPUTE).any()
    finished = {name for line in lines if isinstance(line, StepUpdated) for name in line.fin}
    ends = zip(index.requests.ids, index.requests.finished.tolist(), strict=True)
    assert {name for name, step in ends if step >= 0} == finished


def test_the_context_of_a_request_counts_from_its_last_admission() -> None:
    index = index_of(jobs(), CONFIG)
    computed: dict[str, int] = {}
    entries = iter(
        zip(index.entry_place.tolist(), index.entries.request.tolist(), index.context, strict=True)
    )
    shown = {(place, index.requests.ids[request]): int(context) for place, request, context in entries}
    calls = [line for line in record(jobs(), CONFIG) if isinstance(line, StepScheduled)]
    for place, line in enumerate(calls):
        for name in (*line.new, *line.res):
            computed[name] = line.hit.get(name, 0)
        for name, tokens in line.sched:
            computed[name] += tokens
            assert shown[place, name] == computed[name]


@pytest.mark.parametrize("most", [1, 40, 300])
def test_the_newest_part_says_the_same_of_its_steps(most: int) -> None:
    index = index_of(jobs(), CONFIG)
    part = newest_part(index, most)
    first = len(index.steps) - len(part.steps)
    assert first > 0
    assert len(part.entries.request) <= most
    assert StepIndex.from_bytes(part.to_bytes(), where="part").start == index.start
    cut = int(index.steps.first_entry[first])
    assert part.context.tolist() == index.context[cut:].tolist()
    names = [index.requests.ids[request] for request in index.entries.request[cut:]]
    assert [part.requests.ids[request] for request in part.entries.request] == names
    heads = [
        [one.requests.ids[head] if head >= 0 else None for head in one.steps.head.tolist()]
        for one in (index, part)
    ]
    assert heads[1] == heads[0][first:]
    lost = part.events.kind == PREEMPTED
    assert lost.sum() == ((index.events.kind == PREEMPTED) & (index.events.place >= first)).sum()


def test_a_slot_is_held_by_one_request_at_a_time_and_by_all_that_run() -> None:
    index = index_of(jobs(), CONFIG)
    held = np.zeros((CONFIG.max_num_seqs, len(index.steps)), dtype=int)
    for slot, begin, end in zip(index.stays.slot, index.stays.begin, index.stays.end, strict=True):
        held[slot, begin:end] += 1
    assert held.max() == 1
    assert held.sum(axis=0).tolist() == index.steps.running.tolist()


def test_a_file_holds_the_same_and_a_damaged_one_is_refused(tmp_path: Path) -> None:
    index, path = index_of(jobs(), CONFIG), tmp_path / "steps.npz"
    index.save(path)
    again = StepIndex.open(path)
    assert again.header == index.header
    assert again.requests.ids == index.requests.ids
    assert np.array_equal(again.context, index.context)
    assert np.array_equal(again.steps.ended, index.steps.ended)
    whole = path.read_bytes()
    for damaged in (b"", whole[:-100], whole[:900] + whole[1000:]):
        path.write_bytes(damaged)
        with pytest.raises(Refusal, match=r"steps\.npz"):
            StepIndex.open(path)


def test_references_outside_of_their_table_are_refused(tmp_path: Path) -> None:
    index, path = index_of(jobs(), CONFIG), tmp_path / "steps.npz"
    index.entries.request[0] = 10_000
    index.save(path)
    with pytest.raises(Refusal, match="don't fit"):
        StepIndex.open(path)


def test_columns_of_texts_are_refused() -> None:
    index = index_of(jobs(), CONFIG)
    arrays = dict(np.load(io.BytesIO(index.to_bytes())))
    arrays["steps.free"] = arrays["steps.free"].astype(str)
    file = io.BytesIO()
    np.savez(file, **arrays)
    with pytest.raises(Refusal, match="don't fit"):
        StepIndex.from_bytes(file.getvalue(), where="steps.npz")


def test_it_takes_few_bytes_and_grows_while_the_record_is_written() -> None:
    header, *lines = raw_record(jobs(), CONFIG).splitlines()
    builder = StepIndexBuilder(header, where="test")
    for line in lines[: len(lines) // 2]:
        builder.feed(line)
    half = builder.index(0.0)
    for line in lines[len(lines) // 2 :]:
        builder.feed(line)
    whole = builder.index(0.0)
    assert 0 < len(half.steps) < len(whole.steps)
    empty = len(StepIndexBuilder(header, where="test").index(0.0).to_bytes())
    most = empty + 200 * len(whole.steps) + 8 * len(whole.entries.request)
    assert len(whole.to_bytes()) < most
    assert (whole.entries.kind == DECODE).sum() > 100


@pytest.mark.slow
def test_a_run_of_100_000_steps_opens_within_3_s(tmp_path: Path) -> None:
    steps, running = 100_000, 16
    index = build_step_index(long_record(steps, running), 0.0, where="test")
    assert len(index.to_bytes()) < 200 * steps + 8 * len(index.entries.request)
    index.save(tmp_path / "steps.npz")
    # Processor time of this process, so that a busy machine doesn't count.
    began = time.process_time()
    again = StepIndex.open(tmp_path / "steps.npz")
    assert len(again.context) > 0.9 * steps * running
    assert time.process_time() - began < 3


def long_record(steps: int, running: int) -> Iterator[bytes]:
    """A record in which each request runs for 500 steps."""
    yield raw_record([], CONFIG).splitlines(keepends=True)[0]
    ages = {f"cmpl-{number:08x}-0": 30 * number for number in range(running)}
    added = running
    for number in range(steps):
        new = [name for name, age in ages.items() if age == 0]
        mono = number * 0.01
        counts = [(name, 1) for name in ages]
        yield encode_step(
            StepScheduled(
                t=number,
                mono=mono,
                us=0.0,
                sched=counts,
                pre=[],
                new=new,
                res=[],
                hit={},
                run=list(ages),
                wait=0,
                free=9,
            )
        )
        ended = [name for name, age in ages.items() if age >= 500]
        ages = {name: age + 1 for name, age in ages.items() if age < 500}
        yield encode_step(
            StepUpdated(t=number, mono=mono + 0.009, tok={}, fin=ended, run=list(ages), wait=0, free=9)
        )
        for _ in ended:
            name = f"cmpl-{added:08x}-0"
            added += 1
            ages[name] = 0
            yield encode_step(
                RequestAdded(
                    id=name,
                    t_next=number + 1,
                    prompt=[1],
                    max_tokens=500,
                    priority=0,
                    arrival_time=mono,
                    eos=None,
                )
            )


@pytest.mark.parametrize("line", [b"{", b'{"ev":"sched"}', b'{"ev":"update","t":0,"mono":"x","fin":[]}'])
def test_a_line_of_another_kind_is_refused_with_its_number(line: bytes) -> None:
    header = raw_record([], CONFIG).splitlines()[0]
    builder = StepIndexBuilder(header, where="test")
    builder.feed(b"")
    with pytest.raises(Refusal) as refused:
        builder.feed(line)
    assert refused.value.place.line == 3
