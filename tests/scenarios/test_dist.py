"""What `make dist` makes, used where nothing else of ours is: the wheel, and the frozen folder."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.scenarios.test_packs import EXPERIMENT
from tests.unit.servers.conftest import vllm_script
from tests.unit.servers.sshd import Sshd
from tests.unit.servers.test_program_copy import bare
from tests.unit.servers.there import Watch, look_at, needs_sshd, start, target
from workbench.experiments.run.remote_workers import check_version
from workbench.servers.ssh.program_copy import FOLDER_VARIABLE

pytestmark = pytest.mark.slow
__all__ = ["bare", "vllm_script"]

REPOSITORY = Path(__file__).parents[2]
FROZEN = REPOSITORY / "dist" / "vllm-workbench"
ROOMS = (
    "base",
    "controls",
    "traces",
    "results",
    "telemetry",
    "engine",
    "load",
    "servers",
    "advice",
    "experiments",
)
OFFERED = [f"workbench.{room}:*" for room in ROOMS]
LAZY = ("asyncssh", "tokenizers", "scipy.stats", "scipy.optimize", "pandas", "openpyxl", "pynvml", "uvloop")
"""Libraries that are imported when they are needed."""


def run(*words: str | Path, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        [*map(str, words)], cwd=cwd, env=environment, capture_output=True, text=True, timeout=280, check=False
    )
    assert done.returncode == 0, (words, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built and installed into a folder of its own, with this environment's libraries."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    run(*pip, "wheel", "-q", "--no-deps", "-w", folder, REPOSITORY, cwd=folder, **os.environ)
    (wheel,) = folder.glob("*.whl")
    run(*pip, "install", "-q", "--no-deps", "--target", folder / "site", wheel, cwd=folder, **os.environ)
    return folder / "site"


def test_that_the_wheel_holds_all_that_is_read_at_run_time(installed: Path, tmp_path: Path) -> None:
    environment = {"PYTHONPATH": str(installed), "HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    python = (sys.executable, "-m")
    where = run(
        sys.executable, "-c", "import workbench; print(workbench.__file__)", cwd=tmp_path, **environment
    )
    assert where.startswith(str(installed))
    run(*python, "workbench.base.try_imports", *OFFERED, cwd=tmp_path, **environment)
    assert run(*python, "workbench", "--version", cwd=tmp_path, **environment).startswith("vLLM Workbench")
    shown = run(*python, "workbench", "demo", "--seconds", "3", cwd=tmp_path, **environment)
    assert "bench file:" in shown
    for name in ("ui/_docs/tutorial.md", "workbench/_resources/translations/workbench_zh_CN.qm"):
        assert (installed / name).is_file()
    assert {"workbench", "vllm-workbench"} <= {path.name for path in (installed / "bin").iterdir()}


@pytest.fixture
def frozen() -> Path:
    if not (FROZEN / "workbench").exists():
        pytest.skip("no frozen folder: make dist makes it")
    return FROZEN


def test_that_the_frozen_folder_runs_in_an_empty_environment(frozen: Path, tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path)}
    program = frozen / "workbench"
    run(program, "-m", "workbench.base.try_imports", *OFFERED, *LAZY, cwd=tmp_path, **home)
    assert "bench file:" in run(program, "demo", "--seconds", "3", cwd=tmp_path, **home)
    (bench,) = (tmp_path / "out" / "demo").glob("*.bench")
    pack = tmp_path / "p.zip"
    run(program, "export", bench, "--pack", pack, cwd=tmp_path, **home)
    assert "every figure follows" in run(program, "export", "--verify", pack, cwd=tmp_path, **home)


def test_that_the_frozen_window_opens_without_an_error(frozen: Path, tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path), "QT_QPA_PLATFORM": "offscreen"}
    log = tmp_path / "window.log"
    with (
        log.open("wb") as out,
        subprocess.Popen([str(frozen / "vllm-workbench")], env=environment, stdout=out, stderr=out) as window,
    ):
        # Its libraries load in a thread once it is shown; it is idle after that.
        process, used = psutil.Process(window.pid), -1.0
        while used < (used := process.cpu_times().user):
            time.sleep(3.0)
        assert window.poll() is None, log.read_text()
        window.terminate()
    said = [line for line in log.read_text().splitlines() if "propagateSizeHints" not in line]
    assert not said


def test_that_the_debian_package_has_its_parts_and_no_lintian_error() -> None:
    found = list((REPOSITORY / "dist").glob("*.deb"))
    if not found or shutil.which("dpkg-deb") is None:
        pytest.skip("no Debian package: make dist makes it")
    listed = subprocess.run(["dpkg-deb", "-c", found[0]], capture_output=True, text=True, check=True).stdout
    for name in (
        "/usr/bin/workbench -> /opt/vllm-workbench/workbench",
        "/usr/bin/vllm-workbench -> /opt/vllm-workbench/vllm-workbench",
        "/usr/share/applications/io.github.vllm_workbench.Workbench.desktop",
        "/usr/share/mime/packages/vllm-workbench.xml",
        "/usr/share/man/man1/workbench.1.gz",
        "/usr/share/metainfo/",
    ):
        assert name in listed, name
    if shutil.which("lintian"):
        words = ["lintian", "--fail-on", "error", "--suppress-tags", ",".join(BUNDLED), str(found[0])]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


@needs_sshd
async def test_that_the_frozen_folder_copies_itself_to_a_machine_without_python_and_serves_there(
    frozen: Path, bare: Sshd, vllm_script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(frozen))
    server = await start(target(bare, vllm_script, load_python="copy"), Watch())
    (copy,) = (bare.home / ".cache/vllm-workbench").glob("program-*/program")
    assert not list(copy.rglob("*Qt*"))
    assert server.remote_host is not None
    assert server.remote_host.program == str(copy / "workbench")
    await check_version(server.remote_host, str(copy / "workbench"))
    assert abs(await server.clock_ahead_s() or 9.0) < 1.0
    assert 0 <= ((await look_at(server)).host_cpu or 0) <= 1
    await server.stop()
    assert not list((bare.home / ".cache/vllm-workbench").glob("program-*"))


@pytest.fixture(scope="module")
def debian(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A Debian without Python, from the network, with the frozen folder in /opt/wb."""
    if os.geteuid() or shutil.which("mmdebstrap") is None or not (FROZEN / "workbench").exists():
        pytest.skip("needs root, mmdebstrap and a frozen folder")
    root = tmp_path_factory.mktemp("debian") / "root"
    made = subprocess.run(["mmdebstrap", "--quiet", "--variant=minbase", "bookworm", root], check=False)
    if made.returncode:
        pytest.skip("no Debian could be had")
    assert not (root / "usr/bin/python3").exists()
    shutil.copytree(FROZEN, root / "opt/wb", symlinks=True)
    mounts = (("-t", "proc", "proc", root / "proc"), ("--bind", "/dev", root / "dev"))
    for words in mounts:
        subprocess.run(["mount", *words], check=True)
    yield root
    for words in mounts:
        subprocess.run(["umount", words[-1]], check=True)


def within(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command in the Debian, in an environment of its own."""
    command = ["chroot", str(root), "env", "-i", "HOME=/srv", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)


def test_that_a_vendor_without_python_gets_from_an_order_to_a_checked_result(debian: Path) -> None:
    (debian / "srv/seats.toml").write_text(EXPERIMENT)
    program, order, result = "/opt/wb/workbench", "/srv/order.wbpack", "/srv/result.wbpack"
    for words in (("plan", "/srv/seats.toml", "--out", order), ("run", order, "--out", result)):
        done = within(debian, program, "pack", *words)
        assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(within(debian, program, "pack", "check", result, "--json", "-").stdout)["findings"]
    # A busy machine makes a run invalid, and can't be calibrated: the result says both.
    assert {each["kind"] for each in found} <= {"packs.verdict_unmet", "packs.evidence_missing"}
    assert all(each["values"].get("evidence") in (None, "calibration") for each in found)


def test_that_the_debian_package_installs_starts_and_leaves_nothing(debian: Path) -> None:
    packages = list((REPOSITORY / "dist").glob("*.deb"))
    if not packages:
        pytest.skip("no Debian package: make dist makes it")
    shutil.copy(packages[0], debian / "srv/wb.deb")
    done = within(debian, "dpkg", "--install", "/srv/wb.deb")
    assert done.returncode == 0, done.stderr
    assert within(debian, "workbench", "--version").stdout.startswith("vLLM Workbench")
    done = within(debian, "dpkg", "--purge", "vllm-workbench")
    assert done.returncode == 0, done.stderr
    assert not (debian / "opt/vllm-workbench").exists()
    assert not (debian / "usr/bin/workbench").is_symlink()


BUNDLED = (
    *("dir-or-file-in-opt", "embedded-library", "unstripped-binary-or-object", "custom-library-search-path"),
    # Qt's ICU data is a library without code; Python's webbrowser names a command that it can do without.
    *("library-not-linked-against-libc", "missing-depends-on-sensible-utils"),
)
"""What a package of somebody else's Python and libraries can't avoid."""
