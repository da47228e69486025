"""`explain`: why the requests of a run were slow, from its step record."""

import argparse
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from workbench.advice.blame import Blame, RequestBlame, chrome_trace, ledger_csv
from workbench.base import Place, Refusal, write_atomic
from workbench.cli.explain_text import request_lines, run_lines
from workbench.cli.output import say
from workbench.cli.progress import reading_steps
from workbench.engine import ReplayFigures
from workbench.experiments import (
    Prediction,
    explain_run,
    names_and_classes,
    open_step_indexes,
    predict,
    predict_request,
    predict_without_largest_cause,
)
from workbench.results import BenchFile
from workbench.results.bench.entries import RunEntry

HELP = "say where each request's time went, and which requests caused it"
_WORST = 10


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("bench", type=Path, help="bench file whose runs recorded their steps")
    parser.add_argument("--run", dest="run_name", metavar="NAME", help="this run only (default: all)")
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--request", metavar="ID", help="this request only, by its X-Request-Id")
    chosen.add_argument(
        "--worst", type=int, metavar="N", help="the N slowest requests (10; 0 if there are several runs)"
    )
    chosen.add_argument("--all", action="store_true", help="every request")
    parser.add_argument(
        "--what-if",
        metavar="CONTROL=VALUE",
        action="append",
        default=[],
        help="predict the run with this setting, by the embedded engine; may be repeated",
    )
    parser.add_argument("--json", metavar="FILE", help="the ledger as JSON (- is standard output)")
    parser.add_argument("--csv", metavar="FILE", help="the ledger, one row a request and part (- as above)")
    parser.add_argument(
        "--perfetto",
        metavar="FILE",
        help="one run's steps and slots as Chrome trace JSON, for ui.perfetto.dev",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    if (arguments.worst or 0) < 0:
        raise Refusal("base.too_small", Place(key="worst"), value=arguments.worst, minimum=0)
    with BenchFile.open(arguments.bench) as bench:
        runs = _runs(bench, arguments.run_name)
        if arguments.request is not None:
            runs = _with_request(bench, runs, arguments.request)
        if arguments.perfetto is not None and len(runs) > 1:
            raise Refusal("cli.one_run_only", Place(key="perfetto"), runs=[run.name for run in runs])
        explained, missing = _explain_all(bench, runs, arguments)
        if arguments.perfetto is not None:
            _write_perfetto(bench, runs[0], Path(arguments.perfetto))
        if arguments.run_name is None and arguments.request is None:
            others = (run for run in bench.counted_runs().values() if not run.facts.get("steps_file"))
            missing += [f"{run.name}: no step record" for run in others]
    if arguments.csv is not None:
        _write(arguments.csv, ledger_csv((one.run.name, one.ledger) for one in explained))
    if arguments.json is not None:
        objects = [_json(one) for one in explained]
        encoded = msgspec.json.encode(objects[0] if arguments.run_name else objects)
        _write(arguments.json, msgspec.json.format(encoded).decode() + "\n")
    if arguments.json is None and arguments.csv is None and arguments.perfetto is None:
        _print(explained, arguments.bench)
    for line in missing:
        say(f"note: {line}", file=sys.stderr)
    return 0


@dataclass(frozen=True, slots=True)
class _Explained:
    """A run with its ledger, the requests to show, and predictions."""

    run: RunEntry
    ledger: Blame
    shown: list[RequestBlame]
    predicted: Prediction | None
    of_request: list[Prediction]
    """Predictions for the only request that is shown."""


def _explain_all(
    bench: BenchFile, runs: list[RunEntry], arguments: argparse.Namespace
) -> tuple[list[_Explained], list[str]]:
    """Explain the runs; return also why some of several can't be explained."""
    explained, missing = [], []
    for run in runs:
        try:
            explained.append(_explain(bench, run, arguments, alone=len(runs) == 1))
        except Refusal as refusal:
            if len(runs) == 1 or arguments.what_if:
                raise
            missing.append(f"{run.name}: {refusal}")
            if len(missing) == len(runs):
                raise
    return explained, missing


def _explain(bench: BenchFile, run: RunEntry, arguments: argparse.Namespace, *, alone: bool) -> _Explained:
    shown = _chosen(bench, run, arguments, alone=alone)
    culprits_of = None if arguments.csv is not None or arguments.all else shown
    with reading_steps() as progress:
        ledger = explain_run(bench, run, culprits_of=culprits_of, progress=progress)
    by_name = {one.request: one for one in ledger.requests}
    requests = [by_name[name] for name in shown if name in by_name]
    changes = dict(parse_change(text, "what_if") for text in arguments.what_if)
    wanted = arguments.json is not None or (arguments.csv is None and arguments.perfetto is None)
    if changes:
        return _Explained(run, ledger, requests, predict(bench, run, changes), [])
    predicted, of_request = None, []
    # The columns alone, without the record, explain a run but can't be replayed.
    with suppress(Refusal):
        if wanted:
            predicted = predict_without_largest_cause(bench, run, ledger)
        if wanted and arguments.request is not None:
            of_request = predict_request(bench, run, requests[0])
    return _Explained(run, ledger, requests, predicted, of_request)


def _chosen(bench: BenchFile, run: RunEntry, arguments: argparse.Namespace, *, alone: bool) -> list[str]:
    """Return the requests to show: the named one, the slowest ones, or all."""
    if arguments.request is not None:
        return [arguments.request]
    took = {
        record.request_id: record.done - record.due if record.done is not None else -1.0
        for record in bench.requests(run.id)
        if record.phase == "measured"
    }
    if arguments.all:
        return list(took)
    worst = arguments.worst if arguments.worst is not None else _WORST if alone else 0
    ended = [name for name, seconds in took.items() if seconds >= 0]
    return sorted(ended, key=lambda name: -took[name])[:worst]


def _write_perfetto(bench: BenchFile, run: RunEntry, path: Path) -> None:
    """Write the trace; of a server with several engines, the first one's."""
    index = open_step_indexes(bench, run)[0]
    write_atomic(path, chrome_trace(index, *names_and_classes(bench, run, index)))


def _write(target: str, text: str) -> None:
    if target == "-":
        sys.stdout.write(text)
    else:
        write_atomic(Path(target), text)


def _runs(bench: BenchFile, name: str | None) -> list[RunEntry]:
    """Return the runs to explain: the named one, or all that recorded their steps."""
    counting = bench.counted_runs()
    if name is not None:
        if name not in counting:
            place = Place(file=str(bench.path), key="run")
            raise Refusal("experiments.no_such_run_named", place, run=name, known=list(counting))
        return [counting[name]]
    recorded = [run for run in counting.values() if run.facts.get("steps_file")]
    return recorded or list(counting.values())[:1]


def _with_request(bench: BenchFile, runs: list[RunEntry], request: str) -> list[RunEntry]:
    """Return the run that sent the request."""
    for run in runs:
        if any(one.request_id == request and one.phase == "measured" for one in bench.requests(run.id)):
            return [run]
    names = [run.name for run in runs]
    raise Refusal("experiments.no_such_request", Place(key="request"), runs=names, request=request)


def _json(explained: _Explained) -> dict[str, object]:
    run, ledger, predicted = explained.run, explained.ledger, explained.predicted
    return {
        "run": run.name,
        "requests": [
            {
                "request": one.request,
                "class": one.cls,
                "e2e_ms": one.e2e_ms,
                "parts": [
                    {
                        "cause": part.cause,
                        "ms": part.ms,
                        "measured": part.measured,
                        "culprits": [
                            {"request": each.request, "class": each.cls, "ms": each.ms}
                            for each in part.culprits
                        ],
                    }
                    for part in one.parts
                ],
                "unexplained_ms": one.unexplained_ms,
            }
            for one in explained.shown
        ],
        "totals": ledger.totals,
        "matrix": ledger.matrix,
        "what_if": predicted
        and {
            "cause": predicted.cause,
            "changes": predicted.changes,
            "error": predicted.result.error,
            "before": _figures(predicted.result.before),
            "after": _figures(predicted.result.after),
        },
        **({"request_what_if": list(map(_prediction, explained.of_request))} if explained.of_request else {}),
    }


def _figures(figures: ReplayFigures) -> dict[str, object]:
    return {
        "e2e_ms": msgspec.structs.asdict(figures.e2e_ms),
        "ttft_ms": msgspec.structs.asdict(figures.ttft_ms),
        "itl_ms": msgspec.structs.asdict(figures.itl_ms),
        "preemptions": figures.preemptions,
        "output_tok_s": figures.output_tok_s,
    }


def _prediction(predicted: Prediction) -> dict[str, object]:
    """Return a prediction for one request."""
    effect = predicted.request
    return {
        "cause": predicted.cause,
        "changes": predicted.changes,
        "without": predicted.without,
        "measured_ms": effect and effect.measured_ms,
        "before_ms": effect and effect.before_ms,
        "after_ms": effect and effect.after_ms,
        "error": effect and effect.error,
    }


def _print(explained: list[_Explained], bench: Path) -> None:
    for one in explained:
        for line in run_lines(one.run, one.ledger, one.predicted):
            say(line)
        for request in one.shown:
            for line in request_lines(request, one.of_request):
                say(line)
        say()
    if any(not part.measured for one in explained for request in one.shown for part in request.parts):
        say("~ modelled: the request's share of the time of steps that it shared with others")
    if len(explained) > 1 and not any(one.shown for one in explained):
        say(f"slowest requests of a run: workbench explain {bench} --run NAME")


def parse_change(text: str, key: str) -> tuple[str, int | bool | str]:
    """Read `CONTROL=VALUE` of the option `key`.

    Raises:
        Refusal: it has another form.
    """
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise Refusal("cli.change_form", Place(key=key), text=text)
    if value in {"true", "false"}:
        return name, value == "true"
    try:
        return name, int(value)
    except ValueError:
        return name, value
