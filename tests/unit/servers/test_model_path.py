"""A model that is named by a path must be there; a Hugging Face name needn't."""

from pathlib import Path

import pytest

from workbench.base import Refusal
from workbench.servers.model_path import check_local_model, check_model, expand_home, is_path


@pytest.mark.parametrize(
    "model",
    ["/m/x", "./x", "../x", "~/x", "a/b/c", "x/", r"C:\m\x", "D:/m"],
)
def test_that_a_path_is_told_from_a_name(model: str) -> None:
    assert is_path(model)


@pytest.mark.parametrize(
    "model",
    ["gpt2", "org/model", "org/model-GGUF:Q4_K_M", "org/model/file.gguf", "s3://bucket/a/b", "hf://a/b/c"],
)
def test_that_a_name_is_no_path(model: str) -> None:
    assert not is_path(model)
    check_local_model(model)


def test_that_a_path_which_is_not_there_is_refused_by_its_field(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="isn't there") as refused:
        check_local_model(str(tmp_path / "none"))
    assert (refused.value.place.table, refused.value.place.key) == ("target", "model")


def test_that_a_folder_needs_a_configuration_unless_one_is_given(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match=r"has no config\.json"):
        check_local_model(str(tmp_path))
    check_local_model(str(tmp_path), ["--hf-config-path", "org/model"])
    (tmp_path / "config.json").touch()
    check_local_model(str(tmp_path))


def test_that_a_single_file_is_a_model_only_as_gguf(tmp_path: Path) -> None:
    for name in ("model.gguf", "model.safetensors"):
        (tmp_path / name).touch()
    check_local_model(str(tmp_path / "model.gguf"))
    with pytest.raises(Refusal, match="is a file"):
        check_local_model(str(tmp_path / "model.safetensors"))


def test_that_another_machine_is_named() -> None:
    with pytest.raises(Refusal, match="isn't on gpu-a"):
        check_model("/m/x", None, (), there=False, host="gpu-a")


def test_that_the_home_folder_is_written_out() -> None:
    assert expand_home("~/m", "/home/u") == "/home/u/m"
    assert expand_home("org/~m", "/home/u") == "org/~m"
