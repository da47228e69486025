"""The file of a session: JSON, written completely or not at all."""

from pathlib import Path

import msgspec

from workbench.base import UNREADABLE, Place, Record, Refusal, mask_value, write_atomic
from workbench.experiments.session.chain import Session, SessionStep
from workbench.servers import TargetSpec

SESSION_SUFFIX = ".session.json"
_VERSION = 1


class _VersionHeader(msgspec.Struct):
    """The version number, which every version's file has."""

    workbench_session: int


class _SessionFile(Record, frozen=True, kw_only=True):
    workbench_session: int
    session: Session


def write_session(session: Session, path: Path) -> None:
    """Write the session with secrets masked; the old file stays until the new one is complete.

    Raises:
        WorkbenchError: it can't be written.
    """
    steps = tuple(_masked(step) for step in session.steps)
    content = _SessionFile(workbench_session=_VERSION, session=msgspec.structs.replace(session, steps=steps))
    write_atomic(path, msgspec.json.format(msgspec.json.encode(content), indent=1))


def _masked(step: SessionStep) -> SessionStep:
    """Return the step without the secrets of its experiment's target."""
    plain = mask_value(msgspec.to_builtins(step.experiment.target))
    target = msgspec.convert(plain, TargetSpec)
    experiment = msgspec.structs.replace(step.experiment, target=target)
    return msgspec.structs.replace(step, experiment=experiment)


def read_session(path: Path) -> Session:
    """Read a session.

    Raises:
        Refusal: missing, damaged, no session, or of a newer version.
    """
    place = Place(file=str(path))
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Refusal("base.unreadable_file", place, cause=error.strerror) from error
    try:
        version = msgspec.json.decode(data, type=_VersionHeader).workbench_session
        if version > _VERSION:
            raise Refusal("experiments.newer_session", place, version=version, known=_VERSION)
        session = msgspec.json.decode(data, type=_SessionFile).session
    except UNREADABLE as error:
        raise Refusal("experiments.not_a_session", place, why=str(error)) from error
    known = {step.id for step in session.steps}
    for step in session.steps:
        if step.parent is not None and (step.parent not in known or step.parent >= step.id):
            raise Refusal("experiments.step_before_parent", place, step=step.id, parent=step.parent)
    return session
