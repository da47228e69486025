"""`size`: how much memory a model takes on a card, and how many tokens of context are left room for."""

import argparse
import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from workbench.advice.sizing import SizingEstimate, SizingRequest, size_model
from workbench.advice.sizing.versions import NEWEST
from workbench.base import write_atomic
from workbench.cli.output import say
from workbench.experiments import size_by_vllm
from workbench.experiments.run.command_flags import whole_number

HELP = "estimate weights, KV cache, concurrency and context length of a model on a GPU"

_WHOLE = {
    "count": "GPUs there are (default: tp x pp)",
    "block-size": "tokens a KV block holds (default: 16)",
    "max-num-seqs": "sequence limit (default: vLLM's for this card)",
}
_TOKENS = {
    "max-model-len": "longest prompt and output together, such as 8192 or 8k (default: the model's)",
    "max-num-batched-tokens": "token budget of a step (default: vLLM's for this card)",
}
"""Written as vLLM takes them: 8k is 8000, 8K is 8192."""
_SIZES = {
    "gpu-gib": "memory of one GPU as vLLM sees it, GiB (an 80 GB H100: 79.19)",
    "gpu-memory-utilization": "share of the memory that is planned with, 0 to 1",
    "weights-gib": "known weights of one GPU, in place of an estimate",
    "kv-gib": "known KV cache of one GPU, in place of an estimate",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options; they have vLLM's names where vLLM has them."""
    parser.add_argument(
        "--config", type=Path, required=True, metavar="FILE", help="config.json, or its folder"
    )
    parser.add_argument("--gpu", metavar="NAME", help="a card of the catalogue, such as h100_sxm or h100")
    parser.add_argument("--tp", type=int, default=1, metavar="N", help="tensor-parallel size (1)")
    parser.add_argument("--pp", type=int, default=1, metavar="N", help="pipeline-parallel size (1)")
    parser.add_argument(
        "--dtype", default="auto", metavar="TYPE", help="computing type (default: the checkpoint's)"
    )
    parser.add_argument(
        "--kv-cache-dtype", default="auto", metavar="TYPE", help="type of keys and values, such as fp8"
    )
    parser.add_argument("--quantization", metavar="KIND", help="applied at start, such as fp8")
    parser.add_argument("--enforce-eager", action="store_true", help="no CUDA graphs")
    for name, text in _WHOLE.items():
        parser.add_argument(f"--{name}", type=int, metavar="N", help=text)
    for name, text in _TOKENS.items():
        parser.add_argument(f"--{name}", metavar="N", help=text)
    for name, text in _SIZES.items():
        parser.add_argument(f"--{name}", type=float, metavar="X", help=text)
    parser.add_argument(
        "--vllm-version",
        metavar="V",
        help=f"version whose defaults and overheads are meant (default: of --vllm, else {NEWEST})",
    )
    parser.add_argument(
        "--vllm",
        nargs="?",
        const="",
        metavar="EXECUTABLE",
        help="take the KV layout from this installed vLLM (script, Python or environment; none: the nearest)",
    )
    parser.add_argument("--json", nargs="?", const="-", metavar="FILE", help="as JSON; - is standard output")


def run(arguments: argparse.Namespace) -> int:
    """Estimate and print."""
    fields = {name: getattr(arguments, name) for name in SizingRequest.__struct_fields__}
    for name in _TOKENS:
        field = name.replace("-", "_")
        if fields[field] is not None:
            fields[field] = whole_number(fields[field], f"--{name}")
    if fields["vllm_version"] is None:
        del fields["vllm_version"]
    given = arguments.vllm_version is not None
    request = SizingRequest(**fields)
    if arguments.vllm is None:
        estimate = size_model(request)
    else:
        estimate = asyncio.run(size_by_vllm(request, arguments.vllm or None, version_given=given))
    if arguments.json is None:
        say("\n".join(_lines(estimate)))
        return 0
    text = json.dumps(estimate.to_dict(), indent=2, ensure_ascii=False)
    if arguments.json == "-":
        sys.stdout.write(text + "\n")
    else:
        write_atomic(Path(arguments.json), text + "\n")
    return 0


def _lines(estimate: SizingEstimate) -> list[str]:
    band = "" if estimate.band_pct is None else f"  ±{estimate.band_pct:g} %"
    rows = [
        ("budget", _gib(estimate.budget_gib)),
        ("weights", _gib(estimate.weights_gib)),
        ("overhead", _overhead(estimate)),
        ("KV cache", _gib(estimate.kv_gib) + band),
        ("KV a token", _number(estimate.kv_bytes_per_token, " bytes")),
        ("tokens", _number(estimate.kv_tokens, "") + _range(estimate)),
        ("blocks", _number(estimate.kv_blocks, f" of {estimate.block_size} tokens")),
        ("concurrency", _concurrency(estimate)),
        ("longest that fits", _number(estimate.max_model_len_fits, " tokens")),
    ]
    lines = [f"{name:<18}{value}" for name, value in rows]
    return ["of one GPU:", *lines, *(f"note: {note}" for note in estimate.notes)]


def _overhead(estimate: SizingEstimate) -> str:
    parts = f"activation {_number(estimate.activation_gib)}, libraries {_number(estimate.non_torch_gib)}"
    if estimate.cuda_graph_gib:
        parts += f", CUDA graphs {_number(estimate.cuda_graph_gib)}"
    return f"{_gib(estimate.overhead_gib)} ({parts})"


def _range(estimate: SizingEstimate) -> str:
    if estimate.kv_tokens_low is None or estimate.kv_tokens_high is None:
        return ""
    return f" ({estimate.kv_tokens_low:,} to {estimate.kv_tokens_high:,})"


def _concurrency(estimate: SizingEstimate) -> str:
    if estimate.max_concurrency is None:
        return "unknown"
    return f"{estimate.max_concurrency:,.2f} requests of {_number(estimate.max_model_len, ' tokens')}"


def _gib(value: float | None) -> str:
    return "unknown" if value is None else f"{value:,.2f} GiB"


def _number(value: Any, unit: str = "") -> str:
    return "unknown" if value is None else f"{value:,}{unit}"
