"""Integers in the forms of vLLM's command line: `8192`, `8k`, `8K`."""

import re

_FACTORS = {
    "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12,
    "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40,
}  # fmt: skip
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)([kKmMgGtT])")


def human_readable_int(text: str) -> int:
    """Return the number of `text`: `4k` is 4,000 and `4K` is 4,096; decimals need a decimal suffix.

    Raises:
        ValueError: `text` is no such number.
    """
    found = _NUMBER.fullmatch(text.strip())
    if found is None:
        return int(text)
    number, suffix = found.groups()
    if suffix.islower():
        return int(float(number) * _FACTORS[suffix])
    return int(number) * _FACTORS[suffix]
