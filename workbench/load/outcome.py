"""Exactly one outcome for each request (docs/definitions.md, "Outcomes")."""

import re

from workbench.dialect import error_message, is_rejection
from workbench.load.reply import Reply
from workbench.results.records import Outcome, RequestRecord

_GOOD_ENDINGS = frozenset({"stop", "length", "tool_calls", "repetition"})

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_SIGN_OF_LIFE = re.compile(r"\bping\b|keep.?alive|heart.?beat|\bprocessing\b", re.IGNORECASE)
"""Comments that servers send only to keep a connection open."""


def judge(reply: Reply, lost: str | None) -> tuple[Outcome, str | None]:
    """How an answer that ended by itself counts, and why in words where it isn't `completed`.

    `lost` says why the connection ended before the answer did; None: the answer ended as HTTP says.
    """
    ended = reply.complete or (reply.done_mark and reply.finish_reason is not None)
    if reply.status is not None and not 200 <= reply.status < 300 and (reply.complete or not lost):
        text = _redirect(reply) or _text_of(reply.error)
        rejected = reply.status == 503 and is_rejection(reply.error)
        return _refused(rejected=rejected, text=f"HTTP {reply.status}" + (f": {text}" if text else ""))
    if reply.error is not None:
        return _refused(rejected=is_rejection(reply.error), text=_text_of(reply.error) or "an error event")
    if reply.broken:
        return Outcome.FAILED, reply.broken
    if not ended:
        return Outcome.FAILED, _with_words(lost or "the connection closed before the answer ended", reply)
    if reply.finish_reason in _GOOD_ENDINGS:
        return Outcome.COMPLETED, None
    if reply.finish_reason is None:
        return Outcome.FAILED, _with_words("the stream ended without a finish_reason", reply)
    return Outcome.FAILED, f"finish_reason {reply.finish_reason}"


def _with_words(why: str, reply: Reply) -> str:
    """Why an answer has no end, and what the server last said besides output, if it wasn't a sign of life."""
    words = reply.last_words
    return why if not words or _SIGN_OF_LIFE.search(words) else f"{why}; the server's last words: {words}"


def without_quotes(record: RequestRecord) -> RequestRecord:
    """The record without the server's own words, which may quote a real prompt or answer."""
    if record.error is not None:
        status = record.status
        said = f"HTTP {status}" if status is not None and status >= 300 else "no whole answer"
        record.error = f"{said} (the server's words may quote the prompt and are left out)"
    return record


def _redirect(reply: Reply) -> str:
    """Where the server sends its callers; what follows a ? may be a key."""
    if reply.location is None or reply.status not in _REDIRECTS:
        return ""
    return f"the server is at {reply.location.partition('?')[0][:200]}: give that address"


def _refused(*, rejected: bool, text: str) -> tuple[Outcome, str]:
    return (Outcome.REJECTED if rejected else Outcome.FAILED), text


def _text_of(answer: object) -> str:
    if isinstance(answer, dict):
        text = error_message(answer) or str(answer.get("message") or answer.get("detail") or answer)
    else:
        text = str(answer or "")
    return " ".join(text.split())
