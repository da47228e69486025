"""What differs between versions of vLLM as far as memory goes.

Sources: start-up logs of 0.11 and 0.19 (llm-d-planner, commits e50305af and d3121e05), vLLM pull requests
43308 and 45178 (graphs are planned for since 0.21), 51041 (how tokens are printed), the installed 0.32.
"""

import re

from workbench.base import InputError, Record

NEWEST = "0.32.0"


class Version(Record, frozen=True, kw_only=True, order=True):
    """Major and minor number."""

    major: int
    minor: int

    @property
    def lean_sampler(self) -> bool:
        """The sampler's warm-up takes 15 bytes a logit since 0.17, 38 before."""
        return self >= Version(major=0, minor=17)

    @property
    def one_engine(self) -> bool:
        """V1 is the default engine since 0.8; what V0 took depended on more than is modelled."""
        return self >= Version(major=0, minor=8)

    @property
    def plans_graphs(self) -> bool:
        """CUDA graphs are taken out of the KV cache before they are captured."""
        return self >= Version(major=0, minor=21)

    @property
    def measured(self) -> bool:
        """Whether the overheads were fitted to logs near this version."""
        return Version(major=0, minor=17) <= self <= Version(major=0, minor=20)

    @property
    def memory_share(self) -> float:
        """Default of gpu_memory_utilization."""
        return 0.92 if self.plans_graphs else 0.9

    @property
    def group_padding(self) -> float:
        """How far kinds of layers may differ in number and still be padded to the larger one."""
        return 1.5 if self.plans_graphs else 1.25

    @property
    def prints_by_concurrency(self) -> bool:
        """The log's tokens are concurrency times max_model_len."""
        return self >= Version(major=0, minor=29)

    def tokens_in_flight(self, step_tokens: int, pp: int) -> int:
        """Scheduled and not settled: newer versions reserve for each step that can be under way at once."""
        return step_tokens * (pp + 1) if self.prints_by_concurrency else step_tokens


def read_version(text: str) -> Version:
    """From `0.19.0`, `v0.32` or `0.32.0+cpu`.

    Raises:
        InputError: not a version.
    """
    found = re.match(r"v?(\d+)\.(\d+)", text.strip())
    if found is None:
        raise InputError(f"vLLM version {text!r} isn't one; write it like {NEWEST}")
    return Version(major=int(found[1]), minor=int(found[2]))


def default_limits(usable_gib: float | None, *, a100: bool, version: Version) -> tuple[int, int]:
    """`max_num_batched_tokens` and `max_num_seqs` of an API server where they aren't set."""
    if usable_gib is not None and usable_gib >= 160 and version.plans_graphs:
        return 16384, 1024
    if usable_gib is None or (usable_gib >= 70 and not a100):
        return 8192, 1024
    return 2048, 256
