"""Manual pages of the two executables, from their own help."""

import gzip
import io
import sys
from contextlib import redirect_stdout, suppress
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from ui.__main__ import parse  # noqa: E402 - after the path
from workbench import __version__  # noqa: E402
from workbench.cli import COMMANDS, main  # noqa: E402

SUMMARY = "tunes continuous batching in vLLM on your own requests and your own GPU"


def write_man_pages(folder: Path) -> list[Path]:
    """Write `workbench.1.gz` and `vllm-workbench.1.gz` into the folder, and return them."""
    sections = [(f"workbench {name}".upper(), _help(main, [name, "--help"])) for name in COMMANDS]
    return [
        _write(folder, "workbench", "vLLM Workbench on the command line", _help(main, ["--help"]), sections),
        _write(folder, "vllm-workbench", "the window of vLLM Workbench", _help(parse, ["--help"]), []),
    ]


def _help(program: object, words: list[str]) -> str:
    assert callable(program)
    said = io.StringIO()
    with redirect_stdout(said), suppress(SystemExit):
        program(words)
    return said.getvalue().replace("python -m workbench", "workbench")


def _write(folder: Path, name: str, title: str, usage: str, sections: list[tuple[str, str]]) -> Path:
    lines = [f'.TH {name.upper()} 1 "" "vLLM Workbench {__version__}" "User Commands"']
    lines += [".SH NAME", f"{name} \\- {title}", ".SH DESCRIPTION", f"{name} {SUMMARY}.", *_block(usage)]
    for head, text in sections:
        lines += [f".SH {head}", *_block(text)]
    path = folder / f"{name}.1.gz"
    # The time in the header would make two builds differ.
    path.write_bytes(gzip.compress("\n".join([*lines, ""]).encode(), 9, mtime=0))
    return path


def _block(text: str) -> list[str]:
    """Return the text as it is, with roff's marks escaped."""
    escaped = [line.replace("\\", "\\e").replace("-", "\\-") for line in text.rstrip().splitlines()]
    return [".nf", *(f"\\&{line}" for line in escaped), ".fi"]
