"""The control `executable`: one vLLM against another, as any control, with the list of what else moved."""

from typing import Any

import pytest

from workbench.base import InputError, Refusal
from workbench.controls import CONTROLS, check_value
from workbench.experiments import Experiment, make_plan
from workbench.experiments.run.events import Event
from workbench.experiments.run.held_constant import ConstantsCheck, describe_changes, report_changes
from workbench.servers import EffectiveConfig, TargetSpec, make_server, target_value
from workbench.servers.target_spec import with_controls

TEXT = """
name = "0.33 against 0.32"
[target]
kind = "local"
model = "m"
executable = "/env/032"
[baseline]
max_num_seqs = 16
[control]
name = "executable"
values = ["/env/033"]
[trace]
synthetic = "300:256"
[load]
rates = [2.0]
requests = 10
"""
CONTAINER = TEXT.replace('kind = "local"', 'kind = "container"').replace(
    'executable = "/env/032"', 'image = "vllm/vllm-openai:v0.32.0"'
)


def read(text: str) -> Experiment:
    return Experiment.from_toml(text, where="versions.toml")


def test_a_run_of_another_vllm_is_a_run_of_another_server() -> None:
    plan = make_plan([read(TEXT)])
    assert [run.configuration.label for run in plan.runs] == ["baseline", "executable = /env/033"]
    assert plan.restarts() == 2
    baseline, variant = (run.configuration.launch_controls() for run in plan.runs)
    assert baseline == {"max_num_seqs": 16, "executable": "/env/032"}
    assert variant == {"max_num_seqs": 16, "executable": "/env/033"}


@pytest.mark.parametrize(
    ("kind", "key"), [("local", "executable"), ("ssh", "executable"), ("container", "image")]
)
def test_the_value_takes_the_place_of_the_targets_own(kind: Any, key: str) -> None:
    spec = TargetSpec(kind=kind, model="m", executable="docker" if kind == "container" else "/env/032")
    changed, others = with_controls(spec, {"max_num_seqs": 4, "executable": "new"})
    assert (getattr(changed, key), others) == ("new", {"max_num_seqs": 4})
    assert (changed.executable == "docker") is (kind == "container")
    assert with_controls(spec, {"max_num_seqs": 4}) == (spec, {"max_num_seqs": 4})


def test_a_container_with_another_image_keeps_its_engines_command() -> None:
    experiment = read(CONTAINER)
    assert target_value(experiment.target, "executable") == "vllm/vllm-openai:v0.32.0"
    assert target_value(experiment.target, "max_num_seqs") is None


@pytest.mark.parametrize(
    ("text", "value"),
    [(TEXT, "/env/032"), (CONTAINER, "vllm/vllm-openai:v0.32.0")],
)
def test_the_targets_own_vllm_is_the_baseline_already(text: str, value: str) -> None:
    with pytest.raises(
        Refusal, match=r"\[control\] values: .* is the baseline's own: it stands in \[target\]"
    ):
        read(text.replace('values = ["/env/033"]', f'values = ["{value}"]'))


def test_servers_that_are_not_ours_or_not_vllms_have_no_other_vllm() -> None:
    attached = TEXT.replace(
        'kind = "local"\nmodel = "m"\nexecutable = "/env/032"',
        'kind = "attached"\nurl = "http://127.0.0.1:1"',
    ).replace("[baseline]\nmax_num_seqs = 16\n", "[baseline]\n")
    with pytest.raises(InputError, match="can't restart it; only the caller's own controls can") as refused:
        read(attached)
    assert "executable" not in str(refused.value).partition("can: ")[2]
    with pytest.raises(InputError, match="executable is not modelled by the embedded engine"):
        make_server(TargetSpec(kind="embedded"), {"executable": "/env/033"})


@pytest.mark.parametrize("value", [3, True, "", "  "])
def test_a_value_is_a_text(value: object) -> None:
    with pytest.raises(InputError, match="executable must be a text"):
        check_value("executable", value)
    assert check_value("executable", "/env/033") == "/env/033"
    assert CONTROLS["executable"].of_server


def test_all_that_moved_is_said_but_the_version_itself() -> None:
    plan, held, said = make_plan([read(TEXT)]), ConstantsCheck(), list[Event]()
    old = {
        "gpu_memory_utilization": 0.9,
        "block_size": 16,
        "max_model_len": 10,
        "dtype": "a",
        "stream_interval": 1,
    }
    new = {
        "gpu_memory_utilization": 0.92,
        "block_size": 32,
        "max_model_len": 20,
        "dtype": "b",
        "stream_interval": 2,
    }
    before = EffectiveConfig(
        version="0.32.0", num_gpu_blocks=100, arguments=old, system={"torch_version": "2.13"}
    )
    after = EffectiveConfig(
        version="0.33.0", num_gpu_blocks=110, arguments=new, system={"torch_version": "2.14"}
    )
    assert report_changes(held, plan.runs[0], before, said.append) == {}
    words = str(
        describe_changes(plan.runs[1].configuration, report_changes(held, plan.runs[1], after, said.append))
    )
    assert "version" not in words.replace("torch_version", "")
    for moved in (
        "gpu_memory_utilization 0.9 → 0.92",
        "block_size 16 → 32",
        "num_gpu_blocks 100 → 110",
        "torch_version 2.13 → 2.14",
    ):
        assert moved in words
    assert "more" not in words
    assert len(said) == 1
