"""The tables of an experiment file, one record each; `validate` checks their values."""

from datetime import date
from typing import Any, Literal

import msgspec

from workbench.base import Record, is_frozen
from workbench.controls import Value
from workbench.results import Demand, Objectives
from workbench.servers import TargetSpec, target_value


class ControlUnderTest(Record, frozen=True, kw_only=True):
    """The one control that changes, and its values besides the baseline's."""

    name: str
    values: list[Value]


class TraceChoice(Record, frozen=True, kw_only=True):
    """The requests to replay: a file, equal ones of `IN:OUT` tokens, or a generated mix."""

    file: str | None = None
    synthetic: str | None = None
    mix: str | None = None
    format: str | None = None
    time_unit: Literal["s", "ms", "us", "ns", "days"] | None = None
    """Unit of numeric times in a file that doesn't define it."""
    seed: int = 1
    max_len: Literal["refuse", "drop", "clamp"] = "refuse"
    speedup: float = 1.0
    replay_text: bool = False
    """Send the recorded prompts in the file, not invented ones of the same length."""
    tokenizer: str | None = None
    """Local tokenizer for texts without a length in the file."""


Arrivals = Literal["trace", "poisson", "constant", "gamma"]
Kind = Literal["ladder", "burst", "soak", "confirm", "switchback", "search"]


class LadderShape(Record, frozen=True, kw_only=True):
    """Rates that rise by a factor; an adaptive ladder stops at a rate too high and bisects the step."""

    start: float = msgspec.field(name="from")
    to: float
    factor: float = 1.5
    adaptive: bool = False
    bisections: int = 2

    def rates(self) -> list[float]:
        """Return all rates up to `to`, with three digits each."""
        found, rate = [], self.start
        while rate <= self.to * (1 + 1e-9):
            found.append(round_rate(rate))
            rate *= self.factor
        return found


def round_rate(rate: float) -> float:
    """Return a rate with three digits."""
    return float(f"{rate:.3g}")


class LoadHosts(Record, frozen=True, kw_only=True):
    """Machines that the load comes from."""

    ssh: list[str] = msgspec.field(default_factory=list)
    """Machines over SSH, as `ssh` takes them."""
    python: str | None = None
    """A Python on them that has this program in the same version; `copy`: this program is copied there.
    None: `python3`, and `copy` in a frozen build."""
    keep_copy: bool = False
    """Leave the copies there, so that the next run needs no new ones."""
    ray: str | None = None
    """Address of a Ray cluster that this machine belongs to: `auto` or `HOST:PORT` of its head."""
    count: int = 1
    """Load hosts on Ray; each is an actor with a CPU of its own."""
    per_host: int = 1
    """Largest number of them on one node."""

    @property
    def python_there(self) -> str:
        """Return the Python of the machines over SSH, or `copy`."""
        return self.python or ("copy" if is_frozen() else "python3")


class LoadShape(Record, frozen=True, kw_only=True):
    """The load: rates or concurrencies, and the number of requests or the time of each."""

    rates: list[float] | None = None
    ladder: LadderShape | None = None
    concurrency: list[int] | None = None
    requests: int | None = None
    duration_s: float | None = None
    warmup_s: float = 0.0
    max_in_flight: int | None = None
    queue_timeout_s: float | None = None
    arrivals: Arrivals | None = None
    """None keeps a trace's own times, scaled to the rate; equal requests get Poisson arrivals."""
    burstiness: float = 1.0
    endpoint: Literal["completions", "chat"] = "completions"
    workers: int | None = None
    """Sending processes, on each machine if the load comes from several."""
    hosts: LoadHosts | None = None
    """Machines that send the load; None: this one, or the server's."""
    profile: str | None = None
    """A changing rate: `ramp:FROM:TO:SECONDS`, `steps:RATE@SECONDS,…`, `bursts:BASE:PEAK:EVERY:FOR`.

    With `rates` the profile is scaled so that its mean is each rate.
    """
    request_timeout_s: float | None = None
    """Time after which the caller gives up an unanswered request, which ends as timed_out."""
    max_retries: int = 0
    """Largest number of retries of a request that was rejected, or failed before its first token."""
    retry_backoff_s: float = 0.5
    """Wait before the first retry; it doubles with each retry, up to 8 s."""
    input_mode: Literal["ids", "text"] | None = None
    """Form of prompts; None sends token ids to completions and text to chat."""
    schedule_form: Literal[1, 2] | None = None
    """Version of the rule that makes due times from seed and rate; None is this build's.

    Older builds have form 1; it lets their bench files be measured again.
    """

    def machines(self) -> int:
        """Return the number of machines that the load comes from."""
        if self.hosts is None:
            return 1
        return len(self.hosts.ssh) if self.hosts.ray is None else self.hosts.count

    def offered_rates(self) -> list[float] | None:
        """Return the rates to offer, in their order; None for a closed loop or the trace's own times."""
        return self.ladder.rates() if self.ladder is not None else self.rates


class Repeats(Record, frozen=True, kw_only=True):
    """Repeats of each configuration, and their order."""

    n: int = 1
    order: Literal["interleaved", "sequential"] = "interleaved"
    seed: int = 1
    drop_dominated: bool = False
    """Skip later repeats of a value that is clearly out."""
    disturbed: int = 0
    """Largest number of repetitions of a run that this machine disturbed, as by a late load generator."""


class Cost(Record, frozen=True, kw_only=True):
    """The system's cost, from the user."""

    currency: str
    per_hour: float
    basis: Literal["purchase", "on_demand", "reserved", "spot", "rental"]
    price_date: date
    source: str


class Quality(Record, frozen=True, kw_only=True):
    """Comparison of greedy outputs with the baseline's, before each configuration's first run."""

    prompts: str
    """File with one prompt a line, or `.jsonl` with the key `prompt` in each line."""
    tokens: int = 64
    """Largest number of output tokens."""


class Burst(Record, frozen=True, kw_only=True):
    """The normal rate, a multiple of it for some seconds, and the normal rate again."""

    factor: float
    seconds: float
    at: float
    """Seconds from the start of the schedule to the burst."""


class SecondControl(Record, frozen=True, kw_only=True):
    """The second control of a 2 by 2, the only experiment that changes two controls."""

    name: str
    value: Value


class Switchback(Record, frozen=True, kw_only=True):
    """Alternating blocks of the baseline and the variant on one running server."""

    block_s: float = 45.0
    washout_s: float = 10.0
    """Requests due within this time after a switch are left out."""


class Search(Record, frozen=True, kw_only=True):
    """End of a search for the control's best value."""

    gain: float = 0.02
    """Smallest expected gain, as a share of the accepted rate, that is worth another run."""
    minutes: float | None = None
    """Wall time of all runs with their server starts; None: no limit."""
    one_control: bool = False
    """Search only the control with the largest expected gain, if there are several experiments."""


class ClusterNeeds(Record, frozen=True, kw_only=True):
    """Resources that an experiment reserves on a node, with `run --on ray`."""

    num_cpus: float = 1.0
    num_gpus: float = 0.0
    accelerator_type: str | None = None
    """Ray's name of a GPU, such as `H100`."""
    resources: dict[str, float] = msgspec.field(default_factory=dict)
    """Resources that the cluster's nodes define themselves."""


# The experiment: a target, a baseline, one control under test, a trace, a load, objectives.


def value_text(value: Value) -> str:
    """Return a control's value as text."""
    return str(value).lower() if isinstance(value, bool) else str(value)


_SHARED = (
    "kind",
    "target",
    "baseline",
    "trace",
    "load",
    "repeat",
    "burst",
    "switchback",
    "search",
    "reproduces",
    "quality",
)


_NO_CONTROL = ControlUnderTest(name="", values=[])


class ExperimentSpec(Record, frozen=True, kw_only=True):
    """One experiment from its file, unchecked."""

    name: str
    kind: Kind = "ladder"
    target: TargetSpec
    baseline: dict[str, Value] = msgspec.field(default_factory=dict)
    control: ControlUnderTest | None = None
    """None measures the baseline alone, at each rate."""
    trace: TraceChoice
    load: LoadShape
    objectives: Objectives = msgspec.field(default_factory=Objectives)
    repeat: Repeats = msgspec.field(default_factory=Repeats)
    cost: Cost | None = None
    quality: Quality | None = None
    """None marks a change that can alter outputs as unchecked."""
    demand: Demand | None = None
    """The demand, for the number of servers, their idle share and the cost of accepted requests."""
    burst: Burst | None = None
    second: SecondControl | None = None
    switchback: Switchback | None = None
    search: Search | None = None
    """None is the default of kind `search`."""
    cluster: ClusterNeeds = msgspec.field(default_factory=ClusterNeeds)
    """Ignored without `--on`."""
    reproduces: str | None = None
    """Bench file that this experiment measures again."""

    @property
    def tested(self) -> ControlUnderTest:
        """The control under test; without one, a control without name and values."""
        return self.control or _NO_CONTROL

    def configuration(self, value: Value | None) -> dict[str, Value]:
        """Return all controls of the variant with the control at `value`; None is the baseline."""
        if value is None:
            return {**self._target_value(), **self.baseline}
        return {**self.baseline, self.tested.name: value}

    def _target_value(self) -> dict[str, Value]:
        """Return the target's own value of the control under test, if it is a key of the target."""
        name = None if self.control is None else self.control.name
        own = None if name is None else target_value(self.target, name)
        return {} if name is None or own is None else {name: own}

    def two_by_two(self) -> list[tuple[str, Value, dict[str, Value]]]:
        """Return name, value and all controls of a 2 by 2's other corners: the second control, and both."""
        if self.second is None:
            return []
        first, second = self.tested, self.second
        alone = {**self.baseline, second.name: second.value}
        both = {**alone, first.name: first.values[0]}
        together = f"{value_text(first.values[0])} + {value_text(second.value)}"
        return [(second.name, second.value, alone), (f"{first.name} + {second.name}", together, both)]

    def shared_settings(self) -> dict[str, Any]:
        """Return the settings that experiments with a common scorecard must share."""
        built: dict[str, Any] = msgspec.to_builtins(self)
        return {key: built[key] for key in _SHARED}
