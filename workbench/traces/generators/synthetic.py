"""`--synthetic IN:OUT`: equal requests with unique prompts."""

import numpy as np

from workbench.base import Place, Refusal
from workbench.traces.canonical_rows import TraceHeader
from workbench.traces.columns import Labels
from workbench.traces.trace import Trace
from workbench.traces.trace_limits import MAX_TOKENS

SYNTHETIC_GAP_MS = 1000.0
"""Gap between arrivals of a synthetic trace: it has a rate that can be scaled like that of any trace."""


def synthetic_trace(input_length: int, output_length: int, n: int, seed: int = 1) -> Trace:
    """Make `n` equal requests with unique prompts and the class "synthetic"; lengths in tokens.

    `seed` is stored in the header; prompts follow from the prompt builder's seed.

    Raises:
        Refusal: a length or the number is out of range.
    """
    for key, value in (("synthetic", input_length), ("synthetic", output_length), ("requests", n)):
        if not 1 <= value <= MAX_TOKENS:
            raise Refusal("base.out_of_range", Place(key=key), value=value, minimum=1, maximum=MAX_TOKENS)
    return Trace(
        header=TraceHeader(
            source=f"synthetic {input_length}:{output_length}",
            transforms=({"name": "synthetic", "input": input_length, "output": output_length, "seed": seed},),
        ),
        timestamp_ms=np.arange(n, dtype=np.float64) * SYNTHETIC_GAP_MS,
        input_length=np.full(n, input_length, np.int64),
        output_length=np.full(n, output_length, np.int64),
        classes=Labels.all("synthetic", n),
    )


def parse_synthetic(text: str) -> tuple[int, int]:
    """Read the lengths of `IN:OUT`.

    Raises:
        Refusal: `text` isn't two whole numbers joined by a colon.
    """
    before, colon, after = text.partition(":")
    if not (colon and before.isascii() and before.isdigit() and after.isascii() and after.isdigit()):
        raise Refusal("traces.synthetic_form", Place(key="synthetic"), text=text)
    return int(before), int(after)
