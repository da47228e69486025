"""The bytes of a request, built ahead of its due time in pieces short enough not to delay anything."""

from collections.abc import Generator, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

import msgspec
import numpy as np

from workbench.load.messages import Ask, PromptColumns
from workbench.load.options import INPUT_MODE_OF, LoadOptions
from workbench.load.target import Target
from workbench.load.words import words_for
from workbench.traces import PromptBuilder, Trace, TraceHeader, synthetic_trace
from workbench.traces.arrays import bits_of

_PIECE = 4096
"""Tokens encoded between two chances to do something due: some 0.2 ms."""
_WARMUP_SEED = 0x5EED_0FF5E7
"""Added to the seed of warm-up prompts, so that none shares a prefix with a measured one."""
_NO_TEXTS: Mapping[int, str] = MappingProxyType({})
_encode = msgspec.json.Encoder().encode


class BodyBuilder:
    """Builds whole requests, head and body, for one run."""

    def __init__(
        self,
        target: Target,
        options: LoadOptions,
        prompts: PromptColumns,
        run_id: str,
        texts: Mapping[int, str] = _NO_TEXTS,
    ) -> None:
        """`texts`: real prompts by trace row; a row without one gets invented words."""
        self._texts = texts
        self.input_mode = options.input_mode or INPUT_MODE_OF[target.endpoint]
        self._chat = target.endpoint == "chat"
        self._run_id = run_id
        self._options = options
        self._model = target.model
        self._trace = _trace_of(prompts)
        self._measured = PromptBuilder(options.vocab_size, options.seed, prompts.block_tokens)
        self._warmup = PromptBuilder(options.vocab_size, options.seed + _WARMUP_SEED, prompts.block_tokens)
        headers = target.all_headers(
            {
                "Host": target.address().host_header,
                "Content-Type": "application/json",
                "Accept": "text/event-stream",
                "User-Agent": "vllm-workbench",
            }
        )
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self._head = f"POST {target.path()} HTTP/1.1\r\n{lines}".encode()

    def request_id(self, ask: Ask) -> str:
        """The X-Request-Id of a request: unique to run and place in the schedule."""
        return f"{self._run_id}-{'w' if ask.warmup else ''}{ask.index}"

    def pieces(self, ask: Ask) -> Iterator[bytes]:
        """Empty pieces as long as there is more to do, then the request's bytes."""
        parts = yield from self._prompt(ask)
        body = self._body(ask, parts)
        lines = f"X-Request-Id: {self.request_id(ask)}\r\nContent-Length: {len(body)}\r\n\r\n"
        yield b"".join((self._head, lines.encode(), body))

    def _prompt(self, ask: Ask) -> Generator[bytes, None, list[bytes]]:
        """Parts of the prompt as JSON has them, an empty piece after each."""
        if not ask.warmup and (text := self._texts.get(ask.row)) is not None:
            yield b""
            return [_encode(text)[1:-1]]
        builder = self._warmup if ask.warmup else self._measured
        ids = builder.token_ids(self._trace, ask.row, ask.cycle)
        yield b""
        parts = []
        for start in range(0, len(ids), _PIECE):
            piece = ids[start : start + _PIECE]
            parts.append(_encode(piece.tolist())[1:-1] if self.input_mode == "ids" else words_for(piece))
            yield b""
        return parts

    def whole(self, ask: Ask) -> bytes:
        """The request's bytes at once."""
        request = b""
        for request in self.pieces(ask):  # noqa: B007 - the last piece is the request
            pass
        return request

    def _body(self, ask: Ask, parts: list[bytes]) -> bytes:
        fields = _encode(self._fields(ask))
        if self._chat:
            prompt = b'"messages":[{"role":"user","content":"' + b"".join(parts) + b'"}]'
        elif self.input_mode == "text":
            prompt = b'"prompt":"' + b"".join(parts) + b'"'
        else:
            prompt = b'"prompt":[' + b",".join(parts) + b"]"
        return b"".join((b"{", prompt, b",", fields[1:]))

    def _fields(self, ask: Ask) -> dict[str, object]:
        usage = {"include_usage": True}
        if self._options.continuous_usage is not False:
            usage["continuous_usage_stats"] = True
        fields: dict[str, object] = {
            "model": self._model,
            "max_tokens": ask.output_tokens,
            "min_tokens": ask.output_tokens,
            "ignore_eos": True,
            "temperature": 0,
            "stream": True,
            "stream_options": usage,
        }
        if ask.priority:
            fields["priority"] = ask.priority
        if self._options.cache_salt:
            fields["cache_salt"] = self._options.cache_salt
        return {**fields, **self._options.extra_body}


def columns_of(trace: Trace) -> PromptColumns:
    """The columns of `trace` that a worker needs to build its prompts."""
    offsets = trace.hash_offsets
    return PromptColumns(
        block_tokens=trace.header.block_tokens,
        input_length=trace.input_length.astype("<i8").tobytes(),
        hash_offsets=None if offsets is None else offsets.astype("<i8").tobytes(),
        hash_flat=bits_of(trace.hash_flat).astype("<u8").tobytes(),
    )


def _trace_of(columns: PromptColumns) -> Trace:
    lengths = np.frombuffer(columns.input_length, "<i8").astype(np.int64)
    offsets = columns.hash_offsets
    # Only the columns that prompts are made of matter; the rest of the trace stays with the conductor.
    return replace(
        synthetic_trace(1, 1, len(lengths)),
        header=TraceHeader(block_tokens=columns.block_tokens),
        input_length=lengths,
        hash_offsets=None if offsets is None else np.frombuffer(offsets, "<i8"),
        hash_flat=np.frombuffer(columns.hash_flat, "<u8"),
    )
