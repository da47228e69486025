"""What vLLM says when it can't start or dies, and what to do about it: one rule a cause.

Wording of 0.8 to 0.32. Where several rules match one log, the earlier rule wins: causes with a figure stand
before what only follows from them. `CONSEQUENCES` explain a log only where neither a rule nor an exception
does. The rules about devices, compilers, libraries and model files are in modules of their own.
"""

from workbench.vllm_dialect.failure_rule import Rule, rule
from workbench.vllm_dialect.failure_rule import told as _rule
from workbench.vllm_dialect.failure_rules_device import BETWEEN, DEVICES, ENDED_BY_SIGNAL, HOST
from workbench.vllm_dialect.failure_rules_software import COMPILING, LAST, LIBRARIES, MODELS

_MEMORY = (
    _rule(
        "context_over_kv",
        r"serve at least one request with the models?'s max seq len \((\d+)\)"
        r".*?\((?!0\.0+ GiB)([\d.]+) GiB KV cache is needed.*?available KV cache memory \(([\d.]+) GiB\)"
        r".*?estimated maximum model length is (\d+)",
        "the KV cache has no room for one request of {0} tokens: {1} GiB needed, {2} GiB there",
        "lower max_model_len to {3} or less, or raise gpu_memory_utilization",
    ),
    _rule(
        # Of a tiny model vLLM rounds both sizes to 0.
        "context_over_kv",
        r"serve at least one request with the models?'s max seq len \((\d+)\)"
        r".*?estimated maximum model length is (\d+)",
        "the KV cache has no room for one request of {0} tokens",
        "lower max_model_len to {1} or less, or raise gpu_memory_utilization",
    ),
    _rule(
        "context_over_kv",
        r"serve at least one request with the models?'s max seq len \((\d+)\)",
        "the KV cache has no room for one request of {0} tokens",
        "lower max_model_len or raise gpu_memory_utilization",
    ),
    _rule(
        "context_over_kv",
        r"max seq len \((\d+)\) is larger than the maximum number of tokens that can be stored in KV cache"
        r" \((\d+)\)",
        "the KV cache holds {1} tokens, less than one request of {0}",
        "lower max_model_len to {1} or less, or raise gpu_memory_utilization",
    ),
    _rule(
        "no_kv_memory",
        r"the rest of the memory reserved for KV Cache is (-[\d.]+)GiB",
        "weights and activations leave {0} GiB for the KV cache",
        "raise gpu_memory_utilization, or take a smaller or quantised model",
    ),
    _rule(
        "no_kv_memory",
        r"No available memory for the cache blocks",
        "weights and activations leave no memory for the KV cache",
        "raise gpu_memory_utilization, or take a smaller or quantised model",
    ),
    _rule(
        "gpu_busy",
        r"Free memory on device ?(\S*?) ?\(([\d.]+)/([\d.]+) GiB\) on startup is less than desired GPU "
        r"memory utilization \([\d.]+, ([\d.]+) GiB\)",
        "another process holds memory of GPU {0}: {1} of {2} GiB are free, {3} GiB are wanted",
        "end the process that holds it (nvidia-smi lists them) or lower gpu_memory_utilization",
    ),
    _rule(
        "oom_warmup",
        r"CUDA out of memory occurred when warming up sampler with (\d+) dummy requests",
        "the GPU's memory ran out while warming up with {0} sequences",
        "lower max_num_seqs or gpu_memory_utilization, one at a time",
    ),
    _rule(
        "oom_loading",
        r"Failed to load model - not enough GPU memory",
        "the model's weights don't fit the GPU's memory",
        "take a smaller or quantised model, or spread it with tensor_parallel_size",
    ),
    _rule(
        "gpu_memory_moved",
        r"Error in memory profiling\. ?Initial free memory",
        "another process freed GPU memory while vLLM measured it",
        "start again when nothing else starts or ends on this GPU",
    ),
    _rule(
        "oom",
        r"CUDA out of memory\. Tried to allocate ([\d.]+ [KMG]iB)",
        "the GPU's memory ran out ({0} more was wanted)",
        "lower gpu_memory_utilization, max_num_seqs or max_num_batched_tokens, one at a time",
    ),
)
_ARGUMENTS = (
    _rule(
        "port_in_use",
        r"(?i)address already in use|\[Errno 98\]|EADDRINUSE",
        "the port is in use",
        "choose another port, or stop the server that holds it",
    ),
    _rule(
        "unknown_flag",
        r"error: unrecognized arguments: (.+)",
        "this vLLM doesn't know {0}",
        "remove it, or take a vLLM that has it",
    ),
    _rule(
        "bad_value",
        r"error: argument (--[\w-]+)\S*: (.+)",
        "{0}: {1}",
        "correct its value",
    ),
    _rule(
        "budget_below_seats",
        r"max_num_batched_tokens \((\d+)\) must be greater than or equal to max_num_seqs \((\d+)\)",
        "max_num_batched_tokens ({0}) is below max_num_seqs ({1})",
        "raise max_num_batched_tokens to {1} or lower max_num_seqs to {0}",
    ),
    _rule(
        "budget_below_context",
        r"max_num_batched_tokens \((\d+)\) is smaller than max_model_len \((\d+)\)",
        "without chunked prefill max_num_batched_tokens ({0}) must hold a prompt of max_model_len ({1})",
        "raise max_num_batched_tokens to {1}, lower max_model_len to {0}, or enable chunked prefill",
    ),
    _rule(
        "context_over_model",
        r"User-specified max_model_len \((\d+)\) is greater than the derived max_model_len "
        r"\((?:max_position_embeddings=)?(\d+)?",
        "max_model_len ({0}) is above what the model was made for ({1})",
        "lower max_model_len to {1}",
    ),
    _rule(
        "block_size",
        r"No common block size for (.+?)\.?$",
        "the attention kernel can't work with block size {0}",
        "choose another block_size, or leave it to vLLM (on CPUs: a multiple of 32)",
    ),
    _rule(
        "too_few_gpus",
        r"[Ww]orld size \((\d+)\) is larger than the number of available GPUs \((\d+)\)",
        "tensor times pipeline parallel size asks for {0} GPUs, and {1} are there",
        "lower tensor_parallel_size",
    ),
    _rule(
        "tp_divides",
        r"Total number of attention heads \((\d+)\) must be divisible by tensor parallel size \((\d+)\)",
        "tensor_parallel_size {1} doesn't divide the model's {0} attention heads",
        "choose one that does",
    ),
    _rule(
        "tp_divides",
        r"AssertionError: (\d+) is not divisible by (\d+)$",
        "a dimension of the model ({0}) can't be split into {1} parts",
        "choose a tensor_parallel_size that divides it, mostly a power of two",
    ),
    _rule("bad_usage", r"^(?:vllm[\w ]*: )?error: (.+)", "{0}", ""),
)
_MODEL = (
    _rule(
        "gated_model",
        r"GatedRepoError|trying to access a gated repo|Access to model .* is restricted"
        r"|403 Client Error: Forbidden for url: https://huggingface\.co/(\S+?/[^/\s]+)",
        "the model is gated on Hugging Face and this account may not read it",
        "accept its licence there and give the server a HF_TOKEN of that account",
    ),
    _rule(
        "model_not_found",
        r"Repository Not Found for url|401 Client Error|Invalid repository ID or local directory specified"
        r"|Can't load the configuration of",
        "the model was not found, neither as a folder nor on Hugging Face",
        "check its name or path; a private model needs a HF_TOKEN",
    ),
    _rule(
        "model_offline",
        r"Cannot find an appropriate cached snapshot folder|outgoing traffic has been disabled"
        r"|We couldn't connect to 'https://huggingface\.co'",
        "the model isn't in the local cache and Hugging Face can't be reached",
        "download it first, give its folder, or allow the connection (HF_HUB_OFFLINE)",
    ),
    _rule(
        "weights_missing",
        r"Cannot find any model weights with `(.+?)`",
        "the folder {0} has no weights",
        "give the folder that holds the .safetensors files",
    ),
    _rule(
        "model_unsupported",
        r"model type `(.+?)` but Transformers does not recognize",
        "the installed Transformers doesn't know model type {0}",
        "upgrade transformers in vLLM's environment, or take a newer vLLM",
    ),
    _rule(
        "model_unsupported",
        r"Model architectures (\[.+?\]) are not supported",
        "this vLLM doesn't support the architecture {0}",
        "take a newer vLLM, or another model",
    ),
)
_MACHINE = (
    _rule(
        "no_gpu",
        r"Failed to infer device type|No CUDA GPUs are available|Found no NVIDIA driver",
        "vLLM finds no GPU",
        "check the driver with nvidia-smi and CUDA_VISIBLE_DEVICES",
    ),
    _rule(
        "old_driver",
        r"CUDA driver version is insufficient|NVIDIA driver on your system is too old",
        "the NVIDIA driver is too old for this vLLM",
        "update the driver, or take a vLLM built for an older CUDA",
    ),
    _rule(
        "shared_memory",
        r"shared memory segment /dev/shm|failed to extend /dev/shm/|unable to \w+ shared memory object"
        r"|insufficient shared memory",
        "the shared memory of its processes (/dev/shm) is too small",
        'give it more; in a container: shm_size = "16g" in [target]',
    ),
    _rule(
        "open_files",
        r"^(?:\w+\.)*OSError: \[Errno 24\] Too many open files",
        "the server may not open as many files as it needs; each stream is one",
        "raise the limit of open files (ulimit -n) where it is started",
    ),
    _rule(
        "disk_full",
        r"No space left on device: '([^']+)'",
        "the disk of {0} is full",
        "make room there",
    ),
    _rule(
        "disk_full",
        r"No space left on device",
        "a disk that it writes to is full",
        "make room where models and compiled code are cached, in /tmp, and beside the bench file, where the"
        " steps are recorded",
    ),
    _rule(
        "not_readable",
        r"^(?:\w+\.)*(?:PermissionError|OSError): .*?[Pp]ermission denied.*?'([^']+)'",
        "the server's user may not read or write {0}",
        "give it that right; in a container the folder's owner and label count",
    ),
    _rule(
        "not_readable",
        r"^(?:\w+\.)*(?:PermissionError|OSError|SafetensorError): .*?[Pp]ermission denied",
        "the server's user may not read or write a file that it needs",
        "give it that right; in a container the folder's owner and label count",
    ),
    _rule(
        "start_timeout",
        r"Timed out waiting for engine core processes to start",
        "the engine didn't come up in the time that vLLM waits for it",
        "raise VLLM_ENGINE_READY_TIMEOUT_S",
    ),
    _rule(
        "not_vllm",
        r"No module named '?vllm(?![\w.])",
        "this Python has no vLLM",
        "name an environment that has it",
    ),
)
RULES: tuple[Rule, ...] = (
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
CONSEQUENCES: tuple[Rule, ...] = (
    *ENDED_BY_SIGNAL,
    _rule(
        "engine_died",
        r"EngineCore encountered an? (?:fatal error|issue)",
        # An exception of its own would have been the cause.
        "the engine died while serving, without a word of its own: it was killed, or crashed",
        "see whether the machine's memory ran out (dmesg); the server has to be started again",
    ),
    *LAST,
    rule("engine_silent", r"Engine core initialization failed"),
)
