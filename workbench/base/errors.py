"""Errors that end a command with one line."""


class WorkbenchError(Exception):
    """A failure while working; the command prints its one line and exits with 1."""

    exit_code = 1


class InputError(WorkbenchError):
    """Input that can't be used; the command prints its one line and exits with 2."""

    exit_code = 2


class MissingResourceError(WorkbenchError, LookupError):
    """A file of the installation is missing.

    Its text is no message, because the messages may be the missing file.
    """
