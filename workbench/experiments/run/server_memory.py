"""How much memory a target's server takes: foretold before it is started, then corrected by its own log."""

import asyncio
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from workbench.advice import SizingEstimate, SizingRequest, size_model
from workbench.advice.sizing import ServerMemory, differences, read_server_memory
from workbench.base import InputError, Message, Place, Record, Refusal, message
from workbench.controls import Value, control_flags
from workbench.experiments.run.channel import Emit
from workbench.experiments.run.command_flags import flag_values, whole_number
from workbench.experiments.run.events import MemoryReported, as_data
from workbench.profiles import find_card, known_card
from workbench.servers import EffectiveConfig, TargetSpec, find_install, model_folder
from workbench.telemetry import open_gpus

STARTED = ("local", "ssh", "container")
"""Kinds of target whose vLLM is started by us, so that its log is read."""
_GIB = 2**30
_WHOLE = {
    "--tensor-parallel-size": "tp",
    "--pipeline-parallel-size": "pp",
    "--max-model-len": "max_model_len",
    "--block-size": "block_size",
    "--max-num-batched-tokens": "max_num_batched_tokens",
    "--max-num-seqs": "max_num_seqs",
}
_TEXTS = {
    "--dtype": "dtype",
    "--kv-cache-dtype": "kv_cache_dtype",
    "--quantization": "quantization",
}
_BLOCKS = "--num-gpu-blocks-override"
_BYTES = "--kv-cache-memory-bytes"
_UNCOUNTED = (_BLOCKS, "--cpu-offload-gb", "--kv-offloading-size", "--speculative-config", "--enable-lora")
"""Flags that change the memory and that the estimate knows nothing of."""
_ABOUT_MEMORY = re.compile(r"Gi?B\b|KV cache|blocks|concurrency", re.IGNORECASE)
_MOST_LINES = 2000


class SizingGpu(Record, frozen=True, kw_only=True):
    """What a server is sized on: a card of the catalogue, or its memory alone."""

    name: str
    """As shown."""
    card: str | None
    gib: float | None


def parse_gpu(text: str) -> SizingGpu:
    """The GPU of `H100`, `h100_sxm`, `24 GiB` or `24`.

    Raises:
        InputError: neither a card of the catalogue nor a size.
    """
    size = re.fullmatch(r"\s*([\d.]+)\s*(?:GiB)?\s*", text, re.IGNORECASE)
    if size is None:
        card = find_card(text, remedy=message("gpu.give_memory_here"))
        return SizingGpu(name=card.title, card=card.name, gib=card.usable_gib)
    try:
        gib = float(size[1])
    except ValueError as error:
        raise Refusal("experiments.not_a_size", text=text) from error
    return SizingGpu(name=f"{gib:g} GiB", card=None, gib=gib)


def local_gpu() -> SizingGpu | None:
    """The smallest GPU of this machine, which decides; None: nobody knows of one."""
    library = open_gpus()
    if library is None:
        return None
    try:
        known = [gpu for gpu in library.gpus() if gpu.memory_total]
    finally:
        library.close()
    if not known:
        return None
    least = min(known, key=lambda gpu: gpu.memory_total or 0)
    return _gpu_by_name(least.name, (least.memory_total or 0) / _GIB)


def _gpu_by_name(name: str, gib: float | None) -> SizingGpu | None:
    """A GPU by a driver's name of it; one that isn't in the catalogue by its memory."""
    card = known_card(name)
    if card is None:
        return None if gib is None else SizingGpu(name=name, card=None, gib=round(gib, 2))
    return SizingGpu(name=card.title, card=card.name, gib=card.usable_gib)


def memory_request(target: TargetSpec, controls: Mapping[str, Value], gpu: SizingGpu | None) -> SizingRequest:
    """What is asked of the sizing for this target with these controls.

    Raises:
        InputError: the server isn't started by us, its model's files aren't on this machine, or a word of
            its command line can't be; says which.
    """
    if target.kind not in STARTED:
        if target.kind == "embedded":
            raise Refusal("experiments.memory_of_profile")
        raise Refusal("experiments.memory_of_running_server")
    folder = model_folder(target.model or "")
    if folder is None:
        model = target.model or message("experiments.no_model")
        raise Refusal("experiments.no_model_config", model=model)
    asked = flag_values([*control_flags(controls), *target.args])
    return SizingRequest(
        config=folder,
        gpu=None if gpu is None else gpu.card,
        gpu_gib=None if gpu is None or gpu.card else gpu.gib,
        enforce_eager="--enforce-eager" in asked,
        **_asked(asked),
    )


def _asked(asked: Mapping[str, str]) -> dict[str, Any]:
    """What the command line says, by the sizing's names."""
    fields: dict[str, Any] = {name: asked[flag] for flag, name in _TEXTS.items() if asked.get(flag)}
    for flag, name in _WHOLE.items():
        if asked.get(flag, "auto") not in {"auto", ""}:
            fields[name] = whole_number(asked[flag], flag)
    if "--gpu-memory-utilization" in asked:
        fields["gpu_memory_utilization"] = _share(asked["--gpu-memory-utilization"])
    if _BYTES in asked:
        fields["kv_gib"] = whole_number(asked[_BYTES], _BYTES) / _GIB
    return fields


def _share(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        place = Place(key="--gpu-memory-utilization")
        raise Refusal("experiments.not_a_share", place, text=text) from error


def uncounted(target: TargetSpec, controls: Mapping[str, Value]) -> list[Message]:
    """Return one sentence for each flag that changes the memory and isn't counted."""
    asked = flag_values([*control_flags(controls), *target.args])
    return [
        message("sizing.flag_uncounted", flag=f"{flag} {asked[flag]}".rstrip())
        for flag in _UNCOUNTED
        if flag in asked
    ]


def estimate_memory(
    target: TargetSpec, controls: Mapping[str, Value], gpu: SizingGpu | None
) -> SizingEstimate:
    """The estimate before a server of this target is started, for the vLLM that it would be; in a thread.

    Raises:
        InputError: as `memory_request`, or what was asked can't be.
    """
    request = memory_request(target, controls, gpu)
    version = _version_here(target)
    if version is not None:
        request = msgspec.structs.replace(request, vllm_version=version)
    estimate = size_model(request)
    return msgspec.structs.replace(estimate, notes=[*estimate.notes, *uncounted(target, controls)])


def _version_here(target: TargetSpec) -> str | None:
    """Of the vLLM on this machine that would be started; None: it is elsewhere, or none is found."""
    if target.kind != "local":
        return None
    try:
        return asyncio.run(find_install(target.executable)).version
    except InputError:
        return None


class MemoryWatch:
    """Follows a server's start; once it is ready, what its log says of memory stands beside the estimate."""

    def __init__(self, target: TargetSpec, emit: Emit) -> None:
        self._target = target
        self._emit = emit
        self._lines: list[str] = []
        self.facts: dict[str, Any] = {}
        """Scorecard columns of all runs on this server."""

    def reset(self) -> None:
        """Another server is started."""
        self._lines, self.facts = [], {}

    def feed(self, line: str) -> None:
        """A line of its log."""
        if len(self._lines) < _MOST_LINES and _ABOUT_MEMORY.search(line):
            self._lines.append(line)

    async def report(self, controls: Mapping[str, Value], effective: EffectiveConfig) -> None:
        """It serves: tell what it took, and how far the estimate was off. Files are read in a thread."""
        if self._target.kind not in STARTED:
            return
        memory = read_server_memory(self._lines)
        estimate, why = await asyncio.to_thread(_estimate, self._target, dict(controls), effective)
        said = [] if estimate is None else _differences(estimate, memory, effective)
        self.facts = _facts(memory, estimate)
        if estimate is None and not any(_known(memory).values()):
            return
        told = None if estimate is None else estimate.told()
        event = MemoryReported(
            server=_known(memory),
            estimate=told,
            differences=[str(each) for each in said],
            why=None if why is None else str(why),
            message=why if isinstance(why, Message) else None,
        )
        self._emit(event)


def _estimate(
    target: TargetSpec, controls: Mapping[str, Value], effective: EffectiveConfig
) -> tuple[SizingEstimate | None, Message | str | None]:
    """As it would have been foretold by all that is known of the server now; else why it can't."""
    told = effective.system.get("nvidia_gpu_models")
    gpu = _gpu_by_name(str(told), None) if told else local_gpu() if target.kind == "local" else None
    try:
        request = memory_request(target, controls, gpu)
        return size_model(msgspec.structs.replace(request, **_as_it_runs(effective))), None
    except InputError as error:
        return None, as_data(error)
    except Exception as error:  # noqa: BLE001 - advice never ends a measurement
        return None, message("experiments.sizing_failed", error=type(error).__name__, text=str(error))


def _as_it_runs(effective: EffectiveConfig) -> dict[str, Any]:
    """What the server says it uses, by the sizing's names."""
    known = {
        "max_model_len": effective.max_model_len,
        "vllm_version": effective.version,
        "tp": effective.arguments.get("tensor_parallel_size"),
        "pp": effective.arguments.get("pipeline_parallel_size"),
        "gpu_memory_utilization": effective.arguments.get("gpu_memory_utilization"),
        "max_num_batched_tokens": effective.arguments.get("max_num_batched_tokens"),
        "max_num_seqs": effective.arguments.get("max_num_seqs"),
    }
    return {name: value for name, value in known.items() if value is not None}


def _differences(estimate: SizingEstimate, memory: ServerMemory, effective: EffectiveConfig) -> list[str]:
    if effective.arguments.get("num_gpu_blocks_override") is not None:
        # Its blocks were asked for: their tokens say nothing of what fits.
        memory = msgspec.structs.replace(memory, kv_tokens=None)
    return differences(estimate, memory)


def _known(memory: ServerMemory) -> dict[str, Any]:
    return {name: getattr(memory, name) for name in memory.__struct_fields__}


def _facts(memory: ServerMemory, estimate: SizingEstimate | None) -> dict[str, Any]:
    found = {"weights_gib": memory.weights_gib, "kv_cache_gib": memory.kv_gib}
    if estimate is not None:
        found |= {
            "weights_gib_estimated": estimate.weights_gib,
            "kv_cache_gib_estimated": estimate.kv_gib,
            "kv_cache_tokens_estimated": estimate.kv_tokens,
        }
    return {name: value for name, value in found.items() if value is not None}
