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
    "vllm_dialect",
    "experiments",
    "load",
    "profiles",
    "results",
    "servers",
    "telemetry",
    "traces",
)
ELSEWHERE = (
    # Words of a parser, to be found in what it says.
    "base/toml_text.py",
    # Only the command line shows them.
    "advice/sizing/server_log.py",
    "experiments/calibration",
    "load/calibration/calibrate.py",
    "results/exports",
    "results/peers",
    "results/recomputed_figures.py",
    # Beginnings of texts that are read, not said.
    "results/figures/reasons.py",
    # Data, which is translated as such.
    "controls/caches.py",
    "controls/catalogue.py",
    "controls/numerics.py",
    "traces/transforms/parse_steps.py",
    # The columns' meaning in the exports.
    "results/scorecard",
    # Words of vLLM and of protocols, bytes on the wire, programs for other machines, made-up text.
    "vllm_dialect/failure_rules_device.py",
    "vllm_dialect/http_errors.py",
    "vllm_dialect/metrics.py",
    "vllm_dialect/failure_rules_software.py",
    "load/alarm.py",
    "load/request_body.py",
    "load/socket_reader.py",
    "load/messages.py",
    "load/calibration/null_server.py",
    "servers/inside",
    "servers/ssh/configuration.py",
    "servers/ssh/host.py",
    "traces/identity.py",
)
"""Files and folders of those rooms whose words the window does not show."""

OF_THE_COMMAND_LINE = ("cli/doctor_checks.py",)
"""Of its files the window shows what these find."""

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
        "Object missing",
        "Object missing required field",
        "Starting vLLM server on {0}",
        "Timed out waiting for engine core processes to start",
        "Traceback (most recent call last):",
        "WorkerProc initialization failed",
        ", not a number",
        ", not {0}",
        "cannot open shared object",
        "failed to be inspected",
        "ermission denied",
        "listening on ",
        "non-default args: ",
        "non-default args: {0}",
        "({0} pid={1}) {2} {3} [workbench] ",
        "{0} KV cache size: {1} tokens, Maximum concurrency for {2} tokens per request: {3}x",
        (
            "Engine 000: Avg prompt throughput: {0} tokens/s, Avg generation throughput: {1} tokens/s,"
            " Running: {2} reqs, Waiting: {3} reqs, GPU KV cache usage: {4}%, Prefix cache hit rate: {5}%"
        ),
        # A name or a figure on each side: said by name in WORDS.
        "{0} at {1}",
        # A run's name, which is the same in all languages.
        " @ {0} at once",
        " @ {0} req/s",
        "{0} @ {1} at once",
        "{0} @ {1} at once #{2}",
        "{0} @ {1} req/s",
        "{0} @ {1} req/s #{2}",
        # Names of columns, and lines of files.
        "Elapsed time",
        "Request tokens",
        "Response tokens",
        "Session ID",
        "workbench-closed-loop 1 concurrency {0} {1}\n",
        "workbench-closed-loop 1 concurrency {0} requests {1} duration_s {2}\n",
        # What is sent, typed or asked on a console.
        "Bearer {0}",
        "Passphrase of {0}: ",
        "ssh {0} -- {1}",
        '{0}"$(mktemp -d)"{1}',
    )
)
"""Strings that look like the core's own sentences and are not."""
WORDS = (
    "Better: {0}.",
    "Connection refused",
    "Exec format error",
    "Is a directory",
    "KV cache at {0}",
    "Moved: {0}.",
    (
        "No configuration is recommended: {0} meets the latency objectives, but rejects {1}:"
        " state an error_rate objective to decide."
    ),
    "No configuration is recommended: {0} rejects {1}: state an error_rate objective to decide.",
    "No such file or directory",
    "Not comparable: the baseline is not valid ({0}).",
    "Not comparable: the variant is not valid ({0}).",
    "Permission denied",
    "Worse: {0}.",
    "file is not a database",
    "estimated",
    "fitted from kernels",
    "measured",
    "not a known trace format ({0})",
    "the conductor can't be started: {0}",
    "this installation lacks its manual; install it again",
    "p95 end to end",
    "p95 queue time",
    "sequence limit at {0}",
    "step {0}: {1}",
    "step {0}: {1} leaves no request",
    "token budget at {0}",
    "under {0} %",
    "server {0}",
    "server {0}: {1}",
    ", all with: {0}",
    "[Errno {0}] {1}",
    "{0} at {1} at once",
    "{0} at {1} req/s",
    "{0} better",
    "{0} cancelled",
    "{0} diverging",
    "{0} failed",
    "{0} missing key {1}",
    "{0} of {1}",
    "{0} rejected",
    "{0} timed out",
    "{0} unfinished",
    "{0} unknown key {1}",
    "{0} worse",
    "around",
    "better",
    "busy",
    "clock",
    "computing",
    "disk",
    "draining",
    "done",
    "default",
    "degraded",
    "diverging",
    "failed",
    "high",
    "idle",
    "invalid",
    "keyring",
    "left-overs",
    "low",
    "medium",
    "misses",
    "simulated",
    "partial",
    "ports",
    "preemptions",
    "ready",
    "rejected",
    "reproduced",
    "skipped",
    "stable",
    "starting",
    "stopped",
    "stopping",
    "undecided",
    "unexpected {0}: {1}; the log has more",
    "unexpectedly",
    "worse",
)
"""Single words that fill holes, and what is put together of a name and one of them."""


_MOST_EITHER = 12
"""Templates that one sentence may make; a sentence with more choices in it keeps them as holes."""


class _Reader(ast.NodeVisitor):
    """Templates of one module, in its order."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self._locals: dict[str, ast.expr] = {}

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """What a name stands for is known within its function."""
        outer, self._locals = self._locals, _locals_of(node)
        self.generic_visit(node)
        self._locals = outer

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
        readings: list[list[ast.expr]] = [[]]
        for part in parts:
            more = self._either(part)
            if len(readings) * len(more) > _MOST_EITHER:
                more = [[part]]
            readings = [[*reading, *pieces] for reading in readings for pieces in more]
        for pieces in readings:
            self.found += filter(_is_sentence, [_template(pieces)])
        for part in parts:
            for value in part.values if isinstance(part, ast.JoinedStr) else ():
                if isinstance(value, ast.FormattedValue):
                    self.visit(value.value)

    def _either(self, piece: ast.expr) -> list[list[ast.expr]]:
        """What may stand in its place: texts and holes; several where the code decides between texts."""
        if isinstance(piece, ast.JoinedStr):
            readings: list[list[ast.expr]] = [[]]
            for value in piece.values:
                more = self._either(value)
                if len(readings) * len(more) > _MOST_EITHER:
                    more = [[value]]
                readings = [[*reading, *pieces] for reading in readings for pieces in more]
            return readings
        inner = piece.value if isinstance(piece, ast.FormattedValue) else piece
        if isinstance(inner, ast.Name) and inner.id in self._locals:
            stands_for = self._locals.pop(inner.id)  # where it takes up itself it is a hole
            readings = self._either(stands_for)
            self._locals[inner.id] = stands_for
            return readings
        if isinstance(inner, ast.IfExp) and _is_choice(inner):
            return [*self._either(inner.body), *self._either(inner.orelse)]
        if inner is not piece and _is_text(inner):
            return self._either(inner)
        return [[piece]]


def _locals_of(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """Texts, and choices between texts, by the names that hold nothing else in this function."""
    given = function.args
    assigned: dict[str, list[ast.expr]] = {
        each.arg: [ast.Name(each.arg)] for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)
    }
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                for name in ast.walk(target):
                    if isinstance(name, ast.Name):
                        assigned.setdefault(name.id, []).append(node.value if name is target else name)
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For, ast.NamedExpr)):
            for name in ast.walk(node.target):
                if isinstance(name, ast.Name):
                    assigned.setdefault(name.id, []).append(name)
    once = {name: values[0] for name, values in assigned.items() if len(values) == 1}
    return {name: value for name, value in once.items() if _is_choice(value)}


def _is_choice(node: ast.expr) -> bool:
    """Whether it is a text, or a choice between texts."""
    if isinstance(node, ast.IfExp):
        return _is_choice(node.body) and _is_choice(node.orelse)
    return _is_text(node)


def _template(pieces: list[ast.expr]) -> str:
    text, holes = "", 0
    for piece in pieces:
        if isinstance(piece, ast.Constant):
            text += str(piece.value)
        else:
            text += f"{{{holes}}}"
            holes += 1
    return text


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
        room = name.split("/")[0]
        if (room in ROOMS and not name.startswith(ELSEWHERE)) or name in OF_THE_COMMAND_LINE:
            reader = _Reader()
            reader.visit(ast.parse(path.read_text(encoding="utf-8")))
            yield from reader.found
    yield from WORDS


if __name__ == "__main__":
    print(*dict.fromkeys(of_core()), sep="\n")
