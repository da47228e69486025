"""`doctor`: what this machine has and lacks for measuring, with the fix; `--clean` ends our left-overs."""

import argparse
import asyncio
import getpass
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from workbench.base import Place, Refusal, WorkbenchError, message, write_atomic
from workbench.cli.doctor_checks import HealthCheck, Severity, examine
from workbench.cli.output import say
from workbench.servers import end_orphan, end_remote_orphans, find_orphans, find_remote_orphans
from workbench.servers.keys import SERVICE, address_of, keep_key
from workbench.servers.processes import ProcessIdentity

HELP = (
    "look at vLLM installs, GPUs, docker and podman, ports, left-overs, Qt libraries, keyring, clock and disk"
)

_MARKS = {Severity.FINE: "ok  ", Severity.NOTE: "note", Severity.WRONG: "FIX "}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--json", metavar="FILE|-", help="the findings as JSON; - is standard output")
    parser.add_argument("--clean", action="store_true", help="end servers that earlier runs left behind")
    keys = parser.add_mutually_exclusive_group()
    named = "by the name of its variable or its server's URL"
    keys.add_argument("--keep-key", metavar="NAME", help=f"ask for a key; the keyring keeps it {named}")
    keys.add_argument("--forget-key", metavar="NAME", help=f"have the keyring forget a key, {named}")


def run(arguments: argparse.Namespace) -> int:
    """Print all checks; return 0 if nothing is wrong."""
    if arguments.keep_key or arguments.forget_key:
        return _change_key(arguments.keep_key, arguments.forget_key)
    cleaned = asyncio.run(_clean()) if arguments.clean else []
    findings = [*cleaned, *asyncio.run(examine())]
    if arguments.json is None:
        say("\n".join(_line(finding) for finding in findings))
    else:
        _write_json(findings, arguments.json)
    return int(any(finding.level is Severity.WRONG for finding in findings))


def _change_key(keep: str | None, forget: str | None) -> int:
    """Ask for the key, never on the command line, which other users can read."""
    name = keep or forget or ""
    name = address_of(name) if "://" in name else name
    key = ""
    if keep:
        key = getpass.getpass(f"Key ({name}): ") if sys.stdin.isatty() else sys.stdin.readline().strip()
        if not key:
            raise Refusal("cli.empty_key", Place(key="keep_key"), name=name)
    keep_key(name, key)
    say(f"{name}: {'kept in' if keep else 'not in'} the keyring, as {SERVICE}")
    return 0


async def _clean() -> list[HealthCheck]:
    """End what belongs to servers whose owner is gone, and nothing else."""
    findings = []
    for orphan in find_orphans():
        contents = orphan.contents()
        text = (
            message("cli.doctor_orphan_ended", contents=contents)
            if orphan.living
            else message("cli.doctor_orphan_removed", contents=contents)
        )
        stubborn = await end_orphan(orphan)
        ended = HealthCheck(area="left-overs", level=Severity.FINE, said=text)
        findings.append(_stubborn(stubborn) if stubborn else ended)
    return [*findings, *await _clean_elsewhere()]


def _stubborn(left: Sequence[ProcessIdentity]) -> HealthCheck:
    """Return the check's result for processes that survived being killed."""
    names = [f"{one.name} ({one.pid})" for one in left]
    fix = message("cli.doctor_stubborn_fix")
    text = message("cli.doctor_stubborn", names=names)
    return HealthCheck(area="left-overs", level=Severity.WRONG, said=text, remedy=fix)


async def _clean_elsewhere() -> list[HealthCheck]:
    """Clean up over SSH and in containers, as far as those places answer."""
    findings: list[HealthCheck] = []

    def told(line: str) -> None:
        findings.append(HealthCheck(area="left-overs", level=Severity.FINE, said=line))

    for kind, place in dict.fromkeys((record.kind, record.place) for _, record in find_remote_orphans()):
        try:
            await end_remote_orphans(kind, place, told)
        except WorkbenchError as error:
            findings.append(
                HealthCheck(
                    area="left-overs",
                    level=Severity.NOTE,
                    said=message("cli.doctor_place", place=place, error=str(error)),
                )
            )
    return findings


def _line(finding: HealthCheck) -> str:
    fix = f"\n{'':18}-> {finding.fix}" if finding.fix else ""
    return f"{_MARKS[finding.level]}  {finding.area:<10}  {finding.text}{fix}"


def _write_json(findings: list[HealthCheck], target: str) -> None:
    wrong = sum(finding.level is Severity.WRONG for finding in findings)
    text = json.dumps({"wrong": wrong, "findings": [finding.to_json() for finding in findings]}, indent=1)
    if target == "-":
        sys.stdout.write(text + "\n")
    else:
        write_atomic(Path(target), text + "\n")
