"""Before and after: what is said of a variant against its baseline."""

from typing import Any

import numpy as np

from workbench.advice import RunView, compare
from workbench.advice.diagnosis.changes import set_control
from workbench.base import message
from workbench.base.number_text import setting
from workbench.results import RequestRecord, Sample


def compared(*views: RunView) -> list[str]:
    """The comparison in English."""
    return [str(note) for note in compare(*views)]


def _view(limits: dict[str, Any], figures: dict[str, Any], *, running: float = 4, waiting: float = 0,
          pause_ms: float | None = None) -> RunView:  # fmt: skip
    taken = [
        Sample(t=t / 4, running=running, waiting=waiting, kv_usage=0.4, generation_tokens=t)
        for t in range(80)
    ]
    records = []
    if pause_ms is not None:
        gaps = np.asarray([20, pause_ms], dtype="<f4").tobytes()
        records = [
            RequestRecord(
                index=0, row=0, request_id="a", cls="chat", input_tokens=1, output_tokens=3, due=0.0,
                sent=0.0, first_token=0.1, last_token=4, done=4, gaps_ms=gaps,
            )
        ]  # fmt: skip
    return RunView(samples=taken, limits=limits, figures=figures, records=records)


BASE = {"output_tok_s": 1000.0, "ttft_ms": {"p95": 400.0}, "itl_ms": {"p95": 20.0}, "completed_rps": 5.0}


def test_that_what_moved_and_what_did_not_is_said_by_direction() -> None:
    after = {**BASE, "output_tok_s": 1200.0, "itl_ms": {"p95": 26.0}, "completed_rps": 5.1}
    said = compared(
        _view({"max_num_batched_tokens": 2048}, BASE), _view({"max_num_batched_tokens": 8192}, after)
    )
    assert said[0] == "max_num_batched_tokens: 2048 → 8192."
    assert "Better: output tokens/s +20 %." in said
    assert "Worse: inter-token latency p95 +30 %." in said
    assert "Within 5 %: completed requests/s, TTFT p95." in said


def test_that_a_control_that_moved_nothing_it_should_is_said_not_to_matter() -> None:
    figures = {"running_max": 12.0, "kv_peak": 0.3, "completed_rps": 5.0}
    said = compared(_view({"max_num_seqs": 12}, figures), _view({"max_num_seqs": 13}, figures))
    assert any(
        "No figure that max_num_seqs should move did (most running, KV peak)" in str(line) for line in said
    )
    assert any("Not measured in both runs: queue time p95, end-to-end p95." in str(line) for line in said)


def test_that_what_a_control_should_move_and_did_is_said() -> None:
    before = {"running_max": 8.0, "kv_peak": 0.3, "queue_ms": {"p95": 900.0}, "e2e_ms": {"p95": 2000.0}}
    after = {**before, "running_max": 16.0, "queue_ms": {"p95": 100.0}, "e2e_ms": {"p95": 1990.0}}
    said = compared(_view({"max_num_seqs": 8}, before), _view({"max_num_seqs": 16}, after))
    assert (
        "The figures that max_num_seqs should move did: most running, queue time p95;"
        " not KV peak, end-to-end p95." in said
    )


def test_that_latencies_of_a_queue_that_never_settles_are_not_compared() -> None:
    """They tell how long the run was, in whichever of the two it is."""
    grown = {**BASE, "diverging": True, "ttft_ms": {"p95": 9000.0}, "accepted_rps": 0.6}
    calm = {**BASE, "accepted_rps": 5.0}
    for before, after, whose in (
        (grown, calm, "The baseline's queue"),
        (calm, grown, "The variant's queue"),
        (grown, grown, "The queue of both runs"),
    ):
        said = compared(_view({"max_num_seqs": 8}, before), _view({"max_num_seqs": 16}, after))
        assert any(line.startswith(whose) and "never stabilizes" in str(line) for line in said)
        assert not any("TTFT p95 " in str(line) and "%" in str(line) for line in said)
        # The longer a queue grows, the fewer are on time.
        assert not any("accepted requests/s +" in str(line) for line in said)
        assert not any(
            "Not measured in both runs" in str(line) and "queue time" in str(line) for line in said
        )
    assert not any("stabilizes" in str(line) for line in compared(_view({}, BASE), _view({}, BASE)))


def test_that_preemptions_are_shown_from_both_sides() -> None:
    before = _view({"max_num_seqs": 15}, {"preemptions": 0.0, "output_tok_s": 1000.0}, pause_ms=90)
    after = _view({"max_num_seqs": 24}, {"preemptions": 9.0, "output_tok_s": 1120.0}, pause_ms=3300)
    for pair in ((before, after), (after, before)):
        said = compared(*pair)
        assert "9 preemptions against 0: +12 % tokens/s in the run with more." in said
        assert "Their price: a pause of up to 3.3 s within an answer (otherwise 90 ms)." in said


def test_that_the_limit_that_binds_now_is_named() -> None:
    before = _view({"max_num_seqs": 8}, BASE, running=8, waiting=9)
    said = compared(before, _view({"max_num_seqs": 32}, BASE, running=20))
    assert said[-1] == "The bottleneck moved: sequence limit (100 %) → no limit (100 %)."
    assert compared(before, before)[-1] == (
        "The bottleneck is the same: sequence limit, 100 % → 100 % of the time."
    )


def test_that_a_warm_cache_is_suspected_where_prefix_hits_rose() -> None:
    cold, warm = ({**BASE, "prefix_hit": hit} for hit in (0.02, 0.6))
    said = compared(_view({"max_num_seqs": 8}, cold), _view({"max_num_seqs": 9}, warm))
    assert any("warm cache" in str(line) for line in said)
    asked = compared(
        _view({"enable_prefix_caching": False}, cold), _view({"enable_prefix_caching": True}, warm)
    )
    assert not any("warm cache" in str(line) for line in asked)


def test_that_runs_of_different_requests_are_not_compared() -> None:
    said = compared(_view({}, {"trace_sha256": "a"}), _view({}, {"trace_sha256": "b"}))
    assert said == ["Not comparable: the runs had different requests (trace_sha256 differs)."]


def test_that_an_invalid_run_is_not_compared() -> None:
    figures = {"valid": False, "reasons": ["client-bound: client delay p99 83 ms > 10 ms"]}
    assert "not valid (client-bound" in compared(_view({}, BASE), _view({}, figures))[0]


def test_that_two_changed_controls_or_rates_are_said() -> None:
    said = compared(
        _view({"max_num_seqs": 8, "max_num_batched_tokens": 512}, {**BASE, "offered_rps": 4.0}),
        _view({"max_num_seqs": 9, "max_num_batched_tokens": 513}, {**BASE, "offered_rps": 8.0}),
    )
    assert any("2 controls differ" in str(line) for line in said)
    assert any("offered rate differs" in str(line) for line in said)


def test_that_a_control_which_only_follows_another_is_no_second_change() -> None:
    budget, scheduled = "max_num_batched_tokens", "max_num_scheduled_tokens"
    before = _view({budget: 8192, scheduled: 8192}, {"completed_rps": 4.0})
    said = compared(before, _view({budget: 64, scheduled: 64}, {"completed_rps": 4.0}))
    assert said[0] == "max_num_batched_tokens: 8192 → 64."
    assert not any("controls differ" in str(sentence) or scheduled in str(sentence) for sentence in said)
    apart = compared(before, _view({budget: 64, scheduled: 32}, {"completed_rps": 4.0}))
    assert any("2 controls differ" in str(sentence) for sentence in apart)


def test_that_the_state_cache_of_a_model_which_follows_prefix_caching_is_no_second_change() -> None:
    before = {"enable_prefix_caching": True, "mamba_cache_mode": "align", "mamba_block_size": 64}
    after = {"enable_prefix_caching": False, "mamba_cache_mode": "none", "mamba_block_size": 4096}
    said = compared(_view(before, BASE), _view(after, BASE))
    assert not [line for line in said if "mamba" in str(line) or "controls differ" in str(line)]


def test_case_30_that_latency_alone_does_not_tell_whether_more_seats_are_worth_it() -> None:
    said = compared(
        _view({"max_num_seqs": 16}, {"itl_ms": {"p95": 8.235}}, running=16),
        _view({"max_num_seqs": 32}, {"itl_ms": {"p95": 9.4167}}, running=31),
    )
    assert "Worse: inter-token latency p95 +14 %." in said
    assert any(
        "Not measured in both runs: most running" in str(line) and "queue time p95" in str(line)
        for line in said
    )


def test_that_a_controls_value_is_written_as_a_flag_takes_it() -> None:
    assert [setting(value) for value in (8192, 16384.0, 64, 0.925)] == ["8192", "16384", "64", "0.925"]
    view = _view({"max_num_batched_tokens": 8192}, BASE)
    assert (
        str(set_control(view, "max_num_batched_tokens", 16384, message("advice.longer_steps")).text)
        == "max_num_batched_tokens 8192 → 16384."
    )


def test_that_nothing_is_put_down_to_a_limit_that_neither_run_came_near() -> None:
    """What moved is said, and neither called better nor expected."""
    before = {"running_max": 10.0, "itl_ms": {"p95": 11.5}, "completed_rps": 2.0}
    after = {"running_max": 9.0, "itl_ms": {"p95": 10.4}, "completed_rps": 2.0}
    said = compared(_view({"max_num_seqs": 16}, before), _view({"max_num_seqs": 64}, after))
    assert "Moved: inter-token latency p95 -10 %, most running -10 %." in said
    assert (
        "max_num_seqs was never reached, neither 16 (at most 10) nor 64 (at most 9): it had no effect here,"
        " and what moved is chance or has another cause."
    ) in said
    assert not any(
        line.startswith(("Better", "Worse", "The figures that", "No figure that")) for line in said
    )
    # One seat from the limit may have been at it between two looks.
    near = compared(_view({"max_num_seqs": 11}, before), _view({"max_num_seqs": 64}, after))
    assert any(line.startswith("Better: inter-token latency p95") for line in near)
