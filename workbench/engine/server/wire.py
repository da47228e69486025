"""JSON for clients: events and complete answers, field for field in vLLM's order."""

import json
import time
from typing import Any

import msgspec

from workbench.engine.server.bodies import Asked
from workbench.engine.server.replies import PromptAnswer
from workbench.engine.server.tokens import words
from workbench.vllm_dialect import ErrorBody

DONE = b"data: [DONE]\n\n"
FINGERPRINT = "vllm-embedded"


def error_event(error: ErrorBody) -> bytes:
    """Return an error inside a stream that began with 200, and the stream's end."""
    return b"data: " + msgspec.json.encode(error) + b"\n\n" + DONE


def usage_of(prompt_tokens: int, completion_tokens: int, cached: int | None = None) -> dict[str, Any]:
    """Return the `usage` object; `cached` only with prompt-token details."""
    usage: dict[str, Any] = {
        "prompt_tokens": prompt_tokens,
        "total_tokens": prompt_tokens + completion_tokens,
        "completion_tokens": completion_tokens,
    }
    if cached is not None:
        usage["prompt_tokens_details"] = {"cached_tokens": cached}
    return usage


def request_metrics(answer: PromptAnswer) -> dict[str, float | None]:
    """Return the `metrics` of `--enable-per-request-metrics`: simulated milliseconds from scheduling on.

    Preempted requests also have `requeue_wait_ms`, which vLLM lacks.
    """
    timing, tokens = answer.timing, answer.tokens
    if timing is None:
        return dict.fromkeys(
            (
                "time_to_first_token_ms",
                "generation_time_ms",
                "queue_time_ms",
                "mean_itl_ms",
                "tokens_per_second",
            )
        )
    generation = (timing.last_token - timing.first_token) * 1e3
    inference = timing.last_token - timing.scheduled
    metrics = {
        "time_to_first_token_ms": (timing.first_token - timing.scheduled) * 1e3,
        "generation_time_ms": generation,
        "queue_time_ms": (timing.scheduled - timing.queued) * 1e3,
        "mean_itl_ms": generation / (tokens - 1) if tokens > 1 else None,
        "tokens_per_second": tokens / inference if inference > 0 else None,
    }
    if timing.requeue_wait is not None:
        metrics["requeue_wait_ms"] = timing.requeue_wait * 1e3
    return metrics


class ReplyWriter:
    """Builds the events or the answer of a request; events are joined from prepared text.

    Args:
        asked: the request.
        request_id: the answer's `id`, prefix included.
        model: name in the answer.
        details: `usage` has cached prompt tokens.
        timed: the answer has `metrics`.
    """

    def __init__(self, asked: Asked, request_id: str, model: str, *, details: bool, timed: bool) -> None:
        self._asked = asked
        self._id = request_id
        self._model = model
        self._details = details
        self._timed = timed and len(asked.prompts) == 1
        self._created = int(time.time())
        kind = "chat.completion.chunk" if asked.chat else "text_completion"
        head = {"id": request_id, "object": kind, "created": self._created, "model": model}
        self._head = "data: " + json.dumps(head, separators=(",", ":"))[:-1] + ',"choices":[{"index":'
        self._plain = not (asked.return_token_ids or asked.continuous_usage)

    # -- a stream ----------------------------------------------------------------------------------

    def events(self, answers: list[PromptAnswer]) -> bytes:
        """Return the pending tokens of these answers, an event each (a chat's first after its role)."""
        return "".join([self._event(answer) for answer in answers]).encode()

    def _event(self, answer: PromptAnswer) -> str:
        tokens, answer.pending = answer.pending, []
        first = not answer.num_sent
        answer.num_sent += len(tokens)
        text = words(tokens)
        role = self._role(answer) if first and self._asked.chat and (tokens or answer.reason) else ""
        if answer.reason is None and self._plain:
            if self._asked.chat:
                choice = f'{answer.index},"delta":{{"content":"{text}"}},"logprobs":null,"finish_reason":null'
                return f'{role}{self._head}{choice},"token_ids":null}}]}}\n\n'
            choice = f'{answer.index},"text":"{text}","logprobs":null,"finish_reason":null,"stop_reason":null'
            return f'{self._head}{choice},"prompt_token_ids":null,"token_ids":null}}]}}\n\n'
        return role + self._rare_event(answer, tokens, text, first=first)

    def _rare_event(self, answer: PromptAnswer, tokens: list[int], text: str, *, first: bool) -> str:
        """Return an event with the end, token ids or usage."""
        ids = json.dumps(tokens, separators=(",", ":")) if self._asked.return_token_ids else "null"
        reason = json.dumps(answer.reason)
        if self._asked.chat:
            choice = f'{answer.index},"delta":{{"content":"{text}"}},"logprobs":null,"finish_reason":{reason}'
            choice += ',"stop_reason":null' if answer.reason else ""
            choice += f',"token_ids":{ids}}}]'
        else:
            prompt = json.dumps(answer.prompt) if first and self._asked.return_token_ids else "null"
            choice = (
                f'{answer.index},"text":"{text}","logprobs":null,"finish_reason":{reason},"stop_reason":null'
            )
            choice += f',"prompt_token_ids":{prompt},"token_ids":{ids}}}]'
        tail = self._usage_tail(len(answer.prompt), answer.num_sent)
        if answer.reason and not self._asked.include_usage:
            tail += f',"system_fingerprint":"{FINGERPRINT}"'
        return f"{self._head}{choice}{tail}}}\n\n"

    def _role(self, answer: PromptAnswer) -> str:
        """Return a chat's first event, which comes together with the first token."""
        prompt = json.dumps(answer.prompt) if self._asked.return_token_ids else "null"
        delta = '{"role":"assistant","content":""}'
        choice = f'{answer.index},"delta":{delta},"logprobs":null,"finish_reason":null}}]'
        tail = self._usage_tail(len(answer.prompt), 0)
        return f'{self._head}{choice}{tail},"prompt_token_ids":{prompt}}}\n\n'

    def _usage_tail(self, prompt_tokens: int, tokens: int) -> str:
        if not self._asked.continuous_usage:
            return ""
        total = prompt_tokens + tokens
        totals = f'"total_tokens":{total},"completion_tokens":{tokens}'
        return f',"usage":{{"prompt_tokens":{prompt_tokens},{totals}}}'

    def last_events(self, answers: list[PromptAnswer]) -> bytes:
        """Return the usage event, if requested, and the end."""
        if not self._asked.include_usage:
            return DONE
        event: dict[str, Any] = {
            "id": self._id,
            "object": "chat.completion.chunk" if self._asked.chat else "text_completion",
            "created": self._created,
            "model": self._model,
            "choices": [],
            "usage": self._usage(answers),
            "system_fingerprint": FINGERPRINT,
        }
        if self._timed:
            event["metrics"] = {
                name: value for name, value in request_metrics(answers[0]).items() if value is not None
            }
        return b"data: " + msgspec.json.encode(event) + b"\n\n" + DONE

    def _usage(self, answers: list[PromptAnswer]) -> dict[str, Any]:
        prompt_tokens = sum(len(answer.prompt) for answer in answers)
        cached = answers[0].cached if self._details else None
        return usage_of(prompt_tokens, sum(answer.num_sent for answer in answers), cached)

    # -- a whole answer ----------------------------------------------------------------------------

    def whole(self, answers: list[PromptAnswer]) -> bytes:
        """Return the body of an answer that is not streamed."""
        ids = self._asked.return_token_ids
        for answer in answers:
            answer.num_sent = answer.tokens
        body: dict[str, Any] = {
            "id": self._id,
            "object": "chat.completion" if self._asked.chat else "text_completion",
            "created": self._created,
            "model": self._model,
            "choices": [self._chat_choice(a) if self._asked.chat else self._choice(a) for a in answers],
            "service_tier": None,
            "system_fingerprint": FINGERPRINT,
            "usage": {**self._usage(answers)},
        }
        body["usage"].setdefault("prompt_tokens_details", None)
        if self._asked.chat:
            body |= {"prompt_logprobs": None, "prompt_token_ids": answers[0].prompt if ids else None}
        body |= {"kv_transfer_params": None, "metrics": request_metrics(answers[0]) if self._timed else None}
        return msgspec.json.encode(body)

    def _choice(self, answer: PromptAnswer) -> dict[str, Any]:
        ids = self._asked.return_token_ids
        return {
            "index": answer.index,
            "text": words(answer.pending),
            "logprobs": None,
            "finish_reason": answer.reason,
            "stop_reason": None,
            "token_ids": answer.pending if ids else None,
            "prompt_logprobs": None,
            "prompt_token_ids": answer.prompt if ids else None,
        }

    def _chat_choice(self, answer: PromptAnswer) -> dict[str, Any]:
        message = {
            "role": "assistant",
            "content": words(answer.pending),
            "refusal": None,
            "annotations": None,
            "audio": None,
            "function_call": None,
            "reasoning": None,
        }
        return {
            "index": answer.index,
            "message": message,
            "logprobs": None,
            "finish_reason": answer.reason,
            "stop_reason": None,
            "token_ids": answer.pending if self._asked.return_token_ids else None,
        }
