"""Golden cases made by an installed or unpacked vLLM: its own scheduler, run by its own Python."""

import json
import os
import tempfile
from contextlib import suppress
from pathlib import Path

import msgspec

from workbench.base import UNREADABLE, Place, Record, Refusal, message
from workbench.servers.install import find_install
from workbench.servers.run_command import CommandOutput, run_program

_INSIDE = Path(__file__).parent / "inside"
_TIMEOUT_S = 3600.0
_MOST_STUBS = 8


class GoldenRequest(Record, frozen=True, kw_only=True):
    """The cases to make."""

    out: Path
    """The folder for the cases: `NAME.json`, and `NAME.steps.jsonl` with records."""
    families: bool = True
    """The sixty workloads of the twelve families, sync and async."""
    cases: tuple[Path, ...] = ()
    """Golden cases whose workloads are played again."""
    random: int = 0
    """Random workloads."""
    seed: str = "1"
    records: bool = True
    """True if our step recorder records each case too."""


class FailedCase(Record, frozen=True, kw_only=True):
    """A case in which vLLM itself failed."""

    case: str
    error: str


class GoldenResult(Record, frozen=True, kw_only=True):
    """The cases that were made."""

    version: str
    made: int
    endless: int
    """Cases that this vLLM never finishes."""
    broken: tuple[FailedCase, ...]
    lacking: tuple[str, ...]
    """Settings that this version lacks; the cases have them off."""
    stubs: tuple[str, ...] = ()
    """Missing packages that it imports and that stubs replaced."""


class _Missing(Record, frozen=True, kw_only=True):
    missing: str


async def make_golden(vllm: str, order: GoldenRequest, *, python: str | None = None) -> GoldenResult:
    """Have `vllm` make the cases.

    Args:
        vllm: an installed vLLM (script, environment or Python), or a folder that has its package `vllm`.
        order: the cases to make.
        python: for an unpacked vLLM, the environment whose Python and dependencies run it.

    Raises:
        Refusal: there is no vLLM, or it can't make cases; its last output is named.
    """
    runner, folders = await _runner(vllm, python)
    stubs: list[str] = []
    while True:
        answer = await _answer(runner, order, stubs, folders, vllm)
        if isinstance(answer, GoldenResult):
            return msgspec.structs.replace(answer, stubs=tuple(stubs))
        if answer.missing in stubs or len(stubs) == _MOST_STUBS:
            raise Refusal("servers.golden_needs_package", Place(file=vllm), package=answer.missing)
        stubs.append(answer.missing)


def unpacked_folder(vllm: str) -> Path | None:
    """Return the folder of an unpacked wheel that `vllm` names; None if it names an install."""
    folder = Path(vllm).expanduser().absolute()
    return folder if (folder / "vllm" / "__init__.py").is_file() else None


async def _runner(vllm: str, python: str | None) -> tuple[Path, list[str]]:
    """Return the Python, and the folders to search before its packages."""
    unpacked = unpacked_folder(vllm)
    if unpacked is None:
        return (await find_install(vllm)).python, []
    if python is None:
        raise Refusal("servers.unpacked_needs_python", Place(file=vllm))
    return (await find_install(python)).python, [str(unpacked)]


async def _answer(
    python: Path, order: GoldenRequest, stubs: list[str], folders: list[str], vllm: str
) -> GoldenResult | _Missing:
    paths = [str(_INSIDE), *([str(_INSIDE / "stubs")] if stubs else []), *folders]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
        "WORKBENCH_STUBS": ",".join(stubs),
    }
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "order.json"
        file.write_text(json.dumps(_request_json(order)))
        said = await run_program(
            [str(python), "-m", "workbench_scheduler.golden", str(file)],
            timeout_s=_TIMEOUT_S,
            environment=environment,
            folder=folder,
        )
    return _read(said, vllm)


def _request_json(order: GoldenRequest) -> dict[str, object]:
    return {
        **msgspec.structs.asdict(order),
        "out": str(order.out.absolute()),
        "cases": [str(path.absolute()) for path in order.cases],
    }


def _read(said: CommandOutput, vllm: str) -> GoldenResult | _Missing:
    lines = said.output.strip().splitlines()
    if said.exit_code == 0 and lines:
        with suppress(*UNREADABLE):
            return msgspec.json.decode(lines[-1], type=_Missing)
        with suppress(*UNREADABLE):
            return msgspec.json.decode(lines[-1], type=GoldenResult)
    raise Refusal(
        "servers.golden_failed", Place(file=vllm), said=said.last_error or message("servers.nothing")
    )
