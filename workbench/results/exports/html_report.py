"""The report: one HTML file without network access; the decision, every figure, how to repeat it."""

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import msgspec

from workbench.base import UNREADABLE, short_number, write_atomic
from workbench.results.bench.entries import ExperimentEntry, RunEntry
from workbench.results.bench.queries import BenchQueries
from workbench.results.exports.csv_export import cell
from workbench.results.exports.decision_page import decision_sheet
from workbench.results.exports.html_elements import bullets, element, page, raw, table
from workbench.results.exports.report_plots import plots
from workbench.results.scorecard.scorecard_rows import COLUMNS, ScorecardRow, scorecard_rows
from workbench.results.statistics.comparison import compare
from workbench.results.statistics.p95_margin import near_limits
from workbench.results.statistics.ranking import choose
from workbench.results.statistics.verdict import Verdict, VerdictKind

# The report's section on each run's bottleneck, from the stored diagnosis.

_HEADER = ("run", "bottleneck", "next single change", "against the baseline, by two runs alone")


def bottleneck_section(bench: BenchQueries, runs: Sequence[RunEntry]) -> str:
    """Return a row for each run, and all findings folded below; empty without any diagnosis."""
    diagnosed = [(run, found) for run in runs if (found := _diagnosis(bench, run)) is not None]
    if not diagnosed:
        return ""
    body = [
        [
            element("td", run.name),
            element("td", _text(found.get("headline"))),
            element("td", _text(found.get("next_change")) or "–"),
            raw("td", bullets(_texts(found.get("against_baseline")))),
        ]
        for run, found in diagnosed
    ]
    parts = [element("h2", "Bottlenecks, and what to change next"), table(_HEADER, body)]
    for run, found in diagnosed:
        sentences = bullets(_texts(found.get("sentences")))
        parts.append(raw("details", element("summary", f"All that was seen: {run.name}") + sentences))
    return "".join(parts)


def _diagnosis(bench: BenchQueries, run: RunEntry) -> dict[str, Any] | None:
    """Return the last diagnosis stored of a run; None: there is none."""
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


_GUIDE = (
    *("run", "offered_rps", "completed_rps", "accepted_rps", "accepted_rps_carried"),
    *("ttft_p95_ms", "queue_p95_ms", "e2e_p95_ms"),
    *("itl_p95_ms", "error_rate", "preemptions", "valid", "diverging", "n"),
)
_UNITS = {column.name: column.unit for column in COLUMNS}
_TONE = {VerdictKind.BETTER: "good", VerdictKind.WORSE: "bad"}


def write_html(bench: BenchQueries, path: Path, *, sections: Sequence[str] = ()) -> None:
    """Write the report; an earlier file is replaced only by a complete one.

    Args:
        bench: the bench file.
        path: the file to write.
        sections: HTML of further sections, after the bottlenecks.

    Raises:
        Refusal: the folder does not exist or can't be written to.
    """
    write_atomic(path, report(bench, sections=sections))


def report(bench: BenchQueries, *, sections: Sequence[str] = ()) -> str:
    """Return the report as HTML text; `sections` follow the bottlenecks."""
    experiments, runs, rows = bench.experiments(), bench.runs(), scorecard_rows(bench)
    verdicts, choice = compare(bench), choose(bench)
    cells, near = [row.cells for row in rows], near_limits(bench, choice)
    names = " + ".join(entry.name for entry in experiments) or bench.path.name
    return page(
        f"{names}: decision and scorecard",
        [
            element("p", f"vLLM Workbench · {names} · {bench.path.name}", "soft"),
            decision_sheet(experiments, runs, choice, verdicts, cells, near),
            _scorecard(rows),
            _verdicts(verdicts),
            bottleneck_section(bench, runs),
            *sections,
            plots(bench, rows, experiments, runs),
            _commands(experiments, runs),
            _all_columns(rows),
            _appendix(bench, runs),
        ],
    )


def _scorecard(rows: Sequence[ScorecardRow]) -> str:
    body = [[_cell(name, row) for name in _GUIDE] for row in rows]
    simulated = any(row.cells["simulated"] for row in rows)
    mark = element("p", "Simulated: served by the embedded engine, not by a GPU.", "bad") if simulated else ""
    reasons = [f"{row.cells['run']}: {row.cells['reasons']}" for row in rows if row.cells["reasons"]]
    why = "".join(element("p", reason, "bad") for reason in reasons)
    notes = [f"{row.cells['run']}: {row.cells['notes']}" for row in rows if row.cells["notes"]]
    why += "".join(element("p", note) for note in notes)
    return element("h2", "Scorecard") + mark + table(_GUIDE, body) + why


def _cell(name: str, row: ScorecardRow) -> str:
    value = row.cells[name]
    if name == "queue_p95_ms" and value is None and row.cells["queue_p95_lo_ms"] is not None:
        lo, hi = row.cells["queue_p95_lo_ms"], row.cells["queue_p95_hi_ms"]
        return element(
            "td",
            f"> {short_number(lo)}" if hi is None else f"{short_number(lo)} to {short_number(hi)}",
            "number",
        )
    if name in str(row.cells["lower_bounds"] or "").split() and value is not None:
        return element("td", f"≥ {_shown(value)}", "number")
    if name == "valid" and value is False:
        return element("td", "no", "bad")
    return element("td", _shown(value, _UNITS[name]), "" if isinstance(value, str | bool) else "number")


def _shown(value: Any, unit: str = "") -> str:
    """Return a value as the report shows it; a whole measured figure is formatted like the others."""
    found = cell(value)
    if found is None:
        return "–"
    if isinstance(found, bool):
        return "yes" if found else "no"
    if isinstance(found, float) or (unit and isinstance(found, int)):
        return short_number(found)
    return str(found)


def _verdicts(verdicts: Sequence[Verdict]) -> str:
    if not verdicts:
        return ""
    rows = [
        [
            element("td", verdict.variant),
            element("td", _shown(verdict.rate), "number"),
            element("td", str(verdict.word), _TONE.get(verdict.word, "")),
            element("td", str(verdict.sentence())),
        ]
        for verdict in verdicts
    ]
    return element("h2", "Verdicts against the baseline") + table(
        ("variant", "req/s", "verdict", "figures"), rows
    )


def _commands(experiments: Sequence[ExperimentEntry], runs: Sequence[RunEntry]) -> str:
    parts = [element("h2", "How to repeat it")]
    for entry in experiments:
        parts += [element("h3", f"Experiment: {entry.name}"), raw("pre", escape(entry.toml))]
    commands = dict.fromkeys(run.command for run in runs if run.command)
    if commands:
        parts.append(element("h3", "Commands of the servers, secrets masked"))
        parts += [raw("pre", escape(command)) for command in commands]
    return "".join(parts)


def _all_columns(rows: Sequence[ScorecardRow]) -> str:
    header = ("column", "unit", *(str(row.cells["run"]) for row in rows), "definition", "source")
    body = [
        [
            element("td", column.name),
            element("td", column.unit),
            *(element("td", _shown(row.cells[column.name], column.unit)) for row in rows),
            element("td", column.definition, "soft"),
            element("td", column.source, "soft"),
        ]
        for column in COLUMNS
    ]
    return element("h2", "Every column, with its definition and source") + table(header, body)


def _appendix(bench: BenchQueries, runs: Sequence[RunEntry]) -> str:
    fields = ("id", "name", "status", "started_utc", "ended_utc", "trace_sha256", "schedule_sha256")
    body = [
        [
            *(element("td", _shown(getattr(run, field))) for field in fields),
            element("td", f"{bench.request_count(run.id):,}", "number"),
            element("td", msgspec.json.encode(run.config).decode()),
        ]
        for run in runs
    ]
    note = (
        f"Every request with its stamps, every sample and the logs are in the bench file {bench.path.name}."
    )
    return (
        element("h2", "Raw data") + element("p", note) + table((*fields, "requests", "controls asked"), body)
    )
