"""vLLM is found by its script, its environment or its Python, and asked for its flags once."""

import sys
from pathlib import Path

import pytest

from workbench.base import InputError, Place, cache_folder
from workbench.servers.extra_args import check_args
from workbench.servers.flags import flags_of
from workbench.servers.install import find_install

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a script with a first line")


async def test_that_script_folder_python_and_path_name_the_same(
    vllm_script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = vllm_script.with_name("python")
    python.symlink_to(sys.executable)
    monkeypatch.setenv("PATH", str(vllm_script.parent), prepend=":")
    for named in (str(vllm_script), str(vllm_script.parents[1]), str(python), "vllm", None):
        install = await find_install(named)
        assert (install.version, install.script) == ("9.9.0", vllm_script)


@pytest.mark.parametrize(
    ("executable", "words"),
    [
        ("/no/such/vllm", "no such file, folder or command"),
        ("/bin/true", "not vLLM"),
        (sys.executable, "not vLLM: its Python"),
    ],
)
async def test_that_what_is_not_vllm_is_named_as_such(executable: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        await find_install(executable)


async def test_that_flags_are_asked_once_and_again_after_a_change(vllm_script: Path) -> None:
    install = await find_install(str(vllm_script))
    flags = await flags_of(install)
    assert flags.has("--max-num-seqs")
    assert flags.has("--max_num_seqs")
    assert flags.has("--no-enable-per-request-metrics")
    assert not flags.has("--watermark")
    parser = vllm_script.parents[1] / "packages/vllm/entrypoints/launchers/cli_args.py"
    parser.write_text("raise SystemExit('broken')")
    assert await flags_of(install) == flags
    metadata = vllm_script.parents[1] / "packages/vllm-9.9.0.dist-info/METADATA"
    metadata.write_text(metadata.read_text() + "Summary: another build\n")
    with pytest.raises(InputError, match="its flags can't be read; it said: broken"):
        await flags_of(install)
    assert len(list((cache_folder() / "vllm-flags").iterdir())) == 1


MOVED = """
import argparse

class EnableDisable(argparse.BooleanOptionalAction):
    pass

def make_arg_parser(parser):
    parser.register("action", argparse.BooleanOptionalAction, EnableDisable)
    action = parser.add_argument("--enable-log-requests", action=EnableDisable)
    parser._option_string_actions["--disable-log-requests"] = action
    # As in 0.33: the listed spellings lack what the parser still takes.
    action.option_strings = ["--enable-log-requests", "--disable-log-requests"]
    return parser
"""


async def test_a_parser_that_moved_is_found_by_looking(vllm_script: Path) -> None:
    entrypoints = vllm_script.parents[1] / "packages/vllm/entrypoints"
    (entrypoints / "launchers/cli_args.py").unlink()
    for folder in ("tomorrow", "tomorrow/parsers"):
        (entrypoints / folder).mkdir()
        (entrypoints / folder / "__init__.py").write_text("")
    (entrypoints / "tomorrow/cli_args.py").write_text("raise SystemExit('another command, with none of it')")
    (entrypoints / "tomorrow/parsers/cli_args.py").write_text(MOVED)
    flags = await flags_of(await find_install(str(vllm_script)))
    assert flags.has("--enable-log-requests")


async def test_spellings_that_the_parser_takes_and_does_not_list_are_known(vllm_script: Path) -> None:
    parser = vllm_script.parents[1] / "packages/vllm/entrypoints/launchers/cli_args.py"
    parser.write_text(MOVED)
    flags = await flags_of(await find_install(str(vllm_script)))
    for word in ("--enable-log-requests", "--disable-log-requests", "--no-enable-log-requests"):
        assert flags.has(word)
    check_args(["--no-enable-log-requests"], flags, version="0.33.0", place=Place(table="target", key="args"))


async def test_a_vllm_without_a_parser_says_where_it_was_looked_for(vllm_script: Path) -> None:
    (vllm_script.parents[1] / "packages/vllm/entrypoints/launchers/cli_args.py").unlink()
    install = await find_install(str(vllm_script))
    with pytest.raises(InputError, match=r"no make_arg_parser where it is known to be: .*common\.cli_args"):
        await flags_of(install)
