"""`doctor` says what is there, what is missing and what to do; it ends left-overs only when told to."""

import json
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.unit.telemetry import fake_nvml
from workbench.base import data_folder, own_module
from workbench.cli import doctor, doctor_checks, main
from workbench.cli.doctor_checks import HealthCheck, Severity
from workbench.servers import OrphanServer, RemoteServerRecord
from workbench.servers.cleanup import (
    LeftFiles,
    ServerRecord,
    server_records_folder,
    write_remote_record,
    write_server_record,
)
from workbench.servers.processes import ProcessIdentity, identify_process
from workbench.servers.run_command import CommandOutput


def levels(findings: list[HealthCheck]) -> list[Severity]:
    return [finding.level for finding in findings]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a child that loads Qt."""
    monkeypatch.setattr(doctor_checks, "_TRY_QT", own_module("workbench.base.try_imports"))


@pytest.fixture
def orphan() -> Any:
    """A process of a server whose owner is gone."""
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    mark = identify_process(process.pid)
    assert mark is not None
    path = server_records_folder() / "1.json"
    write_server_record(path, "vllm serve m", [mark], LeftFiles())
    roll = msgspec.json.decode(path.read_bytes(), type=ServerRecord)
    gone = ProcessIdentity(pid=roll.owner.pid, started=roll.owner.started - 1000, name="python")
    path.write_bytes(msgspec.json.encode(msgspec.structs.replace(roll, owner=gone)))
    yield process
    process.kill()
    process.wait()


@pytest.mark.usefixtures("quick")
def test_that_the_command_line_says_all_areas_and_ends_with_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json", "-"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["wrong"] == 0
    areas = {finding["area"] for finding in told["findings"]}
    assert areas == {"vllm", "gpu", "containers", "ports", "left-overs", "qt", "keyring", "clock", "disk"}


@pytest.mark.usefixtures("quick")
def test_that_left_overs_are_told_with_their_fix_and_ended_only_when_asked(
    orphan: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    bystander = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert "FIX   left-overs  python" in said
    assert "doctor --clean" in said
    assert orphan.poll() is None
    assert main(["doctor", "--clean"]) == 0
    assert "left-overs  ended: python" in capsys.readouterr().out
    assert orphan.wait(60) != 0
    assert bystander.poll() is None
    bystander.kill()
    bystander.wait()


def test_that_the_findings_go_to_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def one() -> list[HealthCheck]:
        return [HealthCheck(area="disk", level=Severity.WRONG, said="full", remedy="make room")]

    monkeypatch.setattr(doctor, "examine", one)
    assert main(["doctor", "--json", str(tmp_path / "found.json")]) == 1
    told = json.loads((tmp_path / "found.json").read_text())
    (finding,) = told["findings"]
    texts = {"area": "disk", "level": "wrong", "text": "full", "fix": "make room"}
    assert finding == {**texts, "message": None, "fix_message": None}


async def test_that_a_script_whose_python_lacks_vllm_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "vllm"
    script.write_text(f"#!{sys.executable}\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    (finding,) = await doctor_checks.check_installs()
    assert finding.level is Severity.WRONG
    assert finding.text.endswith("has no distribution named vllm")
    assert finding.fix == "remove the script or repair its Python"


async def test_that_no_vllm_is_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (finding,) = await doctor_checks.check_installs()
    assert finding.level is Severity.NOTE
    assert "embedded engine" in finding.text


@pytest.mark.parametrize(
    ("library", "expected", "words"),
    [
        (fake_nvml.module(), [Severity.FINE, Severity.FINE], "H200, driver 570.1, 60.0 of 100.0 GiB used"),
        (fake_nvml.module(processes=((1, 5 << 30),)), [Severity.NOTE, Severity.FINE], "(1) 5.0 GiB"),
        (
            fake_nvml.module(processes=((2**22, None),)),
            [Severity.NOTE, Severity.FINE],
            "another user's process",
        ),
        (fake_nvml.module(fails=12), [Severity.FINE], "no GPU found; that is normal"),
        (fake_nvml.module(fails=18), [Severity.WRONG], "NVML: error 18"),
        (None, [Severity.NOTE], "cannot tell whether there is a GPU: nvidia-ml-py is not installed"),
    ],
)
def test_that_gpus_and_their_users_are_told(
    monkeypatch: pytest.MonkeyPatch, library: Any, expected: list[Severity], words: str
) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", library)
    findings = doctor_checks.check_gpus()
    assert levels(findings) == expected
    assert words in findings[0].text


async def test_that_a_driver_which_hangs_is_told_and_holds_the_doctor_up_no_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    library, never = fake_nvml.module(), threading.Event()
    vars(library)["nvmlInit"] = never.wait
    monkeypatch.setitem(sys.modules, "pynvml", library)
    monkeypatch.setattr(doctor_checks, "_GPU_S", 0.2)
    (finding,) = await doctor_checks.check_gpus_in_time()
    never.set()
    assert finding.level is Severity.WRONG
    assert "doesn't answer within 0.2 s" in finding.text
    assert "dmesg" in (finding.fix or "")


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")
def test_that_without_the_library_the_command_tells_the_gpus_and_the_library_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = "0, GPU-aa, NVIDIA H200, 100000, 60000, 85, 412.50, 700.00, 1980, 0x0"
    script(tmp_path / "nvidia-smi", f"case $1 in --query-gpu*) echo '{card}';; esac")
    monkeypatch.setitem(sys.modules, "pynvml", None)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    card_found, about_library = doctor_checks.check_gpus()
    assert (card_found.level, about_library.level) == (Severity.FINE, Severity.NOTE)
    assert card_found.text == "0: NVIDIA H200, 58.6 of 97.7 GiB used"
    assert "[gpu]" in (about_library.fix or "")


def script(path: Path, lines: str) -> None:
    path.write_text(f"#!/bin/sh\n{lines}\n")
    path.chmod(0o755)


DENIED = (
    "permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock"
)


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")
@pytest.mark.parametrize(
    ("name", "lines", "level", "words", "fix"),
    [
        ("docker", "echo 29.1.0", Severity.FINE, "docker 29.1.0", None),
        ("podman", "echo 5.4.2", Severity.FINE, "podman 5.4.2", None),
        (
            "docker",
            f"echo '{DENIED}' >&2; exit 1",
            Severity.NOTE,
            "docker doesn't work: permission",
            "group docker",
        ),
        ("docker", "exit 1", Severity.NOTE, "it ended with 1", "`docker info`"),
        ("docker", "exec sleep 600", Severity.NOTE, "no answer within 1 s", "start its service"),
    ],
)
async def test_that_a_container_engine_is_told_with_what_makes_it_work(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    lines: str,
    level: Severity,
    words: str,
    fix: str | None,
) -> None:
    script(tmp_path / name, lines)
    # Some machines that test this have engines of their own.
    monkeypatch.setattr(doctor_checks, "_ENGINES", {name: doctor_checks._ENGINES[name]})
    monkeypatch.setattr(doctor_checks, "_ENGINE_S", 1.0 if "sleep" in lines else 60.0)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    (finding,) = await doctor_checks.check_containers()
    assert finding.level is level
    assert words in finding.text
    assert (finding.fix is None) if fix is None else (fix in (finding.fix or ""))


async def test_that_selinux_is_told_where_there_are_containers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor_checks, "enforcing", lambda: True)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert levels(await doctor_checks.check_containers()) == [Severity.FINE]
    script(tmp_path / "docker", "echo 29.1.0")
    told = await doctor_checks.check_containers()
    assert "label=disable" in (told[1].fix or "")


@pytest.mark.usefixtures("orphan")
async def test_that_what_lives_though_it_was_killed_is_told_with_another_fix_than_to_try_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def lives(orphan: OrphanServer) -> list[ProcessIdentity]:
        return list(orphan.living)

    monkeypatch.setattr(doctor, "end_orphan", lives)
    (finding,) = await doctor._clean()
    assert (finding.area, finding.level) == ("left-overs", Severity.WRONG)
    assert "killed and still there: python" in finding.text
    assert "--clean" not in (finding.fix or "")


def test_that_a_missing_gpu_library_comes_with_the_extra_that_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)
    (finding,) = doctor_checks.check_gpus()
    assert "[gpu]" in (finding.fix or "")


def test_that_a_driver_without_a_card_is_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    library = fake_nvml.module()
    library.nvmlDeviceGetCount = lambda: 0
    monkeypatch.setitem(sys.modules, "pynvml", library)
    (finding,) = doctor_checks.check_gpus()
    assert finding.level is Severity.FINE
    assert "no GPU found" in finding.text


@pytest.mark.parametrize(
    ("said", "words", "fix"),
    [
        (
            "ImportError: libEGL.so.1: cannot open shared object file: No such file or directory",
            "libEGL.so.1",
            "system package that has libEGL.so.1",
        ),
        ("ModuleNotFoundError: No module named 'PySide6'", "PySide6", "pip install PySide6-Essentials"),
        ("", "importing it ended with 1", "pip install"),
    ],
)
async def test_that_what_the_window_lacks_is_named(
    monkeypatch: pytest.MonkeyPatch, said: str, words: str, fix: str
) -> None:
    async def answer(*_: object, **__: object) -> CommandOutput:
        return CommandOutput(exit_code=1, output=b"", last_error=said)

    monkeypatch.setattr(doctor_checks, "run_program", answer)
    finding = await doctor_checks.check_qt()
    assert finding.level is Severity.WRONG
    assert words in finding.text
    assert fix in (finding.fix or "")


async def test_that_the_window_s_libraries_are_loaded_in_a_child() -> None:
    before = {name for name in sys.modules if name.startswith("PySide6")}
    finding = await doctor_checks.check_qt()
    assert {name for name in sys.modules if name.startswith("PySide6")} == before
    assert finding.area == "qt"


def test_that_little_room_and_no_room_are_wrong(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    usage = shutil.disk_usage(tmp_path)._replace(free=1 << 30)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    assert levels(doctor_checks.check_disk()) == [Severity.WRONG, Severity.WRONG]
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setattr(doctor_checks, "data_folder", lambda: blocked / "below")
    assert "there is a file where a folder is needed" in doctor_checks.check_disk()[0].text


def test_that_a_slow_or_busy_clock_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "clock").write_text("hpet\n")
    monkeypatch.setattr(doctor_checks, "_CLOCK", tmp_path / "clock")
    monkeypatch.setattr(doctor_checks, "_lateness_s", lambda: 0.005)
    assert levels(doctor_checks.check_clock()) == [Severity.WRONG, Severity.NOTE]
    (tmp_path / "clock").write_text("tsc\n")
    monkeypatch.setattr(doctor_checks, "_lateness_s", lambda: 0.0001)
    (finding,) = doctor_checks.check_clock()
    assert finding.text == "tsc; wake-ups come 0.10 ms late"


def test_that_a_keyring_that_fails_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert doctor_checks.check_keyring().level is Severity.NOTE


def test_that_a_listener_on_the_usual_port_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        monkeypatch.setattr(doctor_checks, "_DEFAULT_PORT", listener.getsockname()[1])
        assert any("somebody listens on" in finding.text for finding in doctor_checks.check_ports())


def test_that_step_records_without_a_bench_file_are_told() -> None:
    folder = data_folder() / "steps"
    assert not [finding for finding in doctor_checks.check_disk() if "step record" in finding.text]
    folder.mkdir(parents=True)
    (folder / "a.steps.jsonl").write_bytes(b"x" * 3_000_000)
    (finding,) = [finding for finding in doctor_checks.check_disk() if "step record" in finding.text]
    assert finding.text.startswith("1 step record without a bench file, 3.0 MB in ")
    assert finding.level is Severity.NOTE


async def test_that_a_place_which_does_not_answer_is_told_and_kept_for_the_next_time() -> None:
    path = write_remote_record("ssh", "127.0.0.1:1", "folder", "vllm serve m")
    roll = msgspec.json.decode(path.read_bytes(), type=RemoteServerRecord)
    gone = ProcessIdentity(pid=roll.owner.pid, started=roll.owner.started - 1000, name="python")
    path.write_bytes(msgspec.json.encode(msgspec.structs.replace(roll, owner=gone)))
    (finding,) = await doctor._clean_elsewhere()
    assert finding.level is Severity.NOTE
    assert "127.0.0.1:1: can't be reached" in finding.text
    assert path.exists()
