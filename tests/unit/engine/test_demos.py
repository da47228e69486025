import json
import random
import zipfile
from pathlib import Path

import pytest

from workbench.base import InputError, Refusal
from workbench.engine.demos import (
    Demo,
    Expectation,
    Variant,
    demo_figure,
    film,
    list_demos,
    load_demo,
    open_demo,
    play,
    save_demo,
)

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
        assert demo_figure(played, expected) == pytest.approx(expected.value, rel=0.01), expected


def test_that_a_demo_in_one_file_plays_as_the_demo_does(tmp_path: Path):
    path = tmp_path / "copy.wbdemo"
    demo = load_demo("static-and-continuous")
    save_demo(demo, path)
    opened = open_demo(path)
    assert (opened.name, opened.title, opened.variants) == (demo.name, demo.title, demo.variants)
    variant = demo.variants[0]
    assert play(opened, variant).lives == play(demo, variant).lives


@pytest.mark.parametrize("parts", [{}, {"a.toml": b"title = 1", "profile.json": b"{}"}, {"../a.toml": b""}])
def test_that_a_file_without_a_demo_is_refused(tmp_path: Path, parts: dict[str, bytes]):
    path = tmp_path / "inside" / "bad.wbdemo"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as written:
        for name, content in parts.items():
            written.writestr(name, content)
    with pytest.raises(Refusal) as refused:
        open_demo(path)
    assert refused.value.message.kind == "engine.not_a_demo"
    assert list(tmp_path.iterdir()) == [path.parent], "nothing is written outside"


def test_that_no_demo_is_read_from_another_file(tmp_path: Path):
    path = tmp_path / "text.wbdemo"
    path.write_text("no zip")
    with pytest.raises(Refusal, match="not a demo"):
        open_demo(path)
    with pytest.raises(Refusal, match="wbdemo"):
        save_demo(DEMOS[0], tmp_path / "a.zip")


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
        demo_figure(play(demo, demo.variants[0]), Expectation(figure="mood", value=1))


def test_that_a_film_s_gaps_are_each_request_s_own_and_no_first_token_is_one():
    demo = load_demo("kv-cliff")
    filmed = film(demo, demo.variants[0])
    assert filmed.token_gap_s.max() == pytest.approx(3.33, abs=0.01), "the freeze that the demo tells of"
    assert filmed.token_gap_s.min() > 0
    assert filmed.token_count.sum() == 24 * 511


def test_that_a_film_has_the_progress_of_each_long_prompt():
    demo = load_demo("token-budget")
    for variant, steps in zip(demo.variants, (32, 8, 2, 1, 32), strict=True):
        filmed = film(demo, variant)
        document = next(life for life in filmed.played.of("document"))
        if steps == 1:
            assert filmed.prompts == (), "a prompt that one step takes is not long"
            continue
        (prompt,) = filmed.prompts
        times, computed = zip(*prompt.points, strict=True)
        assert prompt.tokens == 16_000
        assert list(times) == sorted(times)
        assert list(computed) == sorted(computed)
        assert (computed[0], computed[-1]) == (0, 16_000)
        assert len(computed) == pytest.approx(steps + 1, abs=3), variant.name
        assert times[-1] == document.first_token


def test_that_what_is_preempted_begins_anew_only_while_its_prompt_is_computed():
    demo = load_demo("kv-cliff")
    assert film(demo, demo.variants[0]).prompts == ()
