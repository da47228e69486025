import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

from workbench.base import InputError, Refusal
from workbench.engine.parity import check_file
from workbench.engine.parity.golden_case import KeyMaker, stream
from workbench.engine.scheduler import Request, Scheduler, SchedulerConfig
from workbench.engine.server.recorder import StepRecorder
from workbench.vllm_dialect import PrefixCacheReset, encode_step

PARITY = Path(__file__).parents[2] / "data" / "parity"
CASE = PARITY / "open" / "05-token_budget-2.json.gz"
RECORDING = PARITY / "serve" / "serve-60-blocks.steps.jsonl.gz"


def case() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(gzip.decompress(CASE.read_bytes()))
    return content


def written(content: dict[str, Any], tmp_path: Path) -> Path:
    path = tmp_path / "case.json.gz"
    path.write_bytes(gzip.compress(json.dumps(content).encode()))
    return path


@pytest.mark.parametrize(
    ("seed", "tokens"),
    [(0, [2, 845, 1600, 1362]), (1, [345, 1428, 95, 2030]), (3735928559, [251, 484, 1723, 1490])],
)
def test_that_streams_are_those_of_the_format(seed: int, tokens: list[int]):
    assert stream(seed, 4).tolist() == tokens


def test_that_keys_are_equal_exactly_where_all_tokens_before_are():
    maker = KeyMaker(2)
    first, second, third = maker.keys([1, 2, 3, 4, 5]), maker.keys([1, 2, 3, 4]), maker.keys([9, 2, 3, 4])
    assert first == second
    assert set(first).isdisjoint(third)


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("sched", [["r0", 99]]),
        ("free", 1),
        ("run", []),
        ("wait", 7),
        ("evict", 3),
        ("npre", 1),
        ("fin", [["r9", "max_model_len"]]),
        ("abt", ["r0"]),
    ],
)
def test_that_a_changed_field_is_found_and_named(field: str, change: Any, tmp_path: Path):
    content = case()
    content["steps"][3][field] = change
    verdict = check_file(written(content, tmp_path))
    assert not verdict.identical
    assert str(verdict).startswith(
        f"differs  05-token_budget-2  t={content['steps'][3]['t']}  {field}  ours "
    )


def test_that_a_missing_step_and_one_too_many_are_found(tmp_path: Path):
    short, long = case(), case()
    del short["steps"][-1]
    long["steps"].append(dict(long["steps"][-1], t=9999))
    assert "steps" in str(check_file(written(short, tmp_path)))
    assert "t=9999" in str(check_file(written(long, tmp_path)))


def test_that_an_identical_case_says_so():
    assert str(check_file(CASE)) == "identical  05-token_budget-2  126 steps"


def test_a_case_of_another_version_is_compared_under_its_rules(tmp_path: Path):
    newer = check_file(written(case() | {"vllm_version": "0.33.0"}, tmp_path))
    assert newer.identical
    (used,) = (str(said) for said in newer.rules_used())
    assert used == "vLLM 0.33.0, decided by the scheduler rules of 0.33"
    with pytest.raises(InputError, match=r"scheduler_reserve_full_isl: .* vLLM 0\.18\.0 does not have this"):
        check_file(written(case() | {"vllm_version": "0.18.0"}, tmp_path))


def test_a_version_beyond_the_table_is_compared_with_a_caveat(tmp_path: Path):
    verdict = check_file(written(case() | {"vllm_version": "0.41.0"}, tmp_path))
    used, caveat = (str(said) for said in verdict.rules_used())
    assert "rules of 0.33" in used
    assert "was not checked" in caveat


def test_a_recording_without_a_version_says_so():
    used, caveat = (str(said) for said in check_file(RECORDING).rules_used())
    assert used == "vLLM of unknown version, decided by the scheduler rules of 0.31 to 0.32"
    assert "rules of 0.32" in caveat


def test_a_recording_names_its_version_and_is_compared_under_its_rules(tmp_path: Path):
    """A lone prompt above the threshold is capped before 0.31."""
    settings: dict[str, Any] = {
        "num_gpu_blocks": 64,
        "max_model_len": 256,
        "async_scheduling": False,
        "long_prefill_token_threshold": 64,
    }
    for version, first in (("0.30.0", 64), ("0.32.0", 100)):
        file = io.BytesIO()
        config = SchedulerConfig(**settings, vllm_version=version)
        recorder, scheduler = StepRecorder(file, config, zero=0.0), Scheduler(config)
        request = Request("a", 100, 1)
        recorder.added(request, list(range(100, 200)), 0.0)
        scheduler.add_request(request)
        step = scheduler.schedule()
        assert step.num_scheduled_tokens == [(request, first)]
        recorder.scheduled(step, scheduler, 0.0)
        recorder.flush()
        path = tmp_path / "record.steps.jsonl"
        path.write_bytes(file.getvalue())
        verdict = check_file(path)
        assert (verdict.identical, verdict.version) == (True, version)


def test_a_record_of_a_prefill_interval_is_refused(tmp_path: Path):
    file = io.BytesIO()
    StepRecorder(
        file, SchedulerConfig(num_gpu_blocks=64, max_model_len=256, vllm_version="0.33.0"), zero=0.0
    ).flush()
    header = json.loads(file.getvalue()) | {"prefill_schedule_interval": 4}
    path = tmp_path / "record.steps.jsonl"
    path.write_text(json.dumps({"ev": "header", **header}) + "\n")
    with pytest.raises(InputError, match="prefill_schedule_interval: 4 is not modelled"):
        check_file(path)
    path.write_text(json.dumps({"ev": "header", **header, "version": "0.32.0"}) + "\n")
    assert check_file(path).identical


def test_that_an_unknown_field_is_refused_with_its_place(tmp_path: Path):
    content = case()
    content["config"]["speculation"] = 3
    with pytest.raises(InputError, match=r"case\.json\.gz: .*speculation"):
        check_file(written(content, tmp_path))


@pytest.mark.parametrize(
    ("name", "value"), [("block_size", 0), ("num_gpu_blocks", 1), ("max_num_seqs", -3), ("watermark", 7)]
)
def test_that_settings_which_vllm_refuses_are_refused_with_the_file(name: str, value: int, tmp_path: Path):
    content = case()
    content["config"][name] = value
    with pytest.raises(Refusal) as refused:
        check_file(written(content, tmp_path))
    assert refused.value.kind == "engine.impossible_case"
    assert str(refused.value.place.file).endswith("case.json.gz")


def test_that_a_truncated_gzip_is_refused(tmp_path: Path):
    path = tmp_path / "cut.json.gz"
    path.write_bytes(CASE.read_bytes()[:-40])
    with pytest.raises(InputError, match="cut-off gzip"):
        check_file(path)


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff\xfe", b'{"vllm_version": "0.32.0"}', b"null"])
def test_that_what_is_no_case_is_refused(content: bytes, tmp_path: Path):
    path = tmp_path / "odd.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"odd\.json"):
        check_file(path)


def test_that_a_missing_file_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match="can't be read"):
        check_file(tmp_path / "none.json.gz")


def recording() -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(RECORDING.read_bytes()).splitlines()]


def recorded(lines: list[dict[str, Any]], tmp_path: Path) -> Path:
    path = tmp_path / "live.steps.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines))
    return path


@pytest.mark.parametrize("event", ["sched", "update"])
def test_that_a_changed_line_of_a_recording_is_found(event: str, tmp_path: Path):
    lines = recording()
    changed = next(line for line in lines if line["ev"] == event and line["t"] == 100)
    changed["free"] += 1
    verdict = check_file(recorded(lines, tmp_path))
    assert verdict.difference is not None
    assert (verdict.difference.t, verdict.difference.field) == (100, "free")


def test_that_a_recording_says_why_its_head_waited(tmp_path: Path):
    lines = recording()
    for line in lines:
        if line["ev"] == "sched" and line["wait"]:
            line["why"] = "kv"
    verdict = check_file(recorded(lines, tmp_path))
    # Where the real head waited for another reason, ours says which.
    assert verdict.identical or (verdict.difference is not None and verdict.difference.field == "why")


def test_that_a_changed_limit_is_followed(tmp_path: Path):
    lines = recording()
    lines.insert(1, {"ev": "limit", "name": "max_num_active_seqs", "old": 16, "new": 1, "t_next": 0})
    verdict = check_file(recorded(lines, tmp_path))
    assert verdict.difference is not None
    assert verdict.difference.t == 0


def test_that_an_unknown_limit_is_refused(tmp_path: Path):
    lines = recording()
    lines.insert(1, {"ev": "limit", "name": "mood", "old": 1, "new": 2})
    with pytest.raises(InputError, match="unknown limit 'mood'"):
        check_file(recorded(lines, tmp_path))


def test_that_a_recording_of_another_policy_is_refused(tmp_path: Path):
    lines = recording()
    lines[0]["policy"] = "lottery"
    with pytest.raises(InputError, match="policy: 'lottery' is unknown"):
        check_file(recorded(lines, tmp_path))


def test_that_a_recording_needs_its_header_first_and_once(tmp_path: Path):
    lines = recording()
    with pytest.raises(InputError, match="does not begin with its header"):
        check_file(recorded(lines[1:], tmp_path))
    with pytest.raises(InputError, match="second header"):
        check_file(recorded([lines[0], lines[0]], tmp_path))


def test_that_an_update_needs_its_call(tmp_path: Path):
    lines = recording()
    update = next(line for line in lines if line["ev"] == "update")
    with pytest.raises(InputError, match="lacks that call"):
        check_file(recorded([lines[0], update], tmp_path))


def test_that_a_record_with_lines_missing_is_refused_and_says_where(tmp_path: Path):
    lines = recording()
    lines.insert(40, {"ev": "dropped", "lines": 3})
    with pytest.raises(InputError, match="3 lines are missing after call"):
        check_file(recorded(lines, tmp_path))


class _TwoAlike:
    """Two equal prompts, one after the other, through a scheduler; the cache is emptied between them."""

    def __init__(self) -> None:
        self._file = io.BytesIO()
        config = SchedulerConfig(num_gpu_blocks=64, max_model_len=256, async_scheduling=False)
        self._recorder = StepRecorder(self._file, config, zero=0.0)
        self._scheduler = Scheduler(config)

    def lines(self) -> list[dict[str, Any]]:
        self._request("r0")
        assert self._scheduler.reset_prefix_cache()
        self._file.write(encode_step(PrefixCacheReset(t_next=2)))
        self._request("r1")
        return [json.loads(line) for line in self._file.getvalue().splitlines()]

    def _request(self, name: str) -> None:
        prompt = list(range(2, 66))
        request = Request(name, 64, 1, block_hashes=KeyMaker(16).keys([*prompt, 7]))
        self._scheduler.add_request(request)
        self._recorder.added(request, prompt, 0.0)
        while self._scheduler.has_requests():
            step = self._scheduler.schedule()
            self._recorder.scheduled(step, self._scheduler, 0.0)
            sampled = {one.request_id: 7 for one, _ in step.num_scheduled_tokens}
            update = self._scheduler.update_from_output(step)
            self._recorder.updated(step, update, self._scheduler, 0.0, sampled)


def test_that_an_emptied_prefix_cache_is_followed(tmp_path: Path):
    lines = _TwoAlike().lines()
    assert check_file(recorded(lines, tmp_path)).identical
    unsaid = [line for line in lines if line["ev"] != "reset"]
    verdict = check_file(recorded(unsaid, tmp_path))
    assert verdict.difference is not None
    assert verdict.difference.field == "sched"
