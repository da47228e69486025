"""The command line of `vllm serve`: controls, the user's arguments, and our measuring flags."""

import contextlib
import json
import os
import socket
from collections.abc import Container, Mapping
from pathlib import Path

from workbench.base import Place, Refusal
from workbench.controls import CONTROLS, Value, control_flags
from workbench.servers.engine_access import EngineAccess
from workbench.servers.extra_args import check_args
from workbench.servers.flags import FlagList
from workbench.servers.target_spec import TargetSpec

HOST = "127.0.0.1"
_ARGS, _ENV = Place(table="target", key="args"), Place(table="target", key="env")
_OURS = ("--host", "--port", "--api-key")
"""Flags that we set: our servers listen on this machine only, and their key stands in no process list."""
_UNREACHED = ("--uds", "--ssl-keyfile", "--ssl-certfile", "--headless", "--grpc", "--help")
"""With these the server wouldn't answer at our URL, and the start would never finish."""


def _log_edges(low_exponent: int, high_exponent: int) -> list[float]:
    """Return ten edges a decade from 10^low to 10^high, three digits each: a bucket is 26 % wide."""
    steps = range(low_exponent * 10, high_exponent * 10 + 1)
    edges = [float(f"{10 ** (step / 10):.3g}") for step in steps]
    return [int(edge) if edge.is_integer() else edge for edge in edges]


FINE_BUCKETS = {
    "request_latency": _log_edges(-3, 3),
    "time_to_first_token": _log_edges(-3, 3),
    "inter_token_latency": _log_edges(-3, 1),
}
"""vLLM's own buckets begin at 0.3 s for queue time. Finer ones would swell the metrics page."""
_ENVIRONMENT = {
    # /server_info and /reset_prefix_cache; such a server listens on 127.0.0.1 only.
    "VLLM_SERVER_DEV_MODE": "1",
    # Halves the metrics page.
    "PROMETHEUS_DISABLE_CREATED_SERIES": "True",
}
SOCKETS = "VLLM_RPC_BASE_PATH"
"""The environment variable for the folder of vLLM's sockets."""

_INSIDE = Path(__file__).parent / "inside"
_SCHEDULER = ("--scheduler-cls", "workbench_scheduler.WorkbenchScheduler")
STAT_LOGGER_FOLDER, _STAT_LOGGER = "stat_logger", "workbench_stats"
"""The folder in which vLLM finds our stat logger, and its plug-in name."""


def free_port() -> int:
    """Return a port of 127.0.0.1 that is free right now."""
    with contextlib.closing(socket.create_server((HOST, 0))) as listener:
        return int(listener.getsockname()[1])


def measuring_flags(flags: FlagList, given: Container[str] = ()) -> list[str]:
    """Return the flags that measuring needs, as far as this vLLM has them and the user sets none of them.

    `given` are the destinations of the user's own flags.
    """
    wanted: tuple[tuple[str, ...], ...] = (
        ("--enable-per-request-metrics",),
        ("--custom-histogram-buckets", json.dumps(FINE_BUCKETS, separators=(",", ":"))),
        ("--disable-access-log-for-endpoints", "/metrics,/health"),
    )
    return [
        word
        for words in wanted
        if flags.has(words[0]) and _destination(words[0], flags) not in given
        for word in words
    ]


def require_control(name: str, flags: FlagList, version: str) -> None:
    """Check that this vLLM has a control.

    Raises:
        Refusal: it lacks its flag.
    """
    flag = CONTROLS[name].flag
    if flag is not None and not flags.has(flag):
        raise Refusal("servers.no_flag", Place(key=name), version=version, flag=flag)


def serve_command(
    script: str, spec: TargetSpec, controls: Mapping[str, Value], flags: FlagList, version: str, port: int
) -> list[str]:
    """Return `vllm serve …` on 127.0.0.1.

    Raises:
        Refusal: a control or word that this vLLM lacks, or one that is given twice.
    """
    assert spec.model is not None
    for name in controls:
        require_control(name, flags, version)
    check_args(spec.args, flags, version=version, place=_ARGS)
    flags.check_environment(spec.env, version=version, place=_ENV)
    given = {_destination(word, flags) for word in spec.args} - {""}
    owned = {name for name, each in CONTROLS.items() if each.flag and (not each.in_args or name in controls)}
    for name in sorted(given & owned):
        raise Refusal("servers.flag_is_control", _ARGS, flag=CONTROLS[name].flag, control=name)
    for flag in _OURS:
        if _destination(flag, flags) in given:
            raise Refusal("servers.flag_is_ours", _ARGS, flag=flag)
    for flag in _UNREACHED:
        if _destination(flag, flags) in given:
            raise Refusal("servers.flag_hides_server", _ARGS, flag=flag)
    helpers = measuring_flags(flags, given)
    listening = ["--host", HOST, "--port", str(port)]
    inside = inside_flags(spec, flags, version)
    return [script, "serve", spec.model, *listening, *control_flags(controls), *spec.args, *helpers, *inside]


def inside_flags(spec: TargetSpec, flags: FlagList, version: str) -> list[str]:
    """Return the flags that put our scheduler around vLLM's, if the target needs it.

    Raises:
        Refusal: this vLLM takes no scheduler class, or the user gave one.
    """
    records = spec.record_steps is True
    if not (records or spec.live_limits):
        return []
    asked = "record_steps" if records else "live_limits"
    if not flags.has(_SCHEDULER[0]):
        place = Place(table="target", key=asked)
        raise Refusal("servers.no_flag", place, version=version, flag=_SCHEDULER[0])
    if any(_destination(word, flags) == _destination(_SCHEDULER[0], flags) for word in spec.args):
        raise Refusal("servers.flag_and_key", _ARGS, flag=_SCHEDULER[0], key=asked)
    return list(_SCHEDULER)


def serve_environment(spec: TargetSpec, api_key: str | None) -> dict[str, str]:
    """Return the added environment; the user's settings win."""
    key = {"VLLM_API_KEY": api_key} if api_key else {}
    return {**_ENVIRONMENT, **spec.env, **key}


def socket_environment(folder: str | None, flags: FlagList, user: Mapping[str, str]) -> dict[str, str]:
    """Return the setting for vLLM's sockets, which it never removes; empty if unsupported or set by the user.

    TMPDIR would move its other files too, but also the caches of compiled kernels.
    """
    wanted = folder is not None and SOCKETS in flags.environment and SOCKETS not in user
    return {SOCKETS: str(folder)} if wanted else {}


def inside_environment(ways: EngineAccess, user: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of our code inside vLLM; `user` is the target's environment."""
    places = {ways.record_kind: ways.steps_file, "limits": ways.socket}
    settings = {name: str(path) for name, path in places.items() if path is not None}
    return inside_settings(settings, str(_INSIDE), {**os.environ, **user})


def inside_settings(places: Mapping[str, str], folder: str, known: Mapping[str, str]) -> dict[str, str]:
    """Return the settings for `places` (`steps`, `stats`, `limits`), our folder and the environment."""
    if not places:
        return {}
    settings = {f"WORKBENCH_{name.upper()}": path for name, path in places.items()}
    folders, allowed = [folder], known.get("VLLM_PLUGINS")
    if "stats" in places:
        folders.append(f"{folder}/{STAT_LOGGER_FOLDER}")
        # If the user restricts the plug-ins, ours must be added.
        if allowed is not None:
            settings["VLLM_PLUGINS"] = f"{allowed},{_STAT_LOGGER}".lstrip(",")
    rest = known.get("PYTHONPATH")
    return {**settings, "PYTHONPATH": os.pathsep.join([*folders, *([rest] if rest else [])])}


def _destination(word: str, flags: FlagList) -> str:
    """Return the destination of a word that is a flag, FLAG=VALUE or FLAG.KEY; empty for other words."""
    found = flags.find_unique(word.partition("=")[0].partition(".")[0]) if word.startswith("-") else None
    return found.dest if found else ""
