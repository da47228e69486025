"""The report's section on which limit bound each run: what the conductor said of it, as it was stored."""

import json
from collections.abc import Sequence
from typing import Any

from workbench.base import UNREADABLE
from workbench.results.bench.entries import RunEntry
from workbench.results.bench.queries import BenchQueries
from workbench.results.exports.page import bullets, element, raw, table

_HEADER = ("run", "which limit bound", "next single change", "against the baseline, by two runs alone")


def limits_section(bench: BenchQueries, runs: Sequence[RunEntry]) -> str:
    """A row a run, and all that was seen folded below; empty where nothing was diagnosed."""
    told = [(run, found) for run in runs if (found := _diagnosis(bench, run)) is not None]
    if not told:
        return ""
    body = [
        [
            element("td", run.name),
            element("td", _text(found.get("headline"))),
            element("td", _text(found.get("next_change")) or "–"),
            raw("td", bullets(_texts(found.get("against_baseline")))),
        ]
        for run, found in told
    ]
    parts = [element("h2", "Which limit bound, and what to change next"), table(_HEADER, body)]
    for run, found in told:
        sentences = bullets(_texts(found.get("sentences")))
        parts.append(raw("details", element("summary", f"All that was seen: {run.name}") + sentences))
    return "".join(parts)


def _diagnosis(bench: BenchQueries, run: RunEntry) -> dict[str, Any] | None:
    """The last one stored of a run; None: there is none."""
    for line in reversed(bench.log(run.id)):
        if line.kind == "event" and '"type":"diagnosis"' in line.text:
            try:
                found = json.loads(line.text)
            except UNREADABLE:
                return None
            return found if isinstance(found, dict) else None
    return None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []
