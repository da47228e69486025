"""The order of one measurement from `measure`'s command line."""

import argparse
import math
import re
import shlex
import sys

from workbench.base import Place, Refusal, mask_arguments
from workbench.experiments import Burst, LoadShape, MeasureOrder, TraceChoice
from workbench.servers import plain_url
from workbench.traces import parse_profile, parse_synthetic

SETTINGS = {
    "rates": "--rate",
    "duration_s": "--duration",
    "warmup_s": "--warmup",
    "queue_timeout_s": "--queue-timeout",
    "request_timeout_s": "--request-timeout",
    "max_retries": "--retries",
    "retry_backoff_s": "--retry-backoff",
    "input_mode": "--input",
    "headers": "--header",
    "factor": "--burst FACTOR",
    "seconds": "--burst SECONDS",
    "at": "--burst START",
}
"""Flags of settings that an experiment file names otherwise."""
KINDS = {
    "traces.profile_needs_arrivals": "cli.profile_needs_arrivals",
    "traces.too_long_for_model": "cli.too_long_for_model",
    "traces.unscalable_times": "cli.unscalable_times",
    "servers.key_refused": "cli.key_refused",
    "servers.key_wanted_keyring_silent": "cli.key_wanted_keyring_silent",
    "servers.secret_in_url": "cli.secret_in_url",
    "experiments.text_not_clamped": "cli.text_not_clamped",
    "experiments.text_not_ids": "cli.text_not_ids",
}
_BURST = re.compile(r"(?P<factor>[^:@]+):(?P<seconds>[^:@]+)@(?P<at>[^:@]+)")


def order_of(arguments: argparse.Namespace) -> MeasureOrder:
    """Return the measurement that the command line asks for.

    Raises:
        Refusal: arguments that exclude each other or are out of range.
    """
    if arguments.url is None:
        raise Refusal("cli.url_missing", Place(key="url"))
    plain_url(arguments.url, Place(key="url"))
    _check_requests(arguments)
    _check_pace(arguments)
    if arguments.queue_timeout is not None and arguments.max_in_flight is None:
        raise Refusal("cli.queue_timeout_alone", Place(key="queue_timeout"))
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
        raise Refusal("cli.no_requests")
    if arguments.synthetic:
        parse_synthetic(arguments.synthetic)
    for flag in ("format", "time_unit", "replay_text", "tokenizer"):
        if getattr(arguments, flag) and not arguments.trace:
            raise Refusal("cli.needs_trace", Place(key=flag))
    if arguments.replay_text and arguments.input == "ids":
        raise Refusal("cli.text_not_ids", Place(key="replay_text"))
    if arguments.replay_text and arguments.max_len == "clamp":
        raise Refusal("cli.text_not_clamped", Place(key="replay_text"))


def _check_pace(arguments: argparse.Namespace) -> None:
    if arguments.profile is not None:
        parse_profile(arguments.profile)
        if arguments.concurrency is not None:
            raise Refusal("cli.profile_in_closed_loop", Place(key="profile"))
        if arguments.arrivals == "trace":
            raise Refusal("cli.profile_replaces_times", Place(key="profile"))
        if arguments.burst is not None:
            raise Refusal("cli.exclude", Place(key="burst"), flag="--profile")
    if arguments.burst is not None and arguments.rate is None:
        raise Refusal("cli.burst_needs_rate", Place(key="burst"))
    if arguments.burst is not None and arguments.arrivals == "trace":
        raise Refusal("cli.burst_replaces_times", Place(key="burst"))
    paced = any(given is not None for given in (arguments.rate, arguments.concurrency, arguments.profile))
    if not paced and not (arguments.trace and arguments.arrivals in (None, "trace")):
        raise Refusal("cli.no_pace")
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
    """Parse a burst such as `3:10@20`: three times the rate for 10 s, 20 s after the start.

    Raises:
        Refusal: another form.
    """
    found = _BURST.fullmatch(text)
    try:
        figures = {name: float(value) for name, value in found.groupdict().items()} if found else {}
    except ValueError:
        figures = {}
    if not figures or not all(map(math.isfinite, figures.values())):
        raise Refusal("cli.burst_form", Place(key="burst"), text=text)
    return Burst(**figures)


def headers_of(given: list[str]) -> dict[str, str]:
    """Return headers from NAME=VALUE or NAME=env:VARIABLE, without the variables' contents.

    Raises:
        Refusal: another form, or a name twice; the value is not repeated.
    """
    headers: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise Refusal("cli.header_form", Place(key="headers"))
        if name.strip().lower() in {known.lower() for known in headers}:
            raise Refusal("cli.header_twice", Place(key="headers"), name=name.strip())
        headers[name.strip()] = value.strip()
    return headers
