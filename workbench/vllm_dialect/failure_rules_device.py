"""Start failures of GPUs and their drivers, of the ways between them, and of the machine around them."""

from workbench.vllm_dialect.failure_rule import change, rule

DEVICES = (
    rule(
        "no_such_gpu",
        r"(?:invalid literal for int\(\) with base 10: |Non-integer device ID )'(?P<device>MIG-[^']*)'",
        "no_such_mig",
    ),
    rule(
        "no_such_gpu",
        r"(?:invalid literal for int\(\) with base 10: |Non-integer device ID )'(?P<device>GPU-[^']*)'",
        "no_such_gpu_uuid",
    ),
    rule(
        "no_such_gpu",
        r"invalid device ordinal|device >= 0 && device < num_gpus"
        r"|is out of range for assigned_physical_gpu_ids|is not visible in CUDA_VISIBLE_DEVICES"
        r"|DP adjusted local rank \d+ is out of bounds",
    ),
    rule(
        "driver_missing",
        r"(?P<library>lib(?:cuda|nvidia-ml)\.so[\w.]*):? cannot (?:open shared object file|found)",
    ),
    rule("driver_mismatch", r"Driver/library version mismatch|NVML_ERROR_LIB_RM_VERSION_MISMATCH"),
    rule("fabric_manager", r"system not yet initialized|Error 802\b"),
    rule(
        "driver_and_cuda",
        r"unsupported display driver / cuda driver combination|Error 80[34]\b"
        r"|forward compatibility was attempted on non supported HW"
        r"|the provided PTX was compiled with an unsupported toolchain",
    ),
    rule("gpu_exclusive", r"CUDA-capable device\(s\) is/are busy or unavailable"),
    rule("container_gpus", r"could not select device driver .* with capabilities: \[\[gpu\]\]"),
    rule("container_gpus", r"unknown or invalid runtime name: nvidia|unresolvable CDI devices"),
    rule(
        "no_kernel_image",
        r"no kernel image is available for execution on the device"
        r"|is not compatible with the current PyTorch installation",
    ),
    rule(
        "no_bfloat16",
        r"Bfloat16 is only supported on GPUs with compute capability of at least 8\.0\. ?"
        r"Your (?P<gpu>.+?) GPU has compute capability (?P<capability>\d+\.\d+)",
        changes=(change("dtype"),),
    ),
    rule(
        "no_bfloat16",
        r"Bfloat16 is only supported on GPUs with compute capability",
        "no_bfloat16_unnamed",
        changes=(change("dtype"),),
    ),
    rule(
        "no_fp8",
        r"fp8e4nv not supported in this architecture",
        changes=(change("quantization"), change("kv_cache_dtype")),
    ),
    rule(
        "quantization_needs_gpu",
        r"quantization method (?P<method>\S+) is not supported for the current GPU\. Minimum capability: "
        r"(?P<least>\d+)\. Current capability: (?P<own>\d+|DeviceCapability\([^)]*\))",
    ),
    rule("flash_attention_gpu", r"FlashAttention only supports Ampere GPUs or newer"),
    rule(
        "attention_backend",
        r"Selected backend (?P<backend>\S+) is not valid for .*?Reasons?: (?P<reasons>.{1,160})",
    ),
    rule(
        "no_attention_backend",
        r"No valid attention backend found for \S+ with .*?Reasons?: (?P<reasons>.{1,160})",
        changes=(change("kv_cache_dtype"), change("block_size")),
    ),
    rule(
        "oom",
        r"(?:CUDA error: |HIP |XPU )out of memory|cudaErrorMemoryAllocation",
        "oom_of_gpu",
        changes=(
            change("gpu_memory_utilization"),
            change("max_num_seqs"),
            change("max_num_batched_tokens"),
        ),
    ),
    rule("no_cuda_torch", r"Torch not compiled with CUDA enabled"),
    rule("forked_cuda", r"Cannot re-initialize CUDA in forked subprocess"),
    rule(
        "gpu_fault",
        r"CUDA error: (?P<error>an illegal memory access was encountered|unspecified launch failure"
        r"|uncorrectable ECC error encountered|device-side assert triggered|misaligned address)",
    ),
)
"""GPUs and their driver."""

BETWEEN = (
    rule("one_gpu_twice", r"Duplicate GPU detected"),
    rule(
        "nccl",
        r"NCCL error(?: in)?: ?(?!.*(?:remote process exited|ncclRemoteError))(?P<error>.{1,120})",
    ),
    rule(
        "nccl",
        r"(?P<error>nccl(?:UnhandledCuda|System|Internal|InvalidUsage|InvalidArgument)Error\b.{0,100})",
    ),
    rule(
        "processes_apart",
        r"[Gg]loo connectFullMesh failed|Unable to find address for: |Unable to resolve hostname"
        r"|client socket has (?:timed out|failed to connect)",
    ),
)
"""Between the processes of one server."""

HOST = (
    rule(
        "cpu_memory",
        r"Available memory on node (?P<node>\S+) \((?P<free>[\d.]+)/(?P<total>[\d.]+) GiB\) on startup is"
        r" less than desired CPU memory utilization \([\d.]+, (?P<wanted>[\d.]+) GiB\)",
        changes=(change("gpu_memory_utilization"),),
    ),
    rule(
        "cpu_memory",
        r"Available memory on node (?P<node>\S+) \((?P<free>[\d.]+)/(?P<total>[\d.]+) GiB\) on kv cache"
        r" ?allocation is less than requested memory for kv \((?P<wanted>[\d.]+)",
        changes=(change("gpu_memory_utilization"),),
    ),
    rule(
        "host_memory",
        r"can't allocate memory: you tried to allocate \d+ bytes|\[Errno 12\] Cannot allocate memory"
        r"|^(?:\w+\.)*MemoryError\b",
    ),
    rule(
        "killed",
        r"(?:Memory cgroup out of memory|Out of memory): Killed process \d+ \((?P<process>[^)]+)\)",
    ),
    rule("killed", r": line \d+: +\d+ Killed +(?P<process>\S+)"),
    rule("bus_error", r"^Bus error\b|: Bus error|Bus error +\(core dumped\)"),
    rule("illegal_instruction", r"^Illegal instruction\b|: Illegal instruction|Illegal instruction +\(core"),
    rule(
        "too_many_threads",
        r"can't start new thread|libgomp: Thread creation failed|pthread_create failed"
        r"|BlockingIOError: \[Errno 11\] Resource temporarily unavailable",
    ),
    rule(
        "port_not_allowed",
        r"attempting to bind on address \('(?P<host>[^']*)', (?P<port>\d+)\): .*permission denied",
    ),
    rule(
        "address_not_here",
        r"attempting to bind on address \('(?P<host>[^']*)', \d+\): .*cannot assign requested address",
    ),
    rule("read_only", r"Read-only file system: '(?P<path>[^']+)'"),
    rule("read_only", r"Read-only file system", "read_only_somewhere"),
    rule("disk_full", r"Disk quota exceeded: '(?P<path>[^']+)'", "disk_quota"),
    rule("disk_full", r"Disk quota exceeded", "disk_quota_somewhere"),
)
"""The machine."""

_BY_SIGNAL = {
    9: ("killed", "killed"),
    11: ("crashed", "crashed"),
    4: ("illegal_instruction", "illegal_instruction_of"),
    7: ("bus_error", "bus_error_of"),
    6: ("aborted", "aborted"),
    15: ("terminated", "terminated"),
}
"""Kind and template by the number of the signal that ended a process."""
_ENDED = (
    r"Failed (?:core|frontend) proc\(s\): \{{[^}}]*?'(?P<process>[^']+)': -{number}\b",
    r"Worker proc (?P<process>\S+) died unexpectedly \(exit code: -{number}\)",
)
ENDED_BY_SIGNAL = tuple(
    rule(kind, pattern.format(number=number), template)
    for number, (kind, template) in _BY_SIGNAL.items()
    for pattern in _ENDED
)
"""A process of the server that a signal ended; the other processes' exceptions follow from it."""


def by_signal(number: int) -> tuple[str, str] | None:
    """Return the kind and template of a signal; None for one that explains nothing."""
    return _BY_SIGNAL.get(number)
