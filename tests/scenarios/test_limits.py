"""Limits of a running server changed by the user in the middle of a run, through real processes."""

import json
import sys
from pathlib import Path

import pytest

from tests.scenarios.test_first_run import Conduct, conduct, experiment_file, stored

__all__ = ["conduct"]

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="this system has no Unix sockets"),
]


def test_that_a_limit_changed_during_a_run_is_told_stored_held_against_it_and_put_back(
    tmp_path: Path, conduct: Conduct
) -> None:
    path = experiment_file(tmp_path, rate="2, 3", duration_s="6")
    path.write_text(path.read_text().replace('kind = "embedded"', 'kind = "embedded"\nlive_limits = true'))
    conducting = conduct(path)
    limits = {one["name"]: one for one in conducting.wait_for("limits")["limits"]}
    seats = limits["max_num_active_seqs"]
    assert (seats["value"], seats["minimum"], seats["maximum"], seats["reason"]) == (4, 1, 4, None)
    conducting.wait_for_completed(1)
    stdin = conducting.process.stdin
    assert stdin is not None
    for value in (9, 2):
        order = {"command": "limit", "name": "max_num_active_seqs", "value": value}
        stdin.write(json.dumps(order).encode() + b"\n")
        stdin.flush()
    refused = conducting.wait_for("limit", accepted=False)
    assert refused["refusal"].startswith("max_num_active_seqs")
    assert "9" in refused["refusal"]
    changed = conducting.wait_for("limit", accepted=True)
    assert (changed["old"], changed["new"], changed["by"]) == (4, 2, "user")
    assert changed["run_t"] > 0
    row = conducting.wait_for("run_finished")["row"]
    assert not row["valid"]
    assert "limits changed during the run: max_num_active_seqs 4 → 2 at " in str(row["reasons"])
    said = conducting.wait_for("diagnosis")["sentences"]
    # Each value is judged by what was seen while it held.
    assert any(one.startswith("Until ") and "max_num_active_seqs 4" in one for one in said), said
    assert any(one.startswith("From ") and "max_num_active_seqs 2" in one for one in said), said
    back = conducting.wait_for("limit", by="restored")
    assert (back["old"], back["new"]) == (2, 4)
    conducting.say("stop")
    conducting.wait_for("experiment_finished")
    conducting.process.wait(60)
    kept = stored(conducting.bench, "SELECT asked, old, new, by, refusal IS NULL FROM limit_changes")
    assert kept == [("9", 4, 4, "user", 0), ("2", 4, 2, "user", 1), ("4", 2, 4, "restored", 1)]
