"""Memory of a target's server: estimated before its start, then compared with its log."""

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
"""Kinds of target whose vLLM we start, so that its log is read."""
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
"""Flags that change the memory and that the estimate ignores."""
_ABOUT_MEMORY = re.compile(r"Gi?B\b|KV cache|blocks|concurrency", re.IGNORECASE)
_MOST_LINES = 2000


class SizingGpu(Record, frozen=True, kw_only=True):
    """GPU for the sizing: a card of the catalogue, or its memory alone."""

    name: str
    """Name as shown."""
    card: str | None
    gib: float | None


def parse_gpu(text: str) -> SizingGpu:
    """Return the GPU of `H100`, `h100_sxm`, `24 GiB` or `24`.

    Raises:
        Refusal: neither a card of the catalogue nor a size.
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
    """Return the smallest GPU of this machine, which decides; None without a known GPU."""
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
    """Return a GPU by its driver's name; one that isn't in the catalogue by its memory."""
    card = known_card(name)
    if card is None:
        return None if gib is None else SizingGpu(name=name, card=None, gib=round(gib, 2))
    return SizingGpu(name=card.title, card=card.name, gib=card.usable_gib)


def memory_request(target: TargetSpec, controls: Mapping[str, Value], gpu: SizingGpu | None) -> SizingRequest:
    """Return the sizing request for this target with these controls.

    Raises:
        Refusal: we don't start the server, its model's files aren't on this machine, or a value of its
        command
            line is invalid.
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
        **_flag_fields(asked),
    )


def _flag_fields(asked: Mapping[str, str]) -> dict[str, Any]:
    """Return the sizing fields that the command line sets."""
    fields: dict[str, Any] = {name: asked[flag] for flag, name in _TEXTS.items() if asked.get(flag)}
    for flag, name in _WHOLE.items():
        if asked.get(flag, "auto") not in {"auto", ""}:
            fields[name] = whole_number(asked[flag], flag)
    if "--gpu-memory-utilization" in asked:
        fields["gpu_memory_utilization"] = _parse_share(asked["--gpu-memory-utilization"])
    if _BYTES in asked:
        fields["kv_gib"] = whole_number(asked[_BYTES], _BYTES) / _GIB
    return fields


def _parse_share(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        place = Place(key="--gpu-memory-utilization")
        raise Refusal("experiments.not_a_share", place, text=text) from error


def uncounted_flags(target: TargetSpec, controls: Mapping[str, Value]) -> list[Message]:
    """Return one message for each flag that changes the memory and isn't counted."""
    asked = flag_values([*control_flags(controls), *target.args])
    return [
        message("sizing.flag_uncounted", flag=f"{flag} {asked[flag]}".rstrip())
        for flag in _UNCOUNTED
        if flag in asked
    ]


def estimate_memory(
    target: TargetSpec, controls: Mapping[str, Value], gpu: SizingGpu | None
) -> SizingEstimate:
    """Estimate the memory for the vLLM that would be started; call it in a thread.

    Raises:
        InputError: as `memory_request`, or the requested sizes are impossible.
    """
    request = memory_request(target, controls, gpu)
    version = _version_here(target)
    if version is not None:
        request = msgspec.structs.replace(request, vllm_version=version)
    estimate = size_model(request)
    return msgspec.structs.replace(estimate, notes=[*estimate.notes, *uncounted_flags(target, controls)])


def _version_here(target: TargetSpec) -> str | None:
    """Return the version of the local vLLM that would be started; None without one."""
    if target.kind != "local":
        return None
    try:
        return asyncio.run(find_install(target.executable)).version
    except InputError:
        return None


class MemoryWatch:
    """Follows a server's start; once it is ready, compares the memory in its log with the estimate."""

    def __init__(self, target: TargetSpec, emit: Emit) -> None:
        self._target = target
        self._emit = emit
        self._lines: list[str] = []
        self.facts: dict[str, Any] = {}
        """Scorecard columns of all runs on this server."""

    def reset(self) -> None:
        """Forget the last server."""
        self._lines, self.facts = [], {}

    def feed(self, line: str) -> None:
        """Read a line of the server's log."""
        if len(self._lines) < _MOST_LINES and _ABOUT_MEMORY.search(line):
            self._lines.append(line)

    async def report(self, controls: Mapping[str, Value], effective: EffectiveConfig) -> None:
        """Emit the server's memory and the error of the estimate; files are read in a thread."""
        if self._target.kind not in STARTED:
            return
        memory = read_server_memory(self._lines)
        estimate, why = await asyncio.to_thread(_estimate, self._target, dict(controls), effective)
        said = [] if estimate is None else _differences(estimate, memory, effective)
        self.facts = _facts(memory, estimate)
        if estimate is None and not any(_as_fields(memory).values()):
            return
        fields = None if estimate is None else estimate.to_dict()
        event = MemoryReported(
            server=_as_fields(memory),
            estimate=fields,
            differences=[str(each) for each in said],
            why=None if why is None else str(why),
            message=why if isinstance(why, Message) else None,
        )
        self._emit(event)


def _estimate(
    target: TargetSpec, controls: Mapping[str, Value], effective: EffectiveConfig
) -> tuple[SizingEstimate | None, Message | str | None]:
    """Return the estimate for the running server's settings, or why there is none."""
    name = effective.system.get("nvidia_gpu_models")
    gpu = _gpu_by_name(str(name), None) if name else local_gpu() if target.kind == "local" else None
    try:
        request = memory_request(target, controls, gpu)
        return size_model(msgspec.structs.replace(request, **_reported_fields(effective))), None
    except InputError as error:
        return None, as_data(error)
    except Exception as error:  # noqa: BLE001 - advice never ends a measurement
        return None, message("experiments.sizing_failed", error=type(error).__name__, text=str(error))


def _reported_fields(effective: EffectiveConfig) -> dict[str, Any]:
    """Return the sizing fields that the server reports."""
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


def _differences(estimate: SizingEstimate, memory: ServerMemory, effective: EffectiveConfig) -> list[Message]:
    if effective.arguments.get("num_gpu_blocks_override") is not None:
        # The number of blocks was set by the user, so it doesn't show what fits.
        memory = msgspec.structs.replace(memory, kv_tokens=None)
    return differences(estimate, memory)


def _as_fields(memory: ServerMemory) -> dict[str, Any]:
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
