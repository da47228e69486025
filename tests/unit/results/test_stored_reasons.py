"""Reasons are data: each has a kind with its figures, also those of files that hold only their texts."""

import msgspec
import pytest

from tests.unit.results.making import request
from workbench.base import Message, render
from workbench.results import Conditions, RunFrame, ServerDelta, reason_of, stored_reasons, summarize_run
from workbench.results.figures.reasons import _FIRST_WORDS


def late(milliseconds: float) -> dict[str, object]:
    """The summary, as a bench file stores it, of a run with a late load generator."""
    records = [request(i, sent=milliseconds / 1000) for i in range(1000)]
    stored: dict[str, object] = msgspec.json.decode(
        msgspec.json.encode(summarize_run(records, RunFrame(length_s=10.0)).to_json())
    )
    return stored


def test_a_reason_has_its_kind_and_its_figures_beside_its_text() -> None:
    stored = late(83)
    assert stored["reasons"] == ["client-bound: client delay p99 83 ms > 10 ms"]
    (reason,) = stored_reasons(stored)
    assert reason.kind == "results.client_bound"
    found = reason.values["found"]
    assert isinstance(found, Message)
    assert found.values["p99_ms"] == pytest.approx(83)
    assert found.values["limit_ms"] == 10


def test_the_reasons_of_an_older_file_keep_their_text_and_get_their_kind() -> None:
    stored = late(83)
    del stored["reason_messages"]
    (reason,) = stored_reasons(stored)
    assert reason.kind == "results.client_bound"
    assert str(reason) == "client-bound: client delay p99 83 ms > 10 ms"


@pytest.mark.parametrize("begin", [*_FIRST_WORDS, "limits changed during the run: "])
def test_a_text_of_an_older_file_is_shown_as_it_is(begin: str) -> None:
    text = f"{begin}3 of 4, as {{it}} says; 5 > 4"
    reason = reason_of(text)
    assert reason.kind != "results.other_reason"
    assert str(reason) == text


def test_an_unknown_reason_is_kept_as_it_is() -> None:
    assert str(reason_of("of another program")) == "of another program"


def test_every_reason_is_said_in_chinese_with_the_same_figures() -> None:
    server = ServerDelta(restarted=True, prefix_queries=10, prefix_hits=9)
    conditions = Conditions(
        asked={"max_num_seqs": 16},
        effective={"max_num_seqs": 32},
        need=("kv",),
        prefix_hit_ideal=0.1,
        clock_step_s=3.0,
        server_lost="exit code 1",
        worker_deaths=1,
        changed_limits=("max_num_seqs 16 → 40",),
    )
    records = [request(i, sent=0.083, tokens=3, output_tokens=9, prompt_tokens=130) for i in range(4)]
    summary = summarize_run(records, RunFrame(length_s=10.0), server=server, conditions=conditions)
    assert len(summary.reason_messages) == 11
    assert [str(reason) for reason in summary.reason_messages] == summary.reasons
    for reason in summary.reason_messages:
        assert any("\u4e00" <= letter <= "\u9fff" for letter in render(reason, "zh_CN"))
