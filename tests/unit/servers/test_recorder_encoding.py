"""A recorder's lines are the same whether a part of them was encoded before or not."""

import importlib
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import workbench.servers.inside

INSIDE = str(Path(workbench.servers.inside.__file__ or "").parent)


@pytest.fixture(params=["msgspec", "json"])
def encoding(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """With msgspec, as in vLLM's environment, or without it."""
    monkeypatch.syspath_prepend(INSIDE)
    module = importlib.import_module("workbench_scheduler.encoding")
    if request.param == "json":
        monkeypatch.setitem(sys.modules, "msgspec", None)
    return module.LineEncoder()


def requests(*names: str) -> list[Any]:
    return [SimpleNamespace(request_id=name) for name in names]


def scheduled(shares: dict[str, int], running: list[Any]) -> dict[str, Any]:
    return {"ev": "sched", "t": 1, "sched": shares, "run": running, "wait": 0}


def updated(shares: dict[str, int], places: dict[str, int], tokens: list[Any], ended: Any) -> dict[str, Any]:
    return {"ev": "update", "t": 1, "tok": (shares, places, tokens), "fin": ended, "run": []}


def test_that_lines_of_an_unchanged_set_and_of_a_changed_order_are_told_as_they_are(encoding: Any) -> None:
    first, second = requests("a", "b"), requests("b", "a")
    cases = [({"a": 1, "b": 1}, first), ({"a": 1, "b": 1}, list(first)), ({"b": 1, "a": 1}, second)]
    cases += [({"b": 1, "a": 2}, second[:1]), ({}, [])]
    for shares, running in cases:
        told = json.loads(encoding(scheduled(dict(shares), running)))
        assert told["sched"] == [list(item) for item in shares.items()]
        assert told["run"] == [one.request_id for one in running]


@pytest.mark.parametrize(
    ("places", "tokens", "expected"),
    [
        ({"a": 1, "b": 0}, [[5], [6]], {"a": [6], "b": [5]}),
        ({"a": 0, "b": 1}, [[5], []], {"a": [5]}),
        ({"a": 0}, [[5]], {"a": [5]}),
        ({"a": 0, "c": 1}, [[5], [7]], {"a": [5]}),
        ({"a": 0, "b": 1}, [], {}),
    ],
)
def test_that_tokens_belong_to_their_requests(
    encoding: Any, places: dict[str, int], tokens: list[Any], expected: dict[str, Any]
) -> None:
    told = json.loads(encoding(updated({"a": 1, "b": 1}, places, tokens, {"b"})))
    assert told["tok"] == expected
    assert told["fin"] == ["b"]
