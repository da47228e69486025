"""An experiment as it is being edited: every field may still be wrong. Immutable; no Qt here."""

from typing import Any

import msgspec

from workbench.controls import CONTROLS, Value

DEFAULT_PROFILE = "h100_sxm/Llama-3.1-8B/tp1"

Fields = dict[str, Any]


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """The form's content. Numbers that could not be read stay as the text that was typed."""

    name: str = "Sequence limit"
    target_kind: str = "embedded"
    """embedded, local or attached; others of the file format are kept, but can't be edited here."""
    profile: str = DEFAULT_PROFILE
    time_scale: float = 1.0
    url: str = ""
    model: str = ""
    executable: str = ""
    api_key_env: str = ""
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
    """open (rates), closed (concurrency) or trace (the trace's own times)."""
    rates: tuple[Any, ...] = (12.0,)
    concurrency: tuple[Any, ...] = (8,)
    bound: str = "duration"
    """duration or requests."""
    duration_s: float = 60.0
    requests: int = 1000
    warmup_s: float = 0.0
    arrivals: str = "poisson"
    burstiness: float = 1.0
    endpoint: str = "completions"
    max_in_flight: Any = None
    queue_timeout_s: Any = None
    objectives: dict[str, Any] = msgspec.field(default_factory=dict)
    repeats: int = 1
    order: str = "interleaved"
    cost_per_hour: Any = None
    """Of the whole server; None: not stated."""
    cost_currency: str = "EUR"
    cost_basis: str = "on_demand"
    cost_date: str = ""
    """ISO date that the price was seen."""
    cost_source: str = ""

    def but(self, **fields: Any) -> "Draft":
        """A copy with some fields changed."""
        return msgspec.structs.replace(self, **fields)

    @property
    def simulated(self) -> bool:
        """Whether the results will be a model's, not a machine's."""
        return self.target_kind == "embedded"

    def with_baseline(self, name: str, value: Any) -> "Draft":
        """A copy with a control of the baseline set; None: vLLM's own default."""
        baseline = {key: held for key, held in self.baseline.items() if key != name}
        if value is not None:
            baseline[name] = value
        return self.but(baseline=in_catalogue_order(baseline))

    def with_objective(self, name: str, value: Any) -> "Draft":
        """A copy with an objective set; None: none."""
        objectives = {key: held for key, held in self.objectives.items() if key != name}
        if value is not None:
            objectives[name] = value
        return self.but(objectives=objectives)

    def with_control(self, name: str) -> "Draft":
        """A copy with another control under test, at the values worth trying first."""
        if name == self.control:
            return self
        return self.but(control=name, values=suggested_values(name, self.baseline.get(name)))

    def runs(self) -> int:
        """How many runs the plan has."""
        steps = {"open": len(self.rates), "closed": len(self.concurrency)}.get(self.loop, 1)
        return (1 + len(self.values)) * max(steps, 1) * self.repeats

    def expected_s(self) -> float | None:
        """Wall seconds of the plan's schedules, without restarts and drains; None when it can't be told."""
        scale = self.time_scale if self.simulated else 1.0
        per_configuration = (1 + len(self.values)) * self.repeats
        steps = max({"open": len(self.rates), "closed": len(self.concurrency)}.get(self.loop, 1), 1)
        if self.bound == "duration":
            lengths = [self.duration_s] * steps
        elif self.loop == "open" and all(isinstance(rate, (int, float)) and rate > 0 for rate in self.rates):
            lengths = [self.requests / rate for rate in self.rates]
        else:
            return None
        return sum(self.warmup_s + length for length in lengths) * per_configuration / scale

    def money(self) -> float | None:
        """What the plan's schedules cost, in its currency; None when no price or no length is known."""
        seconds, price = self.expected_s(), self.cost_per_hour
        if seconds is None or isinstance(price, bool) or not isinstance(price, (int, float)):
            return None
        return price * seconds / 3600


def in_catalogue_order(values: dict[str, Any]) -> dict[str, Any]:
    """The same, ordered as the controls are shown."""
    places = {name: place for place, name in enumerate(CONTROLS)}
    return dict(sorted(values.items(), key=lambda item: places.get(item[0], len(places))))


def suggested_values(name: str, baseline: Any, most: int = 3) -> tuple[Value, ...]:
    """Values worth trying first: the control's ladder without the baseline's, those above it first."""
    control = CONTROLS.get(name)
    if control is None:
        return ()
    ladder: list[Value] = [step for step in control.ladder if not same(step, baseline)]
    if isinstance(baseline, (int, float)) and not isinstance(baseline, bool):
        above = [step for step in ladder if isinstance(step, (int, float)) and step > baseline]
        ladder = [*above] or ladder
    return tuple(ladder[:most])


def same(one: Any, other: Any) -> bool:
    """Whether two values are one and the same; Python takes True for 1."""
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)
