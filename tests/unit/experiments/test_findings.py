"""What each kind of experiment finds, from bench files whose truth is known."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from tests.unit.experiments.test_experiment import GOOD
from workbench.experiments import Experiment
from workbench.experiments.findings.capacity import sustained_rate
from workbench.experiments.findings.soak import soak_finding
from workbench.experiments.findings.summary import findings_of
from workbench.experiments.findings.switchback import _Blocks, _difference
from workbench.experiments.plan.estimate import relaxation_s
from workbench.experiments.plan.judged_steps import JudgedStep, judge_steps
from workbench.experiments.run.switchback import blocks_of
from workbench.results import (
    BenchFile,
    Conditions,
    Objectives,
    Outcome,
    RequestRecord,
    RunFrame,
    RunInputs,
    Sample,
    summarize_run,
)

LENGTH = 60.0
Waits = Callable[[float], float]
"""TTFT in seconds of a request that is due at a time."""


def records(
    waits: Waits, *, rate: float, seed: int = 1, rejected_from: float | None = None
) -> list[RequestRecord]:
    due = np.sort(np.random.default_rng(seed).uniform(0, LENGTH, int(rate * LENGTH)))
    found = []
    for index, at in enumerate(due):
        refused = rejected_from is not None and at >= rejected_from and index % 2 == 0
        first = None if refused else at + waits(float(at))
        found.append(
            RequestRecord(
                index=index, row=index, request_id=str(index), cls="short", phase="measured",
                input_tokens=100, output_tokens=2, due=at, released=at, sent=at, first_token=first,
                last_token=None if first is None else first + 0.01,
                done=at + 0.001 if first is None else first + 0.01,
                outcome=Outcome.REJECTED if refused else Outcome.COMPLETED,
                finish_reason=None if refused else "length", status=503 if refused else 200,
                prompt_tokens=100, completion_tokens=2, tokens=2, gaps_ms=np.float32([10]).tobytes(),
            )
        )  # fmt: skip
    return found


class Filling:
    """A bench file that is filled run by run."""

    def __init__(self, path: Path, toml: str) -> None:
        self.bench = BenchFile.create(path)
        self.experiment = self.bench.add_experiment("e", toml, objectives=Objectives(ttft_p95_ms=1000))

    def run(
        self, control: str | None, value: Any, config: dict[str, Any], rows: list[RequestRecord], **of: Any
    ) -> None:
        name = "baseline" if control is None else f"{control} = {value}"
        rate, repeat = of.get("rate", 12.0), of.get("repeat", 1)
        frame = RunFrame(length_s=LENGTH, ended=LENGTH + 30)
        run = self.bench.add_run(
            self.experiment, f"{name} @ {rate:g} req/s #{repeat}",
            control=control, value=value, config=config,
            repeat=repeat, rate=rate, frame=frame, trace_sha256="t", schedule_sha256=f"s{repeat}",
            facts=of.get("facts", {}),
        )  # fmt: skip
        self.bench.write_requests(run, rows)
        summary = summarize_run(rows, frame, objectives=Objectives(ttft_p95_ms=1000), conditions=Conditions())
        self.bench.finish_run(run, "done", summary, inputs=RunInputs())


@pytest.fixture
def fill(tmp_path: Path) -> Iterator[Callable[[str], Filling]]:
    made: list[Filling] = []

    def filling(toml: str) -> Filling:
        made.append(Filling(tmp_path / f"{len(made)}.bench", toml))
        return made[-1]

    yield filling
    for each in made:
        each.bench.close()


Fill = Callable[[str], Filling]


def said_of(filling: Filling) -> list[str]:
    return [str(finding) for finding in findings_of(filling.bench)[0]]


BURST = (
    GOOD.replace('name = "Seats on chat"', 'name = "e"\nkind = "burst"').replace(
        "duration_s = 30", "duration_s = 60"
    )
    + "[burst]\nfactor = 4.0\nseconds = 10.0\nat = 20.0\n"
)


def test_that_a_burst_that_is_queued_without_end_is_a_spike_and_says_when_it_is_over(fill: Fill) -> None:
    filling = fill(BURST)
    filling.run(None, None, {"max_num_seqs": 16}, records(lambda at: 4.0 if 20 <= at < 35 else 0.1, rate=12))
    (said,) = said_of(filling)
    assert "a burst of 4 times the rate for 10 s: latency spikes, no request is rejected" in said
    assert "p95 TTFT 100 ms before, 4 s during the burst, recovered after 5 s" in said


def test_that_a_burst_whose_end_nobody_saw_is_said_to_be_unbounded(fill: Fill) -> None:
    filling = fill(BURST)
    filling.run(None, None, {"max_num_seqs": 16}, records(lambda at: 4.0 if at >= 20 else 0.1, rate=12))
    assert "does not recover before the end: the queue is unbounded" in said_of(filling)[0]


def test_that_rejections_mean_a_bounded_queue_and_short_waits_an_absorbed_burst(fill: Fill) -> None:
    filling = fill(BURST)
    filling.run(None, None, {"max_num_seqs": 16}, records(lambda _: 0.1, rate=12))
    filling.run(
        "max_num_seqs", 32, {"max_num_seqs": 32}, records(lambda _: 0.5, rate=12, rejected_from=20.0)
    )  # fmt: skip
    absorbed, bounded = said_of(filling)
    assert "the burst is absorbed" in absorbed
    assert "the queue is bounded: requests beyond its limit are rejected" in bounded


def rung(rate: float, sustained: bool | None, why: str = "") -> JudgedStep:
    return JudgedStep(
        run=f"baseline @ {rate:g} req/s", control=None, value=None, rate=rate, concurrency=None,
        sustained=sustained, why=why, cells={},
    )  # fmt: skip


def test_that_the_sustainable_rate_is_an_interval_with_its_reason() -> None:
    found = sustained_rate(
        "baseline", [rung(4, True), rung(8, True), rung(11.3, False, "diverging, TTFT +0.4 s per s")]
    )
    assert found is not None
    assert (
        str(found.finding()) == "baseline sustains 8 to 11.3 req/s (at 11.3: diverging, TTFT +0.4 s per s)."
    )


def test_that_an_open_end_and_a_lottery_are_said_so() -> None:
    above, below, mixed = (
        sustained_rate("b", [rung(4, True), rung(8, True)]),
        sustained_rate("b", [rung(4, False, "too slow"), rung(8, False)]),
        sustained_rate("b", [rung(4, False, "too slow"), rung(8, True)]),
    )
    assert above is not None
    assert below is not None
    assert mixed is not None
    assert "at least 8 req/s" in str(above.finding())
    assert "less than 4 req/s (too slow)" in str(below.finding())
    assert "yet it sustained 8: more repeats would settle it" in str(mixed.finding())
    assert sustained_rate("b", [rung(4, None), rung(8, None)]) is None


def test_that_a_queue_forgets_more_slowly_the_nearer_it_is_to_capacity() -> None:
    times = [relaxation_s(load * 7.3, 7.3) for load in (0.5, 0.8, 0.95)]
    assert times == sorted(times)
    # Simulated queues at 0.95 needed minutes where a run of 60 s gave 0.42 to 2.5 s by chance.
    assert 120 < times[-1] < 600
    assert relaxation_s(7.3, 7.3) == float("inf")


CONFIRM = (
    GOOD.replace('name = "Seats on chat"', 'name = "e"\nkind = "confirm"').replace(
        "values = [32, 64]", "values = [32]"
    )
    + '[second]\nname = "max_num_batched_tokens"\nvalue = 512\n'
)


def noisy(level: float, seed: int) -> Waits:
    noise = np.random.default_rng(seed)
    return lambda _: level * float(noise.uniform(0.9, 1.1))


def corner(filling: Filling, control: str | None, value: Any, config: dict[str, Any], level: float) -> None:
    for repeat in range(1, 6):
        rows = records(noisy(level, repeat), rate=12, seed=repeat)
        filling.run(control, value, config, rows, repeat=repeat)


@pytest.mark.parametrize(
    ("both", "said"), [(0.10, "no interaction can be distinguished"), (0.02, "the controls interact")]
)
def test_that_two_controls_interact_where_their_effects_dont_add_up(
    fill: Fill, both: float, said: str
) -> None:
    filling = fill(CONFIRM)
    budget = {"max_num_batched_tokens": 512}
    corner(filling, None, None, {}, 0.40)
    corner(filling, "max_num_seqs", 32, {"max_num_seqs": 32}, 0.20)
    corner(filling, "max_num_batched_tokens", 512, budget, 0.30)
    together = "max_num_seqs + max_num_batched_tokens"
    corner(filling, together, "32 + 512", budget | {"max_num_seqs": 32}, both)
    assert said in next(line for line in said_of(filling) if line.startswith("p95 TTFT"))


def test_that_a_soak_in_which_preemptions_grow_is_not_stable(fill: Fill) -> None:
    filling = fill(GOOD)
    filling.run(None, None, {}, records(lambda _: 0.1, rate=12))
    run = filling.bench.runs()[0]
    calm = [Sample(t=float(t), preemptions=0.0, kv_usage=0.4) for t in range(60)]
    assert ": stable (" in str(soak_finding(run, calm))
    wild = [Sample(t=float(t), preemptions=max(0.0, t - 30.0), kv_usage=0.4 + t / 200) for t in range(60)]
    assert "not stable: preemptions grow, KV use grows" in str(soak_finding(run, wild))
    # Of too few requests nobody knows whether their waiting grew.
    few = msgspec.structs.replace(run, summary={**(run.summary or {}), "drift": None, "diverging": None})
    assert ": no growth was seen (" in str(soak_finding(few, calm))
    assert str(soak_finding(few, [])).endswith(
        ": unknown, because the server reported no figures (TTFT's drift is unknown)."
    )
    invalid = msgspec.structs.replace(run, summary={**(run.summary or {}), "valid": False})
    assert str(soak_finding(invalid, calm)) == f"{run.name}: no conclusion, because the run is invalid."


SWITCHBACK = """
name = "e"
kind = "switchback"
target = { kind = "embedded", live_limits = true }
baseline = { max_num_active_seqs = 8 }
control = { name = "max_num_active_seqs", values = [16] }
trace = { synthetic = "300:256" }
load = { rates = [12.0], duration_s = 60 }
switchback = { block_s = 5.0, washout_s = 1.0 }
"""


def switched(filling: Filling, effect: float, seed: int) -> str:
    """A run whose level wanders from block to block, and is `effect` times as high under the variant."""
    experiment = Experiment.from_toml(SWITCHBACK, where="s")
    repeat = msgspec.structs.replace(experiment.repeat, seed=seed)
    blocks = blocks_of(msgspec.structs.replace(experiment, repeat=repeat))
    noise = np.random.default_rng(seed)
    wander = [float(noise.uniform(0.1, 0.2)) for _ in blocks]

    def waits(at: float) -> float:
        block = min(int(at / 5), len(blocks) - 1)
        level = wander[block] * (effect if blocks[block].variant else 1.0)
        return level * float(noise.uniform(0.8, 1.2))

    filling.run(
        "max_num_active_seqs", "8 ⇄ 16", {"max_num_active_seqs": 16}, records(waits, rate=40, seed=seed),
        facts={"blocks": [block.stored() for block in blocks]},
    )  # fmt: skip
    (verdict,) = [each for each in findings_of(filling.bench)[1] if each.figure == "ttft_p95_ms"]
    return str(verdict.word)


def test_that_a_switchback_finds_a_large_difference_in_one_run(fill: Fill) -> None:
    assert switched(fill(SWITCHBACK), 3.0, 1) == "worse"
    assert switched(fill(SWITCHBACK), 1 / 3, 2) == "better"


@pytest.mark.slow
def test_that_a_switchback_of_two_alike_is_rarely_called_different(fill: Fill) -> None:
    words = [switched(fill(SWITCHBACK), 1.0, seed) for seed in range(20)]
    # At most 5 % by construction; of 20 more than three would be a sign of something wrong (p = 0.016).
    assert sum(word in ("better", "worse") for word in words) <= 3


def test_that_a_switchback_without_any_error_promises_no_more_than_its_requests_can() -> None:
    """None in a hundred of each value leaves 3.7 % possible, two-sided."""
    none = _difference(_Blocks(values=4 * [np.zeros(50)], variant=[False, True, True, False]), None)
    assert none is not None
    assert (none.lo, none.hi) == pytest.approx((-0.037, 0.037), abs=0.0005)


def test_that_each_pair_has_both_values_in_an_order_drawn_by_chance() -> None:
    experiment = Experiment.from_toml(SWITCHBACK, where="s")
    blocks = blocks_of(experiment)
    assert len(blocks) == 12
    assert all(one.variant != other.variant for one, other in zip(blocks[::2], blocks[1::2], strict=True))
    assert len({block.variant for block in blocks[::2]}) == 2
    assert [block.begin for block in blocks] == [5.0 * place for place in range(12)]


def reproducing(fill: Fill, level: float) -> str:
    first = fill(GOOD)
    corner(first, None, None, {"max_num_seqs": 16}, 0.4)
    first.bench.flush()
    again = fill(f'reproduces = "{first.bench.path}"\n{GOOD}')
    corner(again, None, None, {"max_num_seqs": 16}, level)
    return said_of(again)[-1]


def test_that_the_same_again_is_called_reproduced_and_something_else_is_not(fill: Fill) -> None:
    assert reproducing(fill, 0.4).startswith("baseline @ 12 req/s: reproduced: p95 TTFT ")
    assert reproducing(fill, 0.8).startswith("baseline @ 12 req/s: not reproduced: p95 TTFT ")


def test_that_what_follows_from_one_run_each_says_what_was_assumed(fill: Fill) -> None:
    first = fill(GOOD)
    first.run(None, None, {"max_num_seqs": 16}, records(noisy(0.1, 1), rate=12, seed=1))
    first.bench.flush()
    again = fill(f'reproduces = "{first.bench.path}"\n{GOOD}')
    again.run(None, None, {"max_num_seqs": 16}, records(noisy(9.0, 1), rate=12, seed=1))
    said = said_of(again)[-1]
    assert said.startswith("baseline @ 12 req/s: not reproduced: ")
    assert said.endswith(
        "; the effect of a restart is assumed (25 %), not measured: 5 repeats would measure it."
    )
    filling = fill(CONFIRM)
    pairs = [(None, None, 0.4), ("max_num_seqs", 32, 0.2), ("max_num_batched_tokens", 512, 0.3)]
    for control, value, level in [*pairs, ("max_num_seqs + max_num_batched_tokens", "32 + 512", 0.1)]:
        config = {"at": value} if value else {}
        filling.run(control, value, config, records(noisy(level, 1), rate=12, seed=1))
    assert "is assumed (25 %), not measured" in said_of(filling)[0]


def test_that_a_bench_file_that_is_gone_is_named(fill: Fill) -> None:
    filling = fill(f'reproduces = "/nowhere/old.bench"\n{GOOD}')
    corner(filling, None, None, {"max_num_seqs": 16}, 0.4)
    assert said_of(filling)[-1].startswith("Nothing to compare with: /nowhere/old.bench")


def test_that_a_run_in_which_hardly_anything_was_answered_bears_nothing(fill: Fill) -> None:
    filling = fill(GOOD)
    rows = records(lambda _: 0.1, rate=12)
    for record in rows[::2]:
        record.outcome, record.first_token, record.done = Outcome.UNFINISHED, None, None
    filling.run(None, None, {}, rows)
    (rung_found,) = judge_steps(filling.bench)
    assert rung_found.sustained is False
    assert rung_found.clearly_out
    assert str(rung_found.why) == "360 of 720 requests unanswered after the drain"
