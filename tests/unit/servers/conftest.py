"""A stand-in vLLM: a distribution with version, parser and script, found and asked like the real one."""

import stat
import sys
from pathlib import Path

import pytest

from tests.unit.servers.there import there

__all__ = ["there"]

PARSER = """
import argparse

def make_arg_parser(parser):
    for flag in ("--host", "--port", "--api-key", "--max-num-seqs", "--max-num-batched-tokens", "--dtype",
                 "--served-model-name", "--custom-histogram-buckets", "--max-model-len", "--scheduler-cls"):
        parser.add_argument(flag)
    parser.add_argument("--enable-per-request-metrics", action=argparse.BooleanOptionalAction)
    return parser
"""
VARIABLES = ("VLLM_CPU_KVCACHE_SPACE", "VLLM_PLUGINS", "VLLM_RPC_BASE_PATH")


@pytest.fixture
def vllm_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The script of an installed stand-in vLLM 9.9.0."""
    packages = tmp_path / "packages"
    for name, text in {
        "vllm/__init__.py": "",
        "vllm/envs.py": f"environment_variables = {dict.fromkeys(VARIABLES)}",
        "vllm/utils/__init__.py": "",
        "vllm/utils/argparse_utils.py": "from argparse import ArgumentParser as FlexibleArgumentParser",
        "vllm/entrypoints/__init__.py": "",
        "vllm/entrypoints/launchers/__init__.py": "",
        "vllm/entrypoints/launchers/cli_args.py": PARSER,
        "vllm-9.9.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: vllm\nVersion: 9.9.0\n",
    }.items():
        path = packages / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    script = tmp_path / "bin" / "vllm"
    script.parent.mkdir()
    source = Path(__file__).with_name("stand_in.py").read_text()
    script.write_text(f"#!{sys.executable}\n{source}")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr("workbench.servers.child._FAREWELL_S", 0.2)
    monkeypatch.setenv("PYTHONPATH", str(packages))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return script
