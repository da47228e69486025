"""Mask secrets in logs, bench files, exports and shown command lines.

Structured values (environments, command lines, JSON, TOML, URLs) are masked by their names.
Captured text is masked by known secrets and by the usual forms of keys. Every writer uses these
functions, so a value is masked alike everywhere; masking twice changes nothing.
"""

import json
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from workbench.base.messages import Message, Value
from workbench.base.records import UNREADABLE

MASK = "••••"
_SECRET_NAME = re.compile(
    r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CRED|COOKIE|AUTH(?!ORS?(?:$|[-_]))", re.IGNORECASE
)
_MODEL_TOKENS = (
    "first|last|next|inter|per|each|input|output|prompt|decode|draft|bos|eos|eot|pad|unk|sep|cls|mask|image"
    "|audio|video|vision|stop|start|begin|end|special|added"
)
"""Words before `token` in the names of a model's own tokens: `time_to_first_token`, `eos_token`."""
# Parts of names that match but name counts, choices or a model's own tokens.
_HARMLESS = re.compile(
    r"(?:^|(?<!api)(?<!access)(?<!hf)[-_])(?:TOKENS(?![a-z])|TOKENIZER|TOKENIZE)"
    r"|TOKEN[-_](?:IDS?|THRESHOLD|BUDGET|COUNT|LIMIT|LATENCY|SOURCE)"
    rf"|(?:{_MODEL_TOKENS})[-_]?TOKEN(?!s?[-_]?(?:key|secret))"
    r"|KEY[-_](?:VALUE|STATES?|DIM|DTYPE|PROJ|NORM|LAYERS?|CACHE|HEADS?)|ALLOW[-_]CREDENTIALS",
    re.IGNORECASE,
)
_NEVER_A_NUMBER = re.compile(
    r"(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|API[-_]?KEY|ACCESS[-_]?KEY)$", re.IGNORECASE
)
"""Names whose numbers are secrets, too; under other names (`num_key_value_heads`) a number is a setting."""
_IN_QUERY = re.compile(r"(?:^|[-_])(?:sig|signature|pass|pwd)$", re.IGNORECASE)
_REFERENCE = re.compile(r"env:[A-Za-z_]\w*")
"""`env:NAME` names the variable that holds a secret, and is none itself."""
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_SETTING = re.compile(r"([A-Za-z_][\w.-]*)=(.*)", re.DOTALL)
# The end of a secret's name in a log (KeyError doesn't match).
_NAME = (
    r"[\w-]*[-_](?:key|token)|apikey"
    r"|[\w-]*(?:secret|password|passwd|passphrase|credentials?|cookie|authorization)"
)
_HEADER = re.compile(rf"(?i)({_NAME}):\s*(?!//)(.+)", re.DOTALL)
_VALUE = (
    r"(?P<value>\[[^\]]*\]|\([^)]*\)|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|[\"'][^\s'\",}\])]*"
    r"|(?:(?:bearer|basic)\s+)?[^\s'\",}\])]+)"
)
_IN_TEXT = re.compile(rf"(?i)(?P<before>(?<![\w-])-{{0,2}}(?P<name>{_NAME})['\"]?\s*[:=]\s*){_VALUE}")
_AS_FLAG = re.compile(rf"(?i)(?P<before>(?<!\S)--(?P<name>{_NAME})\s+)(?!-){_VALUE}")
_SCHEME = re.compile(r"(?i)(?:bearer|basic)\s+")
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")
_BEARER = re.compile(r"(?i)\b(bearer\s+)([^\s'\",}\])]+)")
_USER_OF_URL = re.compile(r"(?i)(?<![\w+.-])([a-z][a-z0-9+.-]{0,20}://)[^\s/?#'\"<>@]+@")
_QUERY_OF_URL = re.compile(r"(?<=[?&;])([\w.-]+)=([^\s&;#'\"<>]+)")
_SHAPED = re.compile(
    # A token has capitals or digits, or is long; so `hf_overrides` doesn't match.
    r"\b(?:hf_(?:[A-Za-z0-9]{20,}|(?=[a-z]*[A-Z0-9])[A-Za-z0-9]{6,})|sk-[\w-]{6,}|gh[oprsu]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}"
    r"|nvapi-[\w-]{16,}|xox[abeoprs]-[\w-]{8,}|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}"
    r"|eyJ[\w-]{6,}\.[\w-]{6,}(?:\.[\w-]*)?)"
)
"""Keys of providers and JSON Web Tokens, which are recognized by their form."""
_COMMANDS = ("command", "args_full")
"""Names whose text is a command line."""
_SHORTEST = 4
"""Characters of the shortest value masked in text; a shorter one occurs in every text."""


def is_secret_name(name: str) -> bool:
    """Return whether a flag, key, header or variable of this name holds a secret: KEY, TOKEN, PASSWORD, …."""
    return bool(_SECRET_NAME.search(_HARMLESS.sub("", name)))


def mask_value(value: Any, name: str = "") -> Any:
    """Return plain data (mappings, lists, text, numbers) with its secrets replaced.

    `name` is the key of the value; a text may itself be JSON, a command line or a URL.
    """
    return _Masker().value(value, name)


def mask_arguments(arguments: Sequence[str]) -> list[str]:
    """Return a command line with its secrets replaced: `--api-key X`, `KEY=X`, also those in JSON."""
    return _Masker().words(arguments)


def mask_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment with the values of secret names replaced, and secrets within others."""
    masker = _Masker()
    return {name: masker.value(value, name) for name, value in environment.items()}


def mask_command(text: str) -> str:
    """Return a command line as text with its secrets replaced; unchanged if it has none."""
    return _Masker().command(text)


def secrets_of(arguments: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """Return the values that `mask_arguments` and `mask_environment` hide, longest first."""
    masker = _Masker()
    masker.words(arguments)
    for name, value in environment.items():
        masker.value(value, name)
    return _known(masker.hidden)


def secrets_in(value: Any) -> list[str]:
    """Return the values that `mask_value` hides in plain data, longest first."""
    masker = _Masker()
    masker.value(value, "")
    return _known(masker.hidden)


def mask_text(text: str, known: Iterable[str] = ()) -> str:
    """Return captured output with `known` secrets, and anything that looks like one, replaced."""
    text = _IN_TEXT.sub(_named, _without(text, known))
    text = _AS_FLAG.sub(_named, text)
    return _forms(text)


def mask_sentence(text: str, known: Iterable[str] = ()) -> str:
    """Return a sentence of ours without the secrets that it repeats.

    Words after the name of a flag are no value here, unlike in captured text.
    """
    return _forms(_without(text, known))


def mask_message(said: Message, known: Sequence[str] = ()) -> Message:
    """Return a message without the secrets that its values repeat."""
    return Message(
        kind=said.kind, values={name: _masked(value, known) for name, value in said.values.items()}
    )


def _masked(value: Value, known: Sequence[str]) -> Value:
    if isinstance(value, str):
        return mask_sentence(mask_value(value), known)
    if isinstance(value, Message):
        return mask_message(value, known)
    if isinstance(value, list):
        return [
            mask_message(each, known) if isinstance(each, Message) else mask_sentence(mask_value(each), known)
            for each in value
        ]
    return value


def _without(text: str, known: Iterable[str]) -> str:
    for secret in known:
        for spelling in _spellings(secret):
            text = text.replace(spelling, MASK)
    return text


def _known(values: Iterable[str]) -> list[str]:
    return sorted({value for value in values if len(value) >= _SHORTEST}, key=len, reverse=True)


@lru_cache(maxsize=1024)
def _spellings(secret: str) -> tuple[str, ...]:
    """Return the secret as it is and as JSON, Python and URLs write it, also nested; longest first."""
    written = {secret}
    for _ in range(2):
        for text in tuple(written):
            as_json = json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]
            written |= {*as_json, repr(text)[1:-1], quote(text, safe="")}
    return tuple(sorted(written - {""}, key=len, reverse=True))


def _named(found: re.Match[str]) -> str:
    """Return a name and its value in captured text; the value of a secret's name is replaced."""
    value = found["value"]
    if not is_secret_name(found["name"]) or _is_harmless(value):
        return found[0]
    if value[0] in "[(":
        return found["before"] + _QUOTED.sub(lambda each: each[0][0] + MASK + each[0][0], _bare_list(value))
    scheme = _SCHEME.match(value)
    if scheme:
        return found["before"] + scheme[0] + MASK
    opening = value[0] if value[0] in "'\"" else ""
    closing = opening if opening and len(value) > 1 and value.endswith(opening) else ""
    return f"{found['before']}{opening}{MASK}{closing}"


def _bare_list(value: str) -> str:
    """Return a list without quoted entries masked as a whole."""
    return value if _QUOTED.search(value) else f"{value[0]}{MASK}{value[-1]}"


def _is_harmless(value: str) -> bool:
    bare = value.strip("'\"")
    if bare in ("", "None", "null", "true", "false") or _REFERENCE.fullmatch(bare) or bare.startswith(MASK):
        return True
    return value[0] in "[(" and not re.search(r"[^\W\d]", value)


def _forms(text: str) -> str:
    """Return text without anything that has the form of a secret, regardless of names."""
    text = _BEARER.sub(rf"\g<1>{MASK}", text)
    if "://" in text:
        text = _USER_OF_URL.sub(rf"\g<1>{MASK}@", text)
    text = _QUERY_OF_URL.sub(_query, text)
    return _SHAPED.sub(MASK, text)


def _query(found: re.Match[str]) -> str:
    hidden = is_secret_name(found[1]) or _IN_QUERY.search(found[1])
    return f"{found[1]}={MASK}" if hidden else found[0]


class _Masker:
    """Masks plain data; `hidden` holds the secrets that it replaced."""

    def __init__(self) -> None:
        self.hidden: list[str] = []

    def value(self, value: Any, name: str) -> Any:
        """Mask a value under its name."""
        if name and is_secret_name(name) and not _names_variable(name, value):
            return self._hide(value, numbers=bool(_NEVER_A_NUMBER.search(name)))
        if isinstance(value, str):
            return self.command(value) if name in _COMMANDS else self._text(value)
        if isinstance(value, Mapping):
            return {key: self.value(inner, str(key)) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            if all(isinstance(entry, str) for entry in value):
                return self.words(value)
            return [self.value(entry, "") for entry in value]
        return value

    def words(self, words: Sequence[str]) -> list[str]:
        """Mask the words of a command line."""
        masked: list[str] = []
        flag = ""
        for word in words:
            if flag and not word.startswith("--"):
                masked.append(self._hide(word))
                continue
            name, equals, value = word.partition("=")
            flag = ""
            if not word.startswith("-"):
                masked.append(self._text(word))
            elif equals:
                masked.append(f"{name}={self.value(value, name)}")
            else:
                masked.append(word)
                flag = name if is_secret_name(name) and not _is_reference_name(name) else ""
        return masked

    def command(self, text: str) -> str:
        """Mask a command line given as one text."""
        try:
            words = shlex.split(text)
        except ValueError:
            captured = self._captured(text)
            return text if captured == text else self.command(captured)
        masked = self.words(words)
        return text if masked == words else shlex.join(masked)

    def _hide(self, value: Any, *, numbers: bool = False) -> Any:
        if isinstance(value, str):
            if not value or MASK in value or _REFERENCE.fullmatch(value):
                return value
            scheme = _SCHEME.match(value)
            self.hidden += [value, value[scheme.end() :]] if scheme else [value]
            return MASK
        if isinstance(value, Mapping):
            return {key: self._hide(inner, numbers=numbers) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self._hide(entry, numbers=numbers) for entry in value]
        if numbers and isinstance(value, int | float) and not isinstance(value, bool):
            self.hidden.append(str(value))
            return MASK
        return value

    def _text(self, text: str) -> str:
        """Mask a text without a name: JSON, `NAME=VALUE`, a header, a URL, or plain words."""
        if text.lstrip()[:1] in ("{", "["):
            return self._json(text)
        for form, mark in ((_SETTING, "="), (_HEADER, ": ")):
            found = form.fullmatch(text)
            if found and is_secret_name(found[1]) and not _is_reference_name(found[1]):
                return found[1] + mark + self._hide(found[2]) if MASK not in found[2] else text
        return self._noticed(text, _forms(text))

    def _json(self, text: str) -> str:
        try:
            plain = json.loads(text)
            masked = self.value(plain, "")
        except UNREADABLE:
            return self._captured(text)
        if masked == plain:
            return text
        kept = text
        for secret in sorted(self.hidden, key=len, reverse=True):
            for written in (json.dumps(secret), json.dumps(secret, ensure_ascii=False)):
                kept = kept.replace(written, f'"{MASK}"')
        # Keep the original spelling of the rest if that gives the same data.
        with suppress(*UNREADABLE):
            if json.loads(kept) == masked:
                return kept
        return json.dumps(masked, ensure_ascii=False, separators=(",", ":"))

    def _captured(self, text: str) -> str:
        return self._noticed(text, mask_text(text))

    def _noticed(self, text: str, masked: str) -> str:
        """Remember the replaced parts: those between the parts of the text that are left."""
        if masked != text:
            parts = [re.escape(part) for part in masked.split(MASK)]
            found = re.fullmatch("(.+?)".join(parts), text, re.DOTALL)
            hidden = [] if found is None else found.groups()
            # The password of `user:password` may also occur alone.
            self.hidden += [each for all_of_it in hidden for each in (all_of_it, all_of_it.partition(":")[2])]
        return masked


def _is_reference_name(name: str) -> bool:
    """Return whether a name such as `api_key_env` or `--api-key-env` names a variable and holds no key."""
    return name.lower().endswith(("_env", "-env"))


def _names_variable(name: str, value: Any) -> bool:
    return _is_reference_name(name) and isinstance(value, str) and bool(_IDENTIFIER.fullmatch(value))
