"""Start failures of compilers, libraries and packages around vLLM, and of models."""

from workbench.vllm_dialect.failure_rule import change, rule

COMPILING = (
    rule("python_headers", r"fatal error: Python\.h: No such file"),
    rule("header_missing", r"fatal error: '?(?P<header>[\w./+-]+)'?(?:: No such file| file not found)"),
    rule(
        "no_compiler",
        r"Failed to find C compiler|No working C\+\+ compiler found"
        r"|^/\S+sh: .*\b(?:gcc|g\+\+|c\+\+|cc): .*not found"
        r"|No such file or directory: '(?:gcc|g\+\+|c\+\+|cc|clang|clang\+\+)'",
    ),
    rule(
        "no_nvcc",
        r"Could not find nvcc|No such file or directory: '[^']*\bnvcc'|\bnvcc: (?:command )?not found"
        r"|CUDA_HOME environment variable is not set",
    ),
    rule(
        "no_ninja",
        r"No such file or directory: 'ninja'|\bninja: (?:command )?not found|Ninja is required to load",
    ),
    rule("linker", r"cannot find -l(?P<library>[\w.+-]+)"),
    rule(
        "compiler_too_old",
        r"ptxas (?:fatal|error)\s*: Value '(?P<architecture>sm_\w+)' is not defined",
    ),
    rule("compiler_too_old", r"Unsupported gpu architecture '(?P<architecture>compute_\w+)'"),
    rule(
        "flashinfer_versions",
        r"flashinfer-(?P<part>[\w-]+) version \((?P<own>[^)]+)\) does not match flashinfer version"
        r" \((?P<other>[^)]+)\)",
    ),
)
"""Kernels are compiled while vLLM starts; the compiler's words stand above the traceback."""

LIBRARIES = (
    rule("library_missing", r"(?P<library>lib[\w.+-]+?\.so[\w.]*): cannot open shared object file"),
    rule("built_for_other_torch", r"undefined symbol: (?P<symbol>\w+)"),
    rule("old_system", r"version `(?P<version>(?:GLIBC|GLIBCXX|CXXABI)_[\d.]+)' not found"),
    rule(
        "numpy_version",
        r"numpy\.dtype size changed|compiled using NumPy 1\.x cannot be run in|Numba needs NumPy"
        r"|numpy\.core\.multiarray failed to import",
    ),
    rule("torchvision_version", r"operator torchvision::\w+ does not exist"),
)
"""Packages that don't fit together."""

MODELS = (
    rule(
        "trust_remote_code",
        r"contains custom code which must be executed"
        r"|requires you to execute (?:the configuration file|custom code)"
        r"|(?:pass the argument|set the option|consider setting) `trust_remote_code=True`",
    ),
    rule("model_path", r"Repo id must be in the form .*?: '(?P<model>[^']+)'"),
    rule("model_path", r"Incorrect path_or_model_id: '(?P<model>[^']+)'"),
    rule(
        "model_not_found",
        r"(?<!\S)(?P<model>\S+) is not a local folder (?:and is not a valid model identifier"
        r"|or a valid repository name)",
        "model_not_listed",
    ),
    rule("revision_missing", r"(?<!\S)(?P<revision>\S+) is not a valid git identifier"),
    rule(
        "model_file_missing",
        r"(?<!\S)(?P<model>\S+) does not appear to have (?:a file named )?(?P<file>[\w.-]+)",
    ),
    rule(
        "model_file_missing",
        r"Could not detect config format for no config file found",
        "model_config_missing",
    ),
    rule("model_type_missing", r"Unrecognized model in (?P<model>\S+?)\. Should have a `model_type` key"),
    rule("hub_busy", r"429 Client Error: Too Many Requests for url"),
    rule("hub_certificate", r"(?:huggingface\.co|hf\.co).*CERTIFICATE_VERIFY_FAILED"),
    rule(
        "hub_unreachable",
        r"(?:huggingface\.co|hf\.co).*(?:Max retries exceeded|[Nn]ame resolution|Name or service not known)",
    ),
    rule(
        "tokenizer",
        r"Can't load tokenizer for |Couldn't instantiate the backend tokenizer"
        r"|data did not match any variant of untagged enum",
    ),
    rule(
        "weights_damaged",
        r"Error while deserializing header|PytorchStreamReader failed|UnpicklingError: invalid load key",
    ),
    rule("weights_mismatch", r"There is no module or parameter named '?(?P<name>[\w.]+)'? in (?P<model>\w+)"),
    rule(
        "quantization_mismatch",
        r"Quantization method specified in the model config \((?P<own>[^)]+)\) does not match"
        r" the quantization method specified in the .quantization. argument \((?P<asked>[^)]+)\)",
    ),
    rule("quantization_unknown", r"Unknown quantization method: (?P<method>.+?)\. Must be one of"),
    rule(
        "quantization_split",
        r"input size is not aligned with the quantized weight shape",
    ),
    rule(
        "dtype_and_quantization",
        r"(?P<dtype>torch\.\w+) is not supported for quantization method (?P<method>\S+?)\."
        r" Supported dtypes: (?P<supported>\[.+?\])",
    ),
    rule("dtype_and_model", r"model type '(?P<model>[^']+)' does not support float16"),
    rule(
        "mamba_blocks",
        r"max_num_seqs \((?P<seqs>\d+)\) exceeds available Mamba cache blocks \((?P<blocks>\d+)\)",
        changes=(change("max_num_seqs", to="blocks"), change("gpu_memory_utilization")),
    ),
    rule(
        "parser_unknown",
        r"invalid (?P<which>tool call|reasoning) parser: (?P<name>\S+) \(chose from"
        r" \{ ?(?P<known>.{1,200}?) ?\}",
    ),
)
"""Models, their files and their formats."""

EXCEPTIONS = (
    rule("module_missing", r"ModuleNotFoundError: No module named '(?P<module>[\w.]+)'"),
    rule("versions_apart", r"ImportError: cannot import name '(?P<name>\w+)' from '(?P<module>[\w.]+)'"),
    rule("file_missing", r"FileNotFoundError: \[Errno 2\] No such file or directory: '(?P<path>[^']+)'"),
    rule(
        "compile_failed",
        r"CalledProcessError: Command .*?\b(?P<tool>gcc|g\+\+|c\+\+|nvcc|ninja|ptxas|clang|cc)\b.*"
        r" returned non-zero exit status",
    ),
)
"""Exceptions that no other rule explains. Programs also catch such exceptions, so only the one that ended the
process counts."""

LAST = (rule("compile_error", r"^\S+?[:(]\d+(?:[:,]\d+)?\)?: (?:fatal )?error: (?P<error>.{1,160})"),)
"""A compiler's error message, if no other rule matches."""
