"""From what a server tells of itself, and what was fitted, to a profile with its error on it."""

import math
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from workbench.base import InputError, Record, utc_now
from workbench.engine import Comparison, Fit, Prediction, SchedulerConfig, rules_caveat, scheduler_config
from workbench.profiles import KnownError, Profile, StepModel, known_card, told_name
from workbench.servers import Effective
from workbench.vllm_dialect import MODELLED_VERSION, default_of

_ASSUMED = {"max_num_seqs": 1024, "max_num_batched_tokens": 8192}
"""vLLM 0.32's on a card of 70 GiB or more."""
_LEAST_BAND_PCT = 1.0
"""One run at one rate can't vouch for less, however well it was met."""
_UNMEASURED = StepModel(a=0, b=0, c=0, d=0, e=0)


class Standing(Record, frozen=True, kw_only=True):
    """A server's settings before anything is measured, as a profile that still lacks its times."""

    profile: Profile
    config: SchedulerConfig
    notes: list[str]
    """What had to be assumed."""


def standing_of(effective: Effective, name: str | None, settings: Mapping[str, Any]) -> Standing:
    """What the server runs with; `settings` fill in what it doesn't tell.

    Raises:
        InputError: the size of its KV cache or its longest context isn't known.
    """
    known = _known(effective, settings)
    notes = [
        f"the server does not tell {key}: {value} assumed; give --{key.replace('_', '-')} if it has another"
        for key, value in _ASSUMED.items()
        if key not in known
    ]
    profile = Profile(
        name=name or _name(effective, known),
        step_model=_UNMEASURED,
        source="",
        vllm_version=effective.version or "unknown",
        kind="estimated" if effective.simulated else "measured",
        num_gpu_blocks=known["num_gpu_blocks_override"],
        kv_source="told by the server",
        block_size=known["block_size"],
        max_num_seqs=int(known.get("max_num_seqs", _ASSUMED["max_num_seqs"])),
        max_num_batched_tokens=int(known.get("max_num_batched_tokens", _ASSUMED["max_num_batched_tokens"])),
        max_model_len=known["max_model_len"],
        known_error=None,
    )
    config = scheduler_config({**known, "vllm_version": effective.version}, profile)
    if caveat := rules_caveat(effective.version):
        notes.append(str(caveat))
    return Standing(profile=profile, config=config, notes=notes)


def _known(effective: Effective, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The server's controls: what it tells of itself, else what was given for it."""
    told = {key: value for key, value in settings.items() if value is not None}
    known = {**told, **{key: value for key, value in effective.arguments.items() if value is not None}}
    on_gpu = "cpu" not in (effective.version or "")
    by_default = default_of("async_scheduling", effective.version or MODELLED_VERSION)
    known.setdefault("async_scheduling", on_gpu and by_default)
    for name, own, what in (
        ("max_model_len", effective.max_model_len, "longest context"),
        ("num_gpu_blocks_override", effective.num_gpu_blocks, "number of KV blocks"),
        ("block_size", effective.block_size, "block size"),
    ):
        value = own or known.get(name)
        if not value:
            flag = f"--{name.replace('_', '-')}"
            raise InputError(f"calibration: the server does not tell its {what}; give {flag} as it has it")
        known[name] = int(value)
    return known


def _name(effective: Effective, known: Mapping[str, Any]) -> str:
    told = told_name(str(effective.system.get("nvidia_gpu_models") or ""))
    found = known_card(told)
    plain = re.sub(r"[^a-z0-9]+", "_", told.lower().replace("nvidia", "")).strip("_")
    card = found.name if found is not None else plain or "unknown_gpu"
    model = (effective.model or "unknown_model").rstrip("/").rpartition("/")[2]
    return f"{card}/{model}/tp{known.get('tensor_parallel_size', 1)}"


def make_profile(
    standing: Standing, effective: Effective, fit: Fit, hold_out: Prediction, rate: float, *, own_steps: bool
) -> Profile:
    """The profile of a fit, with the error of a run that it was not fitted to."""
    seen = "the server's own steps" if own_steps else "what its clients saw"
    simulated = f"; the server is itself a simulation ({effective.profile})" if effective.simulated else ""
    assumed = "".join(f"; {note.partition(';')[0]}" for note in standing.notes)
    return msgspec.structs.replace(
        standing.profile,
        step_model=fit.step_model,
        request_overhead_us=fit.request_overhead_us,
        source=(
            f"calibrated on a running server on {utc_now()[:10]} from {seen}: {fit.decode_rows} kinds of "
            f"decode steps and {fit.prefill_rows} of prompts, mean residual {fit.residual_pct:.1f} %"
            f"{simulated}{assumed}"
        ),
        known_error=_known_error(hold_out, rate),
    )


def _known_error(hold_out: Prediction, rate: float) -> KnownError:
    ttft, tpot = hold_out.ttft_ms, hold_out.tpot_ms
    return KnownError(
        ttft_pct=_band(ttft),
        tpot_pct=_band(tpot),
        evidence=(
            f"a run of {hold_out.requests} mixed requests at {rate:.3g}/s that it was not fitted to: mean "
            f"TTFT {ttft.error_pct:+.1f} %, mean TPOT {tpot.error_pct:+.1f} %; past saturation TTFT errs by "
            "several times as much"
        ),
    )


def _band(compared: Comparison) -> float:
    if not math.isfinite(compared.band_pct):
        raise InputError(
            "calibration: most answers of the hold-out came in one piece, so their token times mean nothing: "
            "the server or this machine is overloaded, or a proxy between them gathers streams"
        )
    return max(_LEAST_BAND_PCT, math.ceil(10 * compared.band_pct) / 10)
