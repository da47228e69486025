"""The texts of the connect card: what answered, its limits, what can be tested there. No widgets."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from ui.language import number_text
from ui.language.remarks import remark
from ui.language.translation import translate_control
from workbench.controls import CONTROLS

if TYPE_CHECKING:
    # The core loads on first use.
    from ui.conductor.trial_report import TrialReport
    from workbench.servers import EffectiveConfig

_LIMITS = (
    *("max_num_seqs", "max_num_batched_tokens", "enable_chunked_prefill", "enable_prefix_caching"),
    *("gpu_memory_utilization", "kv_cache_dtype", "tensor_parallel_size", "scheduling_policy"),
)
"""Settings that decide what a server carries, the most important first."""


def headline(server: "EffectiveConfig") -> str:
    """Return the model, the version and the GPU; each unknown one is named."""
    version = f"vLLM {server.version}" if server.version else _t("vLLM version unknown")
    gpu = server.system.get("nvidia_gpu_models")
    if server.simulated:
        card = _t("simulated: {0}").format(server.profile or _t("unknown profile"))
    else:
        card = " ".join(str(gpu).split()) if gpu else _t("GPU unknown")
    return " · ".join([server.model or _t("model unknown"), version, card])


def capacity(server: "EffectiveConfig") -> str:
    """Return the context length and the size of the KV cache."""
    context = _t("context {0} tokens").format(_count(server.max_model_len))
    return f"{context} · {_t('KV cache {0} tokens').format(_count(server.kv_cache_tokens))}"


def limits(server: "EffectiveConfig") -> str:
    """Return the settings in force, and the names of those that the server doesn't report."""
    known = [
        f"{name} {number_text.plain(server.arguments[name])}" for name in _LIMITS if name in server.arguments
    ]
    unknown = [name for name in _LIMITS if name not in server.arguments]
    parts = [_t("In force: {0}.").format(", ".join(known))] if known else []
    parts += [_t("Not reported: {0}.").format(", ".join(unknown))] if unknown else []
    return " ".join(parts)


def testable() -> str:
    """Return what can be tested on a server that isn't ours."""
    own = [translate_control(each.title) for each in CONTROLS.values() if not each.of_server]
    said = _t("Can be tested here: capacity at any load, and the caller's own controls: {0}.")
    return said.format(", ".join(own))


def not_testable(told: "TrialReport") -> str:
    """Return one line for each thing that can't be done here, with its reason."""
    notes = told.effective.notes if told.effective else ()
    # Which controls can be tested is said already.
    told_of = [each for each in told.abilities if each.what.kind != "servers.callers_controls"]
    lines = [remark(each.what) for each in told_of if each.standing != "yes"]
    return "\n".join(f"○ {line}" for line in [*lines, *map(remark, notes)])


def _count(value: int | None) -> str:
    return _t("unknown") if value is None else number_text.count(value)


def _t(text: str) -> str:
    """Return `text` in the user's language."""
    return QCoreApplication.translate("connect card", text)
