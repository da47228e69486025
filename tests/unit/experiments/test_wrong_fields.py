"""Every field of an experiment file wrong in turn: one line that names the place, whatever is wrong."""

import tomllib
from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

import msgspec
import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from workbench.base import InputError
from workbench.experiments import Experiment, estimate_plan, make_plan, prepare

FULL = """
name = "Everything"
kind = "burst"
[target]
kind = "embedded"
profile = "h100_sxm/Llama-3.1-8B/tp1"
time_scale = 2.0
args = ["--vocab-size", "1000"]
env = { A = "b" }
[baseline]
max_num_seqs = 16
max_num_batched_tokens = 8192
enable_prefix_caching = false
[control]
name = "max_num_seqs"
values = [32, 64]
[trace]
synthetic = "300:256"
seed = 1
max_len = "refuse"
speedup = 1.0
[load]
rates = [8.0, 12.0]
duration_s = 60
requests = 500
warmup_s = 1.0
max_in_flight = 64
queue_timeout_s = 10.0
arrivals = "poisson"
burstiness = 1.0
endpoint = "completions"
workers = 2
request_timeout_s = 60.0
max_retries = 2
retry_backoff_s = 0.5
input_mode = "text"
schedule_form = 1
[cluster]
num_cpus = 2.0
num_gpus = 1.0
accelerator_type = "H100"
resources = { machine = 1.0 }
[objectives]
ttft_p95_ms = 1000
itl_p95_ms = 50
e2e_p95_ms = 9000
queue_p95_ms = 100
error_rate = 0.01
preemptions = 0
[objectives.classes.short]
ttft_p95_ms = 500
[repeat]
n = 3
order = "interleaved"
seed = 1
drop_dominated = true
disturbed = 1
[cost]
currency = "EUR"
per_hour = 2.5
basis = "on_demand"
price_date = 2026-11-01
source = "offer 7"
[demand]
curve = [[8.0, 2.0], [16.0, 6.5]]
headroom = 0.2
spare = 1
servers = 4
[quality]
prompts = "prompts.txt"
tokens = 64
[burst]
factor = 3.0
seconds = 10.0
at = 20.0
"""
LADDER = """
name = "A ladder on a server of somebody else"
reproduces = "earlier.bench"
control = { name = "max_in_flight", values = [8] }
[target]
kind = "attached"
url = "http://127.0.0.1:8000"
model = "m"
api_key_env = "KEY"
ca_file = "ca.pem"
headers = { X-Team = "a" }
urls = ["http://127.0.0.1:8001", "http://127.0.0.1:8002"]
[trace]
file = "log.jsonl"
format = "vllm-bench"
replay_text = true
tokenizer = "tokenizer.json"
time_unit = "s"
[load]
ladder = { from = 1.0, to = 4.0, factor = 2.0, adaptive = true, bisections = 1 }
requests = 100
hosts = { ssh = ["a", "b"], python = "/opt/python", keep_copy = true }
"""
CONTAINER = """
name = "A profile in a container"
control = { name = "max_num_seqs", values = [8] }
[target]
kind = "container"
image = "vllm/vllm-openai:v0.32.0"
model = "m"
executable = "podman"
gpus = "all"
shm_size = "16g"
mounts = ["/a:/b:ro"]
security_opt = ["label=disable"]
record_steps = true
kv = "pinned"
[trace]
mix = "chat"
[load]
profile = "ramp:1:5:60"
duration_s = 60
"""
REPLICAS = """
name = "Replicas that a command names"
target = { kind = "attached", url = "http://127.0.0.1:8000", urls_command = ["echo", "http://a:1"] }
trace = { synthetic = "300:256" }
load = { concurrency = [4], duration_s = 60, hosts = { ray = "auto", count = 4, per_host = 2 } }
"""
SSH = """
name = "A closed loop elsewhere"
kind = "soak"
control = { name = "max_num_seqs", values = [8] }
target = { kind = "ssh", host = "gpu", model = "m", load_python = "/opt/python", keep_copy = true }
trace = { synthetic = "300:256" }
load = { concurrency = [4], duration_s = 60 }
"""
SWITCHBACK = """
name = "Two values on one server"
kind = "switchback"
target = { kind = "embedded", live_limits = true }
baseline = { max_num_active_seqs = 8 }
control = { name = "max_num_active_seqs", values = [16] }
trace = { synthetic = "300:256" }
load = { rates = [12.0], duration_s = 60 }
switchback = { block_s = 5.0, washout_s = 1.0 }
"""
CONFIRM = """
name = "Both"
kind = "confirm"
target = { kind = "embedded" }
baseline = { max_num_seqs = 16, max_num_batched_tokens = 8192 }
control = { name = "max_num_seqs", values = [32] }
second = { name = "max_num_batched_tokens", value = 512 }
trace = { synthetic = "300:256" }
load = { rates = [4.0], duration_s = 10 }
"""
SEARCH = """
name = "Only values that may gain"
kind = "search"
target = { kind = "embedded" }
control = { name = "max_num_seqs", values = [8, 16, 32] }
trace = { synthetic = "300:256" }
load = { rates = [12.0], duration_s = 10 }
search = { gain = 0.05, minutes = 10, one_control = true }
"""
FILES = {
    "full": FULL,
    "ladder": LADDER,
    "replicas": REPLICAS,
    "container": CONTAINER,
    "ssh": SSH,
    "switchback": SWITCHBACK,
    "confirm": CONFIRM,
    "search": SEARCH,
}
"""Every field of an experiment file stands in one of them."""
NUMBERS = (0, -1, -0.5, float("nan"), float("inf"))
HARMLESS = {
    # Where these numbers are right: a warm-up or a count of nothing, any seed of the order.
    "load.warmup_s": (0,), "objectives.error_rate": (0,), "objectives.preemptions": (0,),
    "load.max_retries": (0,), "load.retry_backoff_s": (0,), "trace.seed": (0,), "repeat.seed": (0, -1),
    "demand.headroom": (0,), "demand.spare": (0,), "switchback.washout_s": (0,),
    "load.ladder.bisections": (0,), "repeat.disturbed": (0,),
    "cluster.num_cpus": (0,), "cluster.num_gpus": (0,),
}  # fmt: skip


def leaves(content: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for key, value in content.items():
        if isinstance(value, dict):
            yield from leaves(value, (*path, key))
        else:
            yield (*path, key)


Field = tuple[str, tuple[str, ...]]
"""A file of `FILES` and the path of a field in it."""
FIELDS: list[Field] = [(name, path) for name, text in FILES.items() for path in leaves(tomllib.loads(text))]
NUMERIC = [field for field in FIELDS if field[1][0] not in ("name", "kind", "target", "control")]


def with_value(field: Field, value: Any) -> str:
    name, path = field
    content = tomllib.loads(FILES[name])
    table = content
    for key in path[:-1]:
        table = table[key]
    table[path[-1]] = value
    return tomlkit.dumps(content)


def value_at(field: Field) -> Any:
    found: Any = tomllib.loads(FILES[field[0]])
    for key in field[1]:
        found = found[key]
    return found


def refusal(text: str) -> str:
    with pytest.raises(InputError) as caught:
        Experiment.from_toml(text, where="full.toml")
    said = str(caught.value)
    assert said.startswith("full.toml: ")
    assert "\n" not in said
    return said


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_that_the_files_as_they_stand_are_good(text: str) -> None:
    Experiment.from_toml(text, where="full.toml")


def fields_of(kind: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Paths of all keys that the record knows; free names of a table are the table's."""
    records = [each for each in (kind, *get_args(kind)) if isinstance(each, type)]
    record = next((each for each in records if issubclass(each, msgspec.Struct)), None)
    if record is None or dict in records or path[-1:] == ("classes",):
        yield path
        return
    kinds = get_type_hints(record)
    for field in msgspec.structs.fields(record):
        yield from fields_of(kinds[field.name], (*path, field.encode_name))


def test_that_every_field_of_an_experiment_file_is_tried() -> None:
    tried = {path for _, path in FIELDS}
    missing = [path for path in fields_of(Experiment) if not any(path == own[: len(path)] for own in tried)]
    assert missing == []


OF_ANOTHER_KIND: tuple[Any, ...] = ({"a": 1}, [[]], [{"x": 1}], "no such thing", True)


def named(field: Field) -> str:
    return f"{field[0]}: {'.'.join(field[1])}"


@pytest.mark.parametrize("field", FIELDS, ids=named)
def test_that_a_field_of_another_kind_is_refused_with_its_place(field: Field) -> None:
    path, right = field[1], value_at(field)
    for wrong in OF_ANOTHER_KIND:
        # Text is right where text was, and what the text means is another room's to judge.
        if isinstance(wrong, str) and isinstance(right, str) and path[-1] not in CHOICES:
            continue
        if isinstance(wrong, bool) and isinstance(right, bool):
            continue
        said = refusal(with_value(field, wrong))
        # Of a table with free names, such as an environment, the table is named.
        assert any(key in said for key in path[-2:])


CHOICES = ("kind", "max_len", "arrivals", "endpoint", "order", "basis", "kv")


@pytest.mark.parametrize("field", NUMERIC, ids=named)
def test_that_a_number_out_of_range_is_refused_with_its_place(field: Field) -> None:
    path = field[1]
    for wrong in NUMBERS:
        if wrong not in HARMLESS.get(".".join(path), ()):
            assert path[-1] in refusal(with_value(field, wrong))


def planned(text: str) -> None:
    """As far as `run --plan` goes."""
    plan = make_plan([Experiment.from_toml(text, where="full.toml")])
    estimate_plan(plan, prepare(plan, None)[0])


SERVED_HERE = [field for field in NUMERIC if field[0] in ("full", "switchback", "confirm")]


@pytest.mark.parametrize("field", SERVED_HERE, ids=named)
@pytest.mark.parametrize("huge", [1e308, 10**30])
def test_that_a_number_beyond_all_use_is_refused_in_words_or_planned(field: Field, huge: float) -> None:
    content = tomllib.loads(with_value(field, [huge] if isinstance(value_at(field), list) else huge))
    # Its trace has no class of that name, which would be said first.
    content.get("objectives", {}).pop("classes", None)
    try:
        planned(tomlkit.dumps(content))
    except InputError as refused:
        assert "\n" not in str(refused)  # noqa: PT017 - planned is right too
        assert len(str(refused)) < 400  # noqa: PT017 - planned is right too


@pytest.mark.parametrize(
    ("field", "huge"),
    [("rates = [8.0, 12.0]", "rates = [1e7]"), ("duration_s = 60", "duration_s = 1e9"),
     ("warmup_s = 1.0", "warmup_s = 1e9"), ("queue_timeout_s = 10.0", "queue_timeout_s = 1e308"),
     ("rates = [8.0, 12.0]", "ladder = { from = 1, to = 1e300, factor = 1e299 }")],
)  # fmt: skip
def test_that_rates_and_times_beyond_all_use_are_refused_with_the_most_there_is(
    field: str, huge: str
) -> None:
    with pytest.raises(InputError, match=f"{huge.split(maxsplit=1)[0]}.* must be at most [0-9,]+"):
        Experiment.from_toml(FULL.replace(field, huge, 1), where="full.toml")


@given(
    field=st.sampled_from(FIELDS), extra=st.text(st.characters(categories=["Ll"]), min_size=3, max_size=12)
)
def test_that_an_unknown_key_anywhere_is_refused_by_name(field: Field, extra: str) -> None:
    unknown = f"x_{extra}"
    name, path = field
    if path[:2] in {("target", "env"), ("target", "headers")} or path[0] == "baseline":
        return
    assert unknown in refusal(with_value((name, (*path[:-1], unknown)), 1))


@pytest.mark.parametrize("path", [("name",), ("target",), ("trace",), ("load",), ("burst",)])
def test_that_a_missing_part_is_named(path: tuple[str]) -> None:
    content = tomllib.loads(FULL)
    del content[path[0]]
    assert path[0] in refusal(tomlkit.dumps(content))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('kind = "burst"', 'kind = "bursts"', "must be one of ladder, burst, soak, confirm, switchback"),
        ('basis = "on_demand"', 'basis = "monthly"', "purchase, on_demand, reserved, spot, rental"),
        ('kind = "burst"', 'kind = "ladder"', r"\[burst\]: the table has no effect with kind"),
        ('kind = "burst"', 'kind = "soak"', r"\[burst\]: the table has no effect with kind"),
        ("duration_s = 60", "duration_s = 30", "duration_s: must be greater than 30 s"),
        ('arrivals = "poisson"', 'arrivals = "trace"', "needs rates, with arrivals"),
        ("rates = [8.0, 12.0]", "concurrency = [4]", "needs rates"),
        ("n = 3", "n = 100000000", "at most 10,000"),
        ("rates = [8.0, 12.0]", "ladder = { from = 0, to = 4 }", "from: 0 must be greater than 0"),
        ("rates = [8.0, 12.0]", "ladder = { from = 5, to = 4 }", "to: 4 is too small"),
        ("rates = [8.0, 12.0]", "ladder = { from = 1, to = 4, factor = 1.0 }", "factor: 1 is too small"),
        (
            "rates = [8.0, 12.0]",
            "ladder = { from = 1, to = 4, adaptive = true }",
            "adaptive: this key has no effect",
        ),
        ("rates = [8.0, 12.0]", "rates = [8.0, 8.0]", "8 is listed twice"),
    ],
)
def test_that_a_kind_and_its_tables_must_fit(old: str, new: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        Experiment.from_toml(FULL.replace(old, new, 1), where="full.toml")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("values = [32]", "values = [32, 64]", "one value, not 2"),
        (
            'second = { name = "max_num_batched_tokens", value = 512 }',
            "",
            r"\[second\]: the table is missing",
        ),
        ('second = { name = "max_num_batched_tokens"', 'second = { name = "max_num_seqs"', "two controls"),
        ("value = 512", "value = 8192", "baseline's own"),
        ("value = 512", "value = 20", "must be at least max_num_seqs"),
        ("value = 512", 'value = "x"', "must be a number"),
    ],
)
def test_that_a_two_by_two_has_two_controls_of_one_value_each(old: str, new: str, said: str) -> None:
    assert Experiment.from_toml(CONFIRM, where="c").second is not None
    with pytest.raises(InputError, match=said):
        Experiment.from_toml(CONFIRM.replace(old, new, 1), where="c")
