"""The command line: contract keys, exit codes, one line for everything wrong, nothing half-written."""

import json
from pathlib import Path

import pytest

from workbench.cli import main
from workbench.traces import read_trace

DATA = Path(__file__).parents[2] / "data" / "traces"
AZURE = "TIMESTAMP,ContextTokens,GeneratedTokens\n" + "".join(
    f"2023-11-16 18:17:{second:02}.5000000,{400 + second},{second + 1}\n" for second in range(40)
)

CONTRACT = {
    "format",
    "rows_read",
    "rows_kept",
    "rows_dropped",
    "warnings",
    "trace_sha256",
    "input_tokens",
    "output_tokens",
    "rate_rps",
    "cv",
    "iod_1s",
    "iod_10s",
    "prefix_hit_ideal",
    "classes",
}


@pytest.fixture
def azure(write):
    return write(AZURE, "azure.csv")


def test_that_inspect_writes_the_contract_s_keys(azure, capsys, tmp_path):
    assert main(["trace", "inspect", str(azure), "--json", "-"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert set(printed) >= CONTRACT
    assert set(printed["input_tokens"]) == {"mean", "p50", "p95", "max"}
    assert (printed["rows_read"], printed["rows_kept"], printed["rows_dropped"]) == (40, 40, {})
    assert printed["trace_sha256"] == read_trace(azure).sha256(1)
    assert main(["trace", "inspect", str(azure), "--json", str(tmp_path / "i.json"), "--seed", "2"]) == 0
    assert json.loads((tmp_path / "i.json").read_text())["trace_sha256"] == read_trace(azure).sha256(2)


def test_that_inspect_prints_a_table_by_default(azure, capsys):
    assert main(["trace", "inspect", str(azure)]) == 0
    said = capsys.readouterr().out
    assert "40 of 40 rows kept" in said
    assert "1 requests/s over 39 s" in said
    assert read_trace(azure).sha256(1) in said


def test_that_a_trace_shorter_than_the_peaks_window_has_no_peak_below_its_mean(write, capsys):
    rows = "".join(
        f'{{"timestamp": {i * 100}, "input_length": 600, "output_length": 5}}\n' for i in range(50)
    )
    assert main(["trace", "inspect", str(write(rows))]) == 0
    assert "(peak - over 10 s)" in capsys.readouterr().out


def test_that_the_table_says_in_words_what_its_two_figures_of_burstiness_are(azure, capsys):
    assert main(["trace", "inspect", str(azure)]) == 0
    said = capsys.readouterr().out
    assert "spread of the gaps between requests: 1 = Poisson" in said
    assert "variance of the arrivals in windows" in said


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([], "40 requests (40 rows read)"),
        (["--fit", "440:drop"], "20 requests (40 rows read; --fit 440:drop dropped 20)"),
        (["--fit", "440:clamp"], "40 requests (40 rows read; --fit 440:clamp cut 20 short)"),
        (
            ["--window", "0:10", "--replicate", "2"],
            "20 requests (40 rows read; --window 0:10 dropped 30; --replicate 2 added 10)",
        ),
        (["--speedup", "2"], "40 requests (40 rows read)"),
    ],
)
def test_that_convert_names_and_counts_what_each_transform_did_to_the_rows(
    azure, tmp_path, capsys, steps, said
):
    assert main(["trace", "convert", str(azure), str(tmp_path / "o"), *steps]) == 0
    assert said in capsys.readouterr().out


def test_that_convert_names_what_the_import_dropped(write, tmp_path, capsys):
    source = write(AZURE + "2023-11-16 18:18:00.5000000,0,5\n", "azure.csv")
    assert main(["trace", "convert", str(source), str(tmp_path / "o")]) == 0
    assert "40 requests (41 rows read; 1 dropped: " in capsys.readouterr().out


def test_that_convert_applies_transforms_in_the_order_given(azure, tmp_path, capsys):
    out = tmp_path / "out.jsonl"
    steps = ["--window", "10:30", "--speedup", "2", "--fit", "440:drop", "--bands", "405,415"]
    assert main(["trace", "convert", str(azure), str(out), *steps]) == 0
    trace = read_trace(out)
    assert [transform["name"] for transform in trace.header.transforms] == [
        "window",
        "speedup",
        "fit",
        "bands",
    ]
    assert trace.sha256(1) in capsys.readouterr().out
    again = ["--speedup", "2", "--window", "10:30", "--force"]
    assert main(["trace", "convert", str(azure), str(out), *again]) == 0
    assert [transform["name"] for transform in read_trace(out).header.transforms] == ["speedup", "window"]


@pytest.mark.parametrize(
    "step",
    [
        ["--rate", "5"],
        ["--spread-ticks", "500"],
        ["--sample", "0.5"],
        ["--sessions", "open"],
        ["--stagger", "3"],
        ["--shuffle-sessions"],
        ["--replicate", "2:overlay"],
        ["--phase", "prefill"],
        ["--arrivals", "gamma:0.5"],
        ["--profile", "ramp:1:5:60"],
    ],
)
def test_that_every_transform_has_its_option_and_is_recorded(azure, tmp_path, step):
    assert main(["trace", "convert", str(azure), str(tmp_path / "o"), *step]) == 0
    assert len(read_trace(tmp_path / "o").header.transforms) == 1


def test_that_files_can_be_blended(azure, tmp_path):
    main(["trace", "make", "chat", str(tmp_path / "chat.jsonl"), "--requests", "200", "--rate", "2"])
    assert (
        main(
            ["trace", "convert", str(azure), str(tmp_path / "o"), "--blend", f"{tmp_path / 'chat.jsonl'}:0.5"]
        )
        == 0
    )
    trace = read_trace(tmp_path / "o")
    assert trace.header.transforms[0]["name"] == "blend"
    assert "chat" in trace.classes.names


def test_that_a_timed_trace_comes_with_its_command(azure, tmp_path, capsys):
    assert main(["trace", "convert", str(azure), str(tmp_path / "o"), "--to", "timed_trace"]) == 0
    assert "vllm bench serve" in capsys.readouterr().out


def test_that_make_makes_the_same_trace_every_time(tmp_path):
    for name in ("a", "b"):
        assert (
            main(["trace", "make", "chat:3,agent:1", str(tmp_path / name), "--requests", "60", "--seed", "4"])
            == 0
        )
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_that_columns_can_be_mapped(write, capsys):
    path = write("when,tin,tout\n1,5,1\n2,6,1\n")
    mapping = "timestamp=when@s,input_length=tin,output_length=tout"
    assert main(["trace", "inspect", str(path), "--columns", mapping, "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["format"] == "columns"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["convert", "AZURE", "OUT", "--window", "5"], "window: '5' is not FROM:TO"),
        (["convert", "AZURE", "OUT", "--fit", "100:refuse"], "40 of 40 requests need more than 100 tokens"),
        (["convert", "AZURE", "OUT", "--fit", "100"], "fit: '100' is not TOKENS:HOW"),
        (["convert", "AZURE", "OUT", "--speedup", "fast"], "speedup: 'fast' is not a number"),
        (["convert", "AZURE", "OUT", "--sessions", "closed"], "no session of more than one turn"),
        (["convert", "AZURE", "OUT", "--replicate", "many"], "replicate: 'many' is not COPIES"),
        (["convert", "AZURE", "OUT", "--blend", "nofile"], "'nofile' is not FILE:WEIGHT"),
        (["convert", "AZURE", "MISSING/OUT"], "MISSING"),
        (["inspect", "AZURE", "--format", "mooncake"], "not JSON"),
        (["inspect", "AZURE", "--columns", "x"], "FIELD=COLUMN"),
        (["inspect", "AZURE", "--seed", "-1"], "--seed: -1 is too small"),
        (["inspect", "AZURE", "--tokenizer", "nowhere.json"], "token"),
        (["inspect", "NOWHERE"], "No such file"),
        (["make", "coffee", "OUT"], "'coffee' is unknown: must be one of chat, long-context, agent"),
        (["make", "chat:x", "OUT"], "NAME or NAME:WEIGHT"),
        (["make", "chat", "OUT", "--rate", "0"], "rate: 0 is out of range"),
        (["make", "chat", "OUT", "--requests", "0"], "requests: 0 is out of range"),
        (["make", "chat", "OUT", "--seed", "-3"], "seed: -3 is too small"),
    ],
)
def test_that_bad_usage_is_exit_2_in_one_line_and_nothing_is_written(azure, tmp_path, capsys, words, message):
    blocked = tmp_path / "MISSING"
    blocked.write_text("a file where a folder should be")
    places = {"AZURE": str(azure), "OUT": str(tmp_path / "out"), "MISSING/OUT": str(blocked / "out")}
    before = sorted(tmp_path.rglob("*"))
    assert main(["trace", *(places.get(word, word) for word in words)]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.startswith("error: ")
    assert said.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before


def test_that_inspect_says_what_a_given_cache_would_hit(tmp_path, capsys):
    main(["trace", "make", "agent", str(tmp_path / "a"), "--requests", "200"])
    capsys.readouterr()
    assert main(["trace", "inspect", str(tmp_path / "a"), "--pool", "400000", "--json", "-"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert 0 < figures["prefix_hit_pool"] < figures["prefix_hit_ideal"]
    assert main(["trace", "inspect", str(tmp_path / "a"), "--pool", "400000"]) == 0
    assert "in a cache of 400,000 tokens" in capsys.readouterr().out


def test_that_our_own_requests_read_back_are_said_to_be_of_a_run_of_this_program(capsys):
    assert main(["trace", "inspect", str(DATA / "synthetic_per_request.csv")]) == 0
    printed = capsys.readouterr().out
    assert "measured then, in a run of this program: ttft_p50_ms " in printed
    assert "not ours" not in printed


def test_that_latencies_of_another_service_are_said_not_to_be_ours(capsys):
    assert main(["trace", "inspect", str(DATA / "synthetic_litellm.jsonl")]) == 0
    assert "measured by the source on its own service (not ours): " in capsys.readouterr().out


def test_that_the_source_is_never_overwritten(azure, capsys):
    before = azure.read_bytes()
    assert main(["trace", "convert", str(azure), str(azure)]) == 2
    assert "the source, which is never changed" in capsys.readouterr().err
    assert azure.read_bytes() == before


def test_that_another_file_is_replaced_only_if_asked(azure, tmp_path, capsys):
    out = tmp_path / "mine.jsonl"
    out.write_text("mine")
    for words in (["convert", str(azure), str(out)], ["make", "chat", str(out), "--requests", "5"]):
        assert main(["trace", *words]) == 2
        assert "--force" in capsys.readouterr().err
        assert out.read_text() == "mine"
    assert main(["trace", "convert", str(azure), str(out), "--force"]) == 0
    assert out.read_text() != "mine"
