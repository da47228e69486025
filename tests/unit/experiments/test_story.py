"""Sentences on what was seen."""

from typing import Any

from workbench.experiments.story import compare


def row(**changes: Any) -> dict[str, Any]:
    return {
        "control": None, "value": None, "old_value": None, "completed_rps": 7.3, "ttft_p95_ms": 18000.0,
        "itl_p95_ms": 12.0, "diverging": True, "valid": True,
    } | changes  # fmt: skip


def variant(**changes: Any) -> dict[str, Any]:
    return row(control="max_num_seqs", value=32, old_value=16, **changes)


def test_that_a_queue_that_no_longer_grows_is_said_with_both_figures() -> None:
    said = compare(row(), variant(completed_rps=11.9, ttft_p95_ms=680.0, diverging=False))
    assert said == (
        "max_num_seqs 16 → 32: completes 7.3 → 11.9 req/s, p95 TTFT 18 s → 680 ms; the queue no longer grows."
    )


def test_that_what_moved_little_is_not_called_a_change() -> None:
    assert "completes as much (7.4 req/s); the queue still grows" in compare(
        row(), variant(completed_rps=7.4)
    )


def test_that_nothing_is_concluded_from_an_invalid_or_a_failed_run() -> None:
    assert compare(row(), variant(valid=False)).endswith("no conclusion, a run is invalid.")
    assert compare(row(), variant(completed_rps=None)).endswith("no conclusion, a run failed.")
