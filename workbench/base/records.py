"""The base of records that are stored or sent to another process."""

import msgspec

UNREADABLE = (msgspec.MsgspecError, ValueError, OverflowError, RecursionError)
"""Errors of decoders of JSON and TOML on foreign text: another form, no UTF-8, a number without
end, or thousands of nested brackets (for which decoders have no error of their own)."""


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=False):
    """The base of immutable records. An unknown value is None (null in JSON), never 0."""
