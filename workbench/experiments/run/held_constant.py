"""Check in each run that only the control under test changed in the server's effective configuration.

A larger token budget shrinks the KV cache, an attached server is upgraded, a start profiles memory again:
then more than the control has changed. The comparison names these changes.
"""

from collections.abc import Mapping
from typing import Any

from workbench.base import Message, message
from workbench.controls import ECHOES, FOLLOWS, Value
from workbench.experiments.plan.plan import Configuration, Run
from workbench.experiments.run.channel import Emit
from workbench.experiments.run.events import notice
from workbench.results import RunEntry
from workbench.servers import EffectiveConfig, changed_values

_SHOWN = 4


def effective_columns(effective: EffectiveConfig) -> dict[str, Any]:
    """Return the server's effective configuration as flat columns, arguments by control name."""
    said = {
        name: getattr(effective, name)
        for name in ("version", "model", "max_model_len", "num_gpu_blocks", "block_size", "kv_cache_tokens")
    }
    return {
        **effective.system,
        **dict(effective.arguments),
        **{name: value for name, value in said.items() if value is not None},
    }


class ConstantsCheck:
    """Compares every run's server with the baseline's first one."""

    def __init__(self) -> None:
        self._config: Mapping[str, Value] | None = None
        self._effective: dict[str, Any] = {}

    def load_stored(self, run: RunEntry) -> None:
        """Load a run that an earlier conductor measured."""
        if self._config is None and run.effective is not None:
            self._config, self._effective = run.config, run.effective

    def changes(self, config: Mapping[str, Value], effective: EffectiveConfig) -> dict[str, tuple[Any, Any]]:
        """Return the changes beside the control, by name; empty for the first run, which is the reference."""
        columns = effective_columns(effective)
        if self._config is None:
            self._config, self._effective = dict(config), columns
            return {}
        asked = {name for name in {*config, *self._config} if config.get(name) != self._config.get(name)}
        found = changed_values(EffectiveConfig(arguments=self._effective), EffectiveConfig(arguments=columns))
        leads = {name: (ECHOES.get(name, name), *FOLLOWS.get(name, ())) for name in found}
        return {name: change for name, change in found.items() if asked.isdisjoint(leads[name])}


def describe_changes(configuration: Configuration, changes: Mapping[str, tuple[Any, Any]]) -> Message | None:
    """Return `num_gpu_blocks 1200 → 1100, version 0.31 → 0.32`; None without changes."""
    if not changes:
        return None
    # With another vLLM many settings may change; they are part of the result, so all are listed.
    most = len(changes) if configuration.control == "executable" else _SHOWN
    said = [f"{name} {before} → {after}" for name, (before, after) in sorted(changes.items())]
    more = message("experiments.and_more", count=len(said) - most) if len(said) > most else None
    return message("experiments.changes", changes=said[:most], more=more)


def report_changes(
    constants: ConstantsCheck, run: Run, effective: EffectiveConfig, emit: Emit
) -> dict[str, tuple[Any, Any]]:
    """Return the changes of `ConstantsCheck.changes`, and warn of them: such rows can't be compared."""
    changes = constants.changes(run.configuration.controls, effective)
    words = describe_changes(run.configuration, changes)
    if words is not None:
        asked = 0 if run.configuration.control is None else 1
        said = message(
            "experiments.moved", run=run.name, asked=asked, moved=asked + len(changes), changes=words
        )
        emit(notice("warning", said))
    return changes
