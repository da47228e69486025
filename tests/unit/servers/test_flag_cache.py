"""Flags are kept only where they are flags; rubbish that is kept is asked again."""

import asyncio
from pathlib import Path

import pytest

from workbench.base import InputError, Place
from workbench.servers import flags as flag_room
from workbench.servers.flags import load_flags

GOOD = b'{"form": %d, "flags": [{"flags": ["--port"], "dest": "port"}]}' % flag_room._FORM
NO_FLAGS = b'{"form": %d, "flags": []}' % flag_room._FORM
RUBBISH = [b"", b"\x00\xff", b"[" * 100_000, b"{}", NO_FLAGS, b'{"form": 9, "flags": []}']


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(flag_room, "cache_folder", lambda: tmp_path)
    return tmp_path


class Dump:
    def __init__(self, content: bytes) -> None:
        self.content = content
        self.asked = 0

    async def __call__(self) -> bytes:
        self.asked += 1
        return self.content


@pytest.mark.parametrize("rubbish", RUBBISH)
async def test_that_rubbish_is_refused_and_not_kept(rubbish: bytes) -> None:
    with pytest.raises(InputError, match="image x: its flags can't be read"):
        await load_flags("0.32.0-a", Dump(rubbish), place=Place(file="image x"))
    good = Dump(GOOD)
    assert (await load_flags("0.32.0-a", good, place=Place(file="image x"))).has("--port")
    assert (await load_flags("0.32.0-a", good, place=Place(file="image x"))).has("--port")
    assert good.asked == 1


@pytest.mark.parametrize("rubbish", RUBBISH)
async def test_that_kept_rubbish_is_asked_again(rubbish: bytes, cache: Path) -> None:
    path = cache / "vllm-flags" / "0.32.0-a.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(rubbish)
    assert (await load_flags("0.32.0-a", Dump(GOOD), place=Place(file="image x"))).has("--port")
    assert path.read_bytes() == GOOD


def test_that_no_key_leads_out_of_the_folder(cache: Path) -> None:
    asyncio.run(load_flags("../../" + "x" * 500, Dump(GOOD), place=Place(file="image x")))
    assert [path.parent.name for path in cache.rglob("*.json")] == ["vllm-flags"]


async def test_that_flags_which_can_not_be_kept_are_told_all_the_same(cache: Path) -> None:
    (cache / "vllm-flags").write_text("a file where the folder would be")
    assert (await load_flags("0.32.0-a", Dump(GOOD), place=Place(file="image x"))).has("--port")
