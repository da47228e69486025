import shlex

import pytest

from ui.demo import demo_draft, demo_files
from ui.experiment.draft import Draft, suggested_values
from ui.experiment.draft_file import checked_text, draft_of, read_draft, to_text
from ui.experiment.editor import Editor
from ui.experiment.estimate import estimate
from ui.experiment.kinds import KINDS, fields_of, kind_of
from ui.experiment.problems import find_problems
from workbench.base import InputError, Refusal
from workbench.controls import CONTROLS
from workbench.experiments import Experiment
from workbench.experiments.learned import server_model

DRAFTS = [
    Draft(),
    Draft(target_kind="attached", url="http://127.0.0.1:8000", control="max_in_flight", values=(4, 8)),
    Draft(target_kind="local", model="facebook/opt-125m", executable="/opt/vllm/bin/vllm"),
    Draft(trace_kind="file", trace_file="t.jsonl", loop="trace", bound="requests", requests=100, speedup=4.0),
    Draft(loop="closed", concurrency=(1, 8), objectives={"ttft_p95_ms": 500.0, "error_rate": 0.01}),
    Draft(control="enable_chunked_prefill", values=(False,), baseline={"max_num_batched_tokens": 8192}),
    Draft(target_kind="ssh", host="gpu-1", model="m", args='--dtype half --served-model-name "a b"'),
    Draft(target_kind="container", image="vllm/vllm-openai:v0.32.0", model="m", gpus="all", shm_size="16g"),
    Draft(target_kind="local", model="m", record_steps="stats"),
    Draft(target_kind="container", image="i:1", model="m", record_steps=True, live_limits=True),
    Draft(kv="pinned"),
    Draft(target_kind="ssh", host="gpu-1", model="m", kv="pinned", load_python="/opt/bench/bin/python"),
    Draft(rate_profile="ramp:1:5:30", loop="trace"),
    Draft(rate_profile="bursts:1:8:20:5", rates=(3.0,)),
    Draft(record_steps=True, live_limits=True, request_timeout_s=30.0, max_retries=2),
    Draft(loop="ladder", ladder_from=1.0, ladder_to=8.0, ladder_factor=2.0, ladder_bisections=3),
    Draft(objectives={"ttft_p95_ms": 500.0}, class_objectives={"agent": {"e2e_p95_ms": 9000.0}}),
    *(Draft().with_fields(**fields_of(kind, Draft())) for kind in KINDS if kind != "reproduce"),
    Draft(
        rates=(2.0, 4.0),
        arrivals="gamma",
        burstiness=0.5,
        warmup_s=5.0,
        repeats=3,
        disturbed=2,
        time_scale=20.0,
    ),
]


@pytest.mark.parametrize(
    "draft", DRAFTS, ids=lambda draft: f"{draft.target_kind}-{draft.kind}-{draft.loop}-{draft.control}"
)
def test_that_a_draft_survives_its_file(draft):
    read = draft_of(Experiment.from_toml(to_text(draft), where="t"))
    assert to_text(read) == to_text(draft)
    assert read.class_objectives == draft.class_objectives
    assert shlex.split(read.args) == shlex.split(draft.args)
    assert (read.values, read.baseline, read.objectives) == (draft.values, draft.baseline, draft.objectives)
    assert (read.kv, read.load_python) == (draft.kv, draft.load_python)
    assert (read.record_steps, read.live_limits) == (draft.record_steps, draft.live_limits)


def test_that_an_engine_without_stat_loggers_records_its_steps():
    draft = Draft(record_steps="stats")
    assert draft_of(Experiment.from_toml(to_text(draft), where="t")).record_steps is True


def test_that_comments_and_keys_without_a_field_survive_saving():
    text = '# my notes\nname = "A"\n[target]\nkind = "local"\nmodel = "m"\nargs = ["--dtype", "half"]\n'
    text += (
        '[baseline]\nmax_num_seqs = 16 # from production\n[control]\nname = "max_num_seqs"\nvalues = [32]\n'
    )
    text += '[trace]\nsynthetic = "10:10"\n[load]\nrates = [1.0]\nrequests = 10\n'
    draft = draft_of(Experiment.from_toml(text, where="t")).with_fields(values=(64,))
    saved = to_text(draft, text)
    assert "# my notes" in saved
    assert "# from production" in saved
    assert '"--dtype"' in saved
    assert "values = [64]" in saved


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": " "}, "name"),
        ({"target_kind": "attached", "url": "somewhere", "control": "max_in_flight", "values": (1,)}, "url"),
        ({"target_kind": "attached", "url": "http://h:1"}, "control"),
        ({"target_kind": "local"}, "model"),
        ({"target_kind": "ssh", "model": "m"}, "host"),
        ({"target_kind": "container", "model": "m"}, "image"),
        ({"args": '--dtype "half'}, "args"),
        ({"kv": "pinned", "control": "gpu_memory_utilization", "values": (0.8,)}, "kv"),
        ({"kv": "pinned", "baseline": {"num_gpu_blocks_override": 900}}, "kv"),
        ({"kind": "burst", "burst_at": 100.0}, "length"),
        ({"kind": "confirm", "values": (32,)}, "second"),
        ({"kind": "confirm", "second": "block_size", "second_value": 32}, "values"),
        ({"kind": "soak", "rates": (1.0, 2.0)}, "rates"),
        ({"kind": "switchback"}, "values"),
        ({"kind": "reproduce", "reproduces": "/no/such.bench"}, "reproduces"),
        ({"loop": "ladder", "ladder_from": 9.0, "ladder_to": 3.0}, "ladder"),
        ({"request_timeout_s": "soon"}, "request_timeout_s"),
        ({"class_objectives": {"agent": {"ttft_p95_ms": "soon"}}}, "objectives.agent.ttft_p95_ms"),
        ({"class_objectives": {"agent": {"ttft_p95_ms": 1e300}}}, "objectives.agent.ttft_p95_ms"),
        ({"objectives": {"ttft_p95_ms": 0}}, "objectives.ttft_p95_ms"),
        ({"values": ()}, "values"),
        ({"values": (16,)}, "values"),
        ({"values": ("many",)}, "values"),
        ({"values": (0,)}, "values"),
        ({"baseline": {"max_num_seqs": "x"}}, "baseline.max_num_seqs"),
        ({"baseline": {"max_num_seqs": 64, "max_num_batched_tokens": 32}}, "baseline"),
        ({"trace_kind": "file"}, "trace_file"),
        ({"trace_kind": "file", "trace_file": "/no/such.csv"}, "trace_file"),
        ({"rates": ()}, "rates"),
        ({"rate_profile": "zigzag"}, "rate_profile"),
        ({"rate_profile": "ramp:1:5:30", "loop": "closed"}, "rate_profile"),
        ({"rates": (4.0, "fast")}, "rates"),
        ({"rates": (-1.0,)}, "rates"),
        ({"loop": "closed", "concurrency": (0,)}, "concurrency"),
        ({"loop": "trace"}, "loop"),
        ({"max_in_flight": "few"}, "max_in_flight"),
        ({"objectives": {"ttft_p95_ms": "soon"}}, "objectives.ttft_p95_ms"),
        ({"objectives": {"error_rate": 2.0}}, "objectives.error_rate"),
    ],
)
def test_that_each_problem_is_said_at_its_field(changes, field):
    problems = find_problems(Draft().with_fields(**changes))
    assert field in problems
    assert problems[field].endswith(".")


@pytest.mark.parametrize(
    "second", [{}, {"second": "block_size"}, {"second_value": 32}], ids=["none", "no value", "no control"]
)
def test_that_a_pair_without_its_second_control_says_so_in_the_forms_words(second):
    problems = find_problems(Draft().with_fields(kind="confirm", values=(32,), **second))
    assert problems == {"second": "Choose the second control and give its value."}


def test_that_what_only_one_kind_of_server_knows_leaves_the_file_with_it():
    there = Draft(
        target_kind="ssh", host="gpu-1", model="m", kv="pinned", load_python="/opt/bench/bin/python"
    )
    text = to_text(there)
    assert "load_python" in text
    here = to_text(there.with_fields(target_kind="local"), text)
    assert "load_python" not in here
    assert 'kv = "pinned"' in here
    assert "kv =" not in to_text(there.with_fields(target_kind="attached", url="http://gpu-1:8000"), text)


def test_that_a_first_draft_can_be_run_as_it_is():
    assert find_problems(Draft()) == {}
    Experiment.from_toml(to_text(Draft()), where="t")


def test_that_every_draft_without_problems_is_accepted_by_the_core():
    for draft in DRAFTS:
        if not find_problems(draft.with_fields(trace_kind="synthetic", loop="open")):
            Experiment.from_toml(to_text(draft.with_fields(trace_kind="synthetic", loop="open")), where="t")


def test_that_a_file_with_a_second_control_is_refused_in_the_core_s_words():
    text = to_text(Draft()).replace('name = "max_num_seqs"', 'name = ["max_num_seqs", "block_size"]')
    with pytest.raises(InputError, match="one control at a time"):
        Experiment.from_toml(text, where="t")


@pytest.mark.parametrize("name", [name for name, control in CONTROLS.items() if control.ladder])
def test_that_a_newly_chosen_control_comes_with_values_that_differ_from_the_baseline(name):
    draft = Draft(baseline={}).with_control("block_size").with_control(name)
    assert draft.values
    for value in CONTROLS[name].ladder:
        assert value not in suggested_values(name, value) or isinstance(value, bool)
        assert not any(value is offered for offered in suggested_values(name, value))


def test_that_a_plan_s_size_is_known_before_it_runs():
    draft = Draft(values=(32, 64), rates=(2.0, 4.0), duration_s=60.0, repeats=2, time_scale=10.0)
    assert draft.runs() == 12
    assert draft.expected_s() == pytest.approx(72.0)


@pytest.mark.parametrize("kind", KINDS)
def test_that_each_kind_is_recognised_after_it_was_chosen(kind):
    draft = Draft().with_fields(**fields_of(kind, Draft()))
    assert kind_of(draft) == kind
    assert set(find_problems(draft)) == ({"reproduces"} if kind == "reproduce" else set())


def test_that_going_through_all_kinds_ends_where_it_began():
    draft = Draft(rates=(8.0,))
    for kind in ("ladder", "burst", "soak", "repeats", "single"):
        draft = draft.with_fields(**fields_of(kind, draft))
    assert draft == Draft(rates=(8.0,))


def test_that_a_load_of_one_s_own_is_of_no_kind():
    assert kind_of(Draft(arrivals="constant")) is None


def test_that_a_stated_price_goes_with_the_plan_and_its_file():
    draft = Draft(cost_per_hour=2.5, cost_date="2026-11-01", cost_source="offer 17", duration_s=1200.0)
    assert find_problems(draft) == {}
    assert draft.money() is None, "simulated here, it costs nothing"
    assert draft.with_fields(target_kind="attached").money() == pytest.approx(2.5)
    assert draft_of(Experiment.from_toml(to_text(draft), where="t")).cost_source == "offer 17"
    assert "[cost]" not in to_text(draft.with_fields(cost_per_hour=None), to_text(draft))


def test_that_a_price_without_date_and_source_is_not_taken():
    problems = find_problems(Draft(cost_per_hour=2.5))
    assert set(problems) == {"cost_date", "cost_source"}


def test_that_tables_of_another_kind_leave_the_file():
    burst = Draft().with_fields(**fields_of("burst", Draft()))
    text = to_text(burst)
    assert "[burst]" in text
    again = to_text(burst.with_fields(**fields_of("single", burst)), text)
    assert "[burst]" not in again
    assert "kind" not in Experiment.from_toml(again, where="t").name
    assert Experiment.from_toml(again, where="t").kind == "ladder"


def test_that_a_bench_file_can_be_reproduced(tmp_path):
    (tmp_path / "one.bench").touch()
    draft = Draft(kind="reproduce", reproduces=str(tmp_path / "one.bench"), name="Again")
    assert find_problems(draft) == {}
    path = tmp_path / "again.toml"
    path.write_text(checked_text(draft))
    read, text = read_draft(path)
    assert (read.kind, read.reproduces, read.name) == ("reproduce", draft.reproduces, "Again")
    assert to_text(read, text) == text


def test_that_a_reproduction_without_its_bench_file_is_refused_in_a_line(tmp_path):
    path = tmp_path / "again.toml"
    path.write_text('kind = "reproduce"\n')
    with pytest.raises(Refusal) as refused:
        read_draft(path)
    assert refused.value.kind == "ui.reproduce_without_bench"


def test_that_a_ladder_by_factor_has_the_cores_rates():
    draft = Draft(loop="ladder", ladder_from=1.0, ladder_to=8.0, ladder_factor=2.0)
    load = Experiment.from_toml(to_text(draft), where="t").load
    assert list(draft.steps()) == load.offered_rates() == [1.0, 2.0, 4.0, 8.0]


def test_that_the_core_counts_a_plan_as_the_draft_does():
    here = [
        draft
        for draft in DRAFTS
        if (draft.target_kind, draft.trace_kind) == ("embedded", "synthetic")
        and len(draft.values) > 0
        # Without chunked prefill the embedded engine's long context needs a larger budget.
        and draft.control != "enable_chunked_prefill"
    ]
    for draft in (draft.with_fields(class_objectives={}) for draft in here):
        found = estimate(to_text(draft), "t", None)
        assert found.costs.runs == draft.runs(), draft
        assert found.saturation


def test_that_an_estimate_names_the_limit_that_binds_first():
    found = estimate(to_text(Draft(baseline={"max_num_seqs": 16})), "t", None)
    assert "sequence limit" in str(found.saturation[0])
    assert found.classes == ("synthetic",)


def test_that_an_estimate_says_what_runs_on_a_known_server_are_expected_to_measure(tmp_path, monkeypatch):
    from tests.unit.experiments.test_learned import found, learned  # the rows of a run

    monkeypatch.setattr(server_model, "data_folder", lambda: tmp_path)
    draft = Draft(target_kind="attached", url="http://127.0.0.1:8000", control="max_in_flight", values=(4,))
    assert estimate(to_text(draft), "t", None).saturation == ()
    server_model.save_model(Experiment.from_toml(to_text(draft), where="t").target, learned(found(1)))
    rests, *runs = estimate(to_text(draft), "t", None).saturation
    assert rests.kind == "experiments.predicted_from"
    assert [run.kind for run in runs] == ["experiments.predicted_run"] * 2
    assert "TTFT p95" in str(runs[0])


def test_that_a_rate_that_changes_survives_editing():
    text = (
        to_text(Draft())
        .replace("rates = [12.0]", 'profile = "ramp:1:5:30"')
        .replace('arrivals = "poisson"', "")
    )
    experiment = Experiment.from_toml(text, where="t")
    assert experiment.load.profile == "ramp:1:5:30"
    again = Experiment.from_toml(checked_text(draft_of(experiment), text), where="t")
    assert again.load.profile == "ramp:1:5:30"
    assert again.load.rates is None


def test_that_the_demo_s_form_shows_the_length_that_runs():
    assert demo_draft(7.0).duration_s == 7.0
    (_, budget), (_, seats) = demo_files(7.0)
    assert "duration_s = 7.0" in budget
    assert "duration_s = 7.0" in seats


def test_that_a_ladder_without_a_control_opens_and_is_written_as_one(qapp, tmp_path):
    path = tmp_path / "capacity.toml"
    path.write_text(
        'name = "Capacity"\n[target]\nkind = "embedded"\nprofile = "h100_sxm/Llama-3.1-8B/tp1"\n'
        '[baseline]\nmax_num_seqs = 16\n[trace]\nsynthetic = "300:64"\n[load]\nrates = [4]\nduration_s = 8\n'
    )
    editor = Editor()
    editor.open(path)
    assert editor.problems == {}
    assert Experiment.from_toml(editor.text(), where="capacity.toml").control is None


def test_that_a_search_is_saved_and_opened_with_its_settings():
    draft = Draft().with_fields(**fields_of("search", Draft()), search_gain=7.0, search_minutes=30)
    text = to_text(draft)
    experiment = Experiment.from_toml(text, where="t")
    assert experiment.search is not None
    assert (experiment.search.gain, experiment.search.minutes) == (0.07, 30)
    assert len(draft.values) == len(experiment.tested.values) > 3
    assert draft_of(experiment) == draft
    assert "[search]" not in to_text(draft.with_fields(**fields_of("single", draft)), text)
