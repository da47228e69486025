import json
import random

import pytest

from workbench.base import InputError
from workbench.engine.demos import Demo, Expectation, Variant, figure, list_demos, load_demo, play

DEMOS = list_demos()
VARIANTS = [(demo, variant) for demo in DEMOS for variant in demo.variants]


def test_that_there_are_five_demos_each_with_its_words():
    assert {demo.name for demo in DEMOS} == {
        "static-and-continuous",
        "token-budget",
        "seats",
        "kv-cliff",
        "bounded-queue",
    }
    for demo in DEMOS:
        assert demo.title
        assert demo.question.endswith("?")
        assert len(demo.narration) >= 3
        assert len(demo.variants) >= 2
        assert all(variant.say and variant.expect for variant in demo.variants)


@pytest.mark.parametrize(
    ("demo", "variant"), VARIANTS, ids=[f"{demo.name}: {variant.name}" for demo, variant in VARIANTS]
)
def test_that_an_exact_replay_meets_the_numbers_of_the_demo(demo: Demo, variant: Variant):
    played = play(demo, variant)
    for expected in variant.expect:
        assert figure(played, expected) == pytest.approx(expected.value, rel=0.01), expected


def poisson(seed: int, rate: float, length_s: float) -> list[float]:
    generator, t, times = random.Random(seed), 0.0, []
    while (t := t + generator.expovariate(rate)) < length_s:
        times.append(round(t * 1000, 3))
    return times


@pytest.mark.parametrize(("name", "rate", "cls"), [("seats", 12, "chat"), ("bounded-queue", 5, "steady")])
def test_that_the_poisson_arrivals_are_those_that_the_trace_names(name: str, rate: float, cls: str):
    rows = [json.loads(line) for line in load_demo(name).trace.read_text().splitlines()[1:]]
    assert [row["timestamp"] for row in rows if row["class"] == cls] == poisson(1, rate, 60)


def test_that_an_unknown_demo_or_figure_is_refused_with_what_there_is():
    with pytest.raises(InputError, match="there are bounded-queue"):
        load_demo("none")
    demo = load_demo("static-and-continuous")
    with pytest.raises(InputError, match="there are end_s"):
        figure(play(demo, demo.variants[0]), Expectation(figure="mood", value=1))
