"""Layouts of other programs, and vLLM's command."""

import itertools
import json
import math
import shlex

import pytest

from workbench.base import InputError
from workbench.traces import Trace, TraceRow, export_trace, import_trace, speedup


def trace() -> Trace:
    return Trace.from_rows(
        [
            TraceRow(timestamp=0, input_length=1200, output_length=5, hash_ids=(2**63, 7)),
            TraceRow(timestamp=1500.25, input_length=513, output_length=6, session_id="s", cls="chat"),
            TraceRow(timestamp=1600, input_length=1024, output_length=6, hash_ids=(2**63, 2**64 - 1)),
        ]
    )


@pytest.mark.parametrize("layout", ["mooncake", "timed_trace"])
def test_that_every_block_of_every_prompt_has_an_id_and_given_ids_are_exact(tmp_path, layout):
    export_trace(trace(), tmp_path / "t.jsonl", to=layout)
    rows = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()]
    assert [set(row) for row in rows] == [{"timestamp", "input_length", "output_length", "hash_ids"}] * 3
    assert all(len(row["hash_ids"]) == math.ceil(row["input_length"] / 512) for row in rows)
    assert rows[0]["hash_ids"][:2] == [2**63, 7]
    assert rows[2]["hash_ids"] == [2**63, 2**64 - 1]
    made = [rows[0]["hash_ids"][2], *rows[1]["hash_ids"]]
    assert len(set(made)) == 3
    assert not set(made) & {2**63, 7, 2**64 - 1}
    assert [row["timestamp"] for row in rows] == [0, 1500.25, 1600]


def test_that_a_mooncake_export_imports_again_with_the_same_prefixes(tmp_path):
    export_trace(trace(), tmp_path / "t.jsonl", to="mooncake")
    again = import_trace(tmp_path / "t.jsonl", format="mooncake").trace
    assert again.row(2).hash_ids == (2**63, 2**64 - 1)
    assert again.timestamp_ms.tolist() == trace().timestamp_ms.tolist()


def test_that_the_command_names_block_size_unit_and_number(tmp_path):
    path = tmp_path / "with a space.jsonl"
    words = shlex.split(export_trace(trace(), path, to="timed_trace") or "")
    assert words[:4] == ["PYTHONHASHSEED=0", "vllm", "bench", "serve"]
    options = dict(itertools.pairwise(words))
    assert options["--dataset-path"] == str(path)
    assert options["--timed-trace-chunk-hash-size"] == "512"
    assert options["--timed-trace-sec-multiplier"] == "0.001"
    assert options["--num-prompts"] == "3"
    assert {"--self-timed", "--ignore-eos", "--disable-shuffle", "--no-oversample"} <= set(words)


def test_that_other_layouts_are_refused_and_nothing_is_written(tmp_path):
    with pytest.raises(InputError, match="one of canonical, mooncake, timed_trace"):
        export_trace(trace(), tmp_path / "t", to="parquet")
    with pytest.raises(InputError, match="can't be written"):
        export_trace(trace(), tmp_path / "none" / "t")
    assert list(tmp_path.iterdir()) == []


def test_that_exported_times_have_no_more_digits_than_the_grain(tmp_path):
    export_trace(speedup(trace(), 3), tmp_path / "t", to="mooncake")
    assert '"timestamp":500.0833,' in (tmp_path / "t").read_text()


@pytest.mark.parametrize("layout", ["mooncake", "timed_trace"])
@pytest.mark.parametrize("block", [16, 512])
def test_that_an_export_comes_back_as_fast_as_it_was(tmp_path, layout, block):
    """Blocks of 16 tokens make the layout look like vLLM's, which has seconds by default."""
    rows = [TraceRow(timestamp=at, input_length=600, output_length=9) for at in (0.0, 40.0, 90.0, 400.0)]
    path = tmp_path / "out.jsonl"
    export_trace(Trace.from_rows(rows, block_tokens=block), path, to=layout)
    assert import_trace(path).trace.timestamp_ms.tolist() == [0.0, 40.0, 90.0, 400.0]
