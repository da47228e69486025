"""Sixty workloads in twelve families, each under one kind of pressure; needs nothing but Python.

Their seeds are fixed, so that every version of vLLM is asked the same.
"""

import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from .workload import prompt_of, seed32

_SET, _SEED = "open", 20260101
_BLOCK_SIZES = (16, 32, 128)
_DEFAULTS: "dict[str, Any]" = {
    "max_num_seqs": 32,
    "max_num_batched_tokens": 512,
    "enable_chunked_prefill": True,
    "num_gpu_blocks": 1025,
    "block_size": 16,
    "enable_prefix_caching": True,
    "long_prefill_token_threshold": 0,
    "long_prefill_token_threshold_adaptive": False,
    "policy": "fcfs",
    "watermark": 0.0,
    "scheduler_reserve_full_isl": True,
    "max_num_active_seqs": None,
    "max_model_len": 2048,
    "async_scheduling": False,
}
Config = dict[str, Any]


class CaseWorkload:
    """Builds one list of requests."""

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self.requests: list[dict[str, Any]] = []
        self.draw = random.Random(seed32(tag, "rng"))  # noqa: S311  # a workload, not a secret

    def pick(self, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`."""
        return self.draw.randint(low, high)

    def add(
        self,
        step: int,
        prompt: "list[list[int]]",
        output: int,
        *,
        priority: int = 0,
        abort: "int | None" = None,
        ids: "list[int] | None" = None,
    ) -> "dict[str, Any]":
        """Add a request; `ids` are its prompt if it is no stream."""
        number = len(self.requests)
        request = {
            "id": f"r{number}",
            "arrival_step": step,
            "arrival_time": None,
            "priority": priority,
            **({"prompt": prompt} if ids is None else {"prompt_ids": ids}),
            "output_len": output,
            "out_seed": seed32(self.tag, "out", number),
            "abort_step": abort,
            "abort_mid": None,
            "eos_at": None,
        }
        self.requests.append(request)
        return request

    def own(self, length: int, prefix: object = None, prefix_length: int = 0) -> "list[list[int]]":
        """Return a prompt of `length` own tokens behind a shared prefix."""
        number = len(self.requests)
        shared = (
            [[seed32(self.tag, "prefix", prefix), prefix_length]]
            if prefix is not None and prefix_length
            else []
        )
        return [*shared, *([[seed32(self.tag, "unique", number), length]] if length else [])]

    def done(self, *, ties: bool) -> "list[dict[str, Any]]":
        """Return the requests by arrival, with the times that vLLM compares."""
        self.requests.sort(key=lambda request: request["arrival_step"])
        for number, request in enumerate(self.requests):
            request["arrival_time"] = request["arrival_step"] if ties else number
        return self.requests


def pool_of(config: Config, factor: float) -> int:
    """Return `factor` times the blocks of one full request, plus the null block."""
    one: int = -(-config["max_model_len"] // config["block_size"])
    return max(one, int(one * factor)) + 1


def _no_pressure(work: CaseWorkload, i: int) -> Config:
    config: Config = {
        "block_size": _BLOCK_SIZES[i % 3],
        "max_num_seqs": 64,
        "max_num_batched_tokens": 2048,
        "enable_prefix_caching": i != 1,
        "max_model_len": 2048,
        "num_gpu_blocks": 4097,
    }
    step = 0
    for k in range(work.pick(14, 22)):
        if k == 3:  # runs into max_model_len
            work.add(step, work.own(2048 - work.pick(20, 60)), 200)
        elif k == 4:
            ids = [work.pick(2, 2047) for _ in range(work.pick(1, 12))]
            work.add(step, [], work.pick(1, 30), ids=ids)
        else:
            prompt = work.own(work.pick(1, 400))
            work.add(step, prompt, work.draw.choice([1, 2, work.pick(3, 120)]))
        step += work.draw.choice([0, 1, 3, 9, 25, 60])
    return config


def _token_budget(work: CaseWorkload, i: int) -> Config:
    config: Config = {
        "block_size": _BLOCK_SIZES[i % 3],
        "max_num_seqs": [32, 48, 64][i % 3],
        "max_num_batched_tokens": [64, 128, 200, 256, 333][i % 5],
        "max_model_len": 2048,
        "num_gpu_blocks": 4097 if i % 3 else 2049,
        "enable_prefix_caching": bool(i % 2),
    }
    step = 0
    for k in range(work.pick(24, 36)):
        prompt = work.own(work.pick(20, 900) if k % 5 else work.pick(1, 20))
        work.add(step, prompt, work.pick(4, 80))
        step += work.draw.choice([0, 0, 1, 2, 4])
    return config


def _seq_cap(work: CaseWorkload, i: int) -> Config:
    seats = [1, 4, 7, 12, 16][i % 5]
    config: Config = {
        "block_size": _BLOCK_SIZES[(i + 1) % 3],
        "max_num_seqs": seats,
        "max_num_batched_tokens": 512,
        "max_model_len": 1024,
        "num_gpu_blocks": 2049,
        "max_num_active_seqs": None if i % 2 == 0 else max(1, seats - work.pick(1, 3)),
        "enable_prefix_caching": bool(i % 3),
    }
    step = 0
    for _ in range(work.pick(20, 40) if seats > 1 else 12):
        prompt = work.own(work.pick(5, 250))
        work.add(step, prompt, work.pick(2, 70))
        step += work.draw.choice([0, 0, 1, 2])
    return config


def _kv_pressure(work: CaseWorkload, i: int) -> Config:
    block_size = [16, 16, 32, 16, 128, 16, 32, 16, 16, 32, 16][i % 11]
    config: Config = {
        "block_size": block_size,
        "max_num_seqs": [16, 24, 32, 12][i % 4],
        "max_model_len": 1024 if block_size < 128 else 2048,
        "max_num_batched_tokens": [256, 512, 384][i % 3],
        "enable_prefix_caching": i % 3 != 1,
        "scheduler_reserve_full_isl": i % 4 != 2,
        "watermark": [0.0, 0.0, 0.01, 0.0, 0.05][i % 5],
    }
    config["num_gpu_blocks"] = pool_of(config, [1.0, 1.3, 1.1, 1.6, 1.2][i % 5])
    step, wide, shares = 0, 2 if block_size == 128 else 1, i % 3 == 0
    for k in range(work.pick(20, 30) if i != 7 else 90):
        output = work.pick(60, 260) if i % 2 == 0 else work.pick(20, 140)
        length = work.pick(8, 60) if i in (0, 6, 8) else work.pick(8, 200)
        if i == 7 and k % 3:  # short answers behind long ones: victims at their last token
            output = work.pick(2, 7)
        prompt = work.own(length * wide, k % 3 if shares else None, block_size * 2 + 5 if shares else 0)
        work.add(step, prompt, output * wide)
        step += work.draw.choice([0, 0, 0, 1, 2, 5])
    return config


def _prefix(work: CaseWorkload, i: int) -> Config:
    block_size = _BLOCK_SIZES[i % 3]
    config: Config = {
        "block_size": block_size,
        "max_num_seqs": [8, 16, 24][i % 3],
        "max_model_len": 2048,
        "max_num_batched_tokens": [256, 512, 1024][(i // 2) % 3],
    }
    config["num_gpu_blocks"] = pool_of(config, [1.0, 1.5, 1.2, 4.0, 1.1, 2.0, 1.3][i % 7])
    step, turns = 0, list[dict[str, Any]]()
    for k in range(work.pick(26, 38)):
        kind = work.draw.random()
        if kind < 0.25 and turns:
            _next_turn(work, step, turns, k)
            step += work.pick(0, 12)
            continue
        if kind < 0.4:  # the same whole-block prompt again
            name, length = f"same{work.draw.randint(0, 1)}", block_size * work.pick(2, 4)
            turns.append(work.add(step, work.own(0, name, length), work.pick(3, 40)))
        else:
            length = work.draw.choice([block_size * 3, block_size * 5 + 7, 300, 640])
            shared = work.draw.randint(0, 3)
            turns.append(work.add(step, work.own(work.pick(1, 150), shared, length), work.pick(4, 70)))
        step += work.draw.choice([0, 0, 1, 3, 8, 20])
    return config


def _next_turn(work: CaseWorkload, step: int, turns: "list[dict[str, Any]]", k: int) -> None:
    """Add a turn: the old prompt, its output, and new text."""
    old = turns.pop(0)
    prompt = [list(part) for part in old["prompt"]] + [[old["out_seed"], old["output_len"]]]
    prompt.append([seed32(work.tag, "turn", k), work.pick(5, 80)])
    if sum(length for _, length in prompt) < 1800:
        turns.append(work.add(step, prompt, work.pick(8, 60)))


def _aborts(work: CaseWorkload, i: int) -> Config:
    block_size = _BLOCK_SIZES[i % 3]
    config: Config = {
        "block_size": block_size,
        "max_num_seqs": [6, 10, 16][i % 3],
        "max_model_len": 1024,
        "max_num_batched_tokens": [128, 256, 512][(i + 1) % 3],
        "enable_prefix_caching": i % 2 == 0,
    }
    config["num_gpu_blocks"] = pool_of(config, [1.0, 1.4, 8][i % 3])
    step = 0
    for k in range(work.pick(26, 38)):
        output, abort = work.pick(20, 200), None
        if k % 2:
            choices = [0, 1, 2, work.pick(3, 30), work.pick(30, 160), output + 400]
            abort = step + work.draw.choice(choices)
        shares = k % 3 == 0
        prompt = work.own(work.pick(5, 260), k % 2 if shares else None, block_size * 2 if shares else 0)
        work.add(step, prompt, output, abort=abort)
        step += work.draw.choice([0, 0, 1, 2, 6])
    return config


def _priority(work: CaseWorkload, i: int) -> Config:
    block_size = [16, 32, 16, 128, 16, 32][i % 6]
    config: Config = {
        "policy": "priority",
        "block_size": block_size,
        "max_num_seqs": [12, 16, 24][i % 3],
        "max_model_len": 1024 if block_size < 128 else 2048,
        "max_num_batched_tokens": [256, 512, 192][i % 3],
        "enable_prefix_caching": i % 2 == 0,
        "watermark": 0.02 if i == 4 else 0.0,
        "scheduler_reserve_full_isl": i != 5,
    }
    config["num_gpu_blocks"] = pool_of(config, [1.0, 1.2, 1.4][i % 3])
    step, wide, shares = 0, 2 if block_size == 128 else 1, i % 2 == 0
    for k in range(work.pick(24, 34)):
        # Later ones are often more urgent, so that victims sit early in the running list.
        if i % 2:
            urgency = work.draw.choice([0, 1, 2, 3])
        else:
            urgency = max(0, 4 - k // 6 + work.draw.choice([-1, 0, 1]))
        abort = step + work.pick(5, 120) if k % 11 == 10 else None
        length = work.pick(8, 220) * wide
        prompt = work.own(length, k % 3 if shares else None, block_size * 2 + 8 if shares else 0)
        work.add(step, prompt, work.pick(30, 200) * wide, priority=urgency, abort=abort)
        step += work.draw.choice([0, 0, 1, 2, 4, 9])
    return config


def _nochunk(work: CaseWorkload, i: int) -> Config:
    length = [1024, 2048, 1536, 1024][i % 4]
    config: Config = {
        "enable_chunked_prefill": False,
        "max_model_len": length,
        "max_num_batched_tokens": length + [0, 100, 0, 512][i % 4],
        "block_size": _BLOCK_SIZES[i % 3],
        "max_num_seqs": [8, 16, 32, 12][i % 4],
        "enable_prefix_caching": i % 2 == 1,
        "long_prefill_token_threshold": 256 if i == 3 else 0,
    }
    config["num_gpu_blocks"] = pool_of(config, [6, 1.5, 8, 2.0][i % 4])
    step = 0
    for k in range(work.pick(20, 30)):
        size = work.pick(length // 2, length - 80) if k % 3 == 0 else work.pick(4, 200)
        shares = k % 4 == 1
        prompt = work.own(
            min(size, length - 200) if shares else size, 0 if shares else None, 96 if shares else 0
        )
        work.add(step, prompt, work.pick(3, 60))
        step += work.draw.choice([0, 0, 1, 2, 5])
    return config


def _threshold(work: CaseWorkload, i: int) -> Config:
    config: Config = {
        "long_prefill_token_threshold": [64, 100, 256, 33][i % 4],
        "max_model_len": 2048,
        "block_size": _BLOCK_SIZES[i % 3],
        "max_num_seqs": [8, 16, 32, 10][i % 4],
        "enable_prefix_caching": i % 2 == 0,
        "max_num_batched_tokens": [512, 300, 1024, 256][i % 4],
    }
    config["num_gpu_blocks"] = pool_of(config, [6, 2, 1.2, 5][i % 4])
    prompt = work.own(work.pick(1200, 1700))  # alone
    work.add(0, prompt, work.pick(5, 30))
    step = work.pick(2, 12)
    for k in range(work.pick(18, 26)):
        prompt = work.own(work.pick(600, 1700) if k % 4 == 0 else work.pick(4, 200))
        work.add(step, prompt, work.pick(4, 60))
        step += work.draw.choice([0, 1, 2, 6, 20])
    return config


def _watermark(work: CaseWorkload, i: int) -> Config:
    config: Config = {
        "watermark": [0.004, 0.03, 0.25, 0.3][i % 4],
        "max_model_len": 1024,
        "block_size": _BLOCK_SIZES[i % 3],
        "max_num_seqs": [20, 24, 32, 8][i % 4],
        "max_num_batched_tokens": [512, 256, 400, 300][i % 4],
        "scheduler_reserve_full_isl": i != 1,
        "enable_prefix_caching": i not in (0, 3),
    }
    config["num_gpu_blocks"] = pool_of(config, [4.1, 1.4, 3.0, 1.1][i % 4])
    step = 0
    if i == 3:  # prompts larger than the pool less the watermark: admitted into an empty engine only
        for k in range(work.pick(14, 20)):
            prompt = work.own(work.pick(800, 980) if k % 4 == 1 else work.pick(20, 160))
            work.add(step, prompt, work.pick(5, 40))
            step += work.draw.choice([0, 0, 3, 20])
        return config
    for k in range(work.pick(24, 40)):
        prompt = work.own(work.pick(10, 240), k % 2, config["block_size"] * 2)
        work.add(step, prompt, work.pick(20, 160))
        step += work.draw.choice([0, 0, 0, 1, 3])
    return config


def _burst(work: CaseWorkload, i: int) -> Config:
    config: Config = {
        "max_model_len": 1024,
        "block_size": _BLOCK_SIZES[(i + 2) % 3],
        "max_num_seqs": [64, 20, 40][i % 3],
        "max_num_batched_tokens": [1024, 256, 512][i % 3],
        "enable_prefix_caching": i != 2,
    }
    config["num_gpu_blocks"] = pool_of(config, [10, 4, 2.5][i % 3])
    step = 0
    for burst in range(3):
        for k in range(work.pick(18, 45)):
            shares = bool(k % 2)
            prompt = work.own(
                work.pick(4, 200), burst % 2 if shares else None, 2 * config["block_size"] if shares else 0
            )
            work.add(step, prompt, work.pick(2, 60))
        step += [work.pick(30, 60), 1500][burst % 2]  # the second gap is long: the engine goes idle
    return config


def _mixed(work: CaseWorkload, i: int) -> Config:
    del i
    draw = work.draw
    block_size, length = draw.choice(_BLOCK_SIZES), draw.choice([512, 1024, 1536])
    policy, seats = draw.choice(["fcfs", "priority"]), work.pick(3, 40)
    config: Config = {
        "block_size": block_size,
        "max_model_len": length,
        "policy": policy,
        "max_num_seqs": seats,
        "max_num_active_seqs": draw.choice([None, max(1, seats // 2)]),
        "max_num_batched_tokens": draw.choice([96, 160, 256, 512]),
        "enable_prefix_caching": draw.random() < 0.7,
        "watermark": draw.choice([0.0, 0.0, 0.01, 0.1]),
        "long_prefill_token_threshold": draw.choice([0, 0, 40, 128]),
        "scheduler_reserve_full_isl": draw.random() < 0.6,
    }
    config["num_gpu_blocks"] = pool_of(config, draw.choice([1.0, 1.25, 2.0, 3.0]))
    step = 0
    for _ in range(work.pick(25, 45)):
        shared = draw.choice([0, 0, 48, 129])
        own = work.pick(1, max(2, min(length - 180, 320)))
        output = draw.choice([1, work.pick(2, 40), work.pick(40, 160)])
        abort = step + work.pick(0, 150) if draw.random() < 0.15 else None
        prefix = draw.randint(0, 2) if shared else None
        work.add(step, work.own(own, prefix, shared), output, priority=draw.randint(0, 3), abort=abort)
        step += draw.choice([0, 0, 1, 2, 4, 15])
    return config


class _Family(NamedTuple):
    size: int
    make: Callable[[CaseWorkload, int], Config]
    ties: tuple[int, ...] = ()
    """Workloads of the family whose requests share arrival times."""


_FAMILIES = {
    "no_pressure": _Family(3, _no_pressure),
    "token_budget": _Family(4, _token_budget),
    "seq_cap": _Family(5, _seq_cap),
    "kv_pressure": _Family(11, _kv_pressure),
    "prefix": _Family(7, _prefix),
    "aborts": _Family(5, _aborts),
    "priority": _Family(6, _priority, ties=(1, 4)),
    "nochunk": _Family(4, _nochunk),
    "threshold": _Family(4, _threshold),
    "watermark": _Family(4, _watermark),
    "burst": _Family(3, _burst),
    "mixed": _Family(4, _mixed),
}


def family_cases() -> "Iterator[tuple[str, str, Config, list[dict[str, Any]]]]":
    """Name, family, settings and requests of each."""
    number = 0
    for name, family in _FAMILIES.items():
        for i in range(family.size):
            work = CaseWorkload(f"{_SET}/{_SEED}/{name}/{i}")
            config = {**_DEFAULTS, **family.make(work, i)}
            requests = work.done(ties=i in family.ties)
            assert all(len(prompt_of(request)) < config["max_model_len"] for request in requests)
            yield f"{number:02d}-{name}-{i}", name, config, requests
            number += 1
