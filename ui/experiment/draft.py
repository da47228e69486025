"""An experiment being edited, whose fields may still be invalid. Immutable. No Qt."""

from typing import Any

import msgspec

from workbench.controls import CONTROLS, Value

DEFAULT_PROFILE = "h100_sxm/Llama-3.1-8B/tp1"

Fields = dict[str, Any]


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """The form's content. Text that is no number stays as typed."""

    name: str = "Sequence limit"
    kind: str = "ladder"
    """ladder, burst, soak, confirm, switchback, search; reproduce takes everything from `reproduces`."""
    reproduces: str = ""
    """Bench file whose plan is measured again."""
    target_kind: str = "embedded"
    """embedded, local, ssh, container or attached."""
    profile: str = DEFAULT_PROFILE
    time_scale: float = 1.0
    url: str = ""
    model: str = ""
    executable: str = ""
    api_key_env: str = ""
    host: str = ""
    image: str = ""
    gpus: str = ""
    shm_size: str = ""
    ca_file: str = ""
    args: str = ""
    """More arguments of the server's command line, quoted as in a shell."""
    load_python: str = ""
    """A Python on an SSH target's machine that runs the load there; "" runs it here, through the tunnel."""
    kv: str = "as_deployed"
    """as_deployed, or pinned: later servers get the KV-cache blocks of the baseline."""
    record_steps: bool | str | None = None
    """True, False, `stats` for figures only, or None for the kind's default."""
    live_limits: bool = False
    baseline: dict[str, Any] = msgspec.field(default_factory=lambda: {"max_num_seqs": 16})
    control: str = "max_num_seqs"
    values: tuple[Any, ...] = (32, 64)
    trace_kind: str = "synthetic"
    """synthetic, file or mix."""
    trace_file: str = ""
    trace_mix: str = "chat"
    input_tokens: int = 300
    output_tokens: int = 256
    seed: int = 1
    max_len: str = "refuse"
    speedup: float = 1.0
    loop: str = "open"
    """open (rates), ladder (rates by a factor), closed (concurrency) or trace (the trace's own times)."""
    rates: tuple[Any, ...] = (12.0,)
    ladder_from: float = 2.0
    ladder_to: float = 16.0
    ladder_factor: float = 1.5
    ladder_adaptive: bool = True
    ladder_bisections: int = 2
    concurrency: tuple[Any, ...] = (8,)
    bound: str = "duration"
    """duration or requests."""
    duration_s: float = 60.0
    requests: int = 1000
    warmup_s: float = 0.0
    arrivals: str = "poisson"
    burstiness: float = 1.0
    endpoint: str = "completions"
    rate_profile: str = ""
    """A changing rate such as `ramp:1:5:30`; with rates it keeps its shape and each rate is its mean."""
    max_in_flight: Any = None
    queue_timeout_s: Any = None
    request_timeout_s: Any = None
    max_retries: int = 0
    burst_factor: float = 3.0
    burst_s: float = 10.0
    burst_at: float = 20.0
    second: str = ""
    """The second control of a 2 by 2."""
    second_value: Any = None
    block_s: float = 45.0
    washout_s: float = 10.0
    search_gain: float = 2.0
    """Smallest expected gain in percent that is worth a run of a search."""
    search_minutes: Any = None
    """Longest wall time of a search; None: no limit."""
    objectives: dict[str, Any] = msgspec.field(default_factory=dict)
    class_objectives: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict)
    """Limits of a class of the trace, in place of the overall limits."""
    repeats: int = 1
    order: str = "interleaved"
    disturbed: int = 0
    """Retries of a run that this machine disturbed."""
    cost_per_hour: Any = None
    """Price of the whole server; None if not stated."""
    cost_currency: str = "EUR"
    cost_basis: str = "on_demand"
    cost_date: str = ""
    """ISO date of the price."""
    cost_source: str = ""

    def with_fields(self, **fields: Any) -> "Draft":
        """Return a copy with some fields changed."""
        return msgspec.structs.replace(self, **fields)

    @property
    def simulated(self) -> bool:
        """True if a model makes the results, not a machine."""
        return self.target_kind == "embedded"

    def with_baseline(self, name: str, value: Any) -> "Draft":
        """Return a copy with a control of the baseline set; None for vLLM's default."""
        baseline = {key: held for key, held in self.baseline.items() if key != name}
        if value is not None:
            baseline[name] = value
        return self.with_fields(baseline=in_catalogue_order(baseline))

    def with_objective(self, name: str, value: Any, cls: str = "") -> "Draft":
        """Return a copy with an objective set, overall or for a class; None removes it."""
        held = self.class_objectives.get(cls, {}) if cls else self.objectives
        limits = {key: bound for key, bound in held.items() if key != name}
        if value is not None:
            limits[name] = value
        if not cls:
            return self.with_fields(objectives=limits)
        return self.with_fields(class_objectives={**self.class_objectives, cls: limits})

    def without_class(self, cls: str) -> "Draft":
        """Return a copy without limits for a class."""
        kept = {key: own for key, own in self.class_objectives.items() if key != cls}
        return self.with_fields(class_objectives=kept)

    def with_control(self, name: str) -> "Draft":
        """Return a copy with another control under test and values to try first."""
        if name == self.control:
            return self
        return self.with_fields(control=name, values=suggested_values(name, self.baseline.get(name)))

    def steps(self) -> tuple[Any, ...]:
        """Return the loads of the plan; an adaptive ladder may stop before its last."""
        if self.loop == "ladder":
            return ladder_steps(self.ladder_from, self.ladder_to, self.ladder_factor)
        return {"open": self.rates, "closed": self.concurrency}.get(self.loop, (None,))

    def configurations(self) -> int:
        """Return the number of configurations: a 2 by 2 has four, a switchback runs both in one."""
        return {"confirm": 4, "switchback": 1}.get(self.kind, 1 + len(self.values))

    def runs(self) -> int:
        """Return the number of runs."""
        return self.configurations() * max(len(self.steps()), 1) * self.repeats

    def expected_s(self) -> float | None:
        """Return wall seconds of the plan's schedules, without restarts and drains; None if unknown."""
        scale = self.time_scale if self.simulated else 1.0
        steps = self.steps()
        if self.bound == "duration":
            lengths = [self.duration_s] * max(len(steps), 1)
        elif self.loop in {"open", "ladder"} and all(isinstance(r, (int, float)) and r > 0 for r in steps):
            lengths = [self.requests / rate for rate in steps]
        else:
            return None
        each = sum(self.warmup_s + length for length in lengths)
        return each * self.configurations() * self.repeats / scale

    def money(self) -> float | None:
        """Return the cost of the plan's schedules in its currency; None if unknown or simulated."""
        seconds, price = self.expected_s(), self.cost_per_hour
        if self.target_kind == "embedded" or seconds is None:
            return None
        if isinstance(price, bool) or not isinstance(price, (int, float)):
            return None
        return price * seconds / 3600


_MOST_STEPS = 60
"""A longer ladder is a typing error, reported elsewhere."""


def ladder_steps(start: float, to: float, factor: float) -> tuple[float, ...]:
    """Return the same rates as the core's `LadderShape.rates`; empty for impossible bounds."""
    if not (start > 0 and to >= start and factor > 1):
        return ()
    found: list[float] = []
    rate = start
    while rate <= to * (1 + 1e-9) and len(found) < _MOST_STEPS:
        found.append(float(f"{rate:.3g}"))
        rate *= factor
    return tuple(found)


def in_catalogue_order(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values in the order in which the controls are shown."""
    places = {name: place for place, name in enumerate(CONTROLS)}
    return dict(sorted(values.items(), key=lambda item: places.get(item[0], len(places))))


def suggested_values(name: str, baseline: Any, most: int = 3) -> tuple[Value, ...]:
    """Return values to try first: the control's ladder without the baseline's value, higher values first."""
    control = CONTROLS.get(name)
    if control is None:
        return ()
    ladder: list[Value] = [step for step in control.ladder if not same(step, baseline)]
    if isinstance(baseline, (int, float)) and not isinstance(baseline, bool):
        above = [step for step in ladder if isinstance(step, (int, float)) and step > baseline]
        ladder = [*above] or ladder
    return tuple(ladder[:most])


def same(one: Any, other: Any) -> bool:
    """Return True if two values are the same; Python takes True for 1."""
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)
