"""Greedy answers are compared with the baseline's; what can't be compared is said to be so."""

import asyncio
from pathlib import Path

import pytest

from tests.unit.experiments.test_experiment import GOOD, read
from workbench.base import InputError, WorkbenchError, message
from workbench.experiments.plan.plan import Configuration, make_plan
from workbench.experiments.run.answer_quality import QualityCheck, read_prompts
from workbench.experiments.spec.read_experiments import found_prompts
from workbench.experiments.spec.tables import Quality
from workbench.load import Target

TARGET = Target(url="http://127.0.0.1:1", model="m")
PROMPTS = ["one", "two", "three"]


def configurations() -> list[Configuration]:
    plan = make_plan([read(GOOD)])
    return list({run.configuration.label: run.configuration for run in plan.runs}.values())


class Asked(QualityCheck):
    """A check whose server answers as it is told."""

    def __init__(self, kept: dict[str, str]) -> None:
        super().__init__(Quality(prompts="p", tokens=8), PROMPTS, kept, kept.__setitem__)
        self.asked = 0
        self.answers: dict[str, str] = {}
        self.broken: str | None = None

    async def _answer(self, client: object, target: Target, prompt: str) -> str:
        self.asked += 1
        if self.broken is not None:
            raise WorkbenchError(self.broken)
        return self.answers.get(prompt, prompt)


async def test_that_each_configuration_is_asked_once_and_held_against_the_baseline() -> None:
    baseline, variant = configurations()[:2]
    check = Asked({})
    assert await check.facts(baseline, TARGET, asyncio.Event()) == {}
    check.answers = {"two": "another"}
    said = "compared: 2 of 3 greedy answers of up to 8 tokens are the baseline's"
    assert await check.facts(variant, TARGET, asyncio.Event()) == {"quality_check": said}
    assert str(await check.check(variant, TARGET)) == said
    # Three prompts, twice of the baseline and once of the variant.
    assert check.asked == 9


async def test_that_a_baseline_that_differs_from_itself_is_said_beside_it() -> None:
    baseline, variant = configurations()[:2]

    class Wavering(Asked):
        async def _answer(self, client: object, target: Target, prompt: str) -> str:
            return f"{await super()._answer(client, target, prompt)} {self.asked == 4}"

    check = Wavering({})
    await check.check(baseline, TARGET)
    said = str(await check.check(variant, TARGET))
    assert said.endswith("are the baseline's (the baseline's own second try: 2)")


async def test_that_a_resumed_session_knows_the_baselines_answers_by_their_hashes() -> None:
    baseline, variant = configurations()[:2]
    kept: dict[str, str] = {}
    await Asked(kept).check(baseline, TARGET)
    assert "one" not in "".join(kept.values())
    again = Asked(kept)
    said = await again.check(variant, TARGET)
    assert said is not None
    assert (said.kind, said.values["same"]) == ("experiments.answers_compared", 3)
    assert again.asked == 3


async def test_that_what_can_not_be_compared_stays_not_checked() -> None:
    baseline, variant = configurations()[:2]
    check = Asked({})
    assert await check.check(variant, TARGET) == message("experiments.answers_without_baseline")
    broken = Asked({})
    await broken.check(baseline, TARGET)
    broken.broken = "HTTP 500"
    assert str(await broken.check(variant, TARGET)) == "not checked: HTTP 500"
    unreachable = QualityCheck(Quality(prompts="p"), PROMPTS, {}, lambda _, __: None)
    said = str(await unreachable.check(baseline, TARGET))
    assert said.startswith("not checked: no answers to compare: ")


async def test_that_an_end_breaks_off_a_comparison_whose_server_never_answers() -> None:
    baseline, variant = configurations()[:2]
    end = asyncio.Event()

    class Hanging(Asked):
        hangs = False

        async def _answer(self, client: object, target: Target, prompt: str) -> str:
            if self.hangs:
                end.set()
                await asyncio.Event().wait()
            return await super()._answer(client, target, prompt)

    check = Hanging({})
    await check.check(baseline, TARGET)
    check.hangs = True
    assert await check.facts(variant, TARGET, end) == {"quality_check": "not checked: stopped"}
    # A run of it after a skip is asked anew.
    check.hangs = False
    again = await check.facts(variant, TARGET, asyncio.Event())
    assert again["quality_check"].startswith("compared: 3 of 3")


def test_that_lines_end_where_jsonl_ends_them_and_are_numbered_as_an_editor_does(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"prompt": "one\u2028two\x85"}\n', encoding="utf-8")
    assert read_prompts(Quality(prompts="a.jsonl"), tmp_path) == ["one\u2028two\x85"]
    (tmp_path / "b.jsonl").write_text('{"prompt": "one"}\n\n\n{', encoding="utf-8")
    with pytest.raises(InputError, match=r"b.jsonl:4: .*not JSON"):
        read_prompts(Quality(prompts="b.jsonl"), tmp_path)


def test_that_prompts_are_lines_or_jsonl(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n\ntwo\n")
    (tmp_path / "a.jsonl").write_text('{"prompt": "one"}\n{"prompt": "two", "x": 1}\n')
    for name in ("a.txt", "a.jsonl"):
        assert read_prompts(Quality(prompts=name), tmp_path) == ["one", "two"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.txt", b"", "holds 0 prompts"),
        ("a.txt", b"\xff\xfe\x00", "not UTF-8"),
        ("a.txt", b"x\n" * 1001, "holds 1,001 prompts: must be from 1 to 1000"),
        ("a.jsonl", b'{"prompt": "x"}\n{', ":2: .*not JSON"),
        ("a.jsonl", b'{"text": "x"}', ':1: .*has no text under "prompt"'),
        (
            "a.jsonl",
            b'{"prompt": "x"}\n\n{"prompt": "\\ud800"}',
            ":3: .*the prompt holds half of a character",
        ),
        ("a.jsonl", b"[" * 100_000, ":1: .*nested too deep"),
        ("a.jsonl", b'{"prompt": "x", "n": ' + b"9" * 5000 + b"}", ":1: .*holds a number too long"),
        ("a.jsonl", b"[1]", ':1: .*has no text under "prompt"'),
    ],
)
def test_that_a_file_without_prompts_is_refused_with_its_place(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=rf"{name}.*{said}"):
        read_prompts(Quality(prompts=name), tmp_path)
    with pytest.raises(InputError, match="can't be read"):
        read_prompts(Quality(prompts="missing.txt"), tmp_path)


@pytest.mark.parametrize("tokens", [0, 5000])
def test_that_an_answers_length_is_checked(tokens: int) -> None:
    with pytest.raises(InputError, match=rf"\[quality\] tokens: {tokens} is out of range"):
        read(f'{GOOD}\n[quality]\nprompts = "p.txt"\ntokens = {tokens}\n')


def test_that_the_prompts_of_an_older_experiment_are_found_where_they_were_then(tmp_path: Path) -> None:
    (tmp_path / "then").mkdir()
    (tmp_path / "then" / "p.txt").write_text("one\n")
    quality = Quality(prompts="p.txt")
    found = found_prompts(quality, [tmp_path / "now", tmp_path / "then"])
    assert found is not None
    assert read_prompts(found, tmp_path / "now") == ["one"]
    assert found_prompts(quality, [tmp_path / "now"]) == quality
    assert found_prompts(None, [tmp_path]) is None
