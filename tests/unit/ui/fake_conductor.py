"""A conductor that measures nothing: it prints the events of a plan as a queue model gives them.

Called as the real one (`run FILES --bench B --events`); with --resume the first run was done before.
Environment: FAKE_RUN_S wall seconds a run (1.0), FAKE_SCHEDULE_S simulated seconds a run (40), FAKE_END:
done, crash (dies in the second run), refuse (exit 2 at once), late (the last run is invalid), lost (the
server fails in the second run, which then waits for a command), deaf (ignores commands).
FAKE_HOLD: the first run waits in its middle for a command ("all": each run does), or for the end of its
input, however busy the machine is; a command `go_on` lets one such wait end, sent before or in it.
"""

import json
import os
import queue
import sys
import threading
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any


def _event(kind: str) -> Callable[..., SimpleNamespace]:
    """Events as the contract has them, without the core: a test's process must start at once."""
    return lambda **fields: SimpleNamespace(type=kind, **fields)


ExperimentStarted = _event("experiment_started")
ServerState = _event("server_state")
ServerLog = _event("server_log")
RunStarted = _event("run_started")
SampleTaken = _event("sample")
Progress = _event("progress")
RunFinished = _event("run_finished")
RunDiagnosed = _event("diagnosis")
LimitsTold = _event("limits")
LimitChanged = _event("limit")
Message = _event("message")
ExperimentFinished = _event("experiment_finished")
PlannedRun = SimpleNamespace

RUN_S = float(os.environ.get("FAKE_RUN_S", "1.0"))
SCHEDULE_S = float(os.environ.get("FAKE_SCHEDULE_S", "40"))
END = os.environ.get("FAKE_END", "done")
HOLD = os.environ.get("FAKE_HOLD", "")
HOLD_AT_MOST_S = 60.0
STEPS = 60
SERVICE_S = 2.19
"""Seconds a request holds its seat: 16 seats serve 7.3 requests a second."""


class StopAskedError(Exception):
    """The user asked for it."""


class FakeConductor:
    def __init__(self, files: list[str], bench: str, *, resume: bool = False) -> None:
        self.resume = resume
        self.zero = time.monotonic()
        self.commands: queue.Queue[dict[str, Any]] = queue.Queue()
        self.experiments = [tomllib.loads(Path(file).read_text()) for file in files]
        self.bench = bench
        self.may_go_on = threading.Semaphore(0)
        self.stop_after = self.left_alone = False
        self.obeyed = 0
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        # Unbuffered: a thread that waits within sys.stdin's buffer aborts the interpreter at its end.
        with open(0, "rb", buffering=0, closefd=False) as pipe:
            for line in pipe:
                told = json.loads(line)
                if told["command"] == "go_on":
                    self.may_go_on.release()
                else:
                    self.commands.put(told)
        self.left_alone = True

    def emit(self, event: SimpleNamespace) -> None:
        event.t = round(time.monotonic() - self.zero, 3)
        line = json.dumps(event, default=vars).encode() + b"\n"
        try:
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
        except OSError:
            os._exit(0)

    def plan(self) -> list[SimpleNamespace]:
        first = self.experiments[0]
        rates = first["load"].get("rates", [12.0])
        configurations: list[tuple[str, str | None, Any]] = [(first["name"], None, None)]
        for experiment in self.experiments:
            control = experiment["control"]
            configurations += [(experiment["name"], control["name"], value) for value in control["values"]]
        return [
            PlannedRun(
                run=f"{'baseline' if control is None else f'{control} = {value}'} @ {rate:g} req/s",
                experiment=experiment, control=control, value=value, rate=rate, concurrency=None, repeat=1,
                expected_s=RUN_S,
            )
            for experiment, control, value in configurations
            for rate in rates
        ]  # fmt: skip

    def carry_out(self) -> int:
        first = self.experiments[0]
        plan = self.plan()
        embedded = first["target"]["kind"] == "embedded"
        self.emit(
            ExperimentStarted(
                name=" + ".join(each["name"] for each in self.experiments), bench=self.bench, plan=plan,
                simulated=embedded, profile=first["target"].get("profile"),
                target="embedded engine" if embedded else first["target"].get("url", "vLLM"),
                trace="300 in, 256 out", trace_sha256="4f9c" + "0" * 60,
                objectives=first.get("objectives", {}), limits=first.get("baseline", {}),
            )
        )  # fmt: skip
        status = "done"
        rows: list[dict[str, Any]] = []
        for index, run in enumerate(plan, start=1):
            if self.resume and index == 1:
                last = list(model(run, first.get("baseline", {}), SCHEDULE_S))[-1]
                rows.append(row_of(run, last, simulated=True))
                self.emit(RunFinished(run=run.run, status="done", row=rows[0]))
                continue
            self.start_server(run)
            try:
                rows.append(self.one_run(index, run, plan))
            except StopAskedError:
                status = "stopped"
                break
            if self.stop_after:
                status = "stopped"
                break
        self.emit(ServerState(state="stopped"))
        report = ["max_num_seqs 16 → 32: completes 7.3 → 11.9 req/s; the queue no longer grows."]
        self.emit(
            ExperimentFinished(
                status=status, bench=self.bench, csv=None, report=report if status == "done" else []
            )
        )
        return 0 if status == "done" else 1

    def start_server(self, run: SimpleNamespace) -> None:
        url = "http://127.0.0.1:40391"
        for detail in ("starting the engine", "loading weights", "sizing the KV cache"):
            self.emit(ServerState(state="starting", detail=detail))
            self.emit(ServerLog(line=f"(EngineCore pid=1) INFO 11-29 20:07:39 [core.py:93] {detail}"))
            time.sleep(RUN_S * 0.03)
        self.emit(ServerLog(line="(EngineCore pid=1) WARNING 11-29 20:07:39 [cache.py:21] no prefix caching"))
        self.emit(ServerState(state="ready", url=url, command="python -m workbench engine serve", pid=1))
        seats = {"name": "max_num_active_seqs", "value": 16, "minimum": 1, "maximum": 16, "reason": None}
        blocks = {"name": "parked_kv_blocks", "reason": "no cache"}
        self.emit(LimitsTold(limits=[seats, blocks]))

    def one_run(self, index: int, run: SimpleNamespace, plan: list[SimpleNamespace]) -> dict[str, Any]:
        self.obeyed = 0
        limits = {
            **self.experiments[0].get("baseline", {}),
            **({run.control: run.value} if run.control else {}),
        }
        self.emit(
            RunStarted(
                run=run.run, index=index, of=len(plan), experiment=run.experiment, control=run.control,
                value=run.value, rate=run.rate, duration_s=SCHEDULE_S, requests=480,
                simulated=self.experiments[0]["target"]["kind"] == "embedded", limits=limits,
            )
        )  # fmt: skip
        last = None
        skipped = False
        for step, sample in enumerate(model(run, limits, SCHEDULE_S), start=1):
            time.sleep(RUN_S / STEPS)
            last = sample
            self.emit(sample)
            left = RUN_S * (1 - step / STEPS)
            if step % 10 == 0:
                self.emit(
                    Progress(
                        run=run.run, phase="measuring", run_elapsed_s=RUN_S - left, run_left_s=left,
                        plan_left_s=left + RUN_S * (len(plan) - index),
                    )
                )  # fmt: skip
            self.misbehave(index, step)
            if step == STEPS // 2 and (HOLD == "all" or (HOLD and index == 1)):
                self.hold()
            skipped = self.obey(run, last)
            if skipped:
                break
        row = row_of(run, last, simulated=True)
        if skipped:
            row |= {"status": "partial"}
        if END == "late" and index == len(plan):
            row |= {
                "status": "invalid",
                "valid": False,
                "reasons": "client-bound: client delay p99 83 ms > 10 ms",
            }
        self.emit(RunFinished(run=run.run, status="partial" if skipped else "done", row=row))
        self.emit(diagnosis_of(run, last))
        return row

    def hold(self) -> None:
        """Wait for a command, unless one came in this run already."""
        if self.obeyed:
            return
        until = time.monotonic() + HOLD_AT_MOST_S
        while self.commands.empty() and not self.left_alone and time.monotonic() < until:
            if self.may_go_on.acquire(timeout=0.01):
                return

    def misbehave(self, index: int, step: int) -> None:
        if index == 2 and step == STEPS // 3:
            if END == "crash":
                print("Traceback: something broke", file=sys.stderr)
                os.abort()
            if END == "lost":
                self.emit(ServerState(state="failed", detail="out of memory while serving"))
                self.emit(
                    Message(level="error", text="The server ended while it was measured: out of memory.")
                )
                self.hold()

    def set_limit(self, run: SimpleNamespace, last: SimpleNamespace, asked: dict[str, Any]) -> None:
        granted = asked["value"] != 13
        self.emit(
            LimitChanged(
                run=run.run, run_t=last.run_t, name=asked["name"], asked=asked["value"], old=16,
                new=asked["value"] if granted else 16, accepted=granted,
                refusal=None if granted else "13 brings bad luck", by="user",
            )
        )  # fmt: skip

    def obey(self, run: SimpleNamespace, last: SimpleNamespace) -> bool:
        while not self.commands.empty():
            asked = self.commands.get()
            self.obeyed += 1
            command = asked["command"]
            if END == "deaf":
                continue
            if command == "limit":
                self.set_limit(run, last, asked)
            if command == "skip":
                return True
            if command == "stop_after_run":
                self.stop_after = True
            if command == "stop":
                self.emit(RunFinished(run=run.run, status="partial", row=row_of(run, last, simulated=True)))
                raise StopAskedError
        return False


def model(run: SimpleNamespace, limits: dict[str, Any], length: float) -> Iterator[SimpleNamespace]:
    """A fluid queue: seats serve at most seats / SERVICE_S requests a second."""
    seats = limits.get("max_num_seqs", 256)
    budget = limits.get("max_num_batched_tokens", 8192)
    rate = run.rate or 12.0
    capacity = min(seats / SERVICE_S, budget / 30)
    waiting = preemptions = 0.0
    for step in range(1, STEPS + 1):
        t = length * step / STEPS
        wobble = 1 + 0.12 * (((step * 7919) % 13) / 6 - 1)
        ramp = min(1.0, t / SERVICE_S)
        waiting = max(0.0, (rate - capacity) * t) if rate > capacity else max(0.0, 2 * (wobble - 1))
        running = min(seats, rate * SERVICE_S * wobble) * ramp
        wait_s = waiting / capacity
        kv = min(1.0, running * 430 / 300_000 * 4)
        preemptions += 1.0 if kv > 0.9 and step % 3 == 0 else 0.0
        yield SampleTaken(
            run=run.run, run_t=t, running=round(running), waiting=round(waiting), kv_usage=kv,
            ttft_p50_ms=(wait_s * 0.7 + 0.05 * wobble) * 1000, ttft_p95_ms=(wait_s + 0.21 * wobble) * 1000,
            oldest_waiting_s=wait_s + 0.03 if waiting >= 1 else None, queue_ms=wait_s * 800 + 4,
            input_tok_s=min(rate, capacity) * 300 * wobble * ramp, output_tok_s=running / SERVICE_S * 256,
            preemptions=preemptions, offered_rps=rate * wobble, completed_rps=min(rate, capacity) * ramp,
            in_flight=round(running + waiting), completed=round(capacity * t), failed=0, rejected=0,
            client_delay_p99_ms=0.4,
        )  # fmt: skip


def row_of(run: SimpleNamespace, last: SimpleNamespace, *, simulated: bool) -> dict[str, Any]:
    drifts = (last.waiting or 0) > 20
    return {
        "run": run.run, "offered_rps": run.rate, "completed_rps": last.completed_rps,
        "ttft_p95_ms": last.ttft_p95_ms, "ttft_p50_ms": last.ttft_p50_ms, "queue_p95_ms": last.queue_ms,
        "e2e_p95_ms": (last.ttft_p95_ms or 0) + SERVICE_S * 1000, "itl_p95_ms": 9.1, "error_rate": 0.0,
        "preemptions": last.preemptions, "output_tok_s": last.output_tok_s, "kv_peak": last.kv_usage,
        "control": run.control, "value": run.value, "valid": True, "reasons": None, "diverging": drifts,
        "ttft_drift_s_per_s": 0.6 if drifts else 0.0, "simulated": simulated, "n": 1, "status": "valid",
    }  # fmt: skip


def diagnosis_of(run: SimpleNamespace, last: SimpleNamespace) -> SimpleNamespace:
    full = (last.waiting or 0) > 20
    bound = "seats" if full else "none"
    change = {
        "control": "max_num_seqs",
        "value": 32,
        "text": "max_num_seqs 16 → 32.",
        "watch": "",
        "cost": "",
    }
    return RunDiagnosed(
        run=run.run, headline=f"Bound by: {bound}.", next_change=change["text"] if full else None,
        strip=[{"start": 0.0, "end": SCHEDULE_S, "bound": bound}], shares={bound: 1.0},
        sentences=["It was so all the time."], change=change if full else None,
    )  # fmt: skip


def main() -> int:
    words = sys.argv[1:]
    if END == "refuse":
        print("error: experiment.toml: [load] rates is empty", file=sys.stderr)
        return 2
    bench = words[words.index("--bench") + 1]
    resume = "--resume" in words
    files = words[1 : words.index("--bench")] or sorted(map(str, Path(bench).parent.glob("*.toml")))
    return FakeConductor(files, bench, resume=resume).carry_out()


if __name__ == "__main__":
    raise SystemExit(main())
