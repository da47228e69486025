"""Rules that explain why vLLM didn't start or died: a log pattern, the cause and the fix.

Wording of 0.8 to 0.32. If several rules match one log, the earlier rule wins: causes with figures come before
their consequences. `CONSEQUENCES` explain a log only if neither a rule nor an exception does. The rules about
devices, compilers, libraries and model files are in modules of their own.
"""

from workbench.vllm_dialect.failure_rule import FailureRule, change, rule
from workbench.vllm_dialect.failure_rules_device import BETWEEN, DEVICES, ENDED_BY_SIGNAL, HOST
from workbench.vllm_dialect.failure_rules_software import COMPILING, LAST, LIBRARIES, MODELS

_MEMORY = (
    rule(
        "context_over_kv",
        r"serve at least one request with the models?'s max seq len \((?P<length>\d+)\)"
        r".*?\((?!0\.0+ GiB)(?P<needed>[\d.]+) GiB KV cache is needed.*?available KV cache memory "
        r"\((?P<available>[\d.]+) GiB\)"
        r".*?estimated maximum model length is (?P<limit>\d+)",
        changes=(
            change("max_model_len", to="limit"),
            change("gpu_memory_utilization"),
        ),
    ),
    # vLLM rounds both sizes of a tiny model to 0.
    rule(
        "context_over_kv",
        r"serve at least one request with the models?'s max seq len \((?P<length>\d+)\)"
        r".*?estimated maximum model length is (?P<limit>\d+)",
        template="context_over_kv_rounded",
        changes=(
            change("max_model_len", to="limit"),
            change("gpu_memory_utilization"),
        ),
    ),
    rule(
        "context_over_kv",
        r"serve at least one request with the models?'s max seq len \((?P<length>\d+)\)",
        template="context_over_kv_unsized",
        changes=(
            change("max_model_len"),
            change("gpu_memory_utilization"),
        ),
    ),
    rule(
        "context_over_kv",
        r"max seq len \((?P<length>\d+)\) is larger than the maximum number of tokens that can be stored in "
        r"KV cache \((?P<capacity>\d+)\)",
        template="context_over_kv_tokens",
        changes=(
            change("max_model_len", to="capacity"),
            change("gpu_memory_utilization"),
        ),
    ),
    rule(
        "no_kv_memory",
        r"the rest of the memory reserved for KV Cache is (?P<left>-[\d.]+)GiB",
        changes=(change("gpu_memory_utilization"),),
    ),
    rule(
        "no_kv_memory",
        r"No available memory for the cache blocks",
        template="no_kv_memory_at_all",
        changes=(change("gpu_memory_utilization"),),
    ),
    rule(
        "gpu_busy",
        r"Free memory on device ?(?P<gpu>\S*?) ?\((?P<free>[\d.]+)/(?P<total>[\d.]+) GiB\) on startup is "
        r"less than desired GPU memory utilization \([\d.]+, (?P<wanted>[\d.]+) GiB\)",
        changes=(change("gpu_memory_utilization"),),
    ),
    rule(
        "oom_warmup",
        r"CUDA out of memory occurred when warming up sampler with (?P<sequences>\d+) dummy requests",
        changes=(
            change("max_num_seqs"),
            change("gpu_memory_utilization"),
        ),
    ),
    rule(
        "oom_loading",
        r"Failed to load model - not enough GPU memory",
    ),
    rule("gpu_memory_moved", r"Error in memory profiling\. ?Initial free memory"),
    rule(
        "oom",
        r"CUDA out of memory\. Tried to allocate (?P<wanted>[\d.]+ [KMG]iB)",
        changes=(
            change("gpu_memory_utilization"),
            change("max_num_seqs"),
            change("max_num_batched_tokens"),
        ),
    ),
)
_ARGUMENTS = (
    rule("port_in_use", r"(?i)address already in use|\[Errno 98\]|EADDRINUSE"),
    rule("unknown_flag", r"error: unrecognized arguments: (?P<flags>.+)"),
    rule("bad_value", r"error: argument (?P<flag>--[\w-]+)\S*: (?P<problem>.+)"),
    rule(
        "budget_below_seats",
        r"max_num_batched_tokens \((?P<budget>\d+)\) must be greater than or equal to "
        r"max_num_seqs \((?P<seats>\d+)\)",
        changes=(
            change("max_num_batched_tokens", to="seats"),
            change("max_num_seqs", to="budget"),
        ),
    ),
    rule(
        "budget_below_context",
        r"max_num_batched_tokens \((?P<budget>\d+)\) is smaller than max_model_len \((?P<context>\d+)\)",
        changes=(
            change("max_num_batched_tokens", to="context"),
            change("max_model_len", to="budget"),
            change("enable_chunked_prefill"),
        ),
    ),
    rule(
        "context_over_model",
        r"User-specified max_model_len \((?P<length>\d+)\) is greater than the derived max_model_len "
        r"\((?:max_position_embeddings=)?(?P<limit>\d+)?",
        changes=(change("max_model_len", to="limit"),),
    ),
    rule("block_size", r"No common block size for (?P<size>.+?)\.?$", changes=(change("block_size"),)),
    rule(
        "too_few_gpus",
        r"[Ww]orld size \((?P<wanted>\d+)\) is larger than the number of available GPUs "
        r"\((?P<available>\d+)\)",
    ),
    rule(
        "tp_divides",
        r"Total number of attention heads \((?P<heads>\d+)\) must be divisible by tensor parallel "
        r"size \((?P<size>\d+)\)",
    ),
    rule(
        "tp_divides",
        r"AssertionError: (?P<dimension>\d+) is not divisible by (?P<size>\d+)$",
        template="tp_divides_dimension",
    ),
    rule("bad_usage", r"^(?:vllm[\w ]*: )?error: (?P<said>.+)", has_fix=False),
)
_MODEL = (
    rule(
        "gated_model",
        r"GatedRepoError|trying to access a gated repo|Access to model .* is restricted"
        r"|403 Client Error: Forbidden for url: https://huggingface\.co/(?P<model>\S+?/[^/\s]+)",
    ),
    rule(
        "model_not_found",
        r"Repository Not Found for url|401 Client Error|Invalid repository ID or local directory specified"
        r"|Can't load the configuration of",
    ),
    rule(
        "model_offline",
        r"Cannot find an appropriate cached snapshot folder|outgoing traffic has been disabled"
        r"|We couldn't connect to 'https://huggingface\.co'",
    ),
    rule("weights_missing", r"Cannot find any model weights with `(?P<folder>.+?)`"),
    rule("model_unsupported", r"model type `(?P<type>.+?)` but Transformers does not recognize"),
    rule(
        "model_unsupported",
        r"Model architectures (?P<architecture>\[.+?\]) are not supported",
        template="architecture_unsupported",
    ),
)
_MACHINE = (
    rule("no_gpu", r"Failed to infer device type|No CUDA GPUs are available|Found no NVIDIA driver"),
    rule("old_driver", r"CUDA driver version is insufficient|NVIDIA driver on your system is too old"),
    rule(
        "shared_memory",
        r"shared memory segment /dev/shm|failed to extend /dev/shm/|unable to \w+ shared memory object"
        r"|insufficient shared memory",
    ),
    rule("open_files", r"^(?:\w+\.)*OSError: \[Errno 24\] Too many open files"),
    rule("disk_full", r"No space left on device: '(?P<path>[^']+)'"),
    rule("disk_full", r"No space left on device", template="disk_full_somewhere"),
    rule(
        "not_readable", r"^(?:\w+\.)*(?:PermissionError|OSError): .*?[Pp]ermission denied.*?'(?P<path>[^']+)'"
    ),
    rule(
        "not_readable",
        r"^(?:\w+\.)*(?:PermissionError|OSError|SafetensorError): .*?[Pp]ermission denied",
        template="not_readable_somewhere",
    ),
    rule("start_timeout", r"Timed out waiting for engine core processes to start"),
    rule("not_vllm", r"No module named '?vllm(?![\w.])"),
)
RULES: tuple[FailureRule, ...] = (
    *_MEMORY,
    *_ARGUMENTS,
    *MODELS,
    *_MODEL,
    *COMPILING,
    *DEVICES,
    *LIBRARIES,
    *BETWEEN,
    *HOST,
    *_MACHINE,
)
CONSEQUENCES: tuple[FailureRule, ...] = (
    *ENDED_BY_SIGNAL,
    # An exception in the log would be the cause instead.
    rule("engine_died", r"EngineCore encountered an? (?:fatal error|issue)"),
    *LAST,
    rule("engine_silent", r"Engine core initialization failed"),
)
