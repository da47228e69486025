"""`compare`: which system to buy, from bench files, offers and a demand."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.comparing import bench
from workbench.cli import main
from workbench.results import BenchFile

OFFERS = """
[[offer]]
name = "one H100"
supplier = "A"
gpu = "h100"
count = 1
price = 3.6
currency = "EUR"
basis = "on_demand"
date = 2026-11-01
source = "their page"
[[offer]]
name = "one H200"
supplier = "A"
gpu = "h200"
count = 1
price = 5.4
currency = "EUR"
basis = "on_demand"
date = 2026-11-01
source = "their page"
"""


@pytest.fixture
def offers(tmp_path: Path) -> str:
    path = tmp_path / "offers.toml"
    path.write_text(OFFERS)
    return str(path)


SLOW = {(None, 4.0): 0.1, (None, 8.0): 0.9, (16, 4.0): 0.1, (16, 8.0): 0.2}
FAST = {(None, 4.0): 0.1, (None, 8.0): 0.1, (16, 4.0): 0.1, (16, 12.0): 0.2}


def sheet(capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, Any]]:
    assert main(["compare", *words, "--json", "-"]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return found


def test_that_each_system_stands_at_its_own_highest_rate_within_the_objectives(
    tmp_path: Path, offers: str, capsys: pytest.CaptureFixture[str]
) -> None:
    one = bench(tmp_path / "a.bench", "NVIDIA H100 80GB HBM3", SLOW)
    two = bench(tmp_path / "b.bench", "NVIDIA H200", FAST)
    found = sheet(capsys, str(one), str(two), "--offers", offers, "--curve", "12:10,12:20", "--headroom", "0")
    by_name = {line["name"]: line for line in found}
    # 20 a second at the peak take three systems of 8, or two of 12.
    assert (by_name["one H100"]["servers"], by_name["one H200"]["servers"]) == (3, 2)
    # 15 a second on average: 3 x 3.6 and 2 x 5.4 an hour are the same money.
    assert by_name["one H100"]["per_1k_reserved"] == pytest.approx(0.2)
    assert by_name["one H200"]["per_1k_used"] == pytest.approx(5.4 / 3600 / 12 * 1000)
    # With the flags that both share, untuned: the one only holds 4.
    assert "untuned, with the shared flags: 4 accepted/s" in by_name["one H100"]["marks"]
    assert "untuned, with the shared flags: 8 accepted/s" in by_name["one H200"]["marks"]
    assert [by_name[name]["accepted_rps"] for name in ("one H100", "one H200")] == [8, 12]
    assert [by_name[name]["same_flags_rps"] for name in ("one H100", "one H200")] == [4, 8]
    assert {line["runs"] for line in found} == {4}


def test_that_baselines_with_different_flags_make_no_row_with_shared_flags(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = bench(tmp_path / "a.bench", "NVIDIA H100 80GB HBM3", SLOW)
    two = bench(tmp_path / "b.bench", "NVIDIA H200", FAST)
    with BenchFile.open(two, read_only=False) as file:
        for run in file.runs():
            if run.control is None:
                file.update_run(run.id, config={"max_num_seqs": 64, "num_gpu_blocks_override": 900})
    for line in sheet(capsys, str(one), str(two), "--curve", "24:10"):
        assert line["same_flags_rps"] is None
        assert "no row with shared flags: the baselines differ in max_num_seqs" in line["marks"]


def test_that_the_sheet_is_told_in_words_with_what_a_buyer_should_know(
    tmp_path: Path, offers: str, capsys: pytest.CaptureFixture[str]
) -> None:
    one = bench(tmp_path / "a.bench", "NVIDIA H100 80GB HBM3", SLOW)
    assert main(["compare", str(one), "--offers", offers, "--curve", "24:10"]) == 0
    said = capsys.readouterr()
    assert "one H100: 8 accepted/s as “16 @ 8”, 4 runs" in said.out
    assert "2 servers for the demand" in said.out
    assert "EUR per 1,000 accepted, idle hours paid" in said.out
    assert "a.bench: the model's revision isn't recorded" in said.err


def test_that_names_of_a_bench_file_are_shown_and_never_obeyed(
    tmp_path: Path, offers: str, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = "mine\x1b[2J\nyours: 9 accepted/s"
    one = bench(tmp_path / "a.bench", "NVIDIA H100 80GB HBM3", SLOW, system_name=evil)
    assert main(["compare", str(one), "--offers", offers, "--curve", "24:10"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("mine\\x1b[2J\\nyours: 9 accepted/s: 8 accepted/s")
    assert "\x1b" not in said
    # As data it is what the file says.
    assert sheet(capsys, str(one), "--offers", offers, "--curve", "24:10")[0]["name"] == evil


def test_that_the_sheet_is_written_as_csv_with_each_systems_own_figures(tmp_path: Path, offers: str) -> None:
    one = bench(tmp_path / "a.bench", "NVIDIA H100 80GB HBM3", SLOW, system_name="=cheap")
    two = bench(tmp_path / "b.bench", "NVIDIA B200", FAST)
    table = tmp_path / "sheet.csv"
    words = [str(one), str(two), "--offers", offers, "--curve", "24:10", "--csv", str(table)]
    assert main(["compare", *words]) == 0
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [row["name"] for row in rows] == ["'=cheap", "b"]
    assert (rows[0]["offer"], rows[0]["one_per_hour"], rows[0]["servers"]) == ("one H100", "3.6", "2")
    assert rows[0]["cost_per_hour"] == "7.2"
    # Nothing is known of the other's price.
    assert (rows[1]["offer"], rows[1]["currency"], rows[1]["per_1k_reserved"]) == ("", "", "")
    assert "no offer, so no cost" in rows[1]["marks"]


def test_that_a_table_for_standard_output_stands_there_alone(
    tmp_path: Path, offers: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    one = bench(tmp_path / "a.bench", "NVIDIA H100 80GB HBM3", SLOW)
    words = ["compare", str(one), "--offers", offers, "--curve", "24:10"]
    assert main([*words, "--csv", "-"]) == 0
    (row,) = csv.DictReader(capsys.readouterr().out.splitlines())
    assert (row["name"], row["servers"]) == ("one H100", "2")
    assert not (tmp_path / "-").exists()
    assert main([*words, "--csv", "-", "--json", "-"]) == 2
    assert capsys.readouterr().err == "error: --csv: - is also --json's file: give each its own\n"


def test_that_the_demand_of_the_experiments_is_taken_where_none_is_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    demand = {"curve": [[24, 16.0]], "headroom": 0.0, "spare": 1, "servers": None}
    one = bench(tmp_path / "a.bench", "NVIDIA H100 80GB HBM3", SLOW, demand=demand)
    (line,) = sheet(capsys, str(one))
    assert (line["servers"], line["per_1k_reserved"]) == (3, None)
    assert "no offer, so no cost" in line["marks"]


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["compare", *words]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    return said


def test_that_unlike_systems_are_refused_in_one_line(
    tmp_path: Path, offers: str, capsys: pytest.CaptureFixture[str]
) -> None:
    one = str(bench(tmp_path / "a.bench", "NVIDIA H100 80GB HBM3", SLOW))
    curve = ("--curve", "24:10")
    other = str(bench(tmp_path / "b.bench", "NVIDIA H200", FAST, trace_sha256="u"))
    assert "ran different traces" in refused(capsys, one, other, *curve)
    other = str(bench(tmp_path / "c.bench", "NVIDIA H200", FAST, limit_ms=400))
    assert "different objectives" in refused(capsys, one, other, *curve)
    other = str(bench(tmp_path / "d.bench", "NVIDIA H200", {(None, 4.0): 0.1}))
    assert "give each the same budget" in refused(capsys, one, other, *curve)
    assert "a demand is missing" in refused(capsys, one)
    assert "such as 8:2,16:6.5" in refused(capsys, one, "--curve", "8-2")
    assert "need --curve" in refused(capsys, one, "--spare", "1")
    assert "no offer is called 'mine': known are one H100, one H200" in refused(
        capsys, f"{one}=mine", "--offers", offers, *curve
    )
    assert "can't be read" in refused(capsys, str(tmp_path / "nope.bench"), *curve)


def test_that_two_offers_for_one_card_must_be_told_apart(
    tmp_path: Path, offers: str, capsys: pytest.CaptureFixture[str]
) -> None:
    one = str(bench(tmp_path / "a.bench", "NVIDIA H100 80GB HBM3", SLOW))
    text = OFFERS.replace('gpu = "h200"', 'gpu = "h100"')
    Path(offers).write_text(text)
    assert "several offers are for" in refused(capsys, one, "--offers", offers, "--curve", "24:10")
    (line,) = sheet(capsys, f"{one}=one H200", "--offers", offers, "--curve", "24:10")
    assert line["name"] == "one H200"


def test_that_a_smaller_pool_is_marked_as_a_what_if_and_nothing_valid_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = bench(tmp_path / "a.bench", "NVIDIA H100 80GB HBM3", SLOW)
    with BenchFile.open(path, read_only=False) as file:
        for run in file.runs():
            file.update_run(run.id, config={**run.config, "parked_kv_blocks": 4000})
    (line,) = sheet(capsys, str(path), "--curve", "24:10")
    assert line["marks"][0] == "what-if: a smaller KV pool (parked_kv_blocks 4000): capacity, not bandwidth"
    with BenchFile.open(path, read_only=False) as file:
        for run in file.runs():
            summary = {**(run.summary or {}), "valid": False, "reasons": ["client-bound: late"]}
            file.update_run(run.id, summary=summary)
    assert "no run of the file is valid (client-bound: late)" in refused(
        capsys, str(path), "--curve", "24:10"
    )


def test_that_a_system_whose_capacity_was_not_found_is_marked_with_its_bound(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The one bore the highest rate that was tested; of the other a higher one was too much."""
    found = {(None, 4.0): 0.1, (None, 8.0): 0.9}
    one = bench(tmp_path / "open.bench", "NVIDIA H100 80GB HBM3", {(None, 4.0): 0.1, (None, 8.0): 0.1})
    two = bench(tmp_path / "found.bench", "NVIDIA H200", found)
    lines = {line["name"]: line for line in sheet(capsys, str(one), str(two), "--curve", "24:20")}
    assert (lines["open"]["capacity_found"], lines["found"]["capacity_found"]) == (False, True)
    assert any(
        mark.startswith("capacity not found") and "3 servers are an upper bound" in mark and "order" in mark
        for mark in lines["open"]["marks"]
    )
    assert not any("capacity not found" in mark for mark in lines["found"]["marks"])
    assert main(["compare", str(one), "--curve", "24:20"]) == 0
    assert "at most 3 servers for the demand" in capsys.readouterr().out


def test_that_systems_of_one_name_have_their_own_figures_and_are_told_apart(
    tmp_path: Path, offers: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "y").mkdir()
    slow = str(bench(tmp_path / "x" / "a.bench", "NVIDIA H100 80GB HBM3", SLOW))
    fast = str(bench(tmp_path / "y" / "a.bench", "NVIDIA H100 80GB HBM3", FAST))
    # By their files' name, which is one.
    assert main(["compare", slow, fast, "--curve", "24:10"]) == 0
    said = capsys.readouterr().out
    assert "x/a: 8 accepted/s as “16 @ 8”, 4 runs" in said
    assert "y/a: 12 accepted/s as “16 @ 12”, 4 runs" in said
    # By their offer's name, which is one; the faster is the cheaper, so the order is not that of the files.
    assert main(["compare", slow, fast, "--offers", offers, "--curve", "24:10"]) == 0
    said = capsys.readouterr().out
    assert "one H100 (x/a): 8 accepted/s as “16 @ 8”" in said
    assert "one H100 (y/a): 12 accepted/s as “16 @ 12”" in said
    found = sheet(capsys, slow, fast, "--offers", offers, "--curve", "24:10")
    assert [(line["name"], line["position"]) for line in found] == [
        ("one H100 (y/a)", 1),
        ("one H100 (x/a)", 0),
    ]


def test_that_a_file_given_twice_is_numbered_and_other_files_of_one_offer_have_their_names(
    tmp_path: Path, offers: str, capsys: pytest.CaptureFixture[str]
) -> None:
    one = str(bench(tmp_path / "a.bench", "NVIDIA H100 80GB HBM3", SLOW))
    two = str(bench(tmp_path / "b.bench", "NVIDIA H100 80GB HBM3", SLOW))
    place = f"{tmp_path.name}/a"
    lines = sheet(capsys, one, one, "--curve", "24:10")
    assert [line["name"] for line in lines] == [place, f"{place} #2"]
    lines = sheet(capsys, one, two, "--offers", offers, "--curve", "24:10")
    assert [line["name"] for line in lines] == ["one H100 (a)", "one H100 (b)"]


def test_that_warnings_are_said_beside_json_too_each_once(
    tmp_path: Path, offers: str, capsys: pytest.CaptureFixture[str]
) -> None:
    one = str(bench(tmp_path / "a.bench", "NVIDIA H100 80GB HBM3", SLOW))
    two = str(bench(tmp_path / "b.bench", "NVIDIA H100 80GB HBM3", SLOW))
    Path(offers).write_text(OFFERS.replace("2026-11-01", "9999-12-31"))
    words = ["compare", one, two, "--offers", offers, "--curve", "24:10"]
    assert main([*words, "--json", "-"]) == 0
    beside = capsys.readouterr()
    assert len(json.loads(beside.out)) == 2
    assert beside.err.count("warning: one H100: date 9999-12-31 is in the future") == 1
    assert "a.bench: the model's revision isn't recorded" in beside.err
    assert main(words) == 0
    assert capsys.readouterr().err == beside.err


def test_that_a_file_with_an_equals_sign_in_its_path_is_taken_as_it_is(
    tmp_path: Path, offers: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(bench(tmp_path / "a=b.bench", "NVIDIA H100 80GB HBM3", SLOW))
    Path(offers).write_text(OFFERS.replace("one H200", "H200=new"))
    curve = ("--offers", offers, "--curve", "24:10")
    assert [line["name"] for line in sheet(capsys, path, *curve)] == ["one H100"]
    assert [line["name"] for line in sheet(capsys, f"{path}=H200=new", *curve)] == ["H200=new"]
    assert "no offer is called 'mine'" in refused(capsys, f"{path}=mine", *curve)
    assert "can't be read" in refused(capsys, str(tmp_path / "none=b.bench"), *curve)


def test_that_an_offers_file_that_cannot_be_is_refused_by_its_name(
    tmp_path: Path, offers: str, capsys: pytest.CaptureFixture[str]
) -> None:
    one = str(bench(tmp_path / "a.bench", "NVIDIA H100 80GB HBM3", SLOW))
    for change, said in (
        (("price = 3.6", "price = nan"), "[offer one H100] price: must be"),
        (('gpu = "h200"', 'gpu = "abacus"'), "[offer one H200] gpu: no GPU called 'abacus'"),
        (("one H200", "one H100"), "several offers are called one H100"),
        (("one H200", "\\u001b[31m"), r"[offer \x1b[31m] name: holds control characters"),
    ):
        Path(offers).write_text(OFFERS.replace(*change))
        told = refused(capsys, one, "--offers", offers, "--curve", "24:10")
        assert f"{offers}: {said}" in told
        assert "\x1b" not in told
