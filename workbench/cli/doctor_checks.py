"""Checks of `doctor`. A check neither ends nor repairs anything, and doesn't fail itself."""

import asyncio
import importlib
import os
import shutil
import socket
import statistics
import sys
import time
from enum import StrEnum
from pathlib import Path

import psutil

from workbench.base import (
    InputError,
    Message,
    Record,
    cache_folder,
    data_folder,
    in_own_thread,
    message,
    now,
    require_writable_folder,
)
from workbench.servers import find_installs, find_orphans, find_remote_orphans, run_program
from workbench.servers.container import enforcing
from workbench.servers.keys import KeyringSilentError, keyring_name
from workbench.telemetry import Gpu, open_nvml
from workbench.telemetry.gpu import NOT_INSTALLED, Smi

_GIB = 1 << 30
_QT = "import PySide6.QtGui, PySide6.QtWidgets"
_QT_TIMEOUT_S = 60.0
_LITTLE_DISK = 2 * _GIB
_FEW_FILES = 4096
"""Open files; a stream is one."""
_SLOW_CLOCKS = ("hpet", "acpi_pm", "pit", "jiffies")
"""Linux clock sources whose reading costs a system call or worse."""
_CLOCK = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
_NVML_FIX = "pip install 'vllm-workbench[gpu]', in a checkout pip install -e '.[gpu]'"
_GPU_S = 30.0
"""For the driver to answer; the command beside it is asked twice and given 10 s each."""
_ENGINE_S = 10.0
_ENGINES = {
    "docker": ("version", "--format", "{{.Server.Version}}"),
    "podman": ("info", "--format", "{{.Version.Version}}"),
}
"""How each tells its version, and with it that it works."""
_LATE_S = 0.002
_DEFAULT_PORT = 8000


class Severity(StrEnum):
    """Severity of a result."""

    FINE = "fine"
    NOTE = "note"
    """Worth knowing; everything else works."""
    WRONG = "wrong"


class HealthCheck(Record, frozen=True, kw_only=True):
    """One thing found."""

    area: str
    level: Severity
    text: str
    fix: str | None = None
    """What to do; None: nothing."""


async def examine() -> list[HealthCheck]:
    """Run all checks, in reading order."""
    return [
        *await check_installs(),
        *await check_gpus_in_time(),
        *await check_containers(),
        *check_ports(),
        *check_orphans(),
        await check_qt(),
        check_keyring(),
        *check_clock(),
        *check_disk(),
    ]


async def check_installs() -> list[HealthCheck]:
    """Check every vLLM on PATH and beside this Python."""
    found = await find_installs()
    findings = [
        HealthCheck(area="vllm", level=Severity.FINE, text=f"vLLM {install.version}: {install.script}")
        for install in found.installs
    ]
    findings += [
        HealthCheck(
            area="vllm",
            level=Severity.WRONG,
            text=str(problem),
            fix="remove the script or repair its Python",
        )
        for problem in found.problems
    ]
    if not findings:
        text = "none on PATH and none in this Python; the embedded engine needs none"
        fix = 'for a real server: install vLLM in an environment of its own and name it with "executable"'
        findings.append(HealthCheck(area="vllm", level=Severity.NOTE, text=text, fix=fix))
    return findings


async def check_gpus_in_time() -> list[HealthCheck]:
    """Check the GPUs within a time limit, because a driver may hang."""
    try:
        async with asyncio.timeout(_GPU_S):
            return await in_own_thread(check_gpus)
    except TimeoutError:
        text = f"the GPU's driver doesn't answer within {_GPU_S:g} s"
        fix = "see what dmesg says of it (Xid); resetting the card or restarting the machine helps"
        return [HealthCheck(area="gpu", level=Severity.WRONG, text=text, fix=fix)]


def check_gpus() -> list[HealthCheck]:
    """Check every GPU: its driver and the processes that hold its memory."""
    library, problem = open_nvml()
    if library is None:
        smi = Smi.find() if problem == NOT_INSTALLED else None
        told = [_gpu(gpu, None) for gpu in smi.gpus()] if smi is not None else []
        return [*told, _by_command()] if told else [_no_gpus(problem)]
    with library:
        found = [_gpu(gpu, library.driver) for gpu in library.gpus()]
    return found or [_no_gpus(None)]


def _by_command() -> HealthCheck:
    text = f"{NOT_INSTALLED}: GPUs are looked at through nvidia-smi, which costs more"
    return HealthCheck(area="gpu", level=Severity.NOTE, text=text, fix=_NVML_FIX)


def _no_gpus(problem: Message | None) -> HealthCheck:
    """Report that there is no GPU, or why that is unknown."""
    if problem is None:
        text = "no GPU found; that is normal: the embedded engine needs none"
        return HealthCheck(area="gpu", level=Severity.FINE, text=text)
    text = f"cannot tell whether there is a GPU: {problem}"
    if problem == NOT_INSTALLED:
        return HealthCheck(area="gpu", level=Severity.NOTE, text=text, fix=_NVML_FIX)
    return HealthCheck(area="gpu", level=Severity.WRONG, text=text, fix="see whether nvidia-smi works")


def _gpu(gpu: Gpu, driver: str | None) -> HealthCheck:
    by = "" if driver is None else f"driver {driver}, "
    text = f"{gpu.index}: {gpu.name}, {by}{_memory(gpu)}"
    users = ", ".join(f"{_name_of(one.pid)} ({one.pid}){_held(one.memory)}" for one in gpu.processes)
    if not users:
        return HealthCheck(area="gpu", level=Severity.FINE, text=text)
    fix = "a server's gpu_memory_utilization counts on free memory: end what isn't needed, or lower it"
    return HealthCheck(area="gpu", level=Severity.NOTE, text=f"{text} by {users}", fix=fix)


def _memory(gpu: Gpu) -> str:
    if gpu.memory_used is None or gpu.memory_total is None:
        return "which doesn't tell its memory"
    return f"{gpu.memory_used / _GIB:.1f} of {gpu.memory_total / _GIB:.1f} GiB used"


def _held(memory: int | None) -> str:
    return "" if memory is None else f" {memory / _GIB:.1f} GiB"


def _name_of(pid: int) -> str:
    try:
        return psutil.Process(pid).name()
    except psutil.Error:
        return "another user's process"


async def check_containers() -> list[HealthCheck]:
    """Check that docker or podman is installed and works."""
    found = [name for name in _ENGINES if shutil.which(name)]
    if not found:
        text = "neither docker nor podman; only a server in a container needs one"
        return [HealthCheck(area="containers", level=Severity.FINE, text=text)]
    findings = [await _engine(name) for name in found]
    if enforcing():
        text = "SELinux is enforcing: a container may not read what is mounted without a label"
        fix = 'for servers in containers: security_opt = ["label=disable"] in [target]'
        findings.append(HealthCheck(area="containers", level=Severity.NOTE, text=text, fix=fix))
    return findings


async def _engine(name: str) -> HealthCheck:
    try:
        said = await run_program([name, *_ENGINES[name]], timeout_s=_ENGINE_S)
        problem = (said.last_error or f"it ended with {said.exit_code}") if said.exit_code else ""
    except InputError as error:
        problem = str(error).removeprefix(f"{name}: ")
    if not problem:
        version = said.output.decode(errors="replace").strip()[:40]
        return HealthCheck(area="containers", level=Severity.FINE, text=f"{name} {version}")
    fix = f"start its service, or see what `{name} info` says; only servers in containers need it"
    if "permission denied" in problem.lower():
        fix = f"add this user to the group {name} and log in again, or use podman"
    return HealthCheck(
        area="containers", level=Severity.NOTE, text=f"{name} doesn't work: {problem}", fix=fix
    )


def check_ports() -> list[HealthCheck]:
    """Check that we can listen, who holds vLLM's usual port, and how many streams fit."""
    findings = []
    try:
        with socket.create_server(("127.0.0.1", 0)):
            findings.append(
                HealthCheck(area="ports", level=Severity.FINE, text="127.0.0.1 can be listened on")
            )
    except OSError as error:
        fix = "see to the loopback interface: servers of ours listen there"
        text = f"127.0.0.1 can't be listened on: {error.strerror}"
        findings.append(HealthCheck(area="ports", level=Severity.WRONG, text=text, fix=fix))
    with socket.socket() as caller:
        caller.settimeout(0.5)
        if caller.connect_ex(("127.0.0.1", _DEFAULT_PORT)) == 0:
            text = f"somebody listens on {_DEFAULT_PORT}, vLLM's usual port; servers of ours take free ones"
            fix = f'if that is to be measured: kind = "attached", url = "http://127.0.0.1:{_DEFAULT_PORT}"'
            findings.append(HealthCheck(area="ports", level=Severity.NOTE, text=text, fix=fix))
    return [*findings, *_open_files()]


def _open_files() -> list[HealthCheck]:
    if sys.platform == "win32":
        return []
    resource = importlib.import_module("resource")
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if most == resource.RLIM_INFINITY or most >= _FEW_FILES:
        return []
    text = f"at most {most} open files: fewer streams than that fit at once"
    return [
        HealthCheck(area="ports", level=Severity.NOTE, text=text, fix="raise the hard limit of open files")
    ]


def check_orphans() -> list[HealthCheck]:
    """Check for our servers without an owner, and their remains."""
    findings = [
        HealthCheck(
            area="left-overs",
            # Without a process it is files: they take room, and nobody's GPU.
            level=Severity.WRONG if orphan.living else Severity.NOTE,
            text=f"{', '.join(orphan.contents())}: {orphan.command}",
            fix="python -m workbench doctor --clean (the next local server ends them too)",
        )
        for orphan in find_orphans()
    ]
    findings += [
        HealthCheck(
            area="left-overs",
            level=Severity.NOTE,
            text=(
                f"perhaps still there ({record.kind}, {record.place}), its owner here has died: "
                f"{record.command}"
            ),
            fix="python -m workbench doctor --clean (the next server started there ends it too)",
        )
        for _, record in find_remote_orphans()
    ]
    return findings or [HealthCheck(area="left-overs", level=Severity.FINE, text="none of ours")]


async def check_qt() -> HealthCheck:
    """Check that the window's libraries load, in a child process, because this one stays free of Qt."""
    try:
        said = await run_program([sys.executable, "-c", _QT], timeout_s=_QT_TIMEOUT_S)
        problem = said.last_error if said.exit_code else ""
        if said.exit_code and not problem:
            problem = f"importing it ended with {said.exit_code}"
    except InputError as error:
        problem = str(error)
    if not problem:
        return HealthCheck(area="qt", level=Severity.FINE, text="the window's libraries load")
    missing = problem.removeprefix("ImportError: ").partition(":")[0]
    if "cannot open shared object" in problem:
        fix = f"install the system package that has {missing}, such as libegl1 or libgl1"
    else:
        fix = "pip install PySide6-Essentials; the command line works without"
    return HealthCheck(area="qt", level=Severity.WRONG, text=problem, fix=fix)


def check_keyring() -> HealthCheck:
    """Check that the system can store keys."""
    try:
        name = keyring_name()
    except KeyringSilentError as error:
        fix = str(message("servers.keyring_silent_fix"))
        return HealthCheck(area="keyring", level=Severity.NOTE, text=str(error), fix=fix)
    if name is not None:
        return HealthCheck(
            area="keyring", level=Severity.FINE, text=f"{name}: keeps keys (doctor --keep-key NAME)"
        )
    fix = "name environment variables with api_key_env, or install a keyring such as gnome-keyring"
    text = "no keyring of this system is usable: keys come from variables, or are asked for and not kept"
    return HealthCheck(area="keyring", level=Severity.NOTE, text=text, fix=fix)


def check_clock() -> list[HealthCheck]:
    """Check that times are right to a millisecond."""
    resolution = time.get_clock_info("perf_counter").resolution
    findings = []
    try:
        source = _CLOCK.read_text().strip()
    except OSError:
        source = ""
    if source in _SLOW_CLOCKS or resolution > 1e-4:
        text = f"a slow clock: {source or 'unknown source'}, resolution {resolution * 1e6:g} µs"
        fix = "choose tsc or the hypervisor's clock as clock source"
        findings.append(HealthCheck(area="clock", level=Severity.WRONG, text=text, fix=fix))
    late = _lateness_s()
    if late > _LATE_S:
        text = f"wake-ups come {late * 1e3:.1f} ms late (median): this machine is busy"
        fix = "requests are sent late by as much: end other work before measuring"
        findings.append(HealthCheck(area="clock", level=Severity.NOTE, text=text, fix=fix))
    fine = f"{source or 'monotonic'}; wake-ups come {late * 1e3:.2f} ms late"
    return findings or [HealthCheck(area="clock", level=Severity.FINE, text=fine)]


def _lateness_s() -> float:
    late = []
    for _ in range(25):
        begun = now()
        time.sleep(0.002)
        late.append(now() - begun - 0.002)
    return statistics.median(late)


def check_disk() -> list[HealthCheck]:
    """Check that results can be stored."""
    findings = []
    for name, folder in (("results", data_folder()), ("caches", cache_folder())):
        try:
            require_writable_folder(folder)
        except InputError as error:
            findings.append(
                HealthCheck(
                    area="disk", level=Severity.WRONG, text=str(error), fix=f"make room for {name} there"
                )
            )
            continue
        free = shutil.disk_usage(folder).free
        little = free < _LITTLE_DISK
        text = f"{name}: {free / _GIB:.1f} GiB free in {os.fspath(folder)}"
        fix = "make room: an hour's run takes some 100 MB" if little else None
        findings.append(
            HealthCheck(area="disk", level=Severity.WRONG if little else Severity.FINE, text=text, fix=fix)
        )
    return [*findings, *_step_records()]


def _step_records() -> list[HealthCheck]:
    """Check for step records of servers started without a bench file, which nothing reads or deletes."""
    folder = data_folder() / "steps"
    sizes = [path.stat().st_size for path in folder.glob("*") if path.is_file()]
    if not sizes:
        return []
    text = f"{len(sizes)} step records without a bench file, {sum(sizes) / 1e6:.1f} MB in {os.fspath(folder)}"
    return [HealthCheck(area="disk", level=Severity.NOTE, text=text, fix="delete them if nobody needs them")]
