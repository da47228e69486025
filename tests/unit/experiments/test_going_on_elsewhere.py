"""Where a bench file that is gone on with seeks the files which its experiments name by relative paths."""

from pathlib import Path

import pytest

from workbench.experiments.spec.read_experiments import BASE, experiments_in
from workbench.results import BenchFile

TEXT = """
name = "Moved"
[target]
kind = "embedded"
profile = "h100_sxm/Llama-3.1-8B/tp1"
[control]
name = "max_num_seqs"
values = [24]
[trace]
file = "requests.jsonl"
[load]
rates = [3.0]
duration_s = 10.0
"""


@pytest.mark.parametrize(
    ("lies", "sought"),
    [(("then", "now"), "then"), (("now",), "now"), ((), "then")],
    ids=["still there", "moved with the bench file", "gone"],
)
def test_that_a_trace_is_sought_where_it_was_and_else_beside_the_bench_file(
    tmp_path: Path, lies: tuple[str, ...], sought: str
) -> None:
    for name in ("then", "now"):
        (tmp_path / name).mkdir()
    for name in lies:
        (tmp_path / name / "requests.jsonl").touch()
    path = tmp_path / "now" / "moved.bench"
    with BenchFile.create(path) as bench:
        bench.add_experiment("Moved", TEXT)
        bench.set_meta(BASE, str(tmp_path / "then"))
    assert experiments_in(path)[1] == tmp_path / sought


@pytest.mark.parametrize("named", ["data/requests.jsonl", "/gone/data/requests.jsonl"])
def test_that_a_trace_which_lies_beside_a_moved_bench_file_is_found_by_its_name(
    tmp_path: Path, named: str
) -> None:
    (tmp_path / "requests.jsonl").touch()
    path = tmp_path / "moved.bench"
    with BenchFile.create(path) as bench:
        bench.add_experiment("Moved", TEXT.replace("requests.jsonl", named))
        bench.set_meta(BASE, "/gone")
    experiments, _ = experiments_in(path)
    assert experiments[0].trace.file == str(tmp_path / "requests.jsonl")
