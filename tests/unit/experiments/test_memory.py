"""A server's memory: foretold by its target, corrected by its own log, stored with its runs."""

import json
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from tests.unit.servers.conftest import vllm_script  # noqa: F401 - a fixture of another room's
from workbench.base import InputError
from workbench.experiments import Event, MemoryReported, MemoryWatch, estimate_memory, parse_gpu
from workbench.experiments.run import server_memory as room
from workbench.experiments.run.channel import UserRequests
from workbench.experiments.run.command_flags import flag_values, whole_number
from workbench.experiments.run.server_session import ServerSession
from workbench.servers import EffectiveConfig, LifecycleState, OnLog, OnState, Server, TargetSpec

CONFIGS = json.loads((Path(__file__).parents[2] / "data" / "advice" / "model_configs.json").read_text())
H100 = parse_gpu("h100")
LOG = """
(EngineCore_DP0 pid=1) INFO 11-01 Model loading took 14.99 GiB memory and 3.1 seconds
(EngineCore_DP0 pid=1) INFO 11-01 Available KV cache memory: 54.47 GiB
(EngineCore_DP0 pid=1) INFO 11-01 GPU KV cache size: 446,224 tokens
(EngineCore_DP0 pid=1) INFO 11-01 Maximum concurrency for 8,192 tokens per request: 54.47x
""".splitlines()


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "Llama-3.1-8B"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(CONFIGS["meta-llama/Llama-3.1-8B-Instruct"]))
    return folder


def target(model: Path, *args: str, kind: Any = "local", **more: Any) -> TargetSpec:
    return TargetSpec(kind=kind, model=str(model), args=list(args), **more)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["-tp", "2", "--dtype=half"], {"--tensor-parallel-size": "2", "--dtype": "half"}),
        (["--max_model_len", "8k"], {"--max-model-len": "8k"}),
        (["--enforce-eager", "--seed", "-1"], {"--enforce-eager": "", "--seed": "-1"}),
        (["--seed", "1", "--seed", "2", "model"], {"--seed": "2"}),
        ([], {}),
    ],
)
def test_that_a_command_lines_words_are_read_in_every_spelling(
    words: list[str], found: dict[str, str]
) -> None:
    assert flag_values(words) == found


def test_that_whole_numbers_have_vllms_suffixes() -> None:
    assert [whole_number(text, "--x") for text in ("8192", "8k", "8K", "1.5k")] == [8192, 8000, 8192, 1500]
    with pytest.raises(InputError, match="--x: 'many' is not a whole number"):
        whole_number("many", "--x")


def test_that_controls_and_words_of_the_command_line_are_sized_alike(model: Path) -> None:
    by_control = estimate_memory(
        target(model), {"max_model_len": 8192, "gpu_memory_utilization": 0.9, "kv_cache_dtype": "fp8"}, H100
    )
    by_words = estimate_memory(
        target(model, "--max-model-len=8192", "--gpu-memory-utilization", "0.9", "--kv-cache-dtype", "fp8"),
        {},
        H100,
    )
    assert by_control == by_words
    assert by_control.max_model_len == 8192
    wide = estimate_memory(target(model), {"max_model_len": 8192, "gpu_memory_utilization": 0.9}, H100)
    assert by_control.kv_tokens == pytest.approx(2 * (wide.kv_tokens or 0), rel=0.01)


def test_that_parallel_gpus_each_hold_their_share(model: Path) -> None:
    one = estimate_memory(target(model), {}, H100)
    two = estimate_memory(target(model, "-tp", "2"), {}, H100)
    assert two.weights_gib == pytest.approx((one.weights_gib or 0) / 2, rel=0.05)
    with pytest.raises(InputError, match="3 doesn't divide"):
        estimate_memory(target(model, "-tp", "3"), {}, H100)


def test_that_a_stated_cache_is_taken_as_it_is(model: Path) -> None:
    found = estimate_memory(target(model), {"kv_cache_memory_bytes": 10 * 2**30}, None)
    assert found.kv_gib == 10


def test_that_what_isnt_counted_is_said(model: Path) -> None:
    estimate = estimate_memory(target(model, "--enable-lora"), {"num_gpu_blocks_override": 900}, H100)
    notes = estimate.to_dict()["notes"]
    assert "--num-gpu-blocks-override 900 isn't counted" in notes
    assert "--enable-lora isn't counted" in notes


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a script with a first line")
def test_that_the_vllm_that_would_be_started_is_sized(model: Path, vllm_script: Path) -> None:  # noqa: F811 - the fixture
    notes = estimate_memory(target(model, executable=str(vllm_script)), {}, H100).notes
    assert any(str(note).endswith("carried over to 9.9.0") for note in notes)
    elsewhere = estimate_memory(target(model, executable="/nowhere/vllm"), {}, H100).notes
    assert any(str(note).endswith("carried over to 0.32.0") for note in elsewhere)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"kind": "embedded", "model": None}, "comes from its profile"),
        ({"kind": "attached"}, "runs already"),
        ({"model": "somebody/unknown"}, "somebody/unknown: no config.json on this machine"),
        ({"model": ""}, "no model: no config.json"),
        ({"args": ["--max-model-len", "long"]}, "--max-model-len: 'long' is not a whole number"),
        ({"args": ["--gpu-memory-utilization", "all"]}, "--gpu-memory-utilization: 'all' is not a share"),
    ],
)
def test_that_what_cant_be_sized_is_one_line_and_no_guess(
    model: Path, changes: dict[str, Any], said: str
) -> None:
    spec = TargetSpec(**{"kind": "local", "model": str(model)} | changes)
    with pytest.raises(InputError) as caught:
        estimate_memory(spec, {}, H100)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_that_a_gpu_is_a_card_or_a_size_and_nothing_else() -> None:
    assert parse_gpu("NVIDIA H100 80GB HBM3").card == "h100_sxm"
    assert (parse_gpu("24").gib, parse_gpu("23.6 gib").name) == (24, "23.6 GiB")
    with pytest.raises(InputError, match=r"no GPU called 'X9000'.*24 GiB"):
        parse_gpu("X9000")
    with pytest.raises(InputError, match="is not a size"):
        parse_gpu("1.2.3")


EFFECTIVE = EffectiveConfig(
    version="0.19.0",
    max_model_len=8192,
    arguments={"gpu_memory_utilization": 0.9},
    system={"nvidia_gpu_models": "GPU 0: NVIDIA H100 80GB HBM3"},
)


async def told(spec: TargetSpec, lines: list[str], effective: EffectiveConfig = EFFECTIVE) -> Any:
    events: list[Event] = []
    watch = MemoryWatch(spec, events.append)
    watch.reset()
    for line in lines:
        watch.feed(line)
    await watch.report({}, effective)
    assert len(events) <= 1
    return (events[0] if events else None), watch.facts


async def test_that_the_log_corrects_the_estimate_and_both_are_stored(model: Path) -> None:
    event, facts = await told(target(model), LOG)
    assert isinstance(event, MemoryReported)
    assert event.server["kv_tokens"] == 446_224
    assert event.estimate is not None
    assert event.estimate["max_model_len"] == 8192
    (kv,) = [sentence for sentence in event.differences if sentence.startswith("KV cache")]
    assert "server 54.47 GiB" in kv
    assert (facts["weights_gib"], facts["kv_cache_gib"]) == (14.99, 54.47)
    # Within two percent of the server that this log is of.
    assert facts["kv_cache_gib_estimated"] == pytest.approx(54.47, rel=0.02)
    assert facts["weights_gib_estimated"] == pytest.approx(14.99, rel=0.02)


async def test_that_blocks_that_were_asked_for_say_nothing_of_the_estimate(model: Path) -> None:
    asked = EffectiveConfig(**{name: getattr(EFFECTIVE, name) for name in EFFECTIVE.__struct_fields__}
                      | {"arguments": {"num_gpu_blocks_override": 900}})  # fmt: skip
    event, _ = await told(target(model), LOG, asked)
    assert not any("tokens" in sentence for sentence in event.differences)


async def test_that_without_the_models_files_the_servers_own_figures_stand_alone() -> None:
    event, facts = await told(TargetSpec(kind="local", model="somebody/unknown"), LOG)
    assert event.estimate is None
    assert "no config.json" in event.why
    assert facts == {"weights_gib": 14.99, "kv_cache_gib": 54.47}


async def test_that_a_log_that_says_nothing_tells_nothing() -> None:
    event, facts = await told(TargetSpec(kind="local", model="somebody/unknown"), ["INFO: hello"])
    assert (event, facts) == (None, {})


async def test_that_simulated_and_foreign_servers_are_left_alone(model: Path) -> None:
    for kind in ("embedded", "attached"):
        assert await told(TargetSpec(kind=kind), LOG) == (None, {})


async def test_that_another_server_begins_anew(model: Path) -> None:
    events: list[Event] = []
    watch = MemoryWatch(target(model), events.append)
    watch.reset()
    for line in LOG:
        watch.feed(line)
    watch.reset()
    await watch.report({}, EFFECTIVE)
    (event,) = events
    assert isinstance(event, MemoryReported)
    assert event.server["kv_gib"] is None


def test_that_the_smallest_gpu_of_this_machine_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    class Card:
        def __init__(self, name: str, gib: float) -> None:
            self.name, self.memory_total = name, gib * 2**30

    class Library:
        closed = False

        def gpus(self) -> list[Card]:
            return [Card("NVIDIA H100 80GB HBM3", 79.65), Card("Unheard of 9000", 23.5)]

        def close(self) -> None:
            self.closed = True

    library = Library()
    monkeypatch.setattr(room, "open_gpus", lambda: library)
    found = room.local_gpu()
    assert found is not None
    assert (found.name, found.card, found.gib) == ("Unheard of 9000", None, 23.5)
    assert library.closed
    monkeypatch.setattr(room, "open_gpus", lambda: None)
    assert room.local_gpu() is None


async def test_that_a_sizing_that_breaks_ends_no_measurement(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_request: object) -> None:
        raise ZeroDivisionError("by 0")

    monkeypatch.setattr(room, "size_model", broken)
    event, facts = await told(target(model), LOG)
    assert (event.estimate, event.why) == (None, "unexpected ZeroDivisionError in the sizing: by 0")
    assert facts["kv_cache_gib"] == 54.47


class Started(Server):
    """A server that says what `LOG` says, and serves."""

    async def start(self, on_log: OnLog, on_state: OnState) -> None:
        for line in LOG:
            on_log(line)
        self._state = LifecycleState.READY

    async def effective(self) -> EffectiveConfig:
        return EFFECTIVE

    async def stop(self) -> None:
        pass


async def test_that_each_start_of_a_plans_server_is_followed(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[Event] = []
    monkeypatch.setattr("workbench.experiments.run.server_session.make_server", lambda *_: Started())
    limiting = mock.AsyncMock(server_gone=mock.Mock())
    serving = ServerSession(
        target(model), mock.Mock(), events.append, UserRequests(),
        mock.Mock(plan_left=lambda _: 0.0, before_load=lambda *_, **__: 0.0), limiting, lambda _why: None,
    )  # fmt: skip
    configuration = mock.Mock(control=None, launch_controls=lambda: {"max_num_seqs": 8}, live_limits=dict)
    run = mock.Mock(configuration=configuration)
    run.name = "baseline @ 1"
    await serving.ensure_ready(run)
    (memory,) = [event for event in events if isinstance(event, MemoryReported)]
    assert memory.server["kv_gib"] == 54.47
    assert serving.memory.facts["kv_cache_gib"] == 54.47
    # The same server serves the next run: nothing new is told, and what is known stays its run's.
    await serving.ensure_ready(run)
    assert sum(isinstance(event, MemoryReported) for event in events) == 1
    assert serving.memory.facts["kv_cache_gib"] == 54.47
