"""What would make an invalid run valid, and whether doing it again might."""

import pytest

from workbench.results import reason_of, remedies, worth_retrying

LATE = "client-bound: client delay p99 83 ms > 10 ms"


@pytest.mark.parametrize(
    ("reasons", "again"),
    [
        ([LATE], True),
        ([LATE, "machine-bound: p95 of 243 ms of TTFT passed outside the simulated engine > 99 ms"], True),
        (["clock stepped or machine slept: wall and monotonic time differ by 3.00 s > 0.1 s"], True),
        ([LATE, "short outputs: 3 of 4 responses"], False),
        (["configuration differs: max_num_seqs asked 16, used 32"], False),
        ([], False),
    ],
)
def test_that_only_what_this_machine_did_may_pass(reasons: list[str], again: bool) -> None:
    assert worth_retrying(list(map(reason_of, reasons))) is again


def test_that_each_kind_of_reason_has_its_remedy_once() -> None:
    reasons = [reason_of(text) for text in (LATE, LATE, "off schedule: 3 of 4")]
    assert list(map(str, remedies(reasons))) == [
        "more load processes (workers), a lower rate, or a quieter machine for the client"
    ]
