"""The target of an experiment: the measured server and how it is started."""

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Literal

import msgspec

from workbench.base import InputError, Place, Record, Refusal, secrets_in
from workbench.controls import CONTROLS, Value
from workbench.servers.headers import (
    check_headers,
    complete_address,
    refuse_secrets_in_url,
    resolve_headers,
)
from workbench.servers.keys import find_key

Kind = Literal["embedded", "local", "ssh", "container", "attached"]

_OWNED = ("api_key_env", "args", "env", "kv")
_INSIDE = ("record_steps", "live_limits")
_SHORTEST_HEADER = 6
"""Shortest header value in characters that may be a secret; shorter ones are ordinary words."""
TARGET_KEYS: dict[str, tuple[str, ...]] = {
    "embedded": ("profile", "time_scale", *_OWNED, *_INSIDE),
    "local": ("model", "executable", *_OWNED, *_INSIDE),
    "ssh": ("host", "model", "executable", "load_python", "keep_copy", *_OWNED, *_INSIDE),
    "container": (
        "image",
        "model",
        "executable",
        "gpus",
        "shm_size",
        "mounts",
        "security_opt",
        *_OWNED,
        *_INSIDE,
    ),
    "attached": ("url", "urls", "urls_command", "model", "api_key_env", "headers", "ca_file"),
}
"""Keys that mean something for each kind, besides `kind`."""
_REQUIRED: dict[str, tuple[str, ...]] = {
    "local": ("model",),
    "ssh": ("host", "model"),
    "container": ("image", "model"),
    "attached": ("url",),
}


class TargetSpec(Record, frozen=True, kw_only=True):
    """The `[target]` table of an experiment file."""

    kind: Kind
    profile: str | None = None
    """Embedded engine: `gpu/model/tpN`; None: its default."""
    time_scale: float = 1.0
    """Embedded engine: simulated seconds per second."""
    model: str | None = None
    """Folder or Hugging Face name; for an attached server the served name, None: its first."""
    executable: str | None = None
    """vLLM's script, a Python or an environment that has it; None: the PATH's, else this Python's.
    Container kind: the engine's command; None: docker or podman."""
    host: str | None = None
    """ssh kind: an alias of ~/.ssh/config, HOST, USER@HOST or USER@HOST:PORT."""
    load_python: str | None = None
    """ssh kind: a remote Python that has this program in the same version, for the load workers; `copy`: this
    program is copied there. None: they run here, through the tunnel."""
    keep_copy: bool = False
    """ssh kind: leave a copy of this program there, so that the next run needs no new one."""
    url: str | None = None
    urls: list[str] = msgspec.field(default_factory=list)
    """Attached kind: the replicas behind `url`, each at its own address; their pages are read, `url` gets the
    load."""
    urls_command: list[str] = msgspec.field(default_factory=list)
    """Attached kind: a command that prints the replicas' addresses, one a line, instead of `urls`."""
    api_key_env: str | None = None
    """Name of the environment variable, or of the keyring's entry, that holds the key; no file holds it.
    Without it the key of an attached server is looked up in the keyring by its address."""
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    """Additional headers of every request to an attached server; a secret value is written `env:VARIABLE`."""
    ca_file: str | None = None
    """Certificates to verify an attached server with, besides the system's."""
    image: str | None = None
    """Container kind: the image, such as vllm/vllm-openai:v0.32.0."""
    gpus: str | None = None
    """Container kind: value of the engine's --gpus: `all`, `2`, `"device=0,1"`."""
    shm_size: str | None = None
    """Container kind: several GPUs need more than the usual 64 MB, such as 16g."""
    mounts: list[str] = msgspec.field(default_factory=list)
    """Container kind: HOST_FOLDER:FOLDER[:ro]. The model's folder is mounted automatically."""
    security_opt: list[str] = msgspec.field(default_factory=list)
    """Container kind: values of the engine's --security-opt; `label=disable` if SELinux hides mounted
    files."""
    args: list[str] = msgspec.field(default_factory=list)
    """Additional arguments of the server's command line."""
    env: dict[str, str] = msgspec.field(default_factory=dict)
    record_steps: bool | Literal["stats"] | None = None
    """True records every step of the scheduler (see `vllm_dialect.step_record`). `stats` records only the
    figures of vLLM's stat loggers after each step, which costs and explains less. None: true for the
    embedded engine in an experiment, else false."""
    live_limits: bool = False
    """True if limits of the scheduler can be changed while it serves."""
    kv: Literal["as_deployed", "pinned"] = "as_deployed"
    """`pinned` gives later servers of an experiment the KV-cache blocks of the baseline."""

    def __post_init__(self) -> None:
        """Complete the address with its scheme."""
        if self.url is not None:
            msgspec.structs.force_setattr(self, "url", complete_address(self.url))

    def api_key(self, environment: Mapping[str, str] | None = None) -> str | None:
        """Return the key from the environment, the keyring or the terminal; None if none is known.

        Raises:
            Refusal: the key of a named variable isn't found.
        """
        own_header = any(name.lower() == "authorization" for name in self.headers)
        return find_key(self.api_key_env, None if own_header else self.url, environment)

    def all_headers(self, environment: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the headers as they are sent, without the key's own header.

        Raises:
            Refusal: a variable of a header isn't set.
        """
        return resolve_headers(
            self.headers,
            os.environ if environment is None else environment,
            Place(table="target", key="headers"),
        )

    def secrets(self) -> list[str]:
        """Return every secret that it holds or names, longest first, for masking."""
        found = secrets_in(msgspec.to_builtins(self))
        with suppress(InputError):
            found += filter(None, [self.api_key()])
        with suppress(InputError):
            found += [value for value in self.all_headers().values() if len(value) >= _SHORTEST_HEADER]
        return sorted(set(found), key=len, reverse=True)


def check_target(spec: TargetSpec, *, where: str = "") -> None:
    """Check that the target's keys fit its kind.

    Raises:
        Refusal: a key that is missing or means nothing for this kind.
    """

    def place(key: str) -> Place:
        return Place(file=where or None, table="target", key=key)

    for name in _REQUIRED.get(spec.kind, ()):
        if getattr(spec, name) is None:
            raise Refusal("servers.key_needed", place(name), target_kind=spec.kind)
    blank = TargetSpec(kind=spec.kind)
    for name in TargetSpec.__struct_fields__:
        if name not in {"kind", *TARGET_KEYS[spec.kind]} and getattr(spec, name) != getattr(blank, name):
            raise Refusal("servers.key_without_meaning", place(name), target_kind=spec.kind)
    if not 0 < spec.time_scale <= 1000:
        raise Refusal("servers.bad_time_scale", place("time_scale"), value=spec.time_scale)
    if spec.record_steps == "stats" and spec.kind == "embedded":
        raise Refusal("servers.no_stat_loggers", place("record_steps"))
    check_headers(spec.headers, place("headers"))
    if ":" in (spec.host or "").rpartition("@")[0]:
        raise Refusal("servers.password_in_host", place("host"))
    if spec.url is not None:
        refuse_secrets_in_url(spec.url, place("url"))
    for url in spec.urls:
        refuse_secrets_in_url(url, place("urls"))
    if spec.urls and spec.urls_command:
        raise Refusal("servers.urls_twice", place("urls_command"))


def with_controls(spec: TargetSpec, controls: Mapping[str, Value]) -> tuple[TargetSpec, dict[str, Value]]:
    """Return the target with the controls that are its own keys, and the other controls."""
    others = dict(controls)
    for name in controls:
        key = _target_key(spec, name)
        if key is not None:
            spec = msgspec.structs.replace(spec, **{key: str(others.pop(name))})
    return spec, others


def target_value(spec: TargetSpec, name: str) -> str | None:
    """Return the target's value of a control that is one of its keys; None for other controls or no value."""
    key = _target_key(spec, name)
    return None if key is None else getattr(spec, key)


def _target_key(spec: TargetSpec, name: str) -> str | None:
    """Return the key: a container's vLLM is its image, since its `executable` is the engine's command."""
    if spec.kind not in ("local", "ssh", "container") or name not in CONTROLS or not CONTROLS[name].of_target:
        return None
    return "image" if spec.kind == "container" else name
