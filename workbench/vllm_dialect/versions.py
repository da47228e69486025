"""Versions of vLLM, as far as behavior depends on them: major and minor number."""

import re

from workbench.base import Place, Record, Refusal

MODELLED_VERSION = "0.32"
"""The vLLM that the embedded engine stands for unless another one is named."""
MODELLED_RELEASE = "0.32.0"
NEWEST_CHECKED = "0.33"
"""The newest vLLM whose scheduler, flags, metrics and logs were compared with this program."""
OLDEST_CHECKED = "0.11"


class Version(Record, frozen=True, kw_only=True, order=True):
    """Major and minor number; vLLM's behavior changes with these, not with patch releases."""

    major: int
    minor: int

    @classmethod
    def parse(cls, text: str, place: Place | None = None) -> "Version":
        """Read `0.19.0`, `v0.32` or `0.32.0+cpu`.

        Raises:
            Refusal: the text is not a version; `place` says where it stands.
        """
        version = version_of(text)
        if version is None:
            raise Refusal("dialect.not_a_version", place, text=text)
        return version

    def __str__(self) -> str:
        """Return `0.32`."""
        return f"{self.major}.{self.minor}"


def version_of(text: str | None) -> Version | None:
    """Return the version in `text`; None if it is unknown or not a version (such as `dev`)."""
    found = re.match(r"v?(\d{1,4})\.(\d{1,4})(?![\d])", (text or "").strip())
    return Version(major=int(found[1]), minor=int(found[2])) if found else None
