"""The KV-cache layout of a model by an installed vLLM's own model class and planner, cached."""

import hashlib
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from workbench.base import UNREADABLE, InputError, Record, Refusal, cache_folder, message, write_atomic
from workbench.servers.flags import key_of
from workbench.servers.install import Install
from workbench.servers.run_command import run_program

_SCRIPT = Path(__file__).parent / "inside" / "dump_kv_layout.py"
_TIMEOUT_S = 600.0
"""20 s on a small machine, nearly all of it importing torch; large models and cold disks take longer."""
_FORM = 1
_BESIDE = ("generation_config.json", "params.json", "hf_quant_config.json", "quantize_config.json")
"""Files beside config.json that vLLM reads for a model's configuration."""


class VllmKvGroup(Record, frozen=True, kw_only=True):
    """Layers that share a block table."""

    kind: str
    """The class of vLLM's specification, such as `FullAttentionSpec`."""
    layers: int
    block_size: int


class VllmKvLayout(Record, frozen=True, kw_only=True):
    """The KV cache of one GPU, as vLLM's own planner lays it out."""

    form: int
    platform: str
    architecture: str
    """The class that vLLM uses for the model."""
    groups: tuple[VllmKvGroup, ...]
    bytes_per_block: int
    """Bytes of a block of the pool; 0: no layer keeps anything."""
    block_size: int
    blocks: tuple[tuple[int, float], ...]
    """Blocks that one request takes at most, by its length."""
    bytes_per_token: int
    """Sum over all attention layers, each counted for every token."""
    state_bytes: int
    """States of one request, summed over all layers that keep one."""
    shared_layers: int
    """Layers that use the keys and values of others."""
    max_model_len: int
    kv_cache_dtype: str
    weights_bytes: int
    """Parameters and constant tables."""


async def kv_layout_of(
    install: Install, config: Path, *, tp: int, words: dict[str, Any], for_card: bool
) -> VllmKvLayout:
    """Return the layout of the model whose config.json is `config`, from the cache if nothing changed since.

    Args:
        install: the vLLM that computes it.
        config: the file, by whatever name; what lies beside it counts where vLLM reads it.
        tp: tensor-parallel size; no GPU but the first is needed.
        words: settings by the names of vLLM's engine arguments; None: its default.
        for_card: a GPU is meant; a vLLM that was built for CPUs then plans with a GPU's defaults.

    Raises:
        InputError: it can't compute the layout; its last output is named.
    """
    files = [config, *(path for name in _BESIDE if (path := config.parent / name).is_file())]
    try:
        contents = {path.name if path != config else "config.json": path.read_bytes() for path in files}
    except OSError as error:
        raise Refusal("base.unreadable_file", cause=f"{config}: {error.strerror}") from error
    asked = {"tp": tp, "words": words, "for_card": for_card}
    place = _cache_file(install, asked, contents)
    known = _read_cache(place)
    if known is not None:
        return known
    content = await _dump(install, asked, contents)
    try:
        found = msgspec.json.decode(content, type=VllmKvLayout)
    except UNREADABLE as error:
        raise Refusal(
            "servers.no_kv_layout", vllm=str(install.script), said=message("servers.nothing")
        ) from error
    # Without a cache it is computed again next time.
    with suppress(OSError, InputError):
        place.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(place, content)
    return found


def _cache_file(install: Install, asked: dict[str, Any], contents: dict[str, bytes]) -> Path:
    identity = hashlib.sha256(msgspec.json.encode([_FORM, asked, sorted(contents)], order="sorted"))
    for name in sorted(contents):
        identity.update(contents[name])
    return cache_folder() / "vllm-kv" / f"{key_of(install)}-{identity.hexdigest()[:16]}.json"


def _read_cache(place: Path) -> VllmKvLayout | None:
    try:
        found = msgspec.json.decode(place.read_bytes(), type=VllmKvLayout)
    except (OSError, *UNREADABLE):
        return None
    return found if found.form == _FORM else None


async def _dump(install: Install, asked: dict[str, Any], contents: dict[str, bytes]) -> bytes:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model, request, target = folder / "model", folder / "request.json", folder / "layout.json"
        model.mkdir()
        for file, content in contents.items():
            (model / file).write_bytes(content)
        request.write_bytes(msgspec.json.encode({**asked, "folder": str(model)}))
        command = [str(install.python), str(_SCRIPT), str(request), str(target)]
        said = await run_program(command, timeout_s=_TIMEOUT_S)
        if said.exit_code or not target.is_file():
            raise Refusal(
                "servers.no_kv_layout",
                vllm=str(install.script),
                said=said.last_error.removeprefix("[rank0]: "),
            )
        return target.read_bytes()
