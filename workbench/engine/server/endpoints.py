"""Endpoints besides generation: health, models, version, metrics, server info, tokenizer, cache reset."""

import time
import uuid
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs

import msgspec

from workbench.base import UNREADABLE
from workbench.engine.server.admission import Admission
from workbench.engine.server.asgi import (
    TEXT,
    Receive,
    Scope,
    Send,
    answer,
    answer_error,
    answer_json,
    read_body,
)
from workbench.engine.server.bodies import decode_tokenize
from workbench.engine.server.exposition import MetricFamily, page
from workbench.engine.server.httpmetrics import HttpMetrics
from workbench.engine.server.lateness import LatenessHistogram
from workbench.engine.server.link import EngineGone, EngineLink
from workbench.engine.server.metrics_page import EnginePage, cache_labels
from workbench.engine.server.processpage import process_families
from workbench.engine.server.refusals import Refused, invalid
from workbench.engine.server.settings import Settings
from workbench.engine.server.tokens import words
from workbench.vllm_dialect import http_errors as errors

SIMULATED_HEADER = (b"x-vllm-workbench", b"simulated")


class Endpoints:
    """ASGI handlers of the small endpoints."""

    def __init__(self, settings: Settings, link: EngineLink, admission: Admission, http: HttpMetrics) -> None:
        self.in_flight = 0
        """HTTP requests in flight."""
        self._settings = settings
        self._link = link
        self._admission = admission
        self._http = http
        self._started = time.time()
        self._page = EnginePage(settings, self._started)
        self._last: dict[str, Any] | None = None

    async def health(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI
        """Answer 200 without content; 503 once the engine is dead."""
        await answer(send, 503 if self._link.dead else 200, b"")

    async def version(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI
        """Answer with the simulated vLLM version, marked as a simulation."""
        reply = {"version": self._settings.version, "simulated": True}
        await answer_json(send, reply, headers=[SIMULATED_HEADER])

    async def load(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI
        """Answer with the requests in flight; 0 if tracking is off, as in vLLM."""
        await answer_json(send, {"server_load": self.in_flight if self._settings.load_tracking else 0})

    async def models(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI
        """Answer with the names of the model."""
        cards = [self._card(name) for name in self._settings.served_names]
        await answer_json(send, {"object": "list", "data": cards})

    def _card(self, name: str) -> dict[str, Any]:
        permission = {
            "id": f"modelperm-{uuid.uuid4().hex[:16]}",
            "object": "model_permission",
            "created": int(time.time()),
            "allow_create_engine": False,
            "allow_sampling": True,
            "allow_logprobs": True,
            "allow_search_indices": False,
            "allow_view": True,
            "allow_fine_tuning": False,
            "organization": "*",
            "group": None,
            "is_blocking": False,
        }
        return {
            "id": name,
            "object": "model",
            "created": int(time.time()),
            "owned_by": "vllm",
            "root": self._settings.model,
            "parent": None,
            "max_model_len": self._settings.scheduler.max_model_len,
            "permission": [permission],
        }

    async def metrics(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI
        """Answer with the metrics; those of the last answer if the engine is gone."""
        try:
            self._last = await self._link.query("metrics")
        except EngineGone:
            if self._last is None:
                await answer_error(send, errors.engine_dead())
                return
        await answer(send, 200, page(self._families(self._last)), TEXT)

    def _families(self, snapshot: dict[str, Any]) -> Iterator[MetricFamily]:
        yield from process_families()
        if self._settings.log_stats:
            yield from self._page.families(snapshot, self._admission.rejections)
        yield from self._http.families()

    async def server_info(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI
        """Answer with the effective settings, marked as a simulation."""
        try:
            reply = await self._link.query("metrics")
            limits = (await self._link.query("limits"))["limits"]
        except EngineGone:
            await answer_error(send, errors.engine_dead())
            return
        late = self._link.lateness
        await answer_json(send, _server_info(self._settings, limits, reply["lateness_ms"], late))

    async def reset_prefix_cache(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI
        """Forget cached blocks; `success` is false while any block is in use."""
        asked = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        if asked.get("reset_running_requests", ["false"])[0].lower() == "true":
            text = "reset_running_requests is not simulated by the embedded engine"
            await answer_error(send, errors.bad_request(text, param="reset_running_requests"))
            return
        try:
            reply = await self._link.query("reset_prefix_cache")
        except EngineGone:
            await answer_error(send, errors.engine_dead())
            return
        await answer_json(send, {"success": reply["done"]})

    async def tokenize(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI
        """Answer with the toy tokenizer's ids."""
        try:
            tokens = decode_tokenize(await read_body(receive), self._settings.vocab_size)
        except Refused as refusal:
            await answer_error(send, refusal.body)
            return
        length = self._settings.scheduler.max_model_len
        body = {"count": len(tokens), "max_model_len": length, "tokens": tokens, "token_strs": None}
        await answer_json(send, body)

    async def detokenize(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI
        """Answer with the words of token ids."""
        try:
            ids = msgspec.json.decode(await read_body(receive), type=_Ids).tokens
        except UNREADABLE as error:
            await answer_error(send, invalid(str(error), "body.tokens").body)
            return
        await answer_json(send, {"prompt": words([token for token in ids if token >= 0])})


class _Ids(msgspec.Struct):
    tokens: list[int]


def _server_info(
    settings: Settings, limits: dict[str, int], steps_late: dict[str, Any], answers_late: LatenessHistogram
) -> dict[str, Any]:
    return {
        "vllm_config": _vllm_config(settings),
        "version": settings.version,
        "non_default_args": settings.non_default,
        "live_limits": limits,
        "simulated": True,
        "profile": settings.profile,
        "time_scale": settings.time_scale,
        "vocab_size": settings.vocab_size,
        "num_gpu_blocks": settings.scheduler.num_gpu_blocks,
        "step_model_us": msgspec.to_builtins(settings.step_model),
        "step_start_lateness_ms": steps_late,
        "answer_lateness_ms": answers_late.summary(),
    }


def _vllm_config(settings: Settings) -> dict[str, Any]:
    """Return the configuration by section, as vLLM reports it."""
    scheduler = settings.scheduler
    as_plain = msgspec.to_builtins(scheduler)
    return {
        "model_config": {
            "model": settings.model,
            "served_model_name": list(settings.served_names),
            "max_model_len": scheduler.max_model_len,
            "vocab_size": settings.vocab_size,
        },
        "cache_config": {
            "block_size": scheduler.block_size,
            "num_gpu_blocks": scheduler.num_gpu_blocks,
            "num_gpu_blocks_override": settings.num_gpu_blocks_override,
            "enable_prefix_caching": scheduler.enable_prefix_caching,
            "kv_cache_size_tokens": int(cache_labels(settings)["kv_cache_size_tokens"]),
        },
        "scheduler_config": {
            **{name: value for name, value in as_plain.items() if name not in _ELSEWHERE},
            # Static batching is not a policy of vLLM; within a batch it is fcfs.
            "policy": "fcfs" if scheduler.policy == "static" else scheduler.policy,
            "static_batching": scheduler.policy == "static",
            "max_num_scheduled_tokens": scheduler.max_num_batched_tokens,
            "max_num_queued_reqs": settings.max_num_queued_reqs,
            "max_num_queued_tokens": settings.max_num_queued_tokens,
            "stream_interval": settings.stream_interval,
        },
    }


_ELSEWHERE = {"num_gpu_blocks", "block_size", "enable_prefix_caching", "max_model_len"}
