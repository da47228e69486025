"""Differences between versions of vLLM in memory; the boundaries are facts of `vllm_dialect`.

Sources: start-up logs of 0.11 and 0.19 (llm-d-planner, commits e50305af and d3121e05), vLLM pull requests
43308, 45178 and 51041, and the releases' Python files.
"""

from workbench.base import Place
from workbench.vllm_dialect import MODELLED_RELEASE, Version, default_of, version_has

NEWEST = MODELLED_RELEASE
_BIG_CARD_GIB = 160


class MemoryVersion(Version, frozen=True, kw_only=True, order=True):
    """A version and its use of a GPU's memory."""

    def _does(self, behavior: str) -> bool:
        return version_has("behavior", behavior, str(self)) is True

    @property
    def lean_sampler(self) -> bool:
        """The sampler's warm-up takes 15 bytes a logit; 38 before."""
        return self._does("lean_sampler")

    @property
    def one_engine(self) -> bool:
        """V1 is the default engine; V0's memory depended on more than is modeled."""
        return self._does("one_engine")

    @property
    def plans_graphs(self) -> bool:
        """CUDA graphs are taken out of the KV cache before their capture."""
        return self._does("cuda_graphs_planned")

    @property
    def measured(self) -> bool:
        """The overheads were fitted to logs near this version."""
        return (0, 17) <= (self.major, self.minor) <= (0, 20)

    @property
    def memory_share(self) -> float:
        """Default of gpu_memory_utilization."""
        share = default_of("gpu_memory_utilization", str(self))
        assert isinstance(share, float)
        return share

    @property
    def group_padding(self) -> float:
        """Largest difference in number of two kinds of layers that are padded to the larger one."""
        return 1.5 if self._does("wide_group_padding") else 1.25

    @property
    def prints_by_concurrency(self) -> bool:
        """The log's tokens are concurrency times max_model_len."""
        return self._does("kv_size_by_concurrency")

    def tokens_in_flight(self, step_tokens: int, pp: int) -> int:
        """Return the scheduled tokens in flight; newer versions reserve memory for each step."""
        return step_tokens * (pp + 1) if self._does("tokens_in_flight_reserved") else step_tokens


def read_version(text: str) -> MemoryVersion:
    """Read `0.19.0`, `v0.32` or `0.32.0+cpu`.

    Raises:
        Refusal: not a version.
    """
    version = Version.parse(text, Place(key="vllm_version"))
    return MemoryVersion(major=version.major, minor=version.minor)


def default_limits(usable_gib: float | None, *, a100: bool, version: MemoryVersion) -> tuple[int, int]:
    """Return `max_num_batched_tokens` and `max_num_seqs` of an API server where they aren't set."""
    if usable_gib is not None and usable_gib >= _BIG_CARD_GIB:
        tokens = default_of("max_num_batched_tokens_160_gib", str(version))
        assert isinstance(tokens, int)
        return tokens, 1024
    if usable_gib is None or (usable_gib >= 70 and not a100):
        return 8192, 1024
    return 2048, 256
