"""A tuning session: a chain of experiments as data, and everything that changes it as commands with undo."""

from workbench.experiments.session.chain import Session, Step, adopt, annotate, attach, begin, branch, star
from workbench.experiments.session.commands import Command, CommandStack, Document
from workbench.experiments.session.draft import DraftDocument, with_field
from workbench.experiments.session.file import SESSION_SUFFIX, read_session, write_session

__all__ = [
    "SESSION_SUFFIX",
    "Command",
    "CommandStack",
    "Document",
    "DraftDocument",
    "Session",
    "Step",
    "adopt",
    "annotate",
    "attach",
    "begin",
    "branch",
    "read_session",
    "star",
    "with_field",
    "write_session",
]
