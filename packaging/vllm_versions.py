"""Tries versions of vLLM one after the other, and writes what was seen into the table of versions.

    python packaging/vllm_versions.py [VERSION…]     by default the releases at which something changed

Each gets an environment of its own, which is removed again: vLLM for CPUs where there is a wheel, else the
release's Python files on the finished build's kernels. Then: its list of flags, golden cases of its scheduler
(`engine golden`), and a server of ours with step records and live limits under load.
"""

import argparse
import asyncio
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import vllm_cpu
from vllm_overlay import make_overlay
from vllm_version_server import Served, serve_once

from workbench.base import WorkbenchError, cache_folder
from workbench.engine import judge, row_for, rules_span
from workbench.servers import GoldenRequest, find_install, flags_of, make_golden
from workbench.vllm_dialect import Version, version_has

VERSIONS = ("0.19.1", "0.24.0", "0.28.0", "0.31.0", "0.32.0", "0.33.0")
TABLE = Path(__file__).parents[1] / "docs" / "reference" / "vllm-versions.md"
_BEGIN, _END = "<!-- rows: packaging/vllm_versions.py -->", "<!-- end of rows -->"
_ROW = re.compile(r"^\| (\d+\.\d+)\.\S* \|")
_HEAD = (
    "| vLLM | own | records | live limits | queue time | parity | tested |",
    "|---|---|---|---|---|---|---|",
)
_RANDOM = 40


class Seen(NamedTuple):
    """One version's row."""

    version: str
    own: str
    records: str
    limits: str
    queue: str
    parity: str
    tested: str

    def row(self) -> str:
        """Return it as the table has it."""
        return f"| {' | '.join(self)} |"


@contextmanager
def environment(version: str, there: Path | None) -> Iterator[tuple[Path, str]]:
    """Make an environment of that version; yields its folder and how it was made, and removes it.

    One that is `there` is used as it is.
    """
    if there is not None:
        yield there, "an environment that was there"
        return
    base = vllm_cpu.build()
    if version == vllm_cpu.VERSION:
        yield base / "venv", "its own CPU build"
        return
    folder = cache_folder() / "vllm-versions"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        yield _made(base / "venv", folder, version)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _made(base: Path, folder: Path, version: str) -> tuple[Path, str]:
    venv = folder / "venv"
    try:
        vllm_cpu.make_environment(venv, version)
    except vllm_cpu.BuildError as error:
        print(f"  {error}", flush=True)
        shutil.rmtree(venv, ignore_errors=True)
        make_overlay(base, venv, version, folder)
        return venv, f"its Python files on {vllm_cpu.VERSION}'s kernels"
    return venv, "its own CPU build"


async def try_version(version: str, there: Path | None) -> Seen:
    """Try one version."""
    with environment(version, there) as (venv, how):
        install = await find_install(str(venv))
        flags = await flags_of(install)
        print(f"  {len(flags.flags)} flags", flush=True)
        parity = await golden(venv)
        print(f"  {parity}", flush=True)
        model = vllm_cpu.model_folder(vllm_cpu.build_folder())
        served = await serve_once(str(venv), str(model), flags)
        print(f"  {served}", flush=True)
    day = datetime.now(UTC).date().isoformat()
    return seen(version, served, parity, f"{day}, {how}")


def seen(version: str, served: Served, parity: str, tested: str) -> Seen:
    """Put the row together."""
    exact = version_has("flag", "--enable-per-request-metrics", version)
    return Seen(
        version=version,
        own=served.own,
        records=served.records,
        limits=served.limits,
        queue="exact" if exact else "histogram; exact with `record_steps`",
        parity=parity,
        tested=tested,
    )


async def golden(venv: Path) -> str:
    """How its scheduler decides, in words."""
    with tempfile.TemporaryDirectory() as folder:
        made = await make_golden(str(venv), GoldenRequest(out=Path(folder), random=_RANDOM))
        found = judge(Path(folder))
    if found.differing:
        return f"differs: {len(found.differing)} of {found.cases} cases"
    span = rules_span(row_for(made.version))
    return f"{found.cases} of {found.cases} cases, {found.steps:,} steps (rules of {span})"


def write_rows(rows: list[Seen], text: str) -> str:
    """Return the page with these rows in place of older ones of the same versions, newest version first."""
    head, _, rest = text.partition(_BEGIN)
    old, _, tail = rest.partition(_END)
    kept = {_minor(line): line for line in old.splitlines() if _ROW.match(line)}
    kept |= {_minor(row.row()): row.row() for row in rows}
    ordered = [kept[name] for name in sorted(kept, key=Version.parse, reverse=True)]
    return f"{head}{_BEGIN}\n\n{chr(10).join([*_HEAD, *ordered])}\n\n{_END}{tail}"


def _minor(line: str) -> str:
    found = _ROW.match(line)
    assert found is not None
    return found[1]


def main() -> int:
    """Try them all; 1 if one can't be tried or differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("versions", nargs="*", metavar="VERSION", default=VERSIONS)
    parser.add_argument(
        "--env", type=Path, metavar="DIR", help="of one version: an environment that is there"
    )
    arguments = parser.parse_args()
    if arguments.env is not None and len(arguments.versions) != 1:
        parser.error("--env is of one version")
    failed = False
    for version in arguments.versions:
        print(f"vLLM {version}", flush=True)
        try:
            row = asyncio.run(try_version(version, arguments.env))
        except (vllm_cpu.BuildError, WorkbenchError, OSError) as error:
            print(f"  error: {error}", file=sys.stderr, flush=True)
            failed = True
            continue
        failed |= row.parity.startswith("differs") or "differs" in row.records
        TABLE.write_text(write_rows([row], TABLE.read_text("utf-8")), "utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
