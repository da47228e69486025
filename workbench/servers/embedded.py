"""The embedded engine: our own simulated vLLM, a process and a server like any other."""

from collections.abc import Iterable, Mapping
from contextlib import suppress

import msgspec

from workbench.base import Place, Refusal, WorkbenchError, message, own_module
from workbench.controls import CONTROLS, Value, control_flags
from workbench.servers.owned import Launch, OwnedServer
from workbench.servers.server import EffectiveConfig, MachineWatch
from workbench.servers.target_spec import TargetSpec
from workbench.telemetry import MachineSampler
from workbench.vllm_dialect import listening_url

_ARGS = Place(table="target", key="args")
_OURS = {"--profile": "profile", "--time-scale": "time_scale", "--api-key": "api_key_env"}
"""Flags that have a key of their own in [target]."""
_ALWAYS_OURS = ("--host", "--port", "--exit-with-stdin", "--log-steps", "--control-socket")
_START_TIMEOUT_S = 120.0
_PATIENCE_S = 8.0


def check_modelled(controls: Iterable[str]) -> None:
    """Check that the embedded engine models all these controls.

    Raises:
        Refusal: it lacks one.
    """
    for name in controls:
        if name in CONTROLS and not CONTROLS[name].modeled:
            raise Refusal("servers.not_modelled", control=name)


def _check_args(args: Iterable[str], controls: Iterable[str]) -> None:
    """Check that the extra arguments set no control and no flag of this program.

    Raises:
        Refusal: they set one of them anew.
    """
    asked = {CONTROLS[name].flag: name for name in controls}
    for word in args:
        flag = word.partition("=")[0].replace("--no-", "--", 1)
        if flag in _OURS:
            raise Refusal("servers.flag_of_target", _ARGS, flag=flag, key=_OURS[flag])
        if flag in _ALWAYS_OURS:
            raise Refusal("servers.flag_is_ours", _ARGS, flag=flag)
        if flag in asked:
            raise Refusal("servers.flag_is_control", _ARGS, flag=flag, control=asked[flag])


class EmbeddedServer(OwnedServer):
    """`python -m workbench engine serve` on a free port of 127.0.0.1; ends with us."""

    def __init__(self, spec: TargetSpec, controls: Mapping[str, Value]) -> None:
        super().__init__(spec)
        check_modelled(controls)
        _check_args(spec.args, controls)
        self._controls = dict(controls)
        self.api_key = spec.api_key()

    async def _prepare(self) -> Launch:
        spec = self._spec
        profile = ["--profile", spec.profile] if spec.profile else []
        command = [
            *own_module("workbench", "engine", "serve"),
            *profile,
            *("--time-scale", f"{spec.time_scale:g}"),
            *control_flags(self._controls),
            *("--enable-per-request-metrics", "--disable-uvicorn-access-log"),
            *(("--log-steps", str(self._access.steps_file)) if self._access.steps_file else ()),
            *(("--control-socket", str(self._access.socket)) if self._access.socket else ()),
            *spec.args,
            *("--host", "127.0.0.1", "--port", "0", "--exit-with-stdin"),
        ]
        key = {"VLLM_API_KEY": self.api_key} if self.api_key else {}
        return Launch(
            command=command,
            environment={**spec.env, **key},
            url=None,
            with_stdin=True,
            start_timeout_s=_START_TIMEOUT_S,
            patience_s=_PATIENCE_S,
            first_phase=message("servers.starting_embedded"),
            private=self._access.private,
        )

    async def flush_steps(self) -> float:
        """Read its metrics: the engine flushes the record before it answers."""
        if self._api is not None:
            with suppress(WorkbenchError):
                await self._api.metrics()
        return 0.0

    def machine(self) -> MachineWatch | None:
        """Return a watch on its processes and this machine; a simulated server uses no GPU."""
        return MachineSampler([self.pid], gpus=False) if self.pid is not None else None

    def _handle_line(self, line: str) -> None:
        url = listening_url(line)
        if url is not None:
            self.url = url
        super()._handle_line(line)

    async def effective(self) -> EffectiveConfig:
        """Return its effective configuration, always marked as simulated."""
        config = await super().effective()
        return msgspec.structs.replace(
            config,
            simulated=True,
            profile=config.profile or self._spec.profile,
            time_scale=config.time_scale or self._spec.time_scale,
        )
