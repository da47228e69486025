"""Effective settings from flags: vLLM's defaults by card, its adjustments, its refusals."""

import argparse
import math
import os
from pathlib import Path
from typing import Any

import msgspec

from workbench.base import Place, Record, Refusal
from workbench.engine.flags import AUTO, DEFAULT_PROFILE, scheduler_config
from workbench.engine.scheduler import SchedulerConfig
from workbench.engine.server.engine_metrics import FAMILIES, histogram_edges
from workbench.profiles import Profile, StepModel, load_profile
from workbench.vllm_dialect import Version, default_of

_VOCABULARIES = (("Qwen", 151936), ("Llama", 128256))
_DEFAULT_VOCABULARY = 128256


class VllmRefusal(Exception):  # noqa: N818 - vLLM's word for it is a validation error
    """A value that vLLM's configuration refuses; the server exits with 1 after vLLM's text."""

    def __init__(self, config: str, refusal: Refusal, error_type: str = "value_error") -> None:
        super().__init__(refusal.text(place=""))
        self.config = config
        self.refusal = refusal
        """The same as data; its place names the field."""
        self.error_type = error_type
        """pydantic's name for it."""

    @property
    def field(self) -> str | None:
        """The refused field, where the refusal is about a single one."""
        return self.refusal.place.key


class Settings(Record, frozen=True):
    """Effective settings of a server. Counts, tokens, blocks; times in simulated seconds."""

    host: str
    port: int
    model: str
    served_names: tuple[str, ...]
    profile: str | None
    step_model: StepModel
    time_scale: float
    vocab_size: int
    scheduler: SchedulerConfig
    max_num_queued_reqs: int | None
    max_num_queued_tokens: int | None
    stream_interval: int
    num_gpu_blocks_override: int | None
    user_block_size: bool
    per_request_metrics: bool
    prompt_tokens_details: bool
    request_id_headers: bool
    load_tracking: bool
    log_stats: bool
    access_log: bool
    edges: dict[str, list[float]]
    log_steps: str | None
    control_socket: str | None
    exit_with_stdin: bool
    version: str
    """Simulated vLLM version."""
    non_default: dict[str, Any]
    """Given arguments, secrets masked, for the log and `/server_info`."""


def api_keys(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Return accepted keys; empty: requests need none. They are never part of the settings."""
    given = arguments.api_key or [os.environ.get("VLLM_API_KEY", "")]
    return tuple(key for key in given if key)


def resolve(arguments: argparse.Namespace, non_default: dict[str, Any]) -> Settings:
    """Return the effective settings.

    Raises:
        Refusal: an unknown profile, a malformed step model, a value of our own flags out of range.
        VllmRefusal: vLLM would not start with these values.
    """
    profile = load_profile(arguments.profile or DEFAULT_PROFILE)
    _check_own(arguments)
    scheduler = _scheduler(arguments, profile)
    return Settings(
        host=arguments.host,
        port=arguments.port,
        model=profile.model,
        served_names=tuple(arguments.served_model_name or [profile.model]),
        profile=None if arguments.step_model else profile.name,
        step_model=StepModel.parse(arguments.step_model) if arguments.step_model else profile.step_model,
        time_scale=arguments.time_scale,
        vocab_size=arguments.vocab_size or _vocabulary(profile.model),
        scheduler=scheduler,
        max_num_queued_reqs=_at_least(0, arguments, "max_num_queued_reqs"),
        max_num_queued_tokens=_at_least(0, arguments, "max_num_queued_tokens"),
        stream_interval=_at_least(1, arguments, "stream_interval") or 1,
        num_gpu_blocks_override=arguments.num_gpu_blocks_override,
        user_block_size=arguments.block_size is not None,
        per_request_metrics=arguments.enable_per_request_metrics,
        prompt_tokens_details=arguments.enable_prompt_tokens_details,
        request_id_headers=arguments.enable_request_id_headers,
        load_tracking=arguments.enable_server_load_tracking,
        log_stats=not arguments.disable_log_stats,
        access_log=not arguments.disable_uvicorn_access_log,
        edges=histogram_edges(scheduler.max_model_len, _custom_buckets(arguments.custom_histogram_buckets)),
        log_steps=arguments.log_steps,
        control_socket=arguments.control_socket,
        exit_with_stdin=arguments.exit_with_stdin,
        version=arguments.vllm_version,
        non_default=non_default,
    )


def _vocabulary(model: str) -> int:
    return next((size for start, size in _VOCABULARIES if model.startswith(start)), _DEFAULT_VOCABULARY)


_MOST_PORT = 65535


def _check_own(arguments: argparse.Namespace) -> None:
    Version.parse(arguments.vllm_version, Place(key="--vllm-version"))
    if not 0 <= arguments.port <= _MOST_PORT:
        port = arguments.port
        raise Refusal("base.out_of_range", Place(key="--port"), value=port, minimum=0, maximum=_MOST_PORT)
    if not math.isfinite(arguments.time_scale):
        raise Refusal("base.not_finite", Place(key="--time-scale"), value=arguments.time_scale)
    if arguments.time_scale <= 0:
        raise Refusal("base.not_above", Place(key="--time-scale"), value=arguments.time_scale, minimum=0)
    if arguments.vocab_size is not None and arguments.vocab_size < 1:
        raise Refusal("base.too_small", Place(key="--vocab-size"), value=arguments.vocab_size, minimum=1)
    if arguments.log_steps:
        try:
            Path(arguments.log_steps).open("wb").close()
        except OSError as error:
            path, cause = str(arguments.log_steps), error.strerror
            raise Refusal(
                "engine.unwritable_record", Place(key="--log-steps"), path=path, cause=cause
            ) from error


def _at_least(least: int, arguments: argparse.Namespace, name: str) -> int | None:
    value: int | None = getattr(arguments, name)
    if value is not None and value < least:
        refusal = Refusal("engine.vllm_too_small", Place(key=name), minimum=least)
        raise VllmRefusal("SchedulerConfig", refusal, "greater_than_equal")
    return value


def _scheduler(arguments: argparse.Namespace, profile: Profile) -> SchedulerConfig:
    """Return the scheduler's settings; the engine's process checks that the pool is large enough."""
    block_size = _at_least(1, arguments, "block_size") or profile.block_size
    blocks = _at_least(1, arguments, "num_gpu_blocks_override")
    if blocks is None:
        blocks = profile.num_gpu_blocks * profile.block_size // block_size
    length = _model_length(arguments, profile)
    room_for_one = -(-length // block_size) + 1
    values = {name: value for name, value in vars(arguments).items() if value is not None}
    _at_least(0, arguments, "max_num_queued_reqs")  # refuse in vLLM's form before ours
    values |= {"num_gpu_blocks_override": max(blocks, room_for_one)}
    try:
        is_async = default_of("async_scheduling", arguments.vllm_version)
        config = scheduler_config({"async_scheduling": is_async, **values}, profile)
    except Refusal as refusal:
        raise VllmRefusal("SchedulerConfig", refusal) from refusal
    return msgspec.structs.replace(config, num_gpu_blocks=blocks)


def _model_length(arguments: argparse.Namespace, profile: Profile) -> int:
    """Return the length that the pool must hold; 1 if the pool decides the length."""
    length = arguments.max_model_len
    if length is None:
        return profile.max_model_len
    if length == AUTO:
        return 1
    if length < 1:
        refusal = Refusal("engine.vllm_too_small", Place(key="max_model_len"), minimum=1)
        raise VllmRefusal("ModelConfig", refusal, "greater_than_equal")
    return int(length)


def _custom_buckets(given: dict[str, Any] | None) -> dict[str, list[float]]:
    buckets: dict[str, list[float]] = {}
    place = Place(key="custom_histogram_buckets")
    for family, bounds in (given or {}).items():
        if family not in FAMILIES:
            unknown = Refusal("engine.unknown_histogram", place, family=family, known=list(FAMILIES))
            raise VllmRefusal("ObservabilityConfig", unknown)
        numbers = isinstance(bounds, list) and all(_is_number(bound) for bound in bounds)
        if not bounds or not numbers or sorted(set(bounds)) != bounds:
            raise VllmRefusal("ObservabilityConfig", Refusal("engine.bad_buckets", place, family=family))
        buckets[family] = [float(bound) for bound in bounds]
    return buckets


def _is_number(bound: object) -> bool:
    return isinstance(bound, (int, float)) and not isinstance(bound, bool) and math.isfinite(bound)
