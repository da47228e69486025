"""Remembered targets: a name and the draft's fields of the server. No widgets.

The fields hold the name of an API key's variable, never the key.
"""

from pathlib import Path
from typing import Any

import msgspec
from PySide6.QtCore import QCoreApplication

from ui.experiment.draft import Draft
from workbench.base import UNREADABLE, Refusal, write_atomic

FIELDS = (
    *("target_kind", "profile", "time_scale", "url", "model", "executable", "api_key_env", "host", "image"),
    *("gpus", "shm_size", "ca_file", "args", "load_python", "kv", "record_steps", "live_limits"),
)


def _t(text: str) -> str:
    """Return `text` in the user's language."""
    return QCoreApplication.translate("remembered servers", text)


class TargetsFile:
    """Targets by name in a JSON file; an unreadable file is left alone and counts as empty."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.complaint = ""

    def read(self) -> dict[str, dict[str, Any]]:
        """Return all targets; unknown fields are ignored."""
        self.complaint = ""
        try:
            held = msgspec.json.decode(self._path.read_bytes(), type=dict[str, dict[str, Any]])
        except FileNotFoundError:
            return {}
        except (OSError, *UNREADABLE) as error:
            said = _t("{0}: the remembered servers can't be read: {1}")
            self.complaint = said.format(self._path, error)
            return {}
        return {name: {key: fields[key] for key in FIELDS if key in fields} for name, fields in held.items()}

    def remember(self, name: str, draft: Draft) -> None:
        """Store the draft's target under a name.

        Raises:
            InputError: the file can't be written, or holds something else.
        """
        self._write({**self.read(), name: target_of(draft)})

    def forget(self, name: str) -> None:
        """Remove a target.

        Raises:
            InputError: as `remember`.
        """
        self._write({key: fields for key, fields in self.read().items() if key != name})

    def _write(self, targets: dict[str, dict[str, Any]]) -> None:
        if self.complaint:
            raise Refusal("ui.targets_not_overwritten", problem=self.complaint)
        write_atomic(self._path, msgspec.json.format(msgspec.json.encode(targets)))


def target_of(draft: Draft) -> dict[str, Any]:
    """Return the draft's fields of its server."""
    return {key: getattr(draft, key) for key in FIELDS}


def with_target(draft: Draft, fields: dict[str, Any]) -> Draft:
    """Return the draft with a remembered target; missing fields are as in a new draft.

    Raises:
        InputError: a field has a wrong type: the file was edited by hand.
    """
    plain = {key: getattr(Draft(), key) for key in FIELDS}
    built = msgspec.to_builtins(draft) | plain | fields
    try:
        return msgspec.convert(built, Draft)
    except msgspec.ValidationError as error:
        raise Refusal("ui.target_unusable", problem=str(error)) from error


def name_of(draft: Draft) -> str:
    """Return a target's default name."""
    return {
        "embedded": draft.profile,
        "local": draft.model,
        "ssh": f"{draft.host}: {draft.model}",
        "container": f"{draft.image}: {draft.model}",
        "attached": draft.url,
    }.get(draft.target_kind, draft.target_kind)
