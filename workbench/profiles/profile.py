"""A profile: a step-time model with all that a reader must know to trust it or not."""

from typing import Literal

from workbench.base import Message, Record, Refusal, message
from workbench.profiles.step_model import StepModel

ProfileKind = Literal["measured", "fitted_from_kernels", "estimated"]
"""`measured`: fitted to times taken in a running vLLM on that card. `fitted_from_kernels`: to kernel tables,
with an overhead added that no table holds. `estimated`: scaled from another card."""

Standing = Literal["meets", "misses", "undecided"]


def check_profile_name(name: str) -> None:
    """Let pass only `gpu/model/tpN`.

    Raises:
        InputError: it is of another form.
    """
    parts = name.split("/")
    if len(parts) != 3 or not all(parts) or not parts[2].startswith("tp") or not parts[2][2:].isdigit():
        raise Refusal("profiles.name_form", name=name)


class KnownError(Record, frozen=True):
    """How far predictions were off where they could be checked: percent of the measured mean, either way.

    `in_sample`: checked on the very run on which a part of the model was chosen; another may err by more.
    """

    ttft_pct: float
    tpot_pct: float
    evidence: str
    in_sample: bool = False

    def band_pct(self, metric: Literal["ttft", "tpot"]) -> float:
        """The one for that latency."""
        return self.ttft_pct if metric == "ttft" else self.tpot_pct

    def message(self) -> Message:
        """Return both percentages, as data."""
        if self.in_sample:
            return message("profiles.known_error_in_sample", ttft=self.ttft_pct, tpot=self.tpot_pct)
        return message("profiles.known_error", ttft=self.ttft_pct, tpot=self.tpot_pct)

    def __str__(self) -> str:
        return str(self.message())


class Profile(Record, frozen=True):
    """Step-time model of one model on one card, with the sizes that a server would have there by default.

    `name` is `gpu/model/tpN`. `num_gpu_blocks` counts the null block; `kv_source` says how it was found.
    `known_error` is None where nobody has compared it with anything. `request_overhead_us` is a request's
    time outside the engine, from sending to first token; 0 where it was not looked for.
    """

    name: str
    step_model: StepModel
    source: str
    vllm_version: str
    kind: ProfileKind
    num_gpu_blocks: int
    kv_source: str
    block_size: int
    max_num_seqs: int
    max_num_batched_tokens: int
    max_model_len: int
    known_error: KnownError | None
    request_overhead_us: float = 0.0

    def __post_init__(self) -> None:
        check_profile_name(self.name)
        if self.num_gpu_blocks < 2 or self.block_size < 1:
            raise Refusal("profiles.too_few_blocks", name=self.name)

    @property
    def gpu(self) -> str:
        """The card's name."""
        return self.name.split("/")[0]

    @property
    def model(self) -> str:
        """The model's name."""
        return self.name.split("/")[1]

    @property
    def tensor_parallel(self) -> int:
        """Cards that share the model."""
        return int(self.name.split("/")[2][2:])

    def standing(self, metric: Literal["ttft", "tpot"], predicted: float, limit: float) -> Standing:
        """Whether a predicted latency keeps within `limit`; undecided within the known error."""
        if self.known_error is None:
            return "undecided"
        margin = predicted * self.known_error.band_pct(metric) / 100
        if predicted + margin <= limit:
            return "meets"
        return "misses" if predicted - margin > limit else "undecided"
