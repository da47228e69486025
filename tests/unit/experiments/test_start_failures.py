"""A start failure that other configurations share is met once; one that they may not share is tried again."""

import pytest

from workbench.base import message
from workbench.experiments.plan.plan import Configuration
from workbench.experiments.run.start_failures import fails_alike
from workbench.servers import ServerFailedError
from workbench.vllm_dialect import Failure


def configuration(**controls: float | str | bool) -> Configuration:
    return Configuration(experiment=0, control=None, value=None, controls=controls)


def failed(kind: str, sentence: str = "it failed") -> ServerFailedError:
    cause = message("dialect.exception", text=sentence)
    failure = Failure(kind=kind, cause=cause, fix=None, line=sentence)
    return ServerFailedError("dialect.exception", failure=failure, text=sentence)


BASE = configuration(max_num_seqs=16)


@pytest.mark.parametrize(
    "kind", ["model_path", "python_headers", "no_such_gpu", "gated_model", "old_driver", "disk_full"]
)
def test_that_a_cause_outside_of_the_control_is_shared_by_all(kind: str) -> None:
    alike = fails_alike(BASE, failed(kind), any_served=False)
    assert alike(configuration(max_num_seqs=32))
    assert alike(configuration(max_num_seqs=16, dtype="float16"))


@pytest.mark.parametrize(
    ("kind", "other", "shared"),
    [
        ("oom", {"max_num_seqs": 32}, True),
        ("oom", {"max_num_seqs": 8}, False),
        ("oom", {"max_num_seqs": 16, "scheduling_policy": "priority"}, True),
        ("oom", {"max_num_seqs": 16, "enforce_eager": True}, False),
        ("oom_warmup", {"max_num_seqs": 8}, False),
        ("context_over_kv", {"max_num_seqs": 32}, True),
        ("context_over_kv", {"max_num_seqs": 16, "gpu_memory_utilization": 0.95}, False),
        ("gpu_busy", {"max_num_seqs": 8}, True),
        ("budget_below_seats", {"max_num_seqs": 32}, True),
        ("budget_below_seats", {"max_num_seqs": 8}, False),
        ("budget_below_context", {"max_num_seqs": 8}, True),
        ("context_over_model", {"max_num_seqs": 8}, True),
        ("killed", {"max_num_seqs": 32}, True),
    ],
)
def test_that_a_cause_is_shared_by_values_that_are_worse_or_do_not_matter(
    kind: str, other: dict[str, int], shared: bool
) -> None:
    assert fails_alike(BASE, failed(kind), any_served=False)(configuration(**other)) is shared


def test_that_the_direction_counts_where_a_lower_share_of_memory_helps() -> None:
    alike = fails_alike(configuration(gpu_memory_utilization=0.95), failed("oom"), any_served=False)
    assert alike(configuration(gpu_memory_utilization=0.98))
    assert not alike(configuration(gpu_memory_utilization=0.8))


def test_that_an_unknown_cause_is_shared_unless_it_names_the_control_or_the_control_changes_kernels() -> None:
    alike = fails_alike(BASE, failed("unknown", "ValueError: no"), any_served=False)
    assert alike(configuration(max_num_seqs=32))
    assert not alike(configuration(max_num_seqs=16, quantization="fp8"))
    for named in ("ValueError: max_num_seqs is odd", "error: argument --max-num-seqs: is odd"):
        assert not fails_alike(BASE, failed("unknown", named), any_served=False)(
            configuration(max_num_seqs=32)
        )


def test_that_an_error_without_a_log_ends_the_plan_only_before_any_server_has_come_up() -> None:
    error = ServerFailedError("servers.ssh_unreachable", host="gpu-a", cause="timeout")
    assert fails_alike(BASE, error, any_served=False)(configuration(max_num_seqs=32))
    assert not fails_alike(BASE, error, any_served=True)(configuration(max_num_seqs=32))
    assert not fails_alike(BASE, error, any_served=True)(BASE)


def test_that_once_a_server_has_come_up_only_worse_values_are_left_out() -> None:
    alike = fails_alike(configuration(max_num_seqs=512), failed("oom"), any_served=True)
    assert alike(configuration(max_num_seqs=1024))
    assert not alike(configuration(max_num_seqs=256))
    assert not fails_alike(BASE, failed("no_such_gpu"), any_served=True)(configuration(max_num_seqs=32))


def test_that_the_same_configuration_is_not_started_again_unless_the_cause_may_have_passed() -> None:
    assert fails_alike(BASE, failed("oom"), any_served=True)(BASE)
    assert not fails_alike(BASE, failed("gpu_busy"), any_served=True)(BASE)


def test_that_the_callers_own_controls_change_nothing() -> None:
    other = configuration(max_num_seqs=16, max_in_flight=4)
    assert fails_alike(BASE, failed("oom"), any_served=True)(other)
