"""`trace inspect|convert|make`: look at a workload, change it, make one."""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from workbench.base import Place, Refusal, now, require_writable_folder, write_atomic
from workbench.cli.output import say
from workbench.cli.trace_report import as_json, as_table, inspection
from workbench.traces import (
    IMPORTERS,
    LAYOUTS,
    MIXES,
    STEPS,
    UNITS,
    Imported,
    Trace,
    blend,
    export_trace,
    import_trace,
    local_tokenizer,
    make_mix,
    parse_mapping,
    read_or_make_salt,
    read_trace,
)

HELP = "look at, convert or make a workload trace"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the three subcommands and their options."""
    subparsers = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    _configure_inspect(
        subparsers.add_parser("inspect", help="statistics of a trace or log of any known format")
    )
    _configure_convert(subparsers.add_parser("convert", help="change a trace, or write it in another layout"))
    _configure_make(subparsers.add_parser("make", help="make a trace of a workload mix"))


def run(arguments: argparse.Namespace) -> int:
    """Carry out one of them."""
    action: Any = arguments.carry_out
    return int(action(arguments))


def _configure_inspect(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", type=Path)
    parser.add_argument("--json", metavar="FILE", help="write the figures as JSON; - is standard output")
    parser.add_argument(
        "--pool",
        metavar="TOKENS",
        type=int,
        help="prefix hits with a cache of so many tokens, beside an infinite one",
    )
    _add_import_options(parser)
    parser.set_defaults(carry_out=_inspect)


def _configure_convert(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="IN", type=Path)
    parser.add_argument("out", metavar="OUT", type=Path)
    _add_output_options(parser)
    _add_import_options(parser)
    _add_steps(parser)
    parser.set_defaults(carry_out=_convert, steps=[])


def _configure_make(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "mix", metavar="MIX", help=f"{', '.join(MIXES)}, or several by weight: chat:3,agent:1"
    )
    parser.add_argument("out", metavar="OUT", type=Path)
    parser.add_argument("--requests", metavar="N", type=int, default=1000, help="number of requests (1000)")
    parser.add_argument("--rate", metavar="R", type=float, default=1.0, help="mean requests per second (1)")
    parser.add_argument("--seed", metavar="S", type=int, default=1, help="of everything random (1)")
    _add_output_options(parser)
    _add_steps(parser, without=("rate",))
    parser.set_defaults(carry_out=_make, steps=[])


def _add_output_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--to", choices=tuple(LAYOUTS), default="canonical", help="layout of OUT (canonical)")
    parser.add_argument("--force", action="store_true", help="replace OUT if it exists")


def _add_steps(parser: argparse.ArgumentParser, without: Sequence[str] = ()) -> None:
    transforms = parser.add_argument_group("transforms, carried out in the order given")
    for name, step in STEPS.items():
        if name in without:
            continue
        takes_value: dict[str, Any] = {"metavar": step.value} if step.value else {"nargs": 0}
        transforms.add_argument(f"--{name}", action=_Step, dest="steps", help=str(step.help), **takes_value)
    transforms.add_argument(
        "--blend",
        action=_Step,
        dest="steps",
        metavar="FILE:WEIGHT",
        help="mix FILE in with WEIGHT requests for each one so far (at the sum of both rates)",
    )


def _add_import_options(parser: argparse.ArgumentParser) -> None:
    names = ", ".join(importer.name for importer in IMPORTERS)
    parser.add_argument("--format", metavar="F", help=f"read as this format instead of by content: {names}")
    parser.add_argument(
        "--columns",
        metavar="MAPPING",
        help="read any CSV or JSON by its columns, such as timestamp=ts@ms,input_length=in,output_length=out",
    )
    parser.add_argument(
        "--time-unit",
        metavar="U",
        choices=UNITS,
        help=f"unit of numeric times, where the file doesn't say it: {', '.join(UNITS)}",
    )
    parser.add_argument(
        "--salt", metavar="FILE", type=Path, help="your salt for block ids of texts (made if missing)"
    )
    parser.add_argument(
        "--tokenizer", metavar="FILE", type=Path, help="local tokenizer.json to count texts with"
    )
    parser.add_argument(
        "--seed", metavar="S", type=int, default=1, help="of prompts and of random transforms (1)"
    )


class _Step(argparse.Action):
    """Collects transforms in the order given."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Append the option's name and value."""
        del parser
        text = values if isinstance(values, str) else ""
        namespace.steps = [*namespace.steps, ((option_string or "").removeprefix("--"), text)]


def _import(arguments: argparse.Namespace) -> Imported:
    return import_trace(
        arguments.file,
        format=arguments.format,
        columns=None if arguments.columns is None else parse_mapping(arguments.columns),
        time_unit=arguments.time_unit,
        salt=None if arguments.salt is None else read_or_make_salt(arguments.salt),
        count_tokens=None if arguments.tokenizer is None else local_tokenizer(arguments.tokenizer),
        progress=_progress(),
    )


def _progress() -> Callable[[float], None] | None:
    """Says on a terminal how much of a file was read, from the first second on."""
    if not sys.stderr.isatty():
        return None
    began = now()

    def progress(share: float) -> None:
        if now() - began > 1:
            print(
                f"\rread {100 * share:3.0f} %" + ("\n" if share >= 1 else ""),
                end="",
                file=sys.stderr,
                flush=True,
            )

    return progress


def _inspect(arguments: argparse.Namespace) -> int:
    if arguments.seed < 0:
        raise Refusal("base.too_small", Place(key="seed"), value=arguments.seed, minimum=0)
    imported = _import(arguments)
    found = inspection(imported, seed=arguments.seed, pool_tokens=arguments.pool)
    if arguments.json is None:
        say(as_table(arguments.file.name, found))
        return 0
    text = msgspec.json.format(msgspec.json.encode(as_json(found)), indent=2) + b"\n"
    if arguments.json == "-":
        sys.stdout.write(text.decode())
    else:
        write_atomic(Path(arguments.json), text)
    return 0


def _convert(arguments: argparse.Namespace) -> int:
    require_writable_folder(arguments.out.absolute().parent)
    if arguments.out.exists() and arguments.file.exists() and arguments.out.samefile(arguments.file):
        raise Refusal("cli.source_overwritten", Place(file=str(arguments.out)))
    _require_new(arguments)
    imported = _import(arguments)
    report = imported.report
    dropped = [f"{count} dropped: {reason}" for reason, count in report.rows_dropped.items()]
    _write(arguments, imported.trace, [f"{report.rows_read} rows read", *dropped])
    for message in report.warnings:
        say(f"warning: {message}", file=sys.stderr)
    return 0


def _require_new(arguments: argparse.Namespace) -> None:
    """Check that OUT is new, or may be replaced.

    Raises:
        Refusal: it exists.
    """
    if arguments.out.exists() and not arguments.force:
        raise Refusal("cli.out_exists", Place(file=str(arguments.out)))


def _make(arguments: argparse.Namespace) -> int:
    require_writable_folder(arguments.out.absolute().parent)
    _require_new(arguments)
    trace = make_mix(arguments.mix, requests=arguments.requests, rate=arguments.rate, seed=arguments.seed)
    _write(arguments, trace, [])
    return 0


def _write(arguments: argparse.Namespace, trace: Trace, origin: list[str]) -> None:
    """Carry out the transforms, write the file, and say what it is and what became of which rows."""
    for name, text in arguments.steps:
        before = trace
        trace = _blended(trace, text) if name == "blend" else STEPS[name].apply(trace, text, arguments.seed)
        origin = [*origin, *_change(f"--{name} {text}".rstrip(), before, trace)]
    command = export_trace(trace, arguments.out, to=arguments.to)
    say(f"{arguments.out}: {len(trace)} requests" + (f" ({'; '.join(origin)})" if origin else ""))
    say(f"trace_sha256 {trace.sha256(arguments.seed)} (seed {arguments.seed})")
    if command is not None:
        say(f"replay it with: {command}")


def _change(option: str, before: Trace, after: Trace) -> list[str]:
    """Return the number of requests that a transform dropped, added or cut; empty if it only moved them."""
    more = len(after) - len(before)
    if more:
        return [f"{option} {'added' if more > 0 else 'dropped'} {abs(more)}"]
    recorded = after.header.transforms[len(before.header.transforms) :]
    return [f"{option} cut {each['rows']} short" for each in recorded if each.get("how") == "clamp"]


def _blended(trace: Trace, text: str) -> Trace:
    name, colon, weight = text.rpartition(":")
    try:
        share = float(weight)
    except ValueError:
        share = 0.0
    if not colon or not 0 < share < float("inf"):
        raise Refusal("cli.blend_form", Place(key="--blend"), text=text)
    return blend([trace, read_trace(name)], [1.0, share])
