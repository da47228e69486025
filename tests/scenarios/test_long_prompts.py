"""The progress of long prompts, from the engine's own record of its steps to the window's plot."""

from pathlib import Path

import pytest

from tests.scenarios.test_first_run import Conduct, conduct, experiment_file
from ui.files.bench_reader import read_bench

__all__ = ["conduct"]


@pytest.mark.slow
def test_that_long_prompts_are_followed_while_they_are_computed_and_kept_with_the_run(
    tmp_path: Path, conduct: Conduct
) -> None:
    path = experiment_file(tmp_path, rate="1", duration_s="5", values="[8]", time_scale="1.0")
    changes = {
        'kind = "embedded"': 'kind = "embedded"\nrecord_steps = true',
        "max_num_batched_tokens = 8192": "max_num_batched_tokens = 1024",
        'synthetic = "200:100"': 'synthetic = "20000:5"',
    }
    text = path.read_text()
    for old, new in changes.items():
        text = text.replace(old, new)
    path.write_text(text)
    conducting = conduct(path)
    first = conducting.wait_for("prefill")
    assert (first["prompts"], first["step_tokens"], first["whole"]) == ([], 1024, False)
    live = conducting.wait_for("prefill", whole=False)
    assert live["prompts"][0]["tokens"] == 20_000
    whole = conducting.wait_for("prefill", whole=True)
    conducting.say("stop_after_run")
    conducting.wait_for("experiment_finished")
    conducting.process.wait(60)
    for told in whole["prompts"]:
        times, computed = zip(*told["points"], strict=True)
        assert list(times) == sorted(times)
        assert list(computed) == sorted(computed)
        assert (computed[0], computed[-1]) == (0, 20_000)
    run = read_bench(conducting.bench).runs[whole["run"]]
    assert len(run.prompts.tracks) == len(whole["prompts"]) > 0
    assert all(track.done and track.seconds > 0 for track in run.prompts.tracks)
