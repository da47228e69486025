"""Whatever a server shows, a diagnosis comes of it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.advice import RunView, diagnose
from workbench.results import Sample

_GAUGE = st.one_of(st.none(), st.integers(0, 50))


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(_GAUGE, _GAUGE, st.one_of(st.none(), st.floats(0, 1)), st.integers(0, 3)), max_size=40
    ),
    st.dictionaries(
        st.sampled_from(["max_num_seqs", "max_num_queued_reqs", "max_in_flight"]), st.integers(1, 50)
    ),
)
def test_that_any_series_is_diagnosed_and_its_strip_covers_it(
    points: list[tuple[int | None, int | None, float | None, int]], limits: dict[str, int]
) -> None:
    taken = [
        Sample(t=index / 4, running=running, waiting=waiting, kv_usage=kv, preemptions=count, rejected=count)
        for index, (running, waiting, kv, count) in enumerate(points)
    ]
    found = diagnose(RunView(samples=taken, limits=limits))
    assert found == diagnose(RunView(samples=taken, limits=limits))
    for change in [found.change, *(finding.change for finding in found.findings)]:
        if change is not None and change.control in limits:
            assert change.value != limits[change.control], change.text
    for before, after in zip(found.timeline, found.timeline[1:], strict=False):
        assert before.end == pytest.approx(after.start)
        assert before.bottleneck is not after.bottleneck
    if len(points) > 1:
        assert sum(found.shares.values()) == pytest.approx(1)
