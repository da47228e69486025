"""Classes by input length, for rows without a mix group."""

import itertools
import re
from collections.abc import Sequence

import numpy as np

from workbench.base import Place, Refusal
from workbench.traces.columns import Ints, Labels

DEFAULT_BANDS = (512, 2048, 8192, 32768)
"""Upper edges in prompt tokens: short chat, chat with history, document, long document, beyond."""


def band_names(edges: Sequence[int]) -> tuple[str, ...]:
    """Return `in 1-512`, ..., `in 32769+`; spreadsheets would make dates of `1-512`."""
    lows = [1, *(edge + 1 for edge in edges)]
    return (*(f"in {low}-{high}" for low, high in zip(lows, edges, strict=False)), f"in {lows[-1]}+")


def banded(input_length: Ints, edges: Sequence[int] = DEFAULT_BANDS, known: Labels | None = None) -> Labels:
    """Return the band of each row, or its `known` class if it has one.

    Raises:
        Refusal: the edges don't rise.
    """
    if not edges or min(edges) < 1 or any(low >= high for low, high in itertools.pairwise(edges)):
        raise Refusal("traces.bands_form", Place(key="bands"), text=",".join(map(str, edges)))
    band = np.searchsorted(np.array(edges), input_length, side="left")
    if known is None:
        return Labels.from_codes(band, band_names(edges))
    codes = np.where(known.codes >= 0, known.codes, band + len(known.names))
    return Labels.from_codes(codes, (*known.names, *band_names(edges)))


def parse_bands(text: str) -> tuple[int, ...]:
    """Read the edges of `512,2048,8192`.

    Raises:
        Refusal: `text` isn't whole numbers joined by commas.
    """
    if not re.fullmatch(r"\d{1,8}(,\d{1,8})*", text):
        raise Refusal("traces.bands_form", Place(key="bands"), text=text)
    return tuple(int(edge) for edge in text.split(","))
