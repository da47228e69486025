"""`make audit`: look the pinned libraries up for known vulnerabilities.

Ends with 1 if one is known, and with 0 and the reason if pip-audit or its source can't be had.
"""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
_TIMEOUT_S = 300


class Vulnerability(NamedTuple):
    """A known vulnerability of a pinned library."""

    library: str
    version: str
    name: str
    fixed_in: str


class Report(NamedTuple):
    """Result of pip-audit."""

    audited: int
    skipped: list[str]
    """Libraries that its source doesn't know."""
    found: list[Vulnerability]


def main() -> int:
    """Audit the lock file of this Python's version."""
    lock = ROOT / f"packaging/requirements-py{sys.version_info.major}{sys.version_info.minor}.lock"
    if importlib.util.find_spec("pip_audit") is None:
        print("not audited: pip-audit is not installed (pip install pip-audit)")
        return 0
    # The lock file has every library with its hashes, so nothing is resolved or installed.
    words = ["--requirement", str(lock), "--require-hashes", "--disable-pip", "--format", "json"]
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pip_audit", "--progress-spinner", "off", *words],
            capture_output=True, text=True, timeout=_TIMEOUT_S, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        print(f"not audited: no answer within {_TIMEOUT_S} s")
        return 0
    report = read_report(done.stdout)
    if report is None:
        last = (done.stderr.strip().splitlines() or ["no answer"])[-1]
        print(f"not audited: {last.partition('(')[0].strip()[:200]}")
        return 0
    return tell(report, lock.name)


def read_report(text: str) -> Report | None:
    """Read pip-audit's report; None if it is none."""
    try:
        libraries = json.loads(text)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return None
    found = [
        Vulnerability(each["name"], each["version"], known["id"], ", ".join(known["fix_versions"]))
        for each in libraries
        for known in each.get("vulns", ())
    ]
    skipped = [each["name"] for each in libraries if "skip_reason" in each]
    return Report(len(libraries) - len(skipped), skipped, found)


def tell(report: Report, lock: str) -> int:
    """Print the report; return the exit code."""
    if not report.audited:
        # pip-audit reports nothing found if an index answers without any record of vulnerabilities.
        print(f"not audited: the source that pip-audit reaches knows none of {len(report.skipped)} libraries")
        return 0
    for each in report.found:
        print(f"{each.library} {each.version}: {each.name}, fixed in {each.fixed_in or 'no release'}")
    if report.skipped:
        print(f"not audited, unknown to the source: {', '.join(report.skipped)}")
    print(f"{lock}: {len(report.found)} known vulnerabilities in {report.audited} libraries")
    return 1 if report.found else 0


if __name__ == "__main__":
    raise SystemExit(main())
