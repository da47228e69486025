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
# `env:NAME` says where a secret is, and is none itself.
_IN_TEXT = re.compile(
    r"(?i)((?:api[-_]?key|hf_token|authorization|password|passwd|secret)['\"]?\s*[:=]\s*(?:bearer\s+|\[)?['\"]?)(?!env:)([^\s'\",}\]]+)"
)
_BEARER = re.compile(r"(?i)(bearer\s+)(\S+)")


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


def mask_text(text: str, known: Iterable[str] = ()) -> str:
    """Captured output with `known` secrets and anything that reads like one replaced."""
    for secret in known:
        if secret:
            text = text.replace(secret, MASK)
    text = _IN_TEXT.sub(rf"\g<1>{MASK}", text)
    return _BEARER.sub(rf"\g<1>{MASK}", text)
