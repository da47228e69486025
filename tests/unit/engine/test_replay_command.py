"""`engine replay` and `engine demo` as a user calls them."""

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.cli import main
from workbench.traces import Trace, TraceRow, write_trace


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return made(tmp_path / "trace.jsonl", 100)


def made(path: Path, count: int) -> Path:
    rows = [TraceRow(timestamp=100.0 * n, input_length=200, output_length=20) for n in range(count)]
    write_trace(Trace.from_rows(rows, source="test"), path)
    return path


def replayed(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["engine", "replay", *words, "--json", "-"]) == 0
    figures: dict[str, Any] = json.loads(capsys.readouterr().out)
    return figures


def test_that_a_prediction_within_the_profiles_error_is_undecided(trace: Path, capsys: Any) -> None:
    predicted = replayed(capsys, str(trace))["ttft_ms"]["p95"]
    limits = [f"ttft_p95_ms={factor * predicted}" for factor in (0.7, 0.9, 1.1, 1.3)]
    words = [word for limit in limits for word in ("--objective", limit)]
    judged = replayed(capsys, str(trace), *words)["objectives"]
    assert [one["standing"] for one in judged] == ["misses", "undecided", "undecided", "meets"]
    assert {one["band_pct"] for one in judged} == {23.0}


def test_that_a_percentile_below_its_sample_floor_is_not_shown_and_named_in_the_json(
    tmp_path: Path, capsys: Any
) -> None:
    """p95 from 72 requests on and p99 from 368, for pooled token gaps too; the JSON tells all of them."""
    for count, lacking in ((71, {"p95", "p99"}), (72, {"p99"}), (368, set[str]())):
        trace = str(made(tmp_path / f"{count}.jsonl", count))
        figures = replayed(capsys, trace)
        assert main(["engine", "replay", trace]) == 0
        lines = {line.split()[0]: line.split()[1:] for line in capsys.readouterr().out.splitlines()}
        for title, name in (("TTFT", "ttft_ms"), ("ITL", "itl_ms"), ("queue", "queue_ms")):
            named = {each.partition(".")[2] for each in figures["below_floor"] if each.startswith(name)}
            assert named == lacking, (name, count)
            assert len(lines[title]) == 4 - len(lacking)
            assert figures[name]["p99"] >= figures[name]["p95"] >= figures[name]["p50"]
        assert ("too" in lines) == bool(lacking)


def test_that_an_objective_on_too_few_requests_is_undecided(tmp_path: Path, capsys: Any) -> None:
    few = str(made(tmp_path / "few.jsonl", 20))
    assert main(["engine", "replay", few, "--objective", "ttft_p95_ms=500"]) == 0
    said = capsys.readouterr().out
    assert "ttft_p95_ms: no figure to hold against 500 (p95 from 72 requests on, p99 from 368)" in said
    (judged,) = replayed(capsys, few, "--objective", "ttft_p95_ms=500")["objectives"]
    assert (judged["predicted_ms"], judged["standing"]) == (None, "undecided")


def test_that_a_step_model_without_a_known_error_decides_nothing(trace: Path, capsys: Any) -> None:
    words = ("--step-model", "a=5000,b=10,c=10,d=0,e=0", "--objective", "tpot_mean_ms=1000000")
    figures = replayed(capsys, str(trace), *words)
    assert figures["profile"] is figures["known_error"] is None
    assert figures["objectives"][0]["standing"] == "undecided"


@pytest.mark.parametrize(
    "text", ["ttft_p95=5", "itl_p95_ms=5", "ttft_p95_ms", "ttft_p95_ms=-1", "tpot_p95_ms=nan"]
)
def test_that_an_objective_that_is_none_is_refused_in_one_line(trace: Path, capsys: Any, text: str) -> None:
    assert main(["engine", "replay", str(trace), "--objective", text]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert text in line


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--max-num-queued-reqs", "-5"), "--max-num-queued-reqs: -5 is too small: must be at least 0"),
        (("--json", f"{__file__}/figures.json"), "there is a file where a folder is needed"),
        (("--seed", "x"), "argument --seed: invalid int value: 'x'"),
    ],
)
def test_that_bad_usage_is_one_line(trace: Path, capsys: Any, words: tuple[str, ...], said: str) -> None:
    try:
        code: Any = main(["engine", "replay", str(trace), *words])
    except SystemExit as left:
        code = left.code
    (line,) = capsys.readouterr().err.splitlines()
    assert code == 2
    assert said in line


def test_that_the_versions_rules_and_an_error_in_sample_are_said(trace: Path, capsys: Any) -> None:
    words = ("--profile", "rtx_4090/Llama-3.1-8B/tp1", "--target-version", "0.24.0")
    assert main(["engine", "replay", str(trace), *words]) == 0
    said = capsys.readouterr().out
    assert "on the run it was chosen on" in said
    assert "step times of vLLM 0.19.0); scheduler rules of vLLM 0.24 to 0.30" in said
    assert "was not checked" not in said


def test_that_a_version_beyond_the_table_is_replayed_with_a_caveat(trace: Path, capsys: Any) -> None:
    figures = replayed(capsys, str(trace), "--target-version", "0.41.0")
    assert figures["rules"] == "0.33"
    assert "0.41.0 was not checked" in figures["caveat"]
    assert replayed(capsys, str(trace))["caveat"] is None


def test_that_the_target_version_decides(trace: Path, capsys: Any) -> None:
    """Lone prompts above the threshold are capped before 0.31, and take more steps."""
    words = ("--long-prefill-token-threshold", "16", "--rate", "0.1")
    old, new = (
        replayed(capsys, str(trace), *words, "--target-version", version) for version in ("0.30.0", "0.31.0")
    )
    assert old["steps"] > new["steps"]


def test_that_static_batching_is_a_flag_of_the_replay(trace: Path, capsys: Any) -> None:
    continuous, static = (replayed(capsys, str(trace), *more) for more in ((), ("--static-batching",)))
    assert static["queue_ms"]["p95"] > 2 * continuous["queue_ms"]["p95"]


def test_that_demos_are_listed_and_told_with_their_numbers(capsys: Any) -> None:
    assert main(["engine", "demo"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 5
    assert main(["engine", "demo", "static-and-continuous"]) == 0
    said = capsys.readouterr().out
    assert "static_batching = true" in said
    assert "5,902.32   expected 5,902" in said
    assert main(["engine", "demo", "kv-cliff", "--variant", "7 slots"]) == 2
    assert "24 slots, 15 slots" in capsys.readouterr().err
