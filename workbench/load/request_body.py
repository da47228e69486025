"""Bytes of requests, built ahead of their due times in pieces too short to delay anything."""

import asyncio
from collections.abc import Generator, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

import msgspec
import numpy as np
from numpy.typing import NDArray

from workbench.load.messages import LoadRequest, PromptColumns
from workbench.load.options import INPUT_MODE_OF, LoadOptions
from workbench.load.parse_reads import ReadParser
from workbench.load.target import Target
from workbench.traces import PromptBuilder, Trace, TraceHeader, synthetic_trace
from workbench.traces.columns import bits_of

# Prompts as text: one common English word for each token id.
#
# Nearly every tokenizer has these words, with the space before them, as single tokens, so a text of n words
# is about n tokens; the server's usage has the exact number. Equal ids give equal words: shared prefixes of a
# trace stay shared.

_WORDS = """
the of and to in is that for it as was with be by on not he his but at are this have from or had
an they which one you were all her she there would their we him been has when who will no more if
out so up said what its about than into them can only other time new some could these two may
first then do any like my now over such our man me even most made after also did many off before
must well back through years much where your way down should because long each just state those
people too how little good world still see work life being here between both under never same
another know while last might great year day own since house right use place against again around
come part old small found high without during few home water room number course always side face
young family case point called second set group money best land power system service area order
line need name end public head night least party story team table city change data model value
result field level light sound color paper letter answer question reason market price rate test
force heart mind door street river north south east west summer winter green blue black white red
short full open free clear simple common strong large early late hard true real sure able ready
low near far left next book word page school student teacher child woman friend doctor king law
war peace art music game food air fire stone wood glass road car ship train plane hand body eye
ear voice dream hope love fear idea plan form type kind sort piece half
"""
_TABLE = [f" {word}".encode() for word in _WORDS.split()]


def words_for(ids: NDArray[np.int64]) -> bytes:
    """Return the words of token ids, each with a space before it (ASCII that JSON leaves unescaped)."""
    return b"".join([_TABLE[i] for i in (ids % len(_TABLE)).tolist()])


_PIECE = 4096
"""Tokens encoded in one piece: some 0.2 ms."""
_WARMUP_SEED = 0x5EED_0FF5E7
"""Added to the seed of warm-up prompts, so that they share no prefix with measured ones."""
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
        """Take `texts`, real prompts by trace row; other rows get invented words."""
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

    def request_id(self, request: LoadRequest) -> str:
        """Return the X-Request-Id of a request: unique in the run."""
        return f"{self._run_id}-{'w' if request.warmup else ''}{request.index}"

    def pieces(self, request: LoadRequest) -> Iterator[bytes]:
        """Yield empty pieces while the request is built, then its bytes."""
        parts = yield from self._prompt(request)
        body = self._body(request, parts)
        lines = f"X-Request-Id: {self.request_id(request)}\r\nContent-Length: {len(body)}\r\n\r\n"
        yield b"".join((self._head, lines.encode(), body))

    def _prompt(self, request: LoadRequest) -> Generator[bytes, None, list[bytes]]:
        """Yield an empty piece after each part of the prompt; returns the parts as JSON."""
        if not request.warmup and (text := self._texts.get(request.row)) is not None:
            yield b""
            return [_encode(text)[1:-1]]
        builder = self._warmup if request.warmup else self._measured
        ids = builder.token_ids(self._trace, request.row, request.cycle)
        yield b""
        parts = []
        for start in range(0, len(ids), _PIECE):
            piece = ids[start : start + _PIECE]
            parts.append(_encode(piece.tolist())[1:-1] if self.input_mode == "ids" else words_for(piece))
            yield b""
        return parts

    def whole(self, request: LoadRequest) -> bytes:
        """Build a request in one go."""
        request_bytes = b""
        for request_bytes in self.pieces(request):  # noqa: B007 - the last piece is the request
            pass
        return request_bytes

    def _body(self, request: LoadRequest, parts: list[bytes]) -> bytes:
        fields = _encode(self._fields(request))
        if self._chat:
            prompt = b'"messages":[{"role":"user","content":"' + b"".join(parts) + b'"}]'
        elif self.input_mode == "text":
            prompt = b'"prompt":"' + b"".join(parts) + b'"'
        else:
            prompt = b'"prompt":[' + b",".join(parts) + b"]"
        return b"".join((b"{", prompt, b",", fields[1:]))

    def _fields(self, request: LoadRequest) -> dict[str, object]:
        usage = {"include_usage": True}
        if self._options.continuous_usage is not False:
            usage["continuous_usage_stats"] = True
        fields: dict[str, object] = {
            "model": self._model,
            "max_tokens": request.output_tokens,
            "min_tokens": request.output_tokens,
            "ignore_eos": True,
            "temperature": 0,
            "stream": True,
            "stream_options": usage,
        }
        if request.priority:
            fields["priority"] = request.priority
        if self._options.cache_salt:
            fields["cache_salt"] = self._options.cache_salt
        return {**fields, **self._options.extra_body}


def columns_of(trace: Trace) -> PromptColumns:
    """Return the columns of `trace` from which a worker builds its prompts."""
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
    # Only the columns of prompts are needed; the rest of the trace stays with the conductor.
    return replace(
        synthetic_trace(1, 1, len(lengths)),
        header=TraceHeader(block_tokens=columns.block_tokens),
        input_length=lengths,
        hash_offsets=None if offsets is None else np.frombuffer(offsets, "<i8"),
        hash_flat=np.frombuffer(columns.hash_flat, "<u8"),
    )


# Requests built ahead of their due times, in bounded memory.


class Bodies:
    """Built requests that are due next; at most `most_bytes` of them."""

    def __init__(self, builder: BodyBuilder, parser: ReadParser, most_bytes: int) -> None:
        self._builder = builder
        self._parser = parser
        self._most_bytes = most_bytes
        self._wanted: dict[tuple[bool, int], LoadRequest] = {}
        self._built: dict[tuple[bool, int], bytes] = {}
        self._bytes = 0
        self._building = False
        self._settled = asyncio.Event()
        self._settled.set()

    async def settle(self) -> None:
        """Wait until all wanted requests are built, as far as memory allows."""
        await self._settled.wait()

    def build_ahead(self, request: LoadRequest) -> None:
        """Build a request in idle moments, after those wanted before."""
        self._wanted[request.warmup, request.index] = request
        self._go_on()

    def pop(self, request: LoadRequest) -> bytes:
        """Remove and return a request's bytes; builds it now if it is not built yet."""
        key = (request.warmup, request.index)
        self._wanted.pop(key, None)
        request_bytes = self._built.pop(key, None)
        if request_bytes is None:
            return self._builder.whole(request)
        self._bytes -= len(request_bytes)
        self._go_on()
        return request_bytes

    def _go_on(self) -> None:
        if not self._building and self._wanted and self._bytes < self._most_bytes:
            self._building = True
            self._settled.clear()
            self._parser.add_chore(self._build())

    def _build(self) -> Iterator[None]:
        while self._wanted and self._bytes < self._most_bytes:
            key = next(iter(self._wanted))
            request = self._wanted[key]
            request_bytes = b""
            for request_bytes in self._builder.pieces(request):
                if not request_bytes:
                    yield
            if self._wanted.pop(key, None) is not None:  # else it fell due meanwhile and was built at once
                self._built[key] = request_bytes
                self._bytes += len(request_bytes)
            yield
        self._building = False
        self._settled.set()
