"""Calibration of a real vLLM, and what the profile makes of a trace that it has not seen."""

import contextlib
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.vllm.conftest import CONTROLS, RealServer, local_spec
from workbench.profiles import StepModel, read_profile
from workbench.traces import Trace, TraceRow, write_trace

UTILISATION = 0.5
"""Of the rate at which the calibration held out its run, which was a part of what the server reached."""
ONE_PROCESSOR = {**local_spec().env, "VLLM_CPU_OMP_THREADS_BIND": "0"}
"""The model computes on one processor, as on a GPU: front and client have the others."""
BLOCKS = 400
"""Room for all 16 seats at any context: what is looked at are times, not preemptions."""
TRIES, CLIENT_DELAY_MS = 4, 20.0
"""A run whose client was later than that at the 95th percentile says nothing of the server: it is redone."""

STEADY_TRIES, DISTURBED = 3, "something else was at work there or here"
"""What the calibration itself says of a minute in which equal loads took unequal times: it is redone."""


def keep_time() -> None:
    """Where it is allowed the client wakes when it is due, whatever else this machine does."""
    with contextlib.suppress(OSError, AttributeError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(5))


def favour(server: RealServer) -> None:
    """Where it is allowed the server goes before what else runs: each session has a share of its own here."""
    with contextlib.suppress(OSError):
        Path(f"/proc/{server.server.pid}/autogroup").write_text("-15")


def workbench(*arguments: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "workbench", *arguments, "--json", "-"],
        capture_output=True, text=True, timeout=600, check=False, preexec_fn=keep_time,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def unseen(seed: int, count: int) -> Trace:
    """Chats: prompts around 120 tokens, answers around 30, both with long tails; bursts of arrivals."""
    draw = random.Random(seed)
    rows, now = [], 0.0
    for _ in range(count):
        now += 1000 * draw.gammavariate(0.5, 2.0)
        prompt = min(600, max(8, int(draw.lognormvariate(4.8, 0.7))))
        output = min(150, max(4, int(draw.lognormvariate(3.4, 0.6))))
        rows.append(TraceRow(timestamp=now, input_length=prompt, output_length=output, cls="chat"))
    return Trace.from_rows(rows, source="chats made by the test")


@pytest.mark.vllm_full
@pytest.mark.timeout(900)
def test_that_two_minutes_of_calibration_predict_an_unseen_trace(
    start_real: Callable[..., RealServer], tmp_path: Path
) -> None:
    controls = {**CONTROLS, "num_gpu_blocks_override": BLOCKS}
    real = start_real(controls, env=ONE_PROCESSOR)
    favour(real)
    out, place = tmp_path / "cpu.json", tmp_path / "unseen.jsonl"
    found = workbench("engine", "calibrate", real.url, "--name", "cpu/tiny/tp1", "--out", str(out))
    profile = read_profile(out)
    assert profile.kind == "measured"
    assert profile.num_gpu_blocks == BLOCKS
    assert profile.max_num_seqs == CONTROLS["max_num_seqs"]
    assert profile.max_num_batched_tokens == CONTROLS["max_num_batched_tokens"]
    trace = unseen(seed=7, count=150)
    write_trace(trace, place)
    rate = f"{UTILISATION * found['hold_out_rps']:.4g}"
    for _ in range(TRIES):
        measured = workbench("measure", real.url, "--trace", str(place), "--rate", rate)
        delay = measured["client_delay_ms"]
        if delay["p95"] < CLIENT_DELAY_MS:
            break
    measured["ttft_ms"]["mean"] -= delay["mean"]  # from sending, as the replay has it
    predicted = workbench("engine", "replay", str(place), "--rate", rate, "--profile", str(out))
    assert measured["requests"]["completed"] == predicted["completed"] == 150
    errors = {
        name: 100 * (predicted[name]["mean"] / measured[name]["mean"] - 1) for name in ("ttft_ms", "tpot_ms")
    }
    print(
        f"{profile.step_model}, overhead {profile.request_overhead_us / 1000:.1f} ms, residual "
        f"{found['fit']['residual_pct']:.1f} %; hold-out: {profile.known_error}"
    )
    print(f"client delay: mean {delay['mean']:.1f} ms, p95 {delay['p95']:.1f} ms")
    for name, error in errors.items():
        print(f"{name} at {rate}/s: measured {measured[name]['mean']:.2f}, predicted "
              f"{predicted[name]['mean']:.2f}, error {error:+.1f} %")  # fmt: skip
    assert abs(errors["tpot_ms"]) < 15
    assert abs(errors["ttft_ms"]) < 25


@pytest.mark.vllm_full
@pytest.mark.timeout(900)
def test_that_the_steps_that_a_real_server_logs_make_a_profile(
    start_real: Callable[..., RealServer], tmp_path: Path
) -> None:
    arguments = [*local_spec().args, "--enable-logging-iteration-details"]
    controls = {**CONTROLS, "num_gpu_blocks_override": BLOCKS}
    server = start_real(controls, args=arguments, env=ONE_PROCESSOR)
    favour(server)
    name = ("--name", "cpu/tiny/tp1", "--out", str(tmp_path / "cpu.json"))
    log, looks = tmp_path / "server.log", []
    for _ in range(STEADY_TRIES):
        began = len(server.lines)
        seen = workbench("engine", "calibrate", server.url, "--minutes", "1", *name)
        # Of this try alone: both look at the same minute.
        log.write_text("\n".join(server.lines[began:]) + "\n")
        found = workbench("engine", "calibrate", server.url, "--minutes", "0.5", "--log", str(log), *name)
        assert "from the server's own steps" in found["profile"]["source"]
        looks.append((max(seen["fit"]["spread_pct"], found["fit"]["spread_pct"]), seen, found))
        if not any(DISTURBED in note for note in (*seen["notes"], *found["notes"])):
            break
    spread, seen, found = min(looks, key=lambda look: look[0])
    print(f"{found['profile']['known_error']}")
    print(f"{len(looks)} tries; of the one compared equal loads were ±{spread:.1f} % apart")
    own, clients = lone(found), lone(seen)
    for who, (token, first) in (("log", own), ("load", clients)):
        print(f"by the {who}: a token {token:.2f} ms, the first {first:.2f} ms")
    assert own == pytest.approx(clients, rel=0.25)


def lone(calibrated: dict[str, Any]) -> tuple[float, float]:
    """Milliseconds for a token, and for the first after 500 of prompt, of a request that is alone.

    What a prompt costs whatever its length is the step's to the log and the request's to a client: only their
    sum is the same to both.
    """
    model = StepModel(**calibrated["profile"]["step_model"])
    prompt_us = model.step_us(500, 0, 0, 125_000) + calibrated["fit"]["request_overhead_us"]
    return model.step_us(0, 1, 1, 0) / 1000, prompt_us / 1000
