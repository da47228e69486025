"""The base of records that are stored or sent to another process."""

import msgspec

UNREADABLE = (msgspec.MsgspecError, ValueError, OverflowError, RecursionError)
"""What decoders of JSON and TOML raise on a text that others wrote: another form, no UTF-8, a number without
end, brackets within brackets by the thousand (which no decoder calls an error of the text)."""


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=False):
    """Base of immutable records. Unknown is None, which JSON writes as null; never 0."""
