"""What `run` prints of a run's diagnosis: shares, evidence, confidence, the change with both of its sides."""

from dataclasses import replace

from tests.unit.advice.test_diagnosis import LIMITS, between, samples
from workbench.advice import RunView
from workbench.base import message
from workbench.cli.diagnosis_text import diagnosis_lines
from workbench.experiments.findings.diagnose_run import diagnosis_event

FULL = RunView(
    samples=samples(60, running=32, waiting=between(0, 45, 20, 0), kv_usage=0.4, prompt_rate=100),
    limits=LIMITS,
    figures={"classes": {"chat": {"ttft_ms": {"p95": 300.0}}, "long": {"ttft_ms": {"p95": 9000.0}}}},
    objectives={"ttft_p95_ms": 500},
    class_objectives={"long": {"ttft_p95_ms": 10_000}},
)


def test_that_the_lines_say_which_limit_bound_for_how_long_on_what_evidence() -> None:
    lines = diagnosis_lines(diagnosis_event(FULL))
    assert lines[0].startswith("Bottleneck: sequence limit, 75 % of the time")
    assert lines[1] == "of the time: sequence limit 75 %, no limit 25 %"
    assert lines[2].startswith("R1, high confidence: The sequence limit is full: max_num_seqs 32 run")
    # When it bound is in the headline already.
    assert lines[3] == "  Peak: 32 running, 20 waiting, KV cache 40 %."


def test_that_the_next_change_comes_with_what_to_watch_and_what_it_may_cost() -> None:
    lines = diagnosis_lines(diagnosis_event(FULL))
    at = lines.index("next single change: max_num_seqs 32 → 64.")
    assert lines[at + 1].startswith("  watch ")
    assert lines[at + 2].startswith("  it may cost longer steps: inter-token latency grows; KV use would be")


def test_that_each_class_is_held_against_its_own_objective_and_what_was_not_seen_is_said() -> None:
    lines = diagnosis_lines(diagnosis_event(FULL))
    assert "class chat: TTFT p95 300 ms meets 500 ms." in lines
    assert "class long: TTFT p95 9.0 s meets 10.0 s." in lines
    assert "Not seen: single requests, so neither client nor front end." in lines
    assert "The KV cache was never full (at most 40 %): more of it can't matter here." in lines


def test_that_one_state_all_the_while_needs_no_shares_and_a_comparison_comes_last() -> None:
    calm = replace(FULL, samples=samples(30, running=4, waiting=0, kv_usage=0.1))
    lines = diagnosis_lines(
        diagnosis_event(calm, against_baseline=[message("advice.no_bottleneck_in_either")])
    )
    assert not any(line.startswith("of the time:") for line in lines)
    assert any("was never reached (at most 4): raising it can't matter here" in line for line in lines)
    assert lines[-2:] == ["against the baseline, by these two runs alone:", "  No bottleneck in either run."]
