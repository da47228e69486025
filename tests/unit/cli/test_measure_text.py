"""What `measure` prints of a run: its figures, what was sent again, what the client resolves, what helps."""

from typing import Any

import pytest

from tests.unit.results.making import request
from workbench.cli.measure_text import summary_text
from workbench.experiments import Measured
from workbench.load import Resolution
from workbench.results import Histogram, RunFrame, ServerDelta, reason_of, remedies, summarize_run

FLOOR = Resolution(
    utc="2026-11-30T03:26:26.910Z",
    machine="box, 2 cores",
    path=None,
    workers=1,
    ttft_floor_ms=0.8,
    itl_floor_ms=0.05,
    client_delay_p99_ms=0.7,
    limit_tokens_per_s=20_000,
)


def told(
    floor: Resolution | None = FLOOR,
    real_texts: int = 0,
    server: ServerDelta | None = None,
    url: str | None = None,
    version: str | None = None,
    **changes: Any,
) -> str:
    """The text of ten requests, one a second."""
    records = [request(number, due=float(number), **changes) for number in range(10)]
    summary = summarize_run(records, RunFrame(length_s=10.0, ended=12.0), server=server)
    measured = Measured(
        summary=summary, records=records, workers=1, real_texts=real_texts, vllm_version=version
    )
    return summary_text(measured, floor, url)


def test_that_what_the_client_resolves_is_told_or_how_to_find_out() -> None:
    assert "resolves 0.8 ms of TTFT, 0.05 ms of ITL (calibrated 2026-11-30)" in told()
    assert "not calibrated: measure --calibrate says" in told(None)
    beyond = Resolution(
        **{**{name: getattr(FLOOR, name) for name in FLOOR.__struct_fields__}, "path": "gpu-box"}
    )
    assert "calibrated to gpu-box 2026-11-30" in told(beyond)
    assert "the path to gpu-box is not in it" in told(url="http://gpu-box:8000")
    assert "not in it" not in told(beyond, url="http://gpu-box:8000") + told(url="http://[::1]:8000")


def test_that_a_rate_beyond_the_calibrated_one_is_told() -> None:
    low = Resolution(
        **{**{name: getattr(FLOOR, name) for name in FLOOR.__struct_fields__}, "limit_tokens_per_s": 1.0}
    )
    assert "calibrated up to 1 tokens/s; this run had" in told(low)
    assert "calibrated up to" not in told()


def test_that_requests_that_were_sent_again_are_counted() -> None:
    assert "10 requests were sent again, 20 times in all" in told(retries=2)
    assert "sent again" not in told()


def test_that_real_prompts_are_told_without_being_shown() -> None:
    assert "7 rows' own text, held in memory only" in told(real_texts=7)


def test_that_an_invalid_run_says_what_would_make_it_valid() -> None:
    text = told(output_tokens=50)
    assert "INVALID    short outputs" in text
    assert "try        requests without a stop condition" in text
    assert "\ntry " not in told()


def test_that_what_lies_among_requests_that_never_ended_is_told_as_a_lower_bound() -> None:
    line = next(line for line in told(done=None, outcome="unfinished").splitlines() if " E2E " in line)
    assert "≥ " in line
    assert "≥" not in next(line for line in told().splitlines() if " E2E " in line)


def queue_line(text: str) -> str:
    return next(line for line in text.splitlines() if line.split()[:1] == ["queue"])


@pytest.mark.parametrize(
    ("counts", "p95"),
    [((10.0, 0.0, 0.0), "0–300"), ((0.0, 10.0, 0.0), "300–500"), ((0.0, 0.0, 10.0), "≥ 500")],
)
def test_that_a_queue_time_known_as_a_bucket_is_told_as_one(counts: tuple[float, ...], p95: str) -> None:
    buckets = Histogram(edges=(0.3, 0.5), counts=counts, sum=1.2)
    line = queue_line(told(server=ServerDelta(queue=buckets)))
    assert f" {p95} " in line
    assert "mean 120" in line
    assert "--enable-per-request-metrics" in line


def test_a_hint_names_no_flag_that_the_servers_version_lacks() -> None:
    buckets = ServerDelta(queue=Histogram(edges=(0.3, 0.5), counts=(10.0, 0.0, 0.0), sum=1.2))
    old, new = (queue_line(told(server=buckets, version=version)) for version in ("0.24.0", "0.25.0"))
    assert "vLLM 0.24.0 reports no exact queue times; 0.25 and later do" in old
    assert "exact with its --enable-per-request-metrics" in new


def test_that_a_queue_time_that_each_request_tells_needs_no_explanation() -> None:
    line = queue_line(told(queue_ms=7.5))
    assert line.split() == ["queue", "7.5", "–", "–"]


def test_that_a_queue_time_that_nobody_tells_is_said_to_be_untold() -> None:
    assert "the server reports none" in queue_line(told())


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("client-bound: client delay p99 66 ms > 50 ms", "more load processes"),
        ("machine-bound: p95 of 90 ms of TTFT passed outside", "a lower time_scale"),
        ("clock stepped or machine slept: wall and monotonic time differ by 2 s", None),
    ],
)
def test_that_a_reason_has_its_remedy_once_or_none(reason: str, said: str | None) -> None:
    found = remedies([reason_of(reason), reason_of(reason)])
    assert len(found) == (said is not None)
    assert said is None or str(found[0]).startswith(said)
