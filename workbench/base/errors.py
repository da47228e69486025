"""Errors that end a command with one clear line."""


class WorkbenchError(Exception):
    """Something failed while working; the command exits with 1 and this message as its one line."""

    exit_code = 1


class InputError(WorkbenchError):
    """The user's input can't be used: what, where (file, line, field), what would be right. Exit code 2."""

    exit_code = 2


class MissingResourceError(WorkbenchError, LookupError):
    """The installation lacks one of its own files."""
