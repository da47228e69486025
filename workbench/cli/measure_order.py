"""From `measure`'s command line to what is to be measured; every refusal names the flag."""

import argparse
import math
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from workbench.base import InputError, Place, Refusal, mask_arguments
from workbench.experiments import Burst, LoadShape, MeasureOrder, TraceChoice
from workbench.servers import plain_url
from workbench.traces import parse_profile, parse_synthetic

_FLAGS = {
    "rates": "--rate",
    "concurrency": "--concurrency",
    "requests": "--requests",
    "duration_s": "--duration",
    "burstiness": "--burstiness",
    "warmup_s": "--warmup",
    "max_in_flight": "--max-in-flight",
    "queue_timeout_s": "--queue-timeout",
    "request_timeout_s": "--request-timeout",
    "max_retries": "--retries",
    "retry_backoff_s": "--retry-backoff",
    "workers": "--workers",
    "arrivals": "--arrivals",
    "profile": "--profile",
    "input_mode": "--input",
    "speedup": "--speedup",
    "seed": "--seed",
    "max_len": "--max-len",
    "api_key_env": "--api-key-env",
    "headers": "--header",
    "ca_file": "--ca-file",
    "url": "URL",
    "factor": "--burst FACTOR",
    "seconds": "--burst SECONDS",
    "at": "--burst START",
}
"""What a setting is called in an experiment's file, and on this command line."""
_IN_A_TABLE = re.compile(r"(?:measure: )?\[(?:trace|load|target|burst)\] (\w+)")
_ALONE = re.compile(rf"\b({'|'.join(name for name in _FLAGS if '_' in name)})\b")
_PHRASES = {
    "choose arrivals": "choose --arrivals",
    "name a rate and arrivals": "give --rate and --arrivals",
    "give a trace file": "give --trace FILE",
}
_BURST = re.compile(r"(?P<factor>[^:@]+):(?P<seconds>[^:@]+)@(?P<at>[^:@]+)")


@contextmanager
def told_by_flags() -> Iterator[None]:
    """Name the flag in refusals that name the key of an experiment file."""
    try:
        yield
    except Refusal as error:
        raise Refusal(error.kind, _by_flag(error.place), **error.values) from error
    except InputError as error:
        raise InputError(in_flags(str(error))) from error


def _by_flag(place: Place) -> Place:
    flag = _FLAGS.get(place.key or "")
    if flag is not None:
        return Place(key=flag)
    return Place(line=place.line, file=None if place.file == "measure" else place.file)


def in_flags(message: str) -> str:
    """The message with each setting under its flag's name."""
    for phrase, flags in _PHRASES.items():
        message = message.replace(phrase, flags)
    message = _IN_A_TABLE.sub(lambda found: _FLAGS.get(found[1], found[1]), message)
    return _ALONE.sub(lambda found: _FLAGS[found[1]], message)


def order_of(arguments: argparse.Namespace) -> MeasureOrder:
    """What the command line asks for.

    Raises:
        InputError: arguments that can't stand together or are out of range.
    """
    if arguments.url is None:
        raise InputError("URL is missing; only --calibrate needs none")
    plain_url(arguments.url, Place(key="url"))
    _check_requests(arguments)
    _check_pace(arguments)
    if arguments.queue_timeout is not None and arguments.max_in_flight is None:
        raise InputError(
            "--queue-timeout bounds the wait for --max-in-flight and needs it; "
            "--request-timeout bounds the whole request"
        )
    words = getattr(arguments, "words", sys.argv[1:])
    return MeasureOrder(
        url=arguments.url,
        model=arguments.model,
        api_key_env=arguments.api_key_env,
        trace=_trace_of(arguments),
        load=_load_of(arguments),
        command=shlex.join(["python", "-m", "workbench", *mask_arguments(words)]),
        headers=headers_of(arguments.header),
        ca_file=arguments.ca_file,
        burst=None if arguments.burst is None else parse_burst(arguments.burst),
    )


def _check_requests(arguments: argparse.Namespace) -> None:
    if not (arguments.trace or arguments.synthetic or arguments.mix):
        raise InputError("give one of --trace FILE, --synthetic IN:OUT, --mix NAME")
    if arguments.synthetic:
        parse_synthetic(arguments.synthetic)
    for flag in ("format", "time_unit", "replay_text", "tokenizer"):
        if getattr(arguments, flag) and not arguments.trace:
            raise InputError(f"--{flag.replace('_', '-')} needs --trace FILE: it says how to read a file")
    if arguments.replay_text and arguments.input == "ids":
        raise InputError("--replay-text sends text; --input ids can't")
    if arguments.replay_text and arguments.max_len == "clamp":
        raise InputError("--replay-text cuts no text: give --max-len refuse or drop")


def _check_pace(arguments: argparse.Namespace) -> None:
    if arguments.profile is not None:
        parse_profile(arguments.profile)
        if arguments.concurrency is not None:
            raise InputError("--profile means nothing with --concurrency: a closed loop has no rate")
        if arguments.arrivals == "trace":
            raise InputError(
                "--profile replaces the trace's own times: leave --arrivals out, or give poisson"
            )
        if arguments.burst is not None:
            raise InputError("--burst means nothing with --profile: give one of them")
    if arguments.burst is not None and arguments.rate is None:
        raise InputError("--burst needs --rate R: the burst is a multiple of it")
    if arguments.burst is not None and arguments.arrivals == "trace":
        raise InputError("--burst replaces the trace's own times: leave --arrivals out, or give poisson")
    paced = any(given is not None for given in (arguments.rate, arguments.concurrency, arguments.profile))
    if not paced and not (arguments.trace and arguments.arrivals in (None, "trace")):
        raise InputError("give --rate or --concurrency; only a trace can keep its own times")
    bounded = arguments.requests is not None or arguments.duration is not None
    if not bounded and not arguments.trace:
        raise InputError("give --requests or --duration: a synthetic load has no end of its own")


def _trace_of(arguments: argparse.Namespace) -> TraceChoice:
    return TraceChoice(
        file=arguments.trace,
        synthetic=arguments.synthetic,
        mix=arguments.mix,
        format=arguments.format,
        time_unit=arguments.time_unit,
        seed=arguments.seed,
        max_len=arguments.max_len,
        speedup=arguments.speedup,
        replay_text=arguments.replay_text,
        tokenizer=arguments.tokenizer,
    )


def _load_of(arguments: argparse.Namespace) -> LoadShape:
    return LoadShape(
        rates=None if arguments.rate is None else [arguments.rate],
        concurrency=None if arguments.concurrency is None else [arguments.concurrency],
        requests=arguments.requests,
        duration_s=arguments.duration,
        warmup_s=arguments.warmup,
        max_in_flight=arguments.max_in_flight,
        queue_timeout_s=arguments.queue_timeout,
        request_timeout_s=arguments.request_timeout,
        max_retries=arguments.retries,
        retry_backoff_s=arguments.retry_backoff,
        arrivals=arguments.arrivals,
        burstiness=arguments.burstiness,
        profile=arguments.profile,
        input_mode=arguments.input,
        endpoint=arguments.endpoint,
        workers=arguments.workers,
    )


def parse_burst(text: str) -> Burst:
    """A burst from `3:10@20`: three times the rate for 10 s, 20 s after the start.

    Raises:
        InputError: another form.
    """
    found = _BURST.fullmatch(text)
    try:
        figures = {name: float(value) for name, value in found.groupdict().items()} if found else {}
    except ValueError:
        figures = {}
    if not figures or not all(map(math.isfinite, figures.values())):
        raise InputError(f"--burst {text!r}: FACTOR:SECONDS@START, such as 3:10@20")
    return Burst(**figures)


def headers_of(given: list[str]) -> dict[str, str]:
    """Headers from NAME=VALUE or NAME=env:VARIABLE; what is in a variable stays there for now.

    Raises:
        InputError: another form, or a name twice; the value is not repeated.
    """
    headers: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise InputError("--header: NAME=VALUE, or NAME=env:VARIABLE for a secret")
        if name.strip().lower() in {known.lower() for known in headers}:
            raise InputError(f"--header {name.strip()}: given twice")
        headers[name.strip()] = value.strip()
    return headers
