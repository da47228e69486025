"""A bench file as a list of results shows it: name, system, trace, verdict, date."""

from pathlib import Path

from workbench.base import Message, Record, message
from workbench.experiments.plan.resume import own_experiments
from workbench.profiles import known_card, name_from_driver
from workbench.results import IMPORTED, WATCHED, BenchFile, RunEntry, choose, scorecard_rows


class BenchDigest(Record, frozen=True, kw_only=True):
    """One bench file in a list; empty texts are unknown."""

    path: str
    name: str
    system: str
    """GPU and model."""
    trace: str
    verdict: Message
    started_utc: str
    simulated: bool


def digest_bench(path: Path) -> BenchDigest:
    """Read what a list shows of a bench file; reads summaries only.

    Raises:
        WorkbenchError: not a bench file, damaged, of a newer version, or locked.
    """
    with BenchFile.open(path) as bench:
        experiments, runs = bench.experiments(), bench.runs()
        cells = next((row.cells for row in scorecard_rows(bench)), {})
        return BenchDigest(
            path=str(path),
            name=" + ".join(dict.fromkeys(entry.name for entry in experiments)) or path.stem,
            system=_system(runs, str(cells.get("gpu_model") or ""), str(cells.get("model") or "")),
            trace=str(cells.get("trace_name") or ""),
            verdict=_verdict(bench, runs),
            started_utc=min((entry.started_utc for entry in experiments), default=""),
            simulated=any(run.simulated for run in runs),
        )


def _system(runs: list[RunEntry], gpu: str, model: str) -> str:
    """Return the GPU and the model; a profile `gpu/model/tpN` names both."""
    profile = next((run.profile for run in runs if run.profile), None)
    if profile is not None:
        gpu, _, rest = profile.partition("/")
        model = rest.rpartition("/")[0] or model
    return system_title(gpu, model)


def system_title(gpu: str, model: str, count: int = 1) -> str:
    """Return a system's title such as `2 × NVIDIA H100 SXM · Llama-3.1-8B`, with its known parts."""
    card = known_card(name_from_driver(gpu)) if gpu else None
    title = name_from_driver(gpu) if card is None else card.title
    shown = f"{count} × {title}" if count > 1 and title else title
    return " · ".join(part for part in (shown, Path(model).name) if part)


def _verdict(bench: BenchFile, runs: list[RunEntry]) -> Message:
    if any(run.status == "running" for run in runs) or any(
        entry.status == "running" for entry in own_experiments(bench)
    ):
        return message("experiments.digest_unfinished")
    if not runs:
        return message("experiments.no_runs")
    if all(run.status == WATCHED for run in runs):
        return message("experiments.digest_watched")
    if all(run.status == IMPORTED for run in runs):
        return message("experiments.digest_imported")
    choice = choose(bench)
    if choice.recommended is not None:
        objectives = bool(choice.recommended.checks)
        kind = "experiments.digest_meets" if objectives else "experiments.digest_best"
        return message(kind, run=choice.recommended.run)
    if not any(run.figures.valid for run in runs):
        return message("experiments.digest_invalid")
    return message("experiments.digest_none_meets")
