"""`explain`: why the requests of a run were slow, from its step record."""

import argparse
import sys
from pathlib import Path

import msgspec

from workbench.advice.blame import Blame, RequestBlame
from workbench.base import Message, Place, Refusal, write_atomic
from workbench.cli.output import say
from workbench.engine import ReplayFigures
from workbench.experiments import Prediction, explain_run, predict, predict_without_largest_cause
from workbench.results import BenchFile, stored_reasons
from workbench.results.bench.entries import RunEntry

HELP = "say where each request's time went, and which requests caused it"
_BAR = 40
"""Characters of a whole request's bar."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("bench", type=Path, help="bench file whose runs recorded their steps")
    parser.add_argument("--run", dest="run_name", metavar="NAME", help="this run only (default: all)")
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--request", metavar="ID", help="this request only, by its X-Request-Id")
    chosen.add_argument("--worst", type=int, metavar="N", default=10, help="the N slowest requests (10)")
    chosen.add_argument("--all", action="store_true", help="every request")
    parser.add_argument(
        "--what-if",
        metavar="CONTROL=VALUE",
        action="append",
        default=[],
        help="predict the run with this setting, by the embedded engine; may be repeated",
    )
    parser.add_argument("--json", metavar="FILE", help="the ledger as JSON (- is standard output)")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    with BenchFile.open(arguments.bench) as bench:
        if arguments.worst < 0:
            raise Refusal("base.too_small", Place(key="worst"), value=arguments.worst, minimum=0)
        runs = _runs(bench, arguments.run_name)
        ledgers = [(run, explain_run(bench, run)) for run in runs]
        changes = dict(parse_change(text, "what_if") for text in arguments.what_if)
        predicted = {
            run.id: predict(bench, run, changes)
            if changes
            else predict_without_largest_cause(bench, run, ledger)
            for run, ledger in ledgers
        }
    if arguments.request is not None:
        ledgers = _with_request(ledgers, arguments.request)
    shown = [(run, _chosen(ledger, arguments)) for run, ledger in ledgers]
    if arguments.json is not None:
        objects = [_json(run, ledger, predicted[run.id]) for run, ledger in shown]
        text = msgspec.json.format(
            msgspec.json.encode(objects[0] if arguments.run_name else objects)
        ).decode()
        if arguments.json == "-":
            sys.stdout.write(text + "\n")
        else:
            write_atomic(Path(arguments.json), text + "\n")
        return 0
    for run, ledger in shown:
        _print(run, ledger, predicted[run.id])
    return 0


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


def _with_request(ledgers: list[tuple[RunEntry, Blame]], request: str) -> list[tuple[RunEntry, Blame]]:
    """Return the run that sent the request."""
    found = [
        (run, ledger) for run, ledger in ledgers if any(one.request == request for one in ledger.requests)
    ]
    if not found:
        runs = [run.name for run, _ in ledgers]
        raise Refusal("experiments.no_such_request", Place(key="request"), runs=runs, request=request)
    return found


def _chosen(ledger: Blame, arguments: argparse.Namespace) -> Blame:
    if arguments.all:
        return ledger
    if arguments.request is not None:
        requests = [one for one in ledger.requests if one.request == arguments.request]
    else:
        ended = [one for one in ledger.requests if one.e2e_ms is not None]
        requests = sorted(ended, key=lambda one: -(one.e2e_ms or 0.0))[: max(0, arguments.worst)]
    return msgspec.structs.replace(ledger, requests=requests)


def _json(run: RunEntry, ledger: Blame, predicted: Prediction | None) -> dict[str, object]:
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
            for one in ledger.requests
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
    }


def _figures(figures: ReplayFigures) -> dict[str, object]:
    return {
        "e2e_ms": msgspec.structs.asdict(figures.e2e_ms),
        "ttft_ms": msgspec.structs.asdict(figures.ttft_ms),
        "itl_ms": msgspec.structs.asdict(figures.itl_ms),
        "preemptions": figures.preemptions,
        "output_tok_s": figures.output_tok_s,
    }


def _print(run: RunEntry, ledger: Blame, predicted: Prediction | None) -> None:
    say(run.name)
    if reasons := stored_reasons(run.summary):
        say(f"  invalid: {'; '.join(map(str, reasons))}")
    whole = sum(ledger.totals.values())
    for cause, ms in sorted(ledger.totals.items(), key=lambda pair: -pair[1]):
        say(f"  {_words(cause):<34} {ms / 1000:10.2f} s  {100 * ms / whole:5.1f} %")
    for victim, row in ledger.matrix.items() if len(ledger.matrix) > 1 else ():
        for culprit, ms in list(row.items())[:3]:
            say(f"  {victim} lost {ms / 1000:.2f} s to {culprit}")
    if predicted is not None:
        _print_prediction(predicted)
    for one in ledger.requests:
        _print_request(one)
    say()


def _print_prediction(predicted: Prediction) -> None:
    before, after = predicted.result.before, predicted.result.after
    changed = ", ".join(f"{name} = {value}" for name, value in predicted.changes.items())
    say(f"  predicted with {changed}, in the engine:")
    for name, old, new in (
        ("E2E mean", before.e2e_ms.mean, after.e2e_ms.mean),
        ("TTFT mean", before.ttft_ms.mean, after.ttft_ms.mean),
        ("TTFT p95", before.beyond_trace("ttft_ms", "p95"), after.beyond_trace("ttft_ms", "p95")),
        ("ITL p95", before.beyond_trace("itl_ms", "p95"), after.beyond_trace("itl_ms", "p95")),
    ):
        if old is not None and new is not None:
            say(f"    {name:<10} {old:10,.1f} → {new:,.1f} ms")
    if predicted.result.error is not None:
        off = round(100 * predicted.result.error, 1) or 0.0
        say(f"    the replay of the run as it was is off by {off:+.1f} %")


def _print_request(one: RequestBlame) -> None:
    total = one.e2e_ms
    say(f"  request {one.request} ({one.cls}): " + ("didn't end" if total is None else f"{total:,.1f} ms"))
    for part in one.parts:
        bar = "█" * round(_BAR * part.ms / total) if total else ""
        mark = "" if part.measured else " (modelled)"
        say(f"    {_words(part.cause):<34} {part.ms:10,.1f} ms  {bar}{mark}")
        if part.culprits and part.ms > 0.05 * (total or part.ms):
            named = ", ".join(f"{each.request} ({each.cls}) {each.ms:,.1f} ms" for each in part.culprits[:3])
            say(f"      by {named}")
    if one.unexplained_ms is not None and abs(one.unexplained_ms) >= 0.05:
        say(f"    {_words('unexplained'):<34} {one.unexplained_ms:10.1f} ms")


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


def _words(cause: str) -> str:
    return str(Message(kind=f"blame.{cause}"))
