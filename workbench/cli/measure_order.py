"""Orders to measure, from the command line of `measure`; refusals name the flag."""

import argparse
import math
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from workbench.base import Place, Refusal, mask_arguments
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
"""Flags by the key of the experiment file."""
_BURST = re.compile(r"(?P<factor>[^:@]+):(?P<seconds>[^:@]+)@(?P<at>[^:@]+)")


@contextmanager
def naming_flags() -> Iterator[None]:
    """Name the flag in refusals that name the key of an experiment file."""
    try:
        yield
    except Refusal as error:
        raise Refusal(error.kind, _by_flag(error.place), **error.values) from error


def _by_flag(place: Place) -> Place:
    key = place.key or ""
    if key in _FLAGS or key.startswith("--"):
        return Place(key=_FLAGS.get(key, key))
    return Place(line=place.line, file=None if place.file == "measure" else place.file)


def order_of(arguments: argparse.Namespace) -> MeasureOrder:
    """Make the order that the command line asks for.

    Raises:
        Refusal: arguments exclude each other or are out of range.
    """
    if arguments.url is None:
        raise Refusal("cli.url_missing")
    plain_url(arguments.url, Place(key="url"))
    _check_requests(arguments)
    _check_pace(arguments)
    if arguments.queue_timeout is not None and arguments.max_in_flight is None:
        raise Refusal("cli.queue_timeout_alone", Place(key="--queue-timeout"))
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
        raise Refusal("cli.no_trace")
    if arguments.synthetic:
        parse_synthetic(arguments.synthetic)
    for flag in ("format", "time_unit", "replay_text", "tokenizer"):
        if getattr(arguments, flag) and not arguments.trace:
            raise Refusal("cli.needs_trace", Place(key=f"--{flag.replace('_', '-')}"))
    if arguments.replay_text and arguments.input == "ids":
        raise Refusal("cli.text_or_ids", Place(key="--replay-text"))
    if arguments.replay_text and arguments.max_len == "clamp":
        raise Refusal("cli.text_not_clamped", Place(key="--replay-text"))


def _check_pace(arguments: argparse.Namespace) -> None:
    if arguments.profile is not None:
        parse_profile(arguments.profile)
        if arguments.concurrency is not None:
            raise Refusal("cli.profile_of_closed_loop", Place(key="--profile"))
        if arguments.arrivals == "trace":
            raise Refusal("cli.replaces_times", Place(key="--profile"))
        if arguments.burst is not None:
            raise Refusal("cli.burst_or_profile", Place(key="--burst"))
    if arguments.burst is not None and arguments.rate is None:
        raise Refusal("cli.burst_needs_rate", Place(key="--burst"))
    if arguments.burst is not None and arguments.arrivals == "trace":
        raise Refusal("cli.replaces_times", Place(key="--burst"))
    paced = any(given is not None for given in (arguments.rate, arguments.concurrency, arguments.profile))
    if not paced and not (arguments.trace and arguments.arrivals in (None, "trace")):
        raise Refusal("cli.no_rate")
    bounded = arguments.requests is not None or arguments.duration is not None
    if not bounded and not arguments.trace:
        raise Refusal("cli.no_end")


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
    """Read a burst such as `3:10@20`: three times the rate for 10 s, 20 s after the start.

    Raises:
        Refusal: another form.
    """
    found = _BURST.fullmatch(text)
    try:
        figures = {name: float(value) for name, value in found.groupdict().items()} if found else {}
    except ValueError:
        figures = {}
    if not figures or not all(map(math.isfinite, figures.values())):
        raise Refusal("cli.burst_form", Place(key="--burst"), text=text)
    return Burst(**figures)


def headers_of(given: list[str]) -> dict[str, str]:
    """Read headers NAME=VALUE or NAME=env:VARIABLE; the variables are read later.

    Raises:
        Refusal: another form, or a name twice; the value is not repeated.
    """
    headers: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise Refusal("cli.header_form", Place(key="--header"))
        if name.strip().lower() in {known.lower() for known in headers}:
            raise Refusal("cli.given_twice", Place(key=f"--header {name.strip()}"))
        headers[name.strip()] = value.strip()
    return headers
