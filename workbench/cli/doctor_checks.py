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

import msgspec
import psutil

from workbench.base import (
    InputError,
    Message,
    Record,
    Refusal,
    cache_folder,
    data_folder,
    in_own_thread,
    message,
    now,
    own_module,
    require_writable_folder,
)
from workbench.servers import find_installs, find_orphans, find_remote_orphans, run_program
from workbench.servers.container import enforcing
from workbench.servers.keys import KeyringSilentError, keyring_name
from workbench.telemetry import Gpu, open_nvml
from workbench.telemetry.gpu import NOT_INSTALLED, Smi

_GIB = 1 << 30
_TRY_QT = own_module("workbench.base.try_imports", "PySide6.QtGui", "PySide6.QtWidgets")
_QT_TIMEOUT_S = 60.0
_LITTLE_DISK = 2 * _GIB
_FEW_FILES = 4096
"""Open files; a stream is one."""
_SLOW_CLOCKS = ("hpet", "acpi_pm", "pit", "jiffies")
"""Linux clock sources whose reading costs a system call or worse."""
_CLOCK = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
_NVML_FIX = message("cli.doctor_install_nvml")
_GPU_S = 30.0
"""For the driver to answer; the command beside it is asked twice and given 10 s each."""
_ENGINE_S = 10.0
_ENGINES = {
    "docker": ("version", "--format", "{{.Server.Version}}"),
    "podman": ("info", "--format", "{{.Version.Version}}"),
}
"""Arguments that print the version, and so show that it works."""
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
    said: Message | str
    """A text comes from another program."""
    remedy: Message | str | None = None
    """The fix; None if nothing is to be done."""

    @property
    def text(self) -> str:
        """The finding in English."""
        return str(self.said)

    @property
    def fix(self) -> str | None:
        """The remedy in English."""
        return None if self.remedy is None else str(self.remedy)

    def to_json(self) -> dict[str, object]:
        """Return the finding with its English texts, and with their data if they have any."""
        return {
            "area": self.area,
            "level": self.level.value,
            "text": self.text,
            "fix": self.fix,
            "message": msgspec.to_builtins(self.said) if isinstance(self.said, Message) else None,
            "fix_message": msgspec.to_builtins(self.remedy) if isinstance(self.remedy, Message) else None,
        }


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
        HealthCheck(area="vllm", level=Severity.FINE, said=f"vLLM {install.version}: {install.script}")
        for install in found.installs
    ]
    findings += [
        HealthCheck(
            area="vllm",
            level=Severity.WRONG,
            said=str(problem),
            remedy=message("cli.doctor_repair_script"),
        )
        for problem in found.problems
    ]
    if not findings:
        text = message("cli.doctor_no_vllm")
        fix = message("cli.doctor_install_vllm")
        findings.append(HealthCheck(area="vllm", level=Severity.NOTE, said=text, remedy=fix))
    return findings


async def check_gpus_in_time() -> list[HealthCheck]:
    """Check the GPUs within a time limit, because a driver may hang."""
    try:
        async with asyncio.timeout(_GPU_S):
            return await in_own_thread(check_gpus)
    except TimeoutError:
        text = message("cli.doctor_driver_silent", seconds=_GPU_S)
        fix = message("cli.doctor_see_dmesg")
        return [HealthCheck(area="gpu", level=Severity.WRONG, said=text, remedy=fix)]


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
    text = message("cli.doctor_by_nvidia_smi", why=NOT_INSTALLED)
    return HealthCheck(area="gpu", level=Severity.NOTE, said=text, remedy=_NVML_FIX)


def _no_gpus(problem: Message | None) -> HealthCheck:
    """Report that there is no GPU, or why that is unknown."""
    if problem is None:
        text = message("cli.doctor_no_gpu")
        return HealthCheck(area="gpu", level=Severity.FINE, said=text)
    text = message("cli.doctor_gpu_unknown", why=problem)
    if problem == NOT_INSTALLED:
        return HealthCheck(area="gpu", level=Severity.NOTE, said=text, remedy=_NVML_FIX)
    return HealthCheck(
        area="gpu", level=Severity.WRONG, said=text, remedy=message("cli.doctor_try_nvidia_smi")
    )


def _gpu(gpu: Gpu, driver: str | None) -> HealthCheck:
    by = None if driver is None else message("cli.doctor_driver", version=driver)
    about: dict[str, str | int | Message | None] = {
        "index": gpu.index,
        "name": gpu.name,
        "driver": by,
        "memory": _memory(gpu),
    }
    text = message("cli.doctor_gpu", **about)
    users = [
        message("cli.doctor_process", name=_name_of(one.pid), pid=one.pid, held=_held(one.memory))
        for one in gpu.processes
    ]
    if not users:
        return HealthCheck(area="gpu", level=Severity.FINE, said=text)
    fix = message("cli.doctor_gpu_shared")
    return HealthCheck(
        area="gpu", level=Severity.NOTE, said=message("cli.doctor_gpu_used", **about, users=users), remedy=fix
    )


def _memory(gpu: Gpu) -> Message:
    if gpu.memory_used is None or gpu.memory_total is None:
        return message("cli.doctor_memory_unknown")
    return message("cli.doctor_memory", used=gpu.memory_used / _GIB, total=gpu.memory_total / _GIB)


def _held(memory: int | None) -> str | None:
    return None if memory is None else f" {memory / _GIB:.1f} GiB"


def _name_of(pid: int) -> Message | str:
    try:
        return psutil.Process(pid).name()
    except psutil.Error:
        return message("cli.doctor_others_process")


async def check_containers() -> list[HealthCheck]:
    """Check that docker or podman is installed and works."""
    found = [name for name in _ENGINES if shutil.which(name)]
    if not found:
        text = message("cli.doctor_no_containers")
        return [HealthCheck(area="containers", level=Severity.FINE, said=text)]
    findings = [await _engine(name) for name in found]
    if enforcing():
        text = message("cli.doctor_selinux")
        fix = message("cli.doctor_selinux_fix")
        findings.append(HealthCheck(area="containers", level=Severity.NOTE, said=text, remedy=fix))
    return findings


async def _engine(name: str) -> HealthCheck:
    try:
        said = await run_program([name, *_ENGINES[name]], timeout_s=_ENGINE_S)
        problem = (
            (said.last_error or message("cli.doctor_ended", code=said.exit_code)) if said.exit_code else ""
        )
    except InputError as error:
        problem = str(error).removeprefix(f"{name}: ")
    if not problem:
        version = said.output.decode(errors="replace").strip()[:40]
        return HealthCheck(area="containers", level=Severity.FINE, said=f"{name} {version}")
    fix = message("cli.doctor_start_engine", name=name)
    if "permission denied" in str(problem).lower():
        fix = message("cli.doctor_join_group", name=name)
    return HealthCheck(
        area="containers",
        level=Severity.NOTE,
        said=message("cli.doctor_engine_fails", name=name, problem=problem),
        remedy=fix,
    )


def check_ports() -> list[HealthCheck]:
    """Check that we can listen, who holds vLLM's usual port, and how many streams fit."""
    findings = []
    try:
        with socket.create_server(("127.0.0.1", 0)):
            findings.append(
                HealthCheck(area="ports", level=Severity.FINE, said=message("cli.doctor_loopback"))
            )
    except OSError as error:
        fix = message("cli.doctor_loopback_fix")
        text = message("cli.doctor_no_loopback", cause=error.strerror)
        findings.append(HealthCheck(area="ports", level=Severity.WRONG, said=text, remedy=fix))
    with socket.socket() as caller:
        caller.settimeout(0.5)
        if caller.connect_ex(("127.0.0.1", _DEFAULT_PORT)) == 0:
            text = message("cli.doctor_port_taken", port=_DEFAULT_PORT)
            fix = message("cli.doctor_port_taken_fix", port=_DEFAULT_PORT)
            findings.append(HealthCheck(area="ports", level=Severity.NOTE, said=text, remedy=fix))
    return [*findings, *_open_files()]


def _open_files() -> list[HealthCheck]:
    if sys.platform == "win32":
        return []
    resource = importlib.import_module("resource")
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if most == resource.RLIM_INFINITY or most >= _FEW_FILES:
        return []
    text = message("cli.doctor_few_files", most=most)
    return [
        HealthCheck(area="ports", level=Severity.NOTE, said=text, remedy=message("cli.doctor_raise_files"))
    ]


def check_orphans() -> list[HealthCheck]:
    """Check for our servers without an owner, and their remains."""
    findings = [
        HealthCheck(
            area="left-overs",
            # Without a process it is files: they take room, and nobody's GPU.
            level=Severity.WRONG if orphan.living else Severity.NOTE,
            said=message("cli.doctor_orphan", contents=orphan.contents(), command=orphan.command),
            remedy=message("cli.doctor_clean_here"),
        )
        for orphan in find_orphans()
    ]
    findings += [
        HealthCheck(
            area="left-overs",
            level=Severity.NOTE,
            said=message(
                "cli.doctor_remote_orphan", where=record.kind, place=record.place, command=record.command
            ),
            remedy=message("cli.doctor_clean_there"),
        )
        for _, record in find_remote_orphans()
    ]
    return findings or [
        HealthCheck(area="left-overs", level=Severity.FINE, said=message("cli.doctor_no_orphans"))
    ]


async def check_qt() -> HealthCheck:
    """Check that the window's libraries load, in a child process, because this one stays free of Qt."""
    try:
        said = await run_program(_TRY_QT, timeout_s=_QT_TIMEOUT_S)
        problem = said.last_error if said.exit_code else ""
        if said.exit_code and not problem:
            return HealthCheck(
                area="qt",
                level=Severity.WRONG,
                said=message("cli.doctor_qt_ended", code=said.exit_code),
                remedy=message("cli.doctor_install_qt"),
            )
    except InputError as error:
        problem = str(error)
    if not problem:
        return HealthCheck(area="qt", level=Severity.FINE, said=message("cli.doctor_qt"))
    missing = problem.removeprefix("ImportError: ").partition(":")[0]
    if "cannot open shared object" in problem:
        fix = message("cli.doctor_install_library", name=missing)
    else:
        fix = message("cli.doctor_install_qt")
    return HealthCheck(area="qt", level=Severity.WRONG, said=problem, remedy=fix)


def check_keyring() -> HealthCheck:
    """Check that the system can store keys."""
    try:
        name = keyring_name()
    except KeyringSilentError as error:
        fix = message("servers.keyring_silent_fix")
        return HealthCheck(
            area="keyring",
            level=Severity.NOTE,
            said=error.message,
            remedy=fix,
        )
    if name is not None:
        return HealthCheck(area="keyring", level=Severity.FINE, said=message("cli.doctor_keyring", name=name))
    fix = message("cli.doctor_no_keyring_fix")
    text = message("cli.doctor_no_keyring")
    return HealthCheck(area="keyring", level=Severity.NOTE, said=text, remedy=fix)


def check_clock() -> list[HealthCheck]:
    """Check that times are right to a millisecond."""
    resolution = time.get_clock_info("perf_counter").resolution
    findings = []
    try:
        source = _CLOCK.read_text().strip()
    except OSError:
        source = ""
    if source in _SLOW_CLOCKS or resolution > 1e-4:
        text = message("cli.doctor_slow_clock", source=source or "?", us=resolution * 1e6)
        fix = message("cli.doctor_slow_clock_fix")
        findings.append(HealthCheck(area="clock", level=Severity.WRONG, said=text, remedy=fix))
    late = _lateness_s()
    if late > _LATE_S:
        text = message("cli.doctor_late", ms=late * 1e3)
        fix = message("cli.doctor_late_fix")
        findings.append(HealthCheck(area="clock", level=Severity.NOTE, said=text, remedy=fix))
    fine = message("cli.doctor_clock", source=source or "monotonic", ms=late * 1e3)
    return findings or [HealthCheck(area="clock", level=Severity.FINE, said=fine)]


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
                    area="disk",
                    level=Severity.WRONG,
                    said=error.message if isinstance(error, Refusal) else str(error),
                    remedy=message("cli.doctor_make_room_there"),
                )
            )
            continue
        free = shutil.disk_usage(folder).free
        little = free < _LITTLE_DISK
        what = message("cli.doctor_results") if name == "results" else message("cli.doctor_caches")
        text = message("cli.doctor_disk", what=what, gib=free / _GIB, folder=os.fspath(folder))
        fix = message("cli.doctor_make_room") if little else None
        findings.append(
            HealthCheck(area="disk", level=Severity.WRONG if little else Severity.FINE, said=text, remedy=fix)
        )
    return [*findings, *_step_records()]


def _step_records() -> list[HealthCheck]:
    """Check for step records of servers started without a bench file, which nothing reads or deletes."""
    folder = data_folder() / "steps"
    sizes = [path.stat().st_size for path in folder.glob("*") if path.is_file()]
    if not sizes:
        return []
    text = message("cli.doctor_step_records", count=len(sizes), mb=sum(sizes) / 1e6, folder=os.fspath(folder))
    return [
        HealthCheck(area="disk", level=Severity.NOTE, said=text, remedy=message("cli.doctor_delete_records"))
    ]
