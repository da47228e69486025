"""`pack`: an order for vendors, its run on a vendor's machine, and the check of what comes back."""

import argparse
import asyncio
import math
import sys
from pathlib import Path

import msgspec

from workbench.base import Message, Place, Refusal, message, require_writable_folder, write_atomic
from workbench.cli.doctor_checks import HealthCheck, Severity, examine
from workbench.cli.output import say
from workbench.cli.progress import ConsoleProgress
from workbench.cli.table import scorecard_table
from workbench.experiments import (
    EVIDENCE,
    NOT_PROVEN,
    USUAL_EVIDENCE,
    VERDICTS,
    Order,
    PackVerdict,
    bench_of,
    carry_out,
    check_result,
    order_takes_s,
    ordered_experiments,
    read_experiments,
    read_order,
    read_target,
    write_order,
    write_result,
)
from workbench.results import PackKey, raw_rows, read_members

HELP = "an order for vendors, its run on their machine, and the check of what comes back"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parts = parser.add_subparsers(dest="part", metavar="plan|run|check", required=True)
    plan = parts.add_parser("plan", help="put experiments, their trace and your conditions into one order")
    plan.add_argument("experiments", nargs="+", type=Path, metavar="EXPERIMENT.toml")
    plan.add_argument("--out", type=Path, required=True, metavar="ORDER.wbpack", help="the order's file")
    plan.add_argument(
        "--require",
        action="append",
        choices=list(VERDICTS),
        metavar="VERDICT",
        help="a verdict that the results must give, as of `run --require`; may be repeated (valid)",
    )
    plan.add_argument(
        "--evidence",
        action="append",
        choices=EVIDENCE,
        metavar="KIND",
        help=f"evidence that each run must bring, of {', '.join(EVIDENCE)}; may be repeated "
        f"({', '.join(USUAL_EVIDENCE)})",
    )
    plan.add_argument("--texts", action="store_true", help="pack prompts too, not only lengths and hashes")
    plan.add_argument("--sign", action="store_true", help="sign the order with your key, made on first use")
    run = parts.add_parser("run", help="carry out an order on this machine, and sign the result")
    run.add_argument("order", type=Path, metavar="ORDER.wbpack")
    run.add_argument("--out", type=Path, required=True, metavar="RESULT.wbpack", help="the result's file")
    run.add_argument(
        "--target",
        metavar="FILE.toml|URL|embedded",
        help="the server: a file with the table [target], the URL of a running one, or the embedded engine "
        "(default: what the order names)",
    )
    check = parts.add_parser("check", help="verify a result: compute all again, hold it against its order")
    check.add_argument("result", type=Path, metavar="RESULT.wbpack")
    check.add_argument(
        "--order", type=Path, metavar="ORDER.wbpack", help="your order (default: the one inside)"
    )
    check.add_argument("--vendor-key", metavar="FINGERPRINT", help="the key that must have signed it")
    check.add_argument("--json", metavar="FILE|-", help="the verdict as JSON; - is standard output")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    parts = {"plan": _plan, "run": _run, "check": _check}
    return parts[arguments.part](arguments)


def _plan(arguments: argparse.Namespace) -> int:
    experiments = read_experiments(arguments.experiments)
    key = PackKey.of_this_user() if arguments.sign else None
    terms = write_order(
        experiments,
        arguments.experiments[0].parent,
        arguments.out,
        require=arguments.require or ("valid",),
        evidence=arguments.evidence or USUAL_EVIDENCE,
        texts=arguments.texts,
        key=key,
    )
    say(f"order {terms.id}: {arguments.out}")
    if key is not None:
        say(f"signed by {key.fingerprint}")
    return 0


def _run(arguments: argparse.Namespace) -> int:
    order = read_order(arguments.order)
    target = None if arguments.target is None else read_target(arguments.target)
    experiments = ordered_experiments(order, target)
    require_writable_folder(arguments.out.resolve().parent)
    key = PackKey.of_this_user()
    _say_order(order)
    checks = asyncio.run(examine())
    _say_checks(checks)
    work = arguments.out.with_suffix(".work")
    status = carry_out(
        order, experiments, work, ConsoleProgress(), checks=[check.to_json() for check in checks]
    )
    say(scorecard_table(bench_of(work)))
    write_result(order, work, arguments.out, key)
    say(f"result:      {arguments.out}")
    say(f"signed by:   {key.fingerprint}")
    say(f"bench file:  {bench_of(work)}")
    return 0 if status == "done" else 1


def _say_order(order: Order) -> None:
    """Say what is about to happen on this machine, before it happens."""
    first, terms = order.experiments[0], order.terms
    names = ", ".join(each.name for each in order.experiments)
    say(f"order {terms.id} of {terms.created_utc}: {names}; some {math.ceil(order_takes_s(order) / 60)} min")
    say(f"  signed by {order.signer.fingerprint}" if order.signer else "  not signed")
    if first.target.args:
        say(f"  arguments of the server: {' '.join(first.target.args)}")
    say(f"  required: {', '.join([*terms.require, *terms.evidence])}")


def _say_checks(checks: list[HealthCheck]) -> None:
    for check in checks:
        if check.level is Severity.WRONG:
            say(
                f"  doctor: {check.area}: {check.text}{f' -> {check.fix}' if check.fix else ''}",
                file=sys.stderr,
            )


def _check(arguments: argparse.Namespace) -> int:
    if not arguments.result.is_file():
        raise Refusal("packs.no_file", Place(file=str(arguments.result)))
    verdict = check_result(arguments.result, order=arguments.order, vendor_key=arguments.vendor_key)
    if arguments.json is None:
        _say_verdict(arguments.result, verdict)
    elif arguments.json == "-":
        sys.stdout.write(_json(verdict))
    else:
        write_atomic(Path(arguments.json), _json(verdict))
    return 1 if verdict.findings else 0


def _say_verdict(path: Path, verdict: PackVerdict) -> None:
    """Print the verdict, one line a finding."""
    if verdict.order_id is not None:
        say(f"order {verdict.order_id}")
    if verdict.signer is not None:
        say(f"signed by {verdict.signer.fingerprint} ({verdict.signer.said})")
    for session in verdict.sessions:
        cards = ", ".join(gpu.name for gpu in session.gpus) or "no GPU"
        say(f"measured {session.started_utc} to {session.ended_utc} on {session.system}, {cards}")
    _say_scorecard(path)
    for note in verdict.notes:
        say(f"note: {note}")
    for finding in verdict.findings:
        say(f"doesn't hold: {finding}")
    say(str(message("packs.holds")) if not verdict.findings else str(_count(verdict)))
    say(str(message("packs.not_proven")))
    for limit in NOT_PROVEN:
        say(f"  {limit}")


def _count(verdict: PackVerdict) -> Message:
    return message("packs.does_not_hold", count=len(verdict.findings))


def _say_scorecard(path: Path) -> None:
    try:
        with raw_rows(read_members(path)) as bench:
            say(scorecard_table(bench.path))
    except (Refusal, KeyError):
        return  # The findings say why it can't be read.


def _json(verdict: PackVerdict) -> str:
    content = {
        "holds": not verdict.findings,
        "order": verdict.order_id,
        "signer": msgspec.to_builtins(verdict.signer),
        "findings": [_said(each) for each in verdict.findings],
        "notes": [_said(each) for each in verdict.notes],
        "not_proven": [_said(each) for each in NOT_PROVEN],
        "sessions": msgspec.to_builtins(verdict.sessions),
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=1).decode() + "\n"


def _said(each: Message) -> dict[str, object]:
    return {"kind": each.kind, "text": str(each), "values": msgspec.to_builtins(each.values)}
