"""What the scheduler refuses, in vLLM's words."""

import pytest

from tests.unit.engine.drive import config, engine, request
from workbench.base import InputError
from workbench.engine.scheduler import Request, Scheduler


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        (Request("x", 1024, 1), "does not fit max_model_len"),
        (Request("x", 0, 1), "does not fit"),
        (Request("x", 10, 0), "at least 1"),
    ],
)
def test_that_a_request_that_can_never_run_is_refused(bad: Request, complaint: str):
    with pytest.raises(InputError, match=complaint):
        engine().add_request(bad)


def test_that_two_living_requests_cannot_share_an_id():
    scheduler = engine([request("a")])
    with pytest.raises(InputError, match="still alive"):
        scheduler.add_request(request("a"))
    assert scheduler.requests.get("a") is not None
    assert scheduler.requests.get("b") is None


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (
            {"max_num_seqs": 512},
            r"max_num_batched_tokens \(256\) must be greater than or equal to max_num_seqs \(512\)",
        ),
        (
            {"enable_chunked_prefill": False},
            r"max_num_batched_tokens \(256\) is smaller than max_model_len \(1024\)",
        ),
        ({"num_gpu_blocks": 40}, r"max seq len \(1024\).*estimated maximum model length is 624"),
        ({"num_gpu_blocks": 1}, "No available memory for the cache blocks"),
        ({"max_num_seqs": 0}, "max_num_seqs: 0 is too small"),
        ({"max_num_active_seqs": 99}, r"must be from 1 to max_num_seqs \(16\)"),
        ({"watermark": 1.5}, "less than 1"),
        ({"long_prefill_token_threshold": -1}, "must be at least 0"),
    ],
)
def test_that_settings_are_refused_as_vllm_refuses_them(changes: dict[str, object], text: str):
    with pytest.raises(InputError, match=text):
        config(**changes).validate()


def test_that_good_settings_pass_and_start_a_scheduler():
    assert Scheduler(config().validate()).num_free_blocks == 100
