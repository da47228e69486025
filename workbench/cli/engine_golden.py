"""`engine golden`: cases made by a vLLM's own scheduler, checked, and the rules that it follows."""

import argparse
import asyncio
import tempfile
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from workbench.base import Message, Place, Refusal, message, require_writable_folder
from workbench.cli.output import say
from workbench.engine import Judgement, judge, row_for, row_text, rules_caveat, rules_span
from workbench.servers import GoldenRequest, GoldenResult, make_golden
from workbench.vllm_dialect import NEWEST_CHECKED, OLDEST_CHECKED, Version

_MOST_BROKEN = 3


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the vLLM and what is made."""
    parser.add_argument(
        "--vllm",
        required=True,
        metavar="ENV",
        help="its script, environment or Python, or a folder with an unpacked wheel",
    )
    parser.add_argument(
        "--python",
        metavar="ENV",
        help="of an unpacked wheel: an environment whose Python and dependencies run it",
    )
    parser.add_argument(
        "--cases", type=Path, metavar="DIR", help="golden cases whose workloads are played too"
    )
    parser.add_argument("--random", type=int, default=100, metavar="N", help="random workloads (default 100)")
    parser.add_argument("--seed", default="1", metavar="S", help="of the random workloads (default 1)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="keep the cases there, in a new folder")


def run(arguments: argparse.Namespace) -> int:
    """Make, check, and say what follows; 0 only if all are identical under the version's rules."""
    with _folder(arguments.out) as place:
        out = Path(place)
        order = GoldenRequest(
            out=out,
            cases=tuple(sorted(arguments.cases.glob("*.json*"))) if arguments.cases else (),
            random=arguments.random,
            seed=arguments.seed,
        )
        made = asyncio.run(make_golden(arguments.vllm, order, python=arguments.python))
        for said in _about(made):
            say(str(said), flush=True)
        found = judge(out)
    for said in _conclusion(made, found):
        say(str(said))
    return 1 if found.differing or not found.cases else 0


def _folder(out: Path | None) -> AbstractContextManager[str]:
    if out is None:
        return tempfile.TemporaryDirectory()
    require_writable_folder(out.absolute().parent)
    if out.exists():
        raise Refusal("cli.golden_folder_exists", Place(key="--out"), folder=str(out))
    out.mkdir()
    return nullcontext(str(out))


def _about(made: GoldenResult) -> list[Message]:
    said = [message("cli.golden_made", version=made.version, made=made.made, endless=made.endless)]
    if made.lacking:
        said.append(message("cli.golden_lacking", names=list(made.lacking)))
    if made.stubs:
        said.append(message("cli.golden_stubs", names=list(made.stubs)))
    if made.broken:
        said.append(message("cli.golden_broken", count=len(made.broken)))
        said += [
            message("cli.golden_broken_case", case=one.case, error=one.error)
            for one in made.broken[:_MOST_BROKEN]
        ]
    return said


def _conclusion(made: GoldenResult, found: Judgement) -> list[Message]:
    version, span = made.version, rules_span(row_for(made.version))
    figures = {"cases": found.cases, "records": found.records, "steps": found.steps}
    if not found.differing:
        said = [message("cli.golden_identical", version=version, span=span, **figures)]
        if rules_caveat(version) is not None:
            said.append(_beyond(version))
        return said
    said = [message("cli.golden_differs", count=len(found.differing), version=version, span=span, **figures)]
    smallest = found.smallest
    if smallest is not None:
        said.append(message("cli.golden_smallest", verdict=str(smallest)))
    if found.fitting is not None:
        said.append(message("cli.golden_row", row=row_text(version, found.fitting)))
    else:
        said.append(message("cli.golden_no_rules"))
    return said


def _beyond(version: str) -> Message:
    """Return the edit for a version beyond the table that needs no row."""
    newer = Version.parse(version) > Version.parse(NEWEST_CHECKED)
    name, now = ("NEWEST_CHECKED", NEWEST_CHECKED) if newer else ("OLDEST_CHECKED", OLDEST_CHECKED)
    return message("cli.golden_beyond", name=name, now=now, then=str(Version.parse(version)))
