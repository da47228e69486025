"""Encode the lines of a record from the objects that the engine's thread handed over.

While the same requests decode step after step, most of a line repeats the line before, so that part is
encoded once.
"""

import importlib
import json
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any


class LineEncoder:
    """Encodes lines in their order."""

    def __init__(self) -> None:
        self._encode, self._as_it_is = _library()
        self._running: list[Any] = []
        self._running_encoded: object = []
        self._shares: dict[str, int] = {}
        self._shares_encoded: object = []

    def __call__(self, line: dict[str, Any]) -> bytes:
        """Return one line, newline included."""
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
            self._running_encoded = self._encoded([request.request_id for request in running])
        return self._running_encoded

    def _scheduled(self, shares: dict[str, int]) -> object:
        # Equal dicts may differ in their order, which is the scheduling order.
        if shares != self._shares or list(shares) != list(self._shares):
            self._shares = shares
            self._shares_encoded = self._encoded(list(shares.items()))
        return self._shares_encoded

    def _encoded(self, value: object) -> object:
        return self._as_it_is(self._encode(value)) if self._as_it_is is not None else value


def sampled_by(names: dict[str, int], places: dict[str, int], tokens: Sequence[Any]) -> dict[str, Any]:
    """Return sampled tokens by request; a part of a prompt samples none, a pooling model never does."""
    if not tokens:
        return {}
    if len(names) > 1 and len(places) == len(names) and all(map(len, tokens)):
        try:
            return dict(zip(names, itemgetter(*itemgetter(*names)(places))(tokens)))  # noqa: B905  # Python 3.9
        except KeyError:
            pass
    by_name = {name: tokens[places[name]] for name in names if name in places}
    return {name: sampled for name, sampled in by_name.items() if len(sampled)}


def _library() -> tuple[Callable[[object], bytes], Callable[[bytes], object] | None]:
    """Return the encoder, and the marker of bytes that are encoded already."""
    try:
        msgspec = importlib.import_module("msgspec")  # vLLM's own
    except ImportError:
        return lambda line: json.dumps(line, separators=(",", ":"), default=_plain).encode(), None
    return msgspec.json.Encoder(enc_hook=_plain).encode, msgspec.Raw


def _plain(value: Any) -> object:
    """Convert numpy's numbers and arrays, as tokens may come."""
    return value.tolist()
