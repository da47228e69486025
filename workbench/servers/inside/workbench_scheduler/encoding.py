"""A line as it is written, from what the engine's thread took hold of.

While the same requests decode, step after step, most of a line is what it was in the line before: that part
is encoded once.
"""

import importlib
import json
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any


class LineEncoder:
    """Makes lines into bytes, in their order."""

    def __init__(self) -> None:
        self._encode, self._as_it_is = _library()
        self._running: list[Any] = []
        self._running_told: object = []
        self._shares: dict[str, int] = {}
        self._shares_told: object = []

    def __call__(self, line: dict[str, Any]) -> bytes:
        """One line, newline included."""
        if line["ev"] == "sched":
            line["sched"] = self._scheduled(line["sched"])
        elif line["ev"] == "update":
            names, places, tokens = line["tok"]
            line["tok"] = sampled_by(names, places, tokens)
            ended_ids = line["fin"]
            line["fin"] = [name for name in names if name in ended_ids] if ended_ids else []
        if "run" in line:
            line["run"] = self._ids(line["run"])
        return self._encode(line) + b"\n"

    def _ids(self, running: list[Any]) -> object:
        if running != self._running:
            self._running = running
            self._running_told = self._told([request.request_id for request in running])
        return self._running_told

    def _scheduled(self, shares: dict[str, int]) -> object:
        # Equal dicts may differ in their order, which is the scheduling order.
        if shares != self._shares or list(shares) != list(self._shares):
            self._shares = shares
            self._shares_told = self._told(list(shares.items()))
        return self._shares_told

    def _told(self, value: object) -> object:
        return self._as_it_is(self._encode(value)) if self._as_it_is is not None else value


def sampled_by(names: dict[str, int], places: dict[str, int], tokens: Sequence[Any]) -> dict[str, Any]:
    """Tokens by request, of those that have any: a part of a prompt samples none, a pooling model never."""
    if not tokens:
        return {}
    if len(names) > 1 and len(places) == len(names) and all(map(len, tokens)):
        try:
            return dict(zip(names, itemgetter(*itemgetter(*names)(places))(tokens)))  # noqa: B905  # Python 3.9
        except KeyError:
            pass
    told = {name: tokens[places[name]] for name in names if name in places}
    return {name: sampled for name, sampled in told.items() if len(sampled)}


def _library() -> tuple[Callable[[object], bytes], Callable[[bytes], object] | None]:
    """What encodes, and what marks bytes as encoded already."""
    try:
        msgspec = importlib.import_module("msgspec")  # vLLM's own
    except ImportError:
        return lambda line: json.dumps(line, separators=(",", ":"), default=_plain).encode(), None
    return msgspec.json.Encoder(enc_hook=_plain).encode, msgspec.Raw


def _plain(value: Any) -> object:
    """Tokens may come as numpy's numbers or arrays."""
    return value.tolist()
