"""Masking, so that no key reaches a log, a bench file, an export or a command line shown."""

import re
from collections.abc import Iterable, Mapping, Sequence

MASK = "••••"
_SECRET_NAME = re.compile(
    r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CRED|COOKIE|AUTH(?!ORS?(?:$|[-_]))", re.IGNORECASE
)
# Flags of vLLM whose names match, but that hold counts or choices.
_HARMLESS = re.compile(
    r"(?:^|[-_])(?:TOKENS|TOKENIZER|TOKENIZE)|TOKEN[-_](?:IDS?|THRESHOLD|BUDGET)|ALLOW[-_]CREDENTIALS",
    re.IGNORECASE,
)
# Of a name in a log: it ends as a secret's name does (KeyError doesn't), and is none of a model's own tokens.
_NAMED = (
    r"(?<![\w-])(?:--?)?(?!(?:bos|eos|pad|unk|sep|cls|mask|image|stop)[-_]token)"
    r"(?:[\w-]*[-_](?:key|token)|apikey|[\w-]*(?:secret|password|passwd|credentials?|cookie|authorization))"
)
# `env:NAME` says where a secret is, and is none itself.
_IN_TEXT = re.compile(
    rf"(?i)({_NAMED}['\"]?\s*[:=]\s*(?:bearer\s+)?[\[(]?\s*['\"]?)(?!env:|None\b|null\b|\[)([^\s'\",}}\])]+)"
)
_AS_FLAG = re.compile(rf"(?i)((?<!\S)--{_NAMED.partition('?)?')[2]}\s+)(?!-)([^\s'\",}}\])]+)")
_BEARER = re.compile(r"(?i)(bearer\s+)(\S+)")
_SHAPED = re.compile(r"\b(?:hf_[A-Za-z0-9]{6,}|sk-[\w-]{6,})")
"""What providers give out can be told by its look."""
_SHORTEST = 4
"""A value of fewer characters is in every text."""


def is_secret_name(name: str) -> bool:
    """Whether a flag or variable of this name holds a secret: KEY, TOKEN, PASSWORD, AUTH and the like."""
    return bool(_SECRET_NAME.search(name)) and not _HARMLESS.search(name)


def mask_arguments(arguments: Sequence[str]) -> list[str]:
    """A command line with the values of secret flags replaced (`--api-key X` and `--api-key=X`)."""
    masked: list[str] = []
    hide_next = False
    for argument in arguments:
        if hide_next and not argument.startswith("--"):
            masked.append(MASK)
            continue
        hide_next = False
        name, equals, _ = argument.partition("=")
        if argument.startswith("-") and is_secret_name(name):
            masked.append(f"{name}={MASK}" if equals else argument)
            hide_next = not equals
        else:
            masked.append(argument)
    return masked


def mask_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment with the values of secret names replaced."""
    return {name: MASK if is_secret_name(name) else value for name, value in environment.items()}


def secrets_of(arguments: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """The values that `mask_arguments` and `mask_environment` hide, longest first, to be known in a log."""
    hidden = [value for name, value in environment.items() if is_secret_name(name)]
    for given, masked in zip(arguments, mask_arguments(arguments), strict=True):
        if given != masked:
            hidden.append(given if masked == MASK else given.partition("=")[2])
    return sorted({value for value in hidden if len(value) >= _SHORTEST}, key=len, reverse=True)


def mask_text(text: str, known: Iterable[str] = ()) -> str:
    """Captured output with `known` secrets and anything that reads like one replaced."""
    for secret in known:
        if secret:
            text = text.replace(secret, MASK)
    for pattern in (_IN_TEXT, _AS_FLAG, _BEARER):
        text = pattern.sub(rf"\g<1>{MASK}", text)
    return _SHAPED.sub(MASK, text)
