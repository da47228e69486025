"""Requests made by hand for the tests of results."""

import sqlite3

import numpy as np

from workbench.results import Objectives, Outcome, RequestRecord

TOML = (
    'name = "x"\n[target]\nenv = { HF_TOKEN = "hf_verysecret", TZ = "UTC" }\nargs = ["--api-key", "sk-1"]\n'
)


def request(index=0, due=0.0, ttft=0.1, tokens=3, gap=0.01, **changes):
    """A completed request: first token `ttft` seconds after due, then tokens `gap` seconds apart."""
    first = due + ttft
    last = first + (tokens - 1) * gap
    fields = {
        "index": index,
        "row": index,
        "request_id": f"r-{index}",
        "cls": "chat",
        "input_tokens": 100,
        "output_tokens": tokens,
        "due": due,
        "released": due,
        "sent": due + 0.001,
        "first_token": first,
        "last_token": last,
        "done": last,
        "outcome": Outcome.COMPLETED,
        "finish_reason": "length",
        "status": 200,
        "prompt_tokens": 100,
        "completion_tokens": tokens,
        "tokens": tokens,
        "token_source": "continuous",
        "gaps_ms": gaps([gap * 1000] * (tokens - 1)),
    }
    return RequestRecord(**fields | changes)


def unanswered(index=0, due=0.0, **changes):
    """A request that was sent and has no first token at the end."""
    record = request(index, due, outcome=Outcome.UNFINISHED, gaps_ms=b"")
    for name in (
        "first_token",
        "last_token",
        "done",
        "finish_reason",
        "status",
        "prompt_tokens",
        "completion_tokens",
        "tokens",
    ):
        setattr(record, name, None)
    for name, value in changes.items():
        setattr(record, name, value)
    return record


def gaps(milliseconds):
    return np.array(milliseconds, dtype="<f4").tobytes()


def event_tokens(counts):
    return np.array(counts, dtype="<u2").tobytes()


def with_run(bench):
    """The bench file with an experiment whose file holds secrets; returns its one run."""
    experiment = bench.add_experiment("limits", TOML, objectives=Objectives(ttft_p95_ms=500))
    return bench.add_run(
        experiment, "baseline @ 2", control=None, value=None, config={"max_num_seqs": 256}, rate=2.0
    )


def as_earlier_builds_wrote(path):
    """Make a bench file one from before figures had definitions and stored numbers had seals."""
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM meta WHERE key = 'definitions' OR key LIKE 'seal:%'")
    connection.commit()
    connection.close()


def texts(messages):
    """The English texts of messages."""
    return list(map(str, messages))
