"""What stands for a system in a comparison: rates that count alike, and what to know of them."""

import datetime as dt
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.unit.cli.comparing import Waits, bench
from workbench.cli import main
from workbench.experiments import MeasuredSystem, measured_systems, remarks_on
from workbench.results import BenchFile, scorecard_rows

TODAY = dt.date(2026, 11, 30)
TEN_SECONDS = {"tokens": 2, "gap": 9.9}
"""Of a request that is answered ten seconds after it was due: a third of these windows."""


def remarks(systems: Sequence[MeasuredSystem]) -> list[str]:
    return [str(remark) for remark in remarks_on(systems, TODAY)]


def test_that_rates_of_all_systems_count_what_was_due_where_that_is_known_of_all(tmp_path: Path) -> None:
    """A row that nobody could recommend, for want of requests, doesn't change how the others count."""
    short = bench(
        tmp_path / "a.bench",
        "NVIDIA H100 80GB HBM3",
        {(None, 1.0): 0.1, (None, 8.0): 0.1},
        answer=TEN_SECONDS,
    )
    other = bench(tmp_path / "b.bench", "NVIDIA H200", {(None, 4.0): 0.1, (None, 8.0): 0.1})
    with BenchFile.open(short) as file:
        assert {row.cells["cost_rate_basis"] for row in scorecard_rows(file)} == {"accepted_rps"}
    systems = measured_systems([(short, None), (other, None)])
    assert [each.result.accepted_rps for each in systems] == [8, 8]
    assert {each.result.rate_basis for each in systems} == {"accepted_rps_carried"}
    assert not any("ended in" in said for said in remarks(systems))


def test_that_rates_of_all_systems_count_what_ended_where_of_one_nothing_else_is_known(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a closed loop only what ended is known; what that leaves out of the other is said with figures."""
    rates: Waits = {(None, 4.0): 0.1, (None, 8.0): 0.1}
    open_loop = bench(tmp_path / "a.bench", "NVIDIA H100 80GB HBM3", rates, answer=TEN_SECONDS)
    closed = bench(tmp_path / "b.bench", "NVIDIA H200", rates, closed=True)
    first, second = measured_systems([(open_loop, None), (closed, None)])
    (alone,) = measured_systems([(open_loop, None)])
    assert alone.result.accepted_rps == 8
    assert (first.result.accepted_rps, second.result.accepted_rps) == (161 / 30, 8)
    assert {each.result.rate_basis for each in (first, second)} == {"accepted_rps"}
    said = remarks([first, second])
    assert any(line.startswith(f"{closed}: the requests due in the window are unknown") for line in said)
    assert any(
        line.startswith(f"{open_loop}: 5.37 accepted/s ended in its window, 8 of those due in it")
        for line in said
    )
    assert main(["compare", str(open_loop), str(closed), "--curve", "24:10", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {line["name"]: line["accepted_rps"] for line in found} == {"a": 161 / 30, "b": 8}
    assert {line["rate_basis"] for line in found} == {"accepted_rps"}


def test_that_shared_flags_are_no_shared_configuration_where_the_servers_defaults_differ(
    tmp_path: Path,
) -> None:
    """vLLM's own token budget is 8192 on a card of 70 GiB or more, and 2048 on a smaller one."""
    asked = []
    for name, budget in (("a", 8192), ("b", 2048)):
        path = bench(tmp_path / f"{name}.bench", f"GPU {name}", {(None, 4.0): 0.1}, raw=True)
        with BenchFile.open(path, read_only=False) as file:
            used = {"max_num_seqs": 8, "max_num_batched_tokens": budget, "num_gpu_blocks_override": budget}
            file.update_run(1, effective=used | {"max_num_scheduled_tokens": budget})
        asked.append((path, None))
    said = remarks(measured_systems(asked))
    (told,) = [line for line in said if "defaults" in line]
    assert told.startswith("the systems share the flags that were set, and not their servers' own")
    assert told.endswith(": max_num_batched_tokens 8192, 2048")
    assert not any("defaults" in line for line in remarks(measured_systems([asked[0], asked[0]])))


def test_that_a_simulated_system_is_no_evidence_and_says_how_far_its_times_are_known_to_be_off(
    tmp_path: Path,
) -> None:
    said = []
    for name, profile in (("a", "h100_sxm/Llama-3.1-8B/tp1"), ("b", "gone/M/tp1"), ("c", None)):
        path = bench(tmp_path / f"{name}.bench", "NVIDIA H200", {(None, 4.0): 0.1}, raw=True)
        with BenchFile.open(path, read_only=False) as file:
            file.update_run(1, simulated=profile is not None, profile=profile)
        said += [line for line in remarks(measured_systems([(path, None)])) if ": simulated with " in line]
    known, unknown = said
    assert (
        "a.bench: simulated with h100_sxm/Llama-3.1-8B/tp1, whose known error is TTFT ±23 %, TPOT ±10 %"
        in known
    )
    assert "b.bench: simulated with gone/M/tp1, of unknown error: no evidence for a GPU" in unknown


def test_that_figures_of_other_definitions_are_computed_anew_from_the_requests_or_said_to_be_old(
    tmp_path: Path,
) -> None:
    rates: Waits = {(None, 4.0): 0.1, (None, 8.0): 0.1}
    with_requests = bench(tmp_path / "a.bench", "NVIDIA H100 80GB HBM3", rates, raw=True)
    without = bench(tmp_path / "b.bench", "NVIDIA H200", rates)
    for path in (with_requests, without):
        with BenchFile.open(path, read_only=False) as file:
            file.set_meta("definitions", "1")
            for run in file.runs():
                file.update_run(run.id, summary={**(run.summary or {}), "accepted": 1, "accepted_rps": 0.1})
    anew, old = measured_systems([(with_requests, None), (without, None)])
    assert (anew.result.accepted_rps, anew.kept) == (8, [])
    assert old.result.accepted_rps < 0.1
    (told,) = [line for line in remarks([anew, old]) if "definitions" in line]
    assert told.startswith(f"{without}: the figures of baseline @ 4, baseline @ 8 follow the definitions of")
