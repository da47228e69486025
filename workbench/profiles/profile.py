"""A profile: a step-time model with its source, its known error and the server's default sizes."""

from typing import Literal

from workbench.base import Message, Record, Refusal, message
from workbench.profiles.step_model import StepModel

ProfileKind = Literal["measured", "fitted_from_kernels", "estimated"]
"""Origin of the step-time model.

`measured`: fitted to times of a running vLLM on that card. `fitted_from_kernels`: fitted to kernel tables,
with an estimated overhead. `estimated`: scaled from another card.
"""

Standing = Literal["meets", "misses", "undecided"]


def check_profile_name(name: str) -> None:
    """Require the form `gpu/model/tpN`.

    Raises:
        Refusal: `name` has another form.
    """
    parts = name.split("/")
    if len(parts) != 3 or not all(parts) or not parts[2].startswith("tp") or not parts[2][2:].isdigit():
        raise Refusal("profiles.name_form", name=name)


class KnownError(Record, frozen=True):
    """Prediction error where it was checked, in percent of the measured mean, in both directions.

    `in_sample`: checked on the run on which a part of the model was chosen; other runs may differ by more.
    """

    ttft_pct: float
    tpot_pct: float
    evidence: str
    in_sample: bool = False

    def band_pct(self, metric: Literal["ttft", "tpot"]) -> float:
        """Return the error of one latency."""
        return self.ttft_pct if metric == "ttft" else self.tpot_pct

    def message(self) -> Message:
        """Return both percentages, as data."""
        if self.in_sample:
            return message("profiles.known_error_in_sample", ttft=self.ttft_pct, tpot=self.tpot_pct)
        return message("profiles.known_error", ttft=self.ttft_pct, tpot=self.tpot_pct)

    def __str__(self) -> str:
        return str(self.message())


class Profile(Record, frozen=True):
    """Step-time model of one model on one card, with the server's default sizes there.

    `name` is `gpu/model/tpN`. `num_gpu_blocks` includes the null block; `kv_source` is the source of that
    number. `known_error` is None if the profile was never checked. `request_overhead_us` is a request's time
    outside the engine, from sending to first token; 0 if it wasn't measured.
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
        """Return the card's name."""
        return self.name.split("/")[0]

    @property
    def model(self) -> str:
        """Return the model's name."""
        return self.name.split("/")[1]

    @property
    def tensor_parallel(self) -> int:
        """Return the number of cards that share the model."""
        return int(self.name.split("/")[2][2:])

    def standing(self, metric: Literal["ttft", "tpot"], predicted: float, limit: float) -> Standing:
        """Compare a predicted latency with `limit`; "undecided" within the known error."""
        if self.known_error is None:
            return "undecided"
        margin = predicted * self.known_error.band_pct(metric) / 100
        if predicted + margin <= limit:
            return "meets"
        return "misses" if predicted - margin > limit else "undecided"
