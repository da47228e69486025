"""An objective that is met by chance is said to be, and none that isn't."""

import numpy as np
import pytest

from tests.unit.results.making import request, texts
from workbench.results import BenchFile, Objectives, RunFrame, choose, near_limits, summarize_run, write_html

FRAME = RunFrame(length_s=40.0, ended=45.0)


def chosen(path, limit_ms, *, n=400, seed=1):
    """A file with one run of `n` requests whose TTFT is exponential with a mean of 100 ms: p95 about 300."""
    waits = np.random.default_rng(seed).exponential(0.1, n)
    objectives = Objectives(ttft_p95_ms=limit_ms)
    with BenchFile.create(path) as bench:
        experiment = bench.add_experiment("x", "", objectives=objectives)
        requests = [request(i, due=i * 40 / n, ttft=float(wait)) for i, wait in enumerate(waits)]
        run = bench.add_run(
            experiment, "baseline @ 10", control=None, value=None, config={}, rate=10.0, frame=FRAME,
            trace_sha256="t",
        )  # fmt: skip
        bench.write_requests(run, requests)
        bench.finish_run(run, "done", summarize_run(requests, FRAME, objectives=objectives))
    return path


@pytest.mark.parametrize(("over", "near"), [(1.02, 1), (1.4, 0), (5.0, 0)])
def test_that_a_limit_which_other_requests_could_have_missed_is_said(tmp_path, over, near):
    """Just above what was measured anything can be; at 1.4 times it, four hundred requests tell."""
    measured = chosen(tmp_path / "m.bench", 1e9)
    with BenchFile.open(measured) as bench:
        p95 = (bench.run(1).summary or {})["ttft_ms"]["p95"]
    with BenchFile.open(chosen(tmp_path / "b.bench", over * p95)) as bench:
        assert choose(bench).recommended is not None
        said = texts(near_limits(bench, choose(bench)))
        write_html(bench, tmp_path / "b.html")
    assert len(said) == near
    page = (tmp_path / "b.html").read_text()
    assert ("with other requests of the same kind, beyond its limit" in page) is bool(near)
    if said:
        assert said[0].startswith(f"ttft_p95_ms {p95:.0f} could be up to ")


def test_that_a_hundred_times_the_requests_settle_what_so_few_could_not(tmp_path):
    """The true p95 is 299.6 ms; 330 is beyond it by less than a hundred requests can tell."""
    few = [chosen(tmp_path / f"{seed}.bench", 330.0, n=100, seed=seed) for seed in range(6)]
    counts = []
    for path in few:
        with BenchFile.open(path) as bench:
            choice = choose(bench)
            counts.append(None if choice.recommended is None else len(near_limits(bench, choice)))
    assert 1 in counts
    with BenchFile.open(chosen(tmp_path / "many.bench", 330.0, n=10_000)) as bench:
        assert near_limits(bench, choose(bench)) == []


def test_that_nothing_is_said_where_nothing_is_recommended(tmp_path):
    with BenchFile.open(chosen(tmp_path / "b.bench", 1.0)) as bench:
        assert choose(bench).recommended is None
        assert near_limits(bench, choose(bench)) == []
