"""vLLM is found by its script, its environment or its Python, and asked for its flags once."""

import sys
from pathlib import Path

import pytest

from workbench.base import InputError, cache_folder
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
