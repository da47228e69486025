"""`make lock`: the libraries of this Python with their hashes; the file names no index."""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
_SILENT = (
    "--no-emit-index-url",
    "--no-emit-find-links",
    "--no-emit-trusted-host",
    "--no-header",
    "--no-annotate",
)
_EXTRAS = ("--extra", "ssh", "--extra", "gpu", "--extra", "tokenizer", "--strip-extras")


def main() -> int:
    """Write the lock file of this Python's version, below the comment of the old one."""
    target = ROOT / f"packaging/requirements-py{sys.version_info.major}{sys.version_info.minor}.lock"
    comment = (
        [line for line in target.read_text().splitlines() if line.startswith("#")] if target.exists() else []
    )
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "lock"
        words = [
            "--quiet",
            "--generate-hashes",
            *_SILENT,
            *_EXTRAS,
            "--output-file",
            str(made),
            "pyproject.toml",
        ]
        subprocess.run([sys.executable, "-m", "piptools", "compile", *words], check=True, cwd=ROOT)
        target.write_text("\n".join([*comment, made.read_text()]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
