"""The sentences that the core makes, as templates: what the window shows in the user's language.

The core speaks English, in its files and on the command line too; its sentences are literals and f-strings.
Here they are read from the syntax tree of the rooms whose words reach the window: what is filled in becomes
a numbered hole, `{0}`. `packaging/translations.py` puts them into the context `core` of the .ts file and into
the list that the window matches sentences against.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent / "workbench"

ROOMS = (
    "advice",
    "base",
    "controls",
    "dialect",
    "experiments",
    "load",
    "profiles",
    "results",
    "servers",
    "telemetry",
    "traces",
)
ELSEWHERE = (
    # Only the command line shows them.
    "advice/comparison.py",
    "advice/offers.py",
    "advice/sizing",
    "experiments/calibration",
    "experiments/systems.py",
    "load/calibration.py",
    "results/demand.py",
    "results/exports",
    "results/peers",
    "results/recomputing.py",
    # Data, which is translated as such.
    "controls/caches.py",
    "controls/catalogue.py",
    "controls/numerics.py",
    "traces/transforms/steps.py",
    # The columns' meaning in the exports.
    "results/scorecard",
    # Words of vLLM and of protocols, bytes on the wire, programs for other machines, made-up text.
    "base/lazy.py",
    "dialect/errors.py",
    "dialect/iterations.py",
    "dialect/metrics.py",
    "load/alarm.py",
    "load/body.py",
    "load/intake.py",
    "load/messages.py",
    "load/nullserver.py",
    "load/words.py",
    "servers/inside",
    "servers/ssh/there.py",
    "traces/identity.py",
)
"""Files and folders of those rooms whose words the window does not show."""

_LETTER = r"[^\W\d_]"
_WORDS = re.compile(
    rf"{_LETTER}{{2}}[^\w\s]{{0,3}}\s\W{{0,2}}{_LETTER}"  # two words in a row, …
    rf"|{_LETTER}[^\w\s]{{0,3}}\s\W{{0,2}}{_LETTER}{{2}}"
    rf"|{_LETTER}{{2}}[^\w\s]{{0,2}} ?\{{|\}} ?[^\w\s]{{0,2}}{_LETTER}{{3}}"  # … or one beside a hole
)
_NO_WORDS = re.compile(
    r"\\[dwsSb.(\[]|\(\?|\.\*|\.\+|\[\^|\w ?\| ?\w|\r\n|\n."  # patterns, types, wire formats
    r"|^(SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|PRAGMA|WITH|BEGIN|ATTACH|VACUUM)\b"
    r"|\bFROM \w+\b|\bWHERE\b|\bORDER BY\b|\bVALUES \(|\bCREATE TABLE\b"
    r"|\bimport \w+[;.,]|^\w+=|</?\w+>|^[a-zA-Z]+(\.\w+)?\["  # code
    r"|\{\{|\b(issues?|requests?) \d{3}"  # templates of other programs, addresses
)
OTHERS = frozenset(
    (
        # What vLLM and libraries say, to be found in their output.
        "Application shutdown complete.",
        "Application startup complete",
        "Application startup complete.",
        "Chunked prefill is enabled with max_num_batched_tokens={0}.",
        "Engine core initialization failed",
        "Engine process failed to start",
        "EngineCore encountered an issue",
        "Error retrieving safetensors",
        "Error tokenizing data. C error: ",
        "Failed to load model - not enough GPU memory",
        "Invalid RFC3339 encoded date",
        "Invalid enum value",
        "No available memory for the cache blocks",
        "No space left on device",
        "Object contains unknown field",
        "Object missing required field",
        "Starting vLLM server on {0}",
        "Timed out waiting for engine core processes to start",
        "Traceback (most recent call last):",
        "WorkerProc initialization failed",
        "listening on ",
        "non-default args: ",
        "non-default args: {0}",
        "({0} pid={1}) {2} {3} [workbench] ",
        "{0} KV cache size: {1} tokens, Maximum concurrency for {2} tokens per request: {3}x",
        (
            "Engine 000: Avg prompt throughput: {0} tokens/s, Avg generation throughput: {1} tokens/s,"
            " Running: {2} reqs, Waiting: {3} reqs, GPU KV cache usage: {4}%, Prefix cache hit rate: {5}%"
        ),
        # Names of columns, and lines of files.
        "Elapsed time",
        "Request tokens",
        "Response tokens",
        "Session ID",
        "workbench-closed-loop 1 concurrency {0} {1}\n",
        # What is sent, typed or asked on a console.
        "Bearer {0}",
        "Passphrase of {0}: ",
        "ssh {0} -- {1}",
    )
)
"""Strings that look like the core's own sentences and are not."""
WORDS = (
    "error rate {0}",
    "p95 end to end {0}",
    "p95 queue time {0}",
    "server {0}",
    "server {0}: {1}",
    "the server ended with exit code {0} without a word",
    "the server ended with exit code {0}; its last words: {1}",
    "the server ended unexpectedly without a word",
    "the server ended unexpectedly; its last words: {0}",
    "{0} better",
    "{0} diverging",
    "{0} of {1}",
    "{0} worse",
    "around",
    "busy",
    "default",
    "degraded",
    "diverging",
    "failed",
    "high",
    "idle",
    "invalid",
    "low",
    "medium",
    "meets",
    "misses",
    "ready",
    "reproduced",
    "stable",
    "starting",
    "stopped",
    "stopping",
    "undecided",
    "unexpectedly",
)
"""Single words that fill holes, and what is put together of a name and one of them."""


class _Reader(ast.NodeVisitor):
    """Templates of one module, in its order."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def visit_Expr(self, node: ast.Expr) -> None:
        """All but docstrings, of attributes too."""
        if not isinstance(node.value, ast.Constant):
            self.visit(node.value)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """Strings that are put together with + are one template, and each is one by itself."""
        summands = _summands(node)
        if any(map(_is_text, summands)):
            self._add(summands)
        self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        self._add([node])

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self._add([node])

    def _add(self, parts: list[ast.expr]) -> None:
        texts, holes = [""], list[ast.expr]()
        for part in parts:
            for piece in part.values if isinstance(part, ast.JoinedStr) else [part]:
                if isinstance(piece, ast.Constant) and isinstance(piece.value, str):
                    texts = [text + piece.value for text in texts]
                elif words := _either(piece):
                    texts = [text + word for text in texts for word in words]
                else:
                    texts = [f"{text}{{{len(holes)}}}" for text in texts]
                    holes.append(piece)
        self.found += filter(_is_sentence, texts)
        for hole in holes:
            self.visit(hole)


def _either(piece: ast.expr) -> tuple[str, str] | None:
    """The two texts of a hole such as `{'' if count == 1 else 's'}`: each makes a template of its own."""
    choice = piece.value if isinstance(piece, ast.FormattedValue) else None
    if isinstance(choice, ast.IfExp):
        body, other = choice.body, choice.orelse
        if isinstance(body, ast.Constant) and isinstance(other, ast.Constant):
            return str(body.value), str(other.value)
    return None


def _is_sentence(text: str) -> bool:
    words = " " in text.strip() and _WORDS.search(text) is not None
    return words and _NO_WORDS.search(text) is None and text not in OTHERS


def _summands(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [*_summands(node.left), *_summands(node.right)]
    return [node]


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def of_core() -> Iterator[str]:
    """Every template of the rooms whose words the window shows, and the single words that fill holes."""
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if name.split("/")[0] in ROOMS and not name.startswith(ELSEWHERE):
            reader = _Reader()
            reader.visit(ast.parse(path.read_text(encoding="utf-8")))
            yield from reader.found
    yield from WORDS


if __name__ == "__main__":
    print(*dict.fromkeys(of_core()), sep="\n")
