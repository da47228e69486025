"""Notes from a run's requests that explain its figures; the run may be valid."""

from collections.abc import Iterator

import numpy as np

from workbench.base import Message, message
from workbench.results.figures.latencies import token_gaps, unknown_streams
from workbench.results.figures.request_columns import RequestColumns


def request_notes(columns: RequestColumns) -> list[Message]:
    """Return a note for each figure of these measured requests that could mislead."""
    return [*_unknown_tokens(columns), *_other_prompts(columns)]


def _unknown_tokens(columns: RequestColumns) -> Iterator[Message]:
    unknown, streams = unknown_streams(columns)
    if not unknown:
        return
    if token_gaps(columns, scale=1.0).values.size:
        yield message("results.itl_of_others", count=unknown, streams=streams)
    else:
        yield message("results.itl_unknown", count=unknown, streams=streams)


def _other_prompts(columns: RequestColumns) -> Iterator[Message]:
    """Yield that the server counts other prompt tokens: its tokenizer, or a chat template, makes others."""
    as_text = (columns.input_mode == "text") & ~np.isnan(columns.prompt_tokens)
    asked, counted = columns.input_tokens[as_text], columns.prompt_tokens[as_text]
    if not np.array_equal(asked, counted):
        yield message("results.prompts_as_text", counted=float(counted.mean()), asked=float(asked.mean()))
