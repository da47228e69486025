"""The workload of one measurement: what was dropped of a file is told, and texts stay with their rows."""

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.base import InputError, Refusal
from workbench.experiments import LoadShape, TraceChoice
from workbench.experiments.plan.workload import fit_to_context, load_trace, read_workload
from workbench.experiments.spec.validate_load import check_text


def choice(path: Path, **changes: Any) -> TraceChoice:
    return TraceChoice(**{"file": str(path), "max_len": "drop", **changes})


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Five calls: one failed, one of another kind, three to replay, the second of them long."""
    prompts = ["first", "failed", "long", "embedded", "third"]
    lines = [
        {
            "call_type": "aembedding" if prompt == "embedded" else "acompletion",
            "startTime": f"2026-01-01T00:00:0{number}Z",
            "prompt_tokens": 5000 if prompt == "long" else 20,
            "completion_tokens": 0 if prompt == "failed" else 3,
            "messages": prompt,
        }
        for number, prompt in enumerate(prompts)
    ]
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_that_what_was_dropped_of_a_log_and_for_the_servers_context_is_told(log: Path) -> None:
    asked = choice(log)
    workload = read_workload(asked, LoadShape())
    assert str(workload.notes[0]).startswith("3 of 5 rows kept; dropped: ")
    assert not workload.texts
    kept = fit_to_context(workload, 4096, asked)
    assert len(kept.trace) == 2
    assert str(kept.notes[-1]) == "1 request longer than 4096 tokens dropped (longest 5003)"


def test_that_texts_stay_with_their_rows_and_out_of_every_rendering(log: Path) -> None:
    asked = choice(log, replay_text=True)
    workload = read_workload(asked, LoadShape())
    assert list(workload.texts.values()) == ["first", "long", "third"]
    assert dict(fit_to_context(workload, 4096, asked).texts) == {0: "first", 1: "third"}
    assert dict(fit_to_context(workload, None, asked).texts) == dict(workload.texts)
    assert "third" not in repr(workload)


@pytest.mark.parametrize(
    ("changes", "load", "arguments", "said"),
    [
        ({"max_len": "clamp"}, {}, (), "never cut"),
        ({}, {"input_mode": "ids"}, (), "input_mode can't be"),
        ({}, {}, ("--seed", "1", "--enable-log-requests"), "args: --enable-log-requests writes prompts"),
        ({"file": None, "mix": "chat"}, {}, (), "needs file"),
    ],
)
def test_that_real_text_is_not_cut_not_sent_as_ids_and_kept_out_of_the_servers_log(
    log: Path, changes: dict[str, Any], load: dict[str, Any], arguments: tuple[str, ...], said: str
) -> None:
    good = choice(log, replay_text=True)
    check_text(good, LoadShape(), "e.toml", ("--seed", "1"))
    with pytest.raises(InputError, match=said):
        check_text(choice(log, **{"replay_text": True, **changes}), LoadShape(**load), "e.toml", arguments)


def test_that_a_plan_states_the_unit_of_a_file_s_times_where_nothing_in_it_does(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_text(
        "".join(
            json.dumps({"timestamp": n / 100, "input_length": 5, "output_length": 5}) + "\n"
            for n in range(2000)
        )
    )
    with pytest.raises(Refusal, match="state the unit with --time-unit"):
        read_workload(choice(path), LoadShape())
    asked = choice(path, time_unit="s")
    assert read_workload(asked, LoadShape()).trace.timestamp_ms[-1] == 19_990
    assert load_trace(asked, LoadShape())[0].timestamp_ms[-1] == 19_990
    with pytest.raises(Refusal, match="only a file has times in a unit"):
        check_text(TraceChoice(mix="chat", time_unit="s"), LoadShape(), "e.toml")


def test_that_a_tokenizer_is_sought_beside_the_experiments_file_and_named_where_it_is_none(
    log: Path,
) -> None:
    (log.parent / "tokenizer.json").write_text("{}")
    asked = TraceChoice(file=log.name, tokenizer="tokenizer.json")
    with pytest.raises(InputError, match=f"{log.parent}/tokenizer.json: not a tokenizer"):
        read_workload(asked, LoadShape(), base=log.parent)
