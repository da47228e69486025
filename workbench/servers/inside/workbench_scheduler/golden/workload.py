"""Token streams, and random settings and workloads for a scheduler; needs nothing but Python."""

import hashlib
import random
from typing import Any

EOS = 1
"""No stream has it: their ids begin at 2."""
_MASK = 0xFFFFFFFF


def stream(seed: int, length: int) -> "list[int]":
    """Return the tokens of a stream in the golden cases' format."""
    tokens = []
    for place in range(length):
        x = (seed ^ (place * 0x9E3779B1)) & _MASK
        x = ((x ^ x >> 16) * 0x85EBCA6B) & _MASK
        x = ((x ^ x >> 13) * 0xC2B2AE35) & _MASK
        tokens.append(2 + (x ^ x >> 16) % 2046)
    return tokens


def seed32(*parts: object) -> int:
    """Return the seed of a stream, derived from its purpose."""
    return int.from_bytes(hashlib.sha256("/".join(map(str, parts)).encode()).digest()[:4], "big")


def prompt_of(request: "dict[str, Any]") -> "list[int]":
    """Return a request's prompt as token ids."""
    if request.get("prompt_ids") is not None:
        return list(request["prompt_ids"])
    return [token for seed, length in request["prompt"] for token in stream(seed, length)]


def outputs_of(request: "dict[str, Any]", max_model_len: int) -> "list[int]":
    """Return all tokens that the stub samples for a request."""
    outputs = stream(request["out_seed"], min(request["output_len"], max_model_len - len(prompt_of(request))))
    if request["eos_at"] is not None:
        outputs[request["eos_at"]] = EOS
    return outputs


def random_config(draw: random.Random) -> "dict[str, Any]":
    """Return random settings, often too small for the load."""
    block_size = draw.choice([1, 2, 4, 8, 16, 16, 32])
    length = draw.choice([64, 128, 300, 512])
    for_one = -(-length // block_size)
    seats = draw.choice([1, 2, 4, 8, 16, 32])
    chunked = draw.random() < 0.85
    budget = draw.choice([32, 48, 64, 100, 256, 512])
    return {
        "max_num_seqs": seats,
        "max_num_batched_tokens": max(budget, seats, 0 if chunked else length),
        "enable_chunked_prefill": chunked,
        "num_gpu_blocks": 1
        + for_one
        + draw.choice([0, 1, 3, for_one // 2, for_one, 3 * for_one, 20 * for_one]),
        "block_size": block_size,
        "enable_prefix_caching": draw.random() < 0.7,
        "long_prefill_token_threshold": draw.choice([0, 0, 0, 5, 16, 40]),
        "long_prefill_token_threshold_adaptive": draw.random() < 0.3,
        "policy": draw.choice(["fcfs", "priority"]),
        "watermark": draw.choice([0.0, 0.0, 0.01, 0.05, 0.2]),
        "scheduler_reserve_full_isl": draw.random() < 0.7,
        "max_num_active_seqs": draw.randint(1, seats) if draw.random() < 0.2 else None,
        "max_model_len": length,
        "async_scheduling": draw.random() < 0.5,
    }


def random_limits(draw: random.Random, config: "dict[str, Any]") -> "list[tuple[int, str, int]]":
    """Return changes of live limits (step, name, value); none for most configurations."""
    if draw.random() < 0.65:
        return []
    length, budget = config["max_model_len"], config["max_num_batched_tokens"]
    most_parked = config["num_gpu_blocks"] - 1 - -(-length // config["block_size"])
    spans = {
        "max_num_active_seqs": (1, config["max_num_seqs"]),
        "max_num_batched_tokens": (1 if config["enable_chunked_prefill"] else length, budget),
        "long_prefill_token_threshold": (0, length),
        "parked_kv_blocks": (0, most_parked),
    }
    steps = sorted(draw.randint(0, 300) for _ in range(draw.randint(1, 8)))
    names = [draw.choice(list(spans)) for _ in steps]
    return [(step, name, draw.randint(*spans[name])) for step, name in zip(steps, names, strict=True)]


def random_requests(draw: random.Random, config: "dict[str, Any]") -> "list[dict[str, Any]]":
    """Return requests that share prefixes, are aborted, or end by themselves."""
    length, requests, step = config["max_model_len"], list[Any](), 0
    prefixes = [(draw.getrandbits(32), draw.randint(1, length // 2)) for _ in range(3)]
    rush, ties = draw.choice([0.3, 2.0, 10.0]), draw.random() < 0.3
    longest, outputs = draw.choice([0.1, 0.4, 0.9]), draw.choice([8, 40, length])
    for number in range(draw.randint(5, 60)):
        step += int(draw.expovariate(1 / rush))
        prompt = _prompt(draw, requests, prefixes, max(1, int(longest * length)), length)
        size = sum(part for _, part in prompt)
        output = draw.randint(1, outputs)
        leaves = draw.random()
        moment = step + draw.randint(0, 40)
        requests.append(
            {
                "id": f"r{number}",
                "arrival_step": step,
                "arrival_time": step if ties else number,
                "priority": draw.randint(0, 3),
                "prompt": prompt,
                "output_len": output,
                "out_seed": draw.getrandbits(32),
                "abort_step": moment if leaves < 0.1 else None,
                "abort_mid": moment if 0.1 <= leaves < 0.2 else None,
                "eos_at": draw.randrange(min(output, length - size)) if draw.random() < 0.2 else None,
            }
        )
    return requests


def _prompt(
    draw: random.Random,
    earlier: "list[dict[str, Any]]",
    prefixes: "list[tuple[int, int]]",
    longest: int,
    length: int,
) -> "list[tuple[int, int]]":
    """Return an own prompt, one with a shared prefix, or the next turn of an earlier request."""
    kind, parts = draw.random(), list[Any]()
    if kind < 0.4:
        parts = [draw.choice(prefixes)]
    elif kind < 0.6 and earlier:
        turn = draw.choice(earlier)
        parts = [*turn["prompt"], (turn["out_seed"], turn["output_len"])]
    if draw.random() < 0.9 or not parts:
        parts.append((draw.getrandbits(32), draw.randint(1, longest)))
    kept, room = [], length - 1
    for seed, size in parts:
        if room:
            kept.append((seed, min(size, room)))
            room -= min(size, room)
    return kept
