"""An order carried out on the embedded engine, from its file to a checked result."""

import json
from pathlib import Path

import pytest

from tests.command_line import workbench

pytestmark = pytest.mark.slow

EXPERIMENT = """name = "Seats"
[target]
kind = "embedded"
profile = "h100_sxm/Llama-3.1-8B/tp1"
time_scale = 4.0
record_steps = true
[baseline]
max_num_seqs = 4
[control]
name = "max_num_seqs"
values = [32]
[trace]
synthetic = "200:50"
[load]
rates = [6]
duration_s = 8
"""


EVIDENCE = ("configuration", "start_log", "machine", "clock", "step_record")


def test_that_an_order_goes_from_a_file_to_a_checked_result(tmp_path: Path) -> None:
    file, order, result = tmp_path / "seats.toml", tmp_path / "order.wbpack", tmp_path / "result.wbpack"
    file.write_text(EXPERIMENT)
    words = [word for kind in EVIDENCE for word in ("--evidence", kind)]
    done = workbench("pack", "plan", str(file), "--out", str(order), "--sign", *words)
    assert done.returncode == 0, done.stderr
    done = workbench("pack", "run", str(order), "--out", str(result))
    assert done.returncode == 0, done.stderr
    fingerprint = done.stdout.partition("signed by:")[2].split()[0]
    checked = workbench("pack", "check", str(result), "--vendor-key", fingerprint, "--json", "-")
    said = json.loads(checked.stdout)
    # A busy machine makes a run invalid, which the result says.
    assert {each["kind"] for each in said["findings"]} <= {"packs.verdict_unmet"}
    assert said["notes"] == []
    assert said["signer"]["fingerprint"] == fingerprint
    # The same command finds nothing left to measure, and writes the result again.
    again = workbench("pack", "run", str(order), "--out", str(result))
    assert again.returncode == 0, again.stderr
    assert len(json.loads(workbench("pack", "check", str(result), "--json", "-").stdout)["sessions"]) == 2
