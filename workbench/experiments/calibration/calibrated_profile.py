"""The profile from a server's settings and a fit, with its error."""

import math
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from workbench.base import Message, Record, Refusal, message, utc_now
from workbench.engine import Comparison, Fit, PredictedRun, SchedulerConfig, rules_caveat, scheduler_config
from workbench.profiles import KnownError, Profile, StepModel, known_card, name_from_driver
from workbench.servers import EffectiveConfig
from workbench.vllm_dialect import MODELLED_VERSION, default_of

_ASSUMED = {"max_num_seqs": 1024, "max_num_batched_tokens": 8192}
"""Defaults of vLLM 0.32 on a card of 70 GiB or more."""
_LEAST_BAND_PCT = 1.0
"""Smallest error, in percent, that one run at one rate can prove."""
_UNMEASURED = StepModel(a=0, b=0, c=0, d=0, e=0)


class CalibrationBasis(Record, frozen=True, kw_only=True):
    """A server's settings before the measurement: a profile without step times."""

    profile: Profile
    config: SchedulerConfig
    assumed: dict[str, int]
    """Settings that the server doesn't report, by name."""
    caveat: Message | None
    """The effect of the server's vLLM version on the fit; None if that version was checked."""
    notes: list[Message]
    """The caveat and the assumed settings."""


def calibration_basis(
    effective: EffectiveConfig, name: str | None, settings: Mapping[str, int | None]
) -> CalibrationBasis:
    """Return the server's settings; `settings` fill in what it doesn't report.

    Raises:
        Refusal: the size of its KV cache or its longest context is unknown.
    """
    known = _known(effective, settings)
    assumed = {key: value for key, value in _ASSUMED.items() if key not in known}
    notes = [
        message("experiments.setting_assumed", name=name, value=value, flag=_flag(name))
        for name, value in assumed.items()
    ]
    profile = Profile(
        name=name or _name(effective, known),
        step_model=_UNMEASURED,
        source="",
        vllm_version=effective.version or "unknown",
        kind="estimated" if effective.simulated else "measured",
        num_gpu_blocks=known["num_gpu_blocks_override"],
        kv_source="reported by the server",
        block_size=known["block_size"],
        max_num_seqs=int(known.get("max_num_seqs", _ASSUMED["max_num_seqs"])),
        max_num_batched_tokens=int(known.get("max_num_batched_tokens", _ASSUMED["max_num_batched_tokens"])),
        max_model_len=known["max_model_len"],
        known_error=None,
    )
    config = scheduler_config({**known, "vllm_version": effective.version}, profile)
    caveat = rules_caveat(effective.version)
    notes += [] if caveat is None else [caveat]
    return CalibrationBasis(profile=profile, config=config, assumed=assumed, caveat=caveat, notes=notes)


def _known(effective: EffectiveConfig, settings: Mapping[str, int | None]) -> dict[str, Any]:
    """Return the server's controls: reported values first, then `settings`."""
    given = {key: value for key, value in settings.items() if value is not None}
    known = {**given, **{key: value for key, value in effective.arguments.items() if value is not None}}
    on_gpu = "cpu" not in (effective.version or "")
    by_default = default_of("async_scheduling", effective.version or MODELLED_VERSION)
    known.setdefault("async_scheduling", on_gpu and by_default)
    for name, own in (
        ("max_model_len", effective.max_model_len),
        ("num_gpu_blocks_override", effective.num_gpu_blocks),
        ("block_size", effective.block_size),
    ):
        value = own or known.get(name)
        if not value:
            raise Refusal("experiments.setting_unknown", name=name, flag=_flag(name))
        known[name] = int(value)
    return known


def _flag(setting: str) -> str:
    return f"--{setting.replace('_', '-')}"


def _name(effective: EffectiveConfig, known: Mapping[str, Any]) -> str:
    gpu = name_from_driver(str(effective.system.get("nvidia_gpu_models") or ""))
    found = known_card(gpu)
    plain = re.sub(r"[^a-z0-9]+", "_", gpu.lower().replace("nvidia", "")).strip("_")
    card = found.name if found is not None else plain or "unknown_gpu"
    model = (effective.model or "unknown_model").rstrip("/").rpartition("/")[2]
    return f"{card}/{model}/tp{known.get('tensor_parallel_size', 1)}"


def make_profile(
    basis: CalibrationBasis,
    effective: EffectiveConfig,
    fit: Fit,
    hold_out: PredictedRun,
    rate: float,
    *,
    own_steps: bool,
) -> Profile:
    """Return the profile of a fit, with its error in a run outside the fit."""
    seen = message("experiments.seen_by_server" if own_steps else "experiments.seen_by_clients")
    source = message(
        "experiments.profile_source",
        day=utc_now()[:10],
        seen=seen,
        decodes=fit.decode_rows,
        prefills=fit.prefill_rows,
        residual_pct=fit.residual_pct,
    )
    if effective.simulated:
        source = message(
            "base.both",
            first=source,
            second=message("experiments.itself_simulated", profile=effective.profile),
        )
    for name, value in basis.assumed.items():
        source = message(
            "base.both", first=source, second=message("experiments.assumed", name=name, value=value)
        )
    if basis.caveat is not None:
        source = message("base.both", first=source, second=basis.caveat)
    return msgspec.structs.replace(
        basis.profile,
        step_model=fit.step_model,
        request_overhead_us=fit.request_overhead_us,
        source=str(source),
        known_error=_known_error(hold_out, rate),
    )


def _known_error(hold_out: PredictedRun, rate: float) -> KnownError:
    ttft, tpot = hold_out.ttft_ms, hold_out.tpot_ms
    evidence = message(
        "experiments.hold_out_error",
        requests=hold_out.requests,
        rate=rate,
        ttft_pct=ttft.error_pct,
        tpot_pct=tpot.error_pct,
    )
    return KnownError(
        ttft_pct=_band(ttft),
        tpot_pct=_band(tpot),
        evidence=str(evidence),
    )


def _band(compared: Comparison) -> float:
    if not math.isfinite(compared.band_pct):
        raise Refusal("experiments.answers_in_one_piece")
    return max(_LEAST_BAND_PCT, math.ceil(10 * compared.band_pct) / 10)
