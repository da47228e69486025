"""The time of one step as a sum over its content."""

import math

from workbench.base import Place, Record, Refusal

_NAMES = ("a", "b", "c", "d", "e")
_PLACE = Place(key="step_model")


class StepModel(Record, frozen=True):
    """t = a + b*P + c*D + d*K + e*Q, with coefficients in microseconds.

    - a: reading the weights and launching the kernels.
    - b: per prefill token P.
    - c: per decoding request D.
    - d: per token of context K that decodes read.
    - e: per unit of prefill attention, Q = sum over chunks of tokens * (context before + tokens / 2).
    """

    a: float
    b: float
    c: float
    d: float
    e: float

    def __post_init__(self) -> None:
        for name in _NAMES:
            value = getattr(self, name)
            if not math.isfinite(value) or value < 0:
                raise Refusal("profiles.negative_coefficient", _PLACE, name=name, value=value)

    def step_us(self, P: int, D: int, K: int, Q: float) -> float:  # noqa: N803 - the model's own letters
        """Return the microseconds of a step: P prefill tokens, attention Q, D decodes over K tokens."""
        return self.a + self.b * P + self.c * D + self.d * K + self.e * Q

    @classmethod
    def parse(cls, text: str) -> "StepModel":
        """Read `a=7429,b=12.15,c=39.7,d=0.0416,e=0.00113`.

        Raises:
            Refusal: a coefficient is missing, unknown, given twice or no number.
        """
        values: dict[str, float] = {}
        for part in text.split(","):
            name, equals, number = part.strip().partition("=")
            if name not in _NAMES or not equals or name in values:
                raise Refusal("profiles.coefficient_form", _PLACE, text=part.strip())
            try:
                values[name] = float(number)
            except ValueError as error:
                raise Refusal("base.not_a_number", Place(key=f"step_model {name}"), text=number) from error
        missing = [name for name in _NAMES if name not in values]
        if missing:
            raise Refusal("profiles.coefficients_missing", _PLACE, text=text, missing=missing)
        return cls(**values)
