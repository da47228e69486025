"""The parts of vLLM that decide, in whatever version is there, and a stub for the model.

Scheduler, KV cache manager, block pool, block hasher and the loop bodies `EngineCore.step` and
`step_with_batch_queue` are vLLM's, unmodified. What a version lacks is left out; what it moved is looked for.
"""

import copy
import importlib
import inspect
import json
import os
import queue
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

_MODEL = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "vocab_size": 2048,
    "hidden_size": 128,
    "intermediate_size": 256,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 32,
    "max_position_embeddings": 8192,
    "torch_dtype": "float32",
}
"""Nothing of it is loaded: vLLM's configuration wants a model that it knows."""
LACKING = {
    "watermark": 0.0,
    "scheduler_reserve_full_isl": False,
    "max_num_active_seqs": None,
    "long_prefill_token_threshold_adaptive": False,
}
"""Settings that not every version has, with the value that means "not there"."""
_OF_CACHE = ("block_size", "enable_prefix_caching", "num_gpu_blocks")


def quiet() -> None:
    """Keep vLLM from the network, the GPU and its log; before it is imported."""
    for name, value in {
        "VLLM_TARGET_DEVICE": "cpu",
        "HF_HUB_OFFLINE": "1",
        "VLLM_NO_USAGE_STATS": "1",
        "VLLM_LOGGING_LEVEL": "ERROR",
        "VLLM_PLUGINS": "",
    }.items():
        os.environ.setdefault(name, value)


def find(*places: str) -> Any:
    """Return the first `module:name` that this version has.

    Raises:
        ModuleNotFoundError: a package that vLLM needs and isn't vLLM's is missing.
        LookupError: none of them.
    """
    for place in places:
        module, _, name = place.partition(":")
        try:
            return getattr(importlib.import_module(module), name)
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith("vllm"):
                raise
        except (ImportError, AttributeError):
            continue
    raise LookupError(f"this vLLM has none of {', '.join(places)}")


def taken(make: Any, values: "dict[str, Any]") -> Any:
    """Call `make` with those of `values` that it accepts."""
    known = inspect.signature(make.__init__ if inspect.isclass(make) else make).parameters
    return make(**{name: value for name, value in values.items() if name in known})


def ready(answer: Any) -> "Future[Any]":
    """Return a ready result that isn't `done` while a device would compute, which the loop checks."""

    class Computing(Future[Any]):
        def done(self) -> bool:
            return False

    future = Computing()
    future.set_result(answer)
    return future


class Parts:
    """Everything that a case needs of this vLLM, found once."""

    def __init__(self, folder: Path) -> None:
        """Collect vLLM's parts; `folder` is for the model's configuration."""
        self.version: str = importlib.import_module("vllm").__version__.partition("+")[0]
        self.request = find("vllm.v1.request:Request")
        self.status = find("vllm.v1.request:RequestStatus")
        self.sampling = find("vllm:SamplingParams")
        self.core = find("vllm.v1.engine.core:EngineCore")
        self.schedulers = {
            False: find("vllm.v1.core.sched.scheduler:Scheduler"),
            True: find("vllm.v1.core.sched.async_scheduler:AsyncScheduler"),
        }
        self.output = find("vllm.v1.outputs:ModelRunnerOutput")
        self.empty = find("vllm.v1.outputs:EMPTY_MODEL_RUNNER_OUTPUT")
        scheduler_config = find("vllm.config:SchedulerConfig")
        fields = set(scheduler_config.__dataclass_fields__)
        self.lacking = tuple(name for name in LACKING if name not in fields)
        """Settings that this version has not."""
        self.aborts_in_step = "aborts_queue" in inspect.getsource(self.core)
        """True if aborts are applied while a step runs; before 0.13 only between two steps."""
        self._samples_apart = "sample_tokens" in inspect.getsource(self.core.step)
        update = inspect.getsource(self.schedulers[False].update_from_output)
        self._as_arrays = "sampled_token_ids[req_index].tolist()" in update
        self._hash = self._hash_function()
        self._base = self._base_config(scheduler_config, folder)

    def _hash_function(self) -> Any:
        by_name = find("vllm.utils.hashing:get_hash_fn_by_name", "vllm.utils:get_hash_fn_by_name")
        function = by_name("sha256")
        find("vllm.v1.core.kv_cache_utils:init_none_hash")(function)
        return function

    def _base_config(self, scheduler_config: Any, folder: Path) -> Any:
        (folder / "config.json").write_text(json.dumps(_MODEL))
        model = find("vllm.config:ModelConfig")
        return find("vllm.config:VllmConfig")(
            model_config=model(model=str(folder), skip_tokenizer_init=True, dtype="float32"),
            cache_config=find("vllm.config:CacheConfig")(block_size=16),
            scheduler_config=scheduler_config(max_model_len=8192, is_encoder_decoder=False),
            device_config=find("vllm.config:DeviceConfig")(device="cpu"),
        )

    def settings(self, config: "dict[str, Any]") -> Any:
        """Return vLLM's configuration with a case's settings; it is copied, since building it is slow."""
        made = copy.copy(self._base)
        made.model_config = copy.copy(self._base.model_config)
        made.model_config.max_model_len = config["max_model_len"]
        made.cache_config = copy.copy(self._base.cache_config)
        made.scheduler_config = copy.copy(self._base.scheduler_config)
        for name in _OF_CACHE:
            setattr(made.cache_config, name, config[name])
        for name in config.keys() - {*_OF_CACHE, "max_model_len", *self.lacking}:
            setattr(made.scheduler_config, name, config[name])
        # Older versions have copies of these two.
        for name, value in (
            ("max_model_len", config["max_model_len"]),
            ("chunked_prefill_enabled", config["enable_chunked_prefill"]),
        ):
            if hasattr(made.scheduler_config, name):
                setattr(made.scheduler_config, name, value)
        return made

    def scheduler(self, config: "dict[str, Any]", wrapped: "Callable[[Any], Any]") -> Any:
        """Return the scheduler of a case; `wrapped` makes its class from vLLM's own."""
        vllm_config = self.settings(config)
        spec = taken(
            find("vllm.v1.kv_cache_interface:FullAttentionSpec"),
            {
                "block_size": config["block_size"],
                "num_kv_heads": 1,
                "head_size": 1,
                "dtype": importlib.import_module("torch").float32,
            },
        )
        group = find("vllm.v1.kv_cache_interface:KVCacheGroupSpec")(["layer"], spec)
        cache = find("vllm.v1.kv_cache_interface:KVCacheConfig")(
            num_blocks=config["num_gpu_blocks"], kv_cache_tensors=[], kv_cache_groups=[group]
        )
        base = self.schedulers[config["async_scheduling"]]
        values = {
            "vllm_config": vllm_config,
            "kv_cache_config": cache,
            "structured_output_manager": find("vllm.v1.structured_output:StructuredOutputManager")(
                vllm_config
            ),
            "block_size": config["block_size"],
            "hash_block_size": config["block_size"],
            "log_stats": True,
        }
        known = inspect.signature(self.schedulers[False].__init__).parameters
        return wrapped(base)(**{name: value for name, value in values.items() if name in known})

    def hasher(self, config: "dict[str, Any]") -> Any:
        """Return the hash function of a request's blocks; None without prefix caching."""
        if not config["enable_prefix_caching"]:
            return None
        return find("vllm.v1.core.kv_cache_utils:get_request_block_hasher")(config["block_size"], self._hash)

    def engine(self, scheduler: Any, config: "dict[str, Any]", outputs: "dict[str, list[int]]") -> Any:
        """Return vLLM's engine core, as far as its two loop bodies need it: no model, no sockets."""
        is_async = config["async_scheduling"]

        class Core(self.core):  # type: ignore[misc, name-defined]  # known at run time only
            def __init__(self) -> None:
                """Start nothing."""

            def __getattr__(self, name: str) -> Any:
                """Return False for switches of other versions."""
                if name.startswith("__"):
                    raise AttributeError(name)
                return False

        core = Core()
        core.vllm_config, core.scheduler = scheduler.vllm_config, scheduler
        core.model_executor = _Executor(self, scheduler, outputs)
        core.aborts_queue = queue.Queue()
        core.log_stats = False
        core.batch_queue_size = 2 if is_async else 1
        core.batch_queue = deque(maxlen=2) if is_async else None
        core.is_ec_consumer, core.async_scheduling = True, is_async
        core._weight_version = None  # noqa: SLF001  # as vLLM names it
        return core

    def taken_request(self, values: "dict[str, Any]") -> Any:
        """Return a request from those of `values` that this version accepts."""
        return taken(self.request, values)

    def answer(self, names: "list[str]", sampled: "list[list[int]]") -> Any:
        """Return the model's output of a step, in this version's form."""
        tokens: list[Any] = list(sampled)
        if self._as_arrays:
            numpy = importlib.import_module("numpy")
            tokens = [numpy.array(row, dtype=numpy.int64) for row in sampled]
        values = {
            "req_ids": names,
            "req_id_to_index": {name: place for place, name in enumerate(names)},
            "sampled_token_ids": tokens,
        }
        known = inspect.signature(self.output.__init__).parameters
        without: dict[str, Any] = {"logprobs": None, "prompt_logprobs_dict": {}, "pooler_output": []}
        needed = {
            name: value
            for name, value in without.items()
            if name in known and known[name].default is inspect.Parameter.empty
        }
        return self.output(**values, **needed)

    def executed(self, output: Any, sample: "Callable[[], Any]", *, non_block: bool) -> Any:
        """Return the result of `execute_model`: the tokens, or nothing yet if sampling is a separate call."""
        if not output.total_num_scheduled_tokens:
            answer = self.empty
        else:
            answer = None if self._samples_apart else sample()
        return ready(answer) if non_block or self._samples_apart else answer


class _Executor:
    """Answers each step at once with the tokens of the requests' streams."""

    def __init__(self, parts: Parts, scheduler: Any, outputs: "dict[str, list[int]]") -> None:
        self._parts = parts
        self._scheduler = scheduler
        self._outputs = outputs
        self._emitted = dict.fromkeys(outputs, 0)
        self._names: list[str] = []

    def execute_model(self, output: Any, non_block: bool = False) -> Any:  # noqa: FBT001, FBT002  # vLLM's
        self._names = list(output.num_scheduled_tokens)
        return self._parts.executed(output, self._sampled, non_block=non_block)

    def sample_tokens(self, grammar: Any, non_block: bool = False) -> Any:  # noqa: FBT001, FBT002  # vLLM's
        del grammar
        answer = self._sampled()
        return ready(answer) if non_block else answer

    def _sampled(self) -> Any:
        return self._parts.answer(self._names, [self._sample(name) for name in self._names])

    def _sample(self, name: str) -> "list[int]":
        if _ends_in_prompt(self._scheduler.requests[name]):
            return []
        self._emitted[name] += 1
        outputs = self._outputs[name]
        return [outputs[min(self._emitted[name], len(outputs)) - 1]]


def _ends_in_prompt(request: Any) -> bool:
    """Return whether its part of the step yields no token."""
    is_chunk = getattr(request, "is_prefill_chunk", None)
    if is_chunk is not None:
        return bool(is_chunk)
    return bool(request.num_output_placeholders == 0 and request.num_computed_tokens < request.num_tokens)
