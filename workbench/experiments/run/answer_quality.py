"""Whether answers changed: greedy answers to the user's own prompts, held against the baseline's.

Asked one at a time before the load, so that batching can't move them. Of an answer only a hash is kept.
"""

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from workbench.base import UNREADABLE, InputError, WorkbenchError
from workbench.experiments.plan.plan import Configuration
from workbench.experiments.run.channel import unless
from workbench.experiments.spec.experiment import Experiment
from workbench.experiments.spec.tables import Quality
from workbench.load import Target
from workbench.results import BenchFile

_KEY = "greedy_answers"
_MOST_PROMPTS = 1000
_TIMEOUT_S = 300.0


class _Kept(msgspec.Struct):
    """The baseline's answers, and of which question they are."""

    of: str = ""
    answers: list[list[str]] = []


def read_prompts(quality: Quality, base: Path | None) -> list[str]:
    """The prompts: of a `.jsonl` file each line's `prompt`, else each line that isn't empty.

    Raises:
        InputError: the file can't be read, or holds no prompt or too many; names it.
    """
    path = Path(quality.prompts).expanduser()
    path = path if base is None or path.is_absolute() else base / path
    place = f"[quality] prompts {path}"
    try:
        # On "\n" alone: other characters at which Python ends lines may stand in a prompt.
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputError(f"{place}: can't be read: {reason}") from error
    told = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    prompts = [line for _, line in told]
    if path.suffix == ".jsonl":
        prompts = [_prompt(line, f"{place}, line {number}") for number, line in told]
    if not 1 <= len(prompts) <= _MOST_PROMPTS:
        raise InputError(f"{place}: holds {len(prompts)} prompts; 1 to {_MOST_PROMPTS} can be compared")
    return prompts


def _prompt(line: str, place: str) -> str:
    try:
        row: Any = json.loads(line)
    except json.JSONDecodeError as error:
        raise InputError(f"{place}: not JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        # Numbers of thousands of digits; brackets in brackets.
        raise InputError(f"{place}: holds a number too long or is nested too deep to be read") from error
    prompt = row.get("prompt") if isinstance(row, dict) else None
    if not isinstance(prompt, str) or not prompt:
        raise InputError(f'{place}: has no text under "prompt"')
    if any("\ud800" <= letter <= "\udfff" for letter in prompt):
        raise InputError(f"{place}: the prompt holds half of a character (a lone surrogate)")
    return prompt


class QualityCheck:
    """Asks each configuration once; the baseline twice, for answers may differ from themselves.

    Args:
        quality: what the experiment says.
        prompts: what is asked.
        kept: facts of the bench file: what an earlier conductor heard from the baseline.
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
        self._told: dict[str, str | None] = {}
        self._baseline: list[list[str]] = []
        self._of = hashlib.sha256(json.dumps([quality.tokens, *prompts]).encode()).hexdigest()[:16]
        with suppress(*UNREADABLE):  # of another version, or damaged: the answers are asked for anew
            known = msgspec.json.decode(kept.get(_KEY, "{}"), type=_Kept)
            if known.of == self._of:
                self._baseline = known.answers

    async def facts(self, configuration: Configuration, target: Target, end: asyncio.Event) -> dict[str, str]:
        """`check` as the scorecard's column; nothing of the baseline.

        `end` breaks it off, however long the server lets wait; a later run of the configuration asks again.
        """
        told: list[str | None] = []

        async def check() -> None:
            told.append(await self.check(configuration, target))

        await unless(end, check())
        said = told[0] if told else "not checked: stopped"
        return {} if said is None else {"quality_check": said}

    async def check(self, configuration: Configuration, target: Target) -> str | None:
        """The scorecard's `quality_check` of a configuration that `target` serves; None of the baseline.

        Never raises for what the server answers: that answers could not be compared is what it says then.
        """
        label = configuration.label
        if label not in self._told:
            try:
                self._told[label] = await self._asked(configuration, target)
            except WorkbenchError as error:
                self._told[label] = f"not checked: {error}"
        return self._told[label]

    async def _asked(self, configuration: Configuration, target: Target) -> str | None:
        if configuration.control is None:
            if not self._baseline:
                self._baseline = [await self._answers(target), await self._answers(target)]
                self._keep(_KEY, json.dumps({"of": self._of, "answers": self._baseline}))
            return None
        if not self._baseline:
            return "not checked: the baseline's answers are not known"
        first, second = self._baseline
        same = _alike(first, await self._answers(target))
        itself = _alike(first, second)
        count = f"{len(first)} greedy answers of up to {self._quality.tokens} tokens"
        noise = "" if itself == len(first) else f" (the baseline's own second try: {itself})"
        return f"compared: {same} of {count} are the baseline's{noise}"

    async def _answers(self, target: Target) -> list[str]:
        """A hash of each answer, in the order of the prompts.

        Raises:
            WorkbenchError: one can't be had.
        """
        import httpx  # noqa: PLC0415  # not needed by whoever only plans

        tls = target.tls() or False
        try:
            async with httpx.AsyncClient(
                headers=target.all_headers(), verify=tls, timeout=_TIMEOUT_S, trust_env=False
            ) as client:
                return [_hash(await self._answer(client, target, prompt)) for prompt in self._prompts]
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise WorkbenchError(f"answers can't be had: {str(error) or type(error).__name__}") from error

    async def _answer(self, client: Any, target: Target, prompt: str) -> str:
        fields = {"model": target.model, "max_tokens": self._quality.tokens, "temperature": 0, "seed": 0}
        chat = target.endpoint == "chat"
        asked = {"messages": [{"role": "user", "content": prompt}]} if chat else {"prompt": prompt}
        place = target.address()
        url = place.root + target.path().removeprefix(place.base)
        response = await client.post(url, json={**fields, **asked})
        if response.status_code != 200:
            raise WorkbenchError(f"answers can't be had: HTTP {response.status_code}")
        try:
            choice = response.json()["choices"][0]
            message = choice["message"] if chat else choice
            return json.dumps([message.get(name) for name in ("text", "content", "reasoning_content")])
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise WorkbenchError("answers can't be had: the server's reply holds none") from error


def quality_prompts(experiment: Experiment, base: Path | None) -> list[str]:
    """What an experiment asks to compare answers; empty: it doesn't.

    Raises:
        InputError: as `read_prompts`.
    """
    return [] if experiment.quality is None else read_prompts(experiment.quality, base)


def asked_quality(experiment: Experiment, prompts: Sequence[str], bench: BenchFile) -> QualityCheck | None:
    """The check of an experiment that asks for one; what the baseline answered is kept in `bench`."""
    if experiment.quality is None:
        return None
    return QualityCheck(experiment.quality, prompts, bench.meta(), bench.set_meta)


def _hash(answer: str) -> str:
    return hashlib.sha256(answer.encode()).hexdigest()[:16]


def _alike(ours: Sequence[str], theirs: Sequence[str]) -> int:
    return sum(one == other for one, other in zip(ours, theirs, strict=True))
