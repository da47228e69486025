"""Compare greedy answers to the user's own prompts with the baseline's answers.

The prompts are sent one at a time before the load, so that batching can't change the answers. Only a hash of
each answer is kept.
"""

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from workbench.base import UNREADABLE, Message, Place, Refusal, WorkbenchError, WorkFailure, message
from workbench.experiments.plan.plan import Configuration
from workbench.experiments.run.channel import run_until_set
from workbench.experiments.run.events import as_data
from workbench.experiments.spec.experiment import Experiment
from workbench.experiments.spec.tables import Quality
from workbench.load import Target
from workbench.results import BenchFile

_KEY = "greedy_answers"
_MOST_PROMPTS = 1000
_TIMEOUT_S = 300.0


class _Kept(msgspec.Struct):
    """The baseline's answers, with a hash of their prompts."""

    of: str = ""
    answers: list[list[str]] = []


def read_prompts(quality: Quality, base: Path | None) -> list[str]:
    """Return the prompts: the `prompt` of each line of a `.jsonl` file, else each line that isn't empty.

    Raises:
        Refusal: the file can't be read, or holds no prompt or too many.
    """
    path = Path(quality.prompts).expanduser()
    path = path if base is None or path.is_absolute() else base / path
    place = Place(file=str(path), table="quality", key="prompts")
    try:
        # Split at "\n" alone: a prompt may contain other characters at which Python ends lines.
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise Refusal("base.unreadable_file", place, cause=error.strerror) from error
    except ValueError as error:
        raise Refusal("base.not_utf8", place) from error
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    prompts = [line for _, line in numbered]
    if path.suffix == ".jsonl":
        prompts = [_prompt(line, msgspec.structs.replace(place, line=number)) for number, line in numbered]
    if not 1 <= len(prompts) <= _MOST_PROMPTS:
        raise Refusal("experiments.number_of_prompts", place, count=len(prompts), most=_MOST_PROMPTS)
    return prompts


def _prompt(line: str, place: Place) -> str:
    try:
        row: Any = json.loads(line)
    except json.JSONDecodeError as error:
        raise Refusal("experiments.not_json", place, why=error.msg) from error
    except (ValueError, RecursionError) as error:
        # Numbers of thousands of digits, or deeply nested brackets.
        raise Refusal("experiments.number_too_long_or_too_deep", place) from error
    prompt = row.get("prompt") if isinstance(row, dict) else None
    if not isinstance(prompt, str) or not prompt:
        raise Refusal("experiments.prompt_missing", place)
    if any("\ud800" <= letter <= "\udfff" for letter in prompt):
        raise Refusal("experiments.lone_surrogate", place)
    return prompt


class QualityCheck:
    """Asks each configuration once; the baseline twice, because its answers may vary.

    Args:
        quality: the experiment's table.
        prompts: sent one after the other.
        kept: facts of the bench file, such as the baseline's answers of an earlier conductor.
        keep: stores such a fact.
    """

    def __init__(
        self,
        quality: Quality,
        prompts: Sequence[str],
        kept: Mapping[str, str],
        keep: Callable[[str, str], None],
    ) -> None:
        self._quality = quality
        self._prompts = prompts
        self._keep = keep
        self._results: dict[str, Message | None] = {}
        self._baseline: list[list[str]] = []
        self._of = hashlib.sha256(json.dumps([quality.tokens, *prompts]).encode()).hexdigest()[:16]
        with suppress(*UNREADABLE):  # Facts of another version, or damaged: ask again.
            known = msgspec.json.decode(kept.get(_KEY, "{}"), type=_Kept)
            if known.of == self._of:
                self._baseline = known.answers

    async def facts(self, configuration: Configuration, target: Target, end: asyncio.Event) -> dict[str, str]:
        """Return `check` as the scorecard's column; empty for the baseline.

        `end` cancels the check however long the server takes; a later run of the configuration asks again.
        """
        results: list[Message | None] = []

        async def check() -> None:
            results.append(await self.check(configuration, target))

        await run_until_set(end, check())
        said = results[0] if results else message("experiments.answers_stopped")
        return {} if said is None else {"quality_check": str(said)}

    async def check(self, configuration: Configuration, target: Target) -> Message | None:
        """Return the `quality_check` of a configuration that `target` serves; None for the baseline.

        A server's failure never raises: the message then says that the answers could not be compared.
        """
        label = configuration.label
        if label not in self._results:
            try:
                self._results[label] = await self._asked(configuration, target)
            except WorkbenchError as error:
                self._results[label] = message("experiments.answers_not_checked", why=as_data(error))
        return self._results[label]

    async def _asked(self, configuration: Configuration, target: Target) -> Message | None:
        if configuration.control is None:
            if not self._baseline:
                self._baseline = [await self._answers(target), await self._answers(target)]
                self._keep(_KEY, json.dumps({"of": self._of, "answers": self._baseline}))
            return None
        if not self._baseline:
            return message("experiments.answers_without_baseline")
        first, second = self._baseline
        same = _alike(first, await self._answers(target))
        itself = _alike(first, second)
        tokens, differs = self._quality.tokens, itself != len(first)
        noise = message("experiments.baseline_differs", same=itself) if differs else None
        return message("experiments.answers_compared", same=same, of=len(first), tokens=tokens, noise=noise)

    async def _answers(self, target: Target) -> list[str]:
        """Return a hash of each answer, in the order of the prompts.

        Raises:
            WorkFailure: an answer is missing.
        """
        import httpx  # noqa: PLC0415  # planning alone does not need it

        tls = target.tls() or False
        try:
            async with httpx.AsyncClient(
                headers=target.all_headers(), verify=tls, timeout=_TIMEOUT_S, trust_env=False
            ) as client:
                return [_hash(await self._answer(client, target, prompt)) for prompt in self._prompts]
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            why = str(error) or type(error).__name__
            raise WorkFailure("experiments.no_answers", why=why) from error

    async def _answer(self, client: Any, target: Target, prompt: str) -> str:
        fields = {"model": target.model, "max_tokens": self._quality.tokens, "temperature": 0, "seed": 0}
        chat = target.endpoint == "chat"
        asked = {"messages": [{"role": "user", "content": prompt}]} if chat else {"prompt": prompt}
        place = target.address()
        url = place.root + target.path().removeprefix(place.base)
        response = await client.post(url, json={**fields, **asked})
        if response.status_code != 200:
            raise WorkFailure("experiments.no_answers", why=f"HTTP {response.status_code}")
        try:
            choice = response.json()["choices"][0]
            answer = choice["message"] if chat else choice
            return json.dumps([answer.get(name) for name in ("text", "content", "reasoning_content")])
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            why = message("experiments.reply_without_answer")
            raise WorkFailure("experiments.no_answers", why=why) from error


def quality_prompts(experiment: Experiment, base: Path | None) -> list[str]:
    """Return the prompts of an experiment that compares answers; empty if it doesn't.

    Raises:
        Refusal: as `read_prompts`.
    """
    return [] if experiment.quality is None else read_prompts(experiment.quality, base)


def quality_check_of(experiment: Experiment, prompts: Sequence[str], bench: BenchFile) -> QualityCheck | None:
    """Return the check of an experiment that compares answers; the baseline's answers are kept in `bench`."""
    if experiment.quality is None:
        return None
    return QualityCheck(experiment.quality, prompts, bench.meta(), bench.set_meta)


def _hash(answer: str) -> str:
    return hashlib.sha256(answer.encode()).hexdigest()[:16]


def _alike(ours: Sequence[str], theirs: Sequence[str]) -> int:
    return sum(one == other for one, other in zip(ours, theirs, strict=True))
