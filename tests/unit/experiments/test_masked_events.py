"""Events give no secret away and are otherwise passed on as they are."""

import json

from workbench.base import MASK
from workbench.experiments import (
    Event,
    MemoryReported,
    Notice,
    RunFinished,
    SampleTaken,
    ServerLog,
    ServerState,
)
from workbench.experiments.run.channel import without_secrets
from workbench.servers.command import FINE_BUCKETS

COMMAND = f"vllm serve m --custom-histogram-buckets '{json.dumps(FINE_BUCKETS)}'"


def passed_on(*events: Event) -> list[Event]:
    taken: list[Event] = []
    emit = without_secrets(taken.append, ["c-known"])
    for event in events:
        emit(event)
    return taken


def test_that_secrets_leave_every_text_of_an_event() -> None:
    url = "https://me:c-url@host/m?token=c-query"
    row = {"run": "baseline", "args_full": "x --hf-token c-flag", "ttft_p95_ms": 1.5, "notes": url}
    said = passed_on(
        Notice(level="error", text=f"c-known is refused at {url}"),
        ServerState(state="failed", detail="its last words: c-known", command=f"vllm serve {url}"),
        ServerLog(line="api_key='c-line' c-known"),
        MemoryReported(server={}, estimate=None, differences=[url], why=f"{url}: c-known"),
        RunFinished(run="baseline", status="done", row=row),
    )
    assert "c-" not in repr(said)
    masked = f"https://{MASK}@host/m?token={MASK}"
    assert said[0] == Notice(level="error", text=f"{MASK} is refused at {masked}")
    kept = {"args_full": f"x --hf-token '{MASK}'", "notes": masked}
    assert said[-1] == RunFinished(run="baseline", status="done", row=row | kept)


def test_that_an_event_without_secrets_is_passed_on_as_it_is() -> None:
    events: list[Event] = [
        Notice(level="info", text="--api-key is set by this program"),
        ServerState(state="ready", command=COMMAND, pid=7),
        SampleTaken(run="baseline", run_t=1.0, classes={"chat": {"ttft_p50_ms": 3.5}}),
        RunFinished(run="baseline", status="done", row={"valid": True, "rate": 4.0, "reasons": None}),
    ]
    assert passed_on(*events) == events
