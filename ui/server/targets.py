"""Targets that the user had remembered: a name and the draft's fields about the server. No widgets here.

A key is never among them, only the name of the variable that holds it.
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
    """A sentence about the file in the user's language."""
    return QCoreApplication.translate("remembered servers", text)


class TargetsFile:
    """The targets by name, in a JSON file; one that can't be read is left alone and counts as empty."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.complaint = ""

    def read(self) -> dict[str, dict[str, Any]]:
        """All targets; what has no known kind or field is passed over."""
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
        """Keep the draft's target under a name.

        Raises:
            InputError: the file can't be written, or holds something else.
        """
        self._write({**self.read(), name: target_of(draft)})

    def forget(self, name: str) -> None:
        """Drop a target.

        Raises:
            InputError: as `remember`.
        """
        self._write({key: fields for key, fields in self.read().items() if key != name})

    def _write(self, targets: dict[str, dict[str, Any]]) -> None:
        if self.complaint:
            raise Refusal("ui.targets_not_overwritten", problem=self.complaint)
        write_atomic(self._path, msgspec.json.format(msgspec.json.encode(targets)))


def target_of(draft: Draft) -> dict[str, Any]:
    """What of a draft is its server."""
    return {key: getattr(draft, key) for key in FIELDS}


def with_target(draft: Draft, fields: dict[str, Any]) -> Draft:
    """The draft on a remembered target; what it doesn't say is as in a new draft.

    Raises:
        InputError: a field of another kind than the draft's: the file was edited by hand.
    """
    plain = {key: getattr(Draft(), key) for key in FIELDS}
    built = msgspec.to_builtins(draft) | plain | fields
    try:
        return msgspec.convert(built, Draft)
    except msgspec.ValidationError as error:
        raise Refusal("ui.target_unusable", problem=str(error)) from error


def name_of(draft: Draft) -> str:
    """How a target is called unless the user says otherwise."""
    return {
        "embedded": draft.profile,
        "local": draft.model,
        "ssh": f"{draft.host}: {draft.model}",
        "container": f"{draft.image}: {draft.model}",
        "attached": draft.url,
    }.get(draft.target_kind, draft.target_kind)
