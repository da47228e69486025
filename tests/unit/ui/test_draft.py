import pytest

from ui.experiment.draft import Draft, suggested_values
from ui.experiment.kinds import KINDS, fields_of, kind_of
from ui.experiment.problems import find_problems
from ui.experiment.toml import draft_of, to_text
from workbench.base import InputError
from workbench.controls import CONTROLS
from workbench.experiments import Experiment

DRAFTS = [
    Draft(),
    Draft(target_kind="attached", url="http://127.0.0.1:8000", control="max_in_flight", values=(4, 8)),
    Draft(target_kind="local", model="facebook/opt-125m", executable="/opt/vllm/bin/vllm"),
    Draft(trace_kind="file", trace_file="t.jsonl", loop="trace", bound="requests", requests=100, speedup=4.0),
    Draft(loop="closed", concurrency=(1, 8), objectives={"ttft_p95_ms": 500.0, "error_rate": 0.01}),
    Draft(control="enable_chunked_prefill", values=(False,), baseline={"max_num_batched_tokens": 8192}),
    Draft(rates=(2.0, 4.0), arrivals="gamma", burstiness=0.5, warmup_s=5.0, repeats=3, time_scale=20.0),
]


@pytest.mark.parametrize(
    "draft", DRAFTS, ids=lambda draft: f"{draft.target_kind}-{draft.loop}-{draft.control}"
)
def test_that_a_draft_survives_its_file(draft):
    read = draft_of(Experiment.from_toml(to_text(draft), where="t"))
    assert to_text(read) == to_text(draft)
    assert (read.values, read.baseline, read.objectives) == (draft.values, draft.baseline, draft.objectives)


def test_that_comments_and_keys_without_a_field_survive_saving():
    text = '# my notes\nname = "A"\n[target]\nkind = "local"\nmodel = "m"\nargs = ["--dtype", "half"]\n'
    text += (
        '[baseline]\nmax_num_seqs = 16 # from production\n[control]\nname = "max_num_seqs"\nvalues = [32]\n'
    )
    text += '[trace]\nsynthetic = "10:10"\n[load]\nrates = [1.0]\nrequests = 10\n'
    draft = draft_of(Experiment.from_toml(text, where="t")).but(values=(64,))
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
        ({"values": ()}, "values"),
        ({"values": (16,)}, "values"),
        ({"values": ("many",)}, "values"),
        ({"values": (0,)}, "values"),
        ({"baseline": {"max_num_seqs": "x"}}, "baseline.max_num_seqs"),
        ({"baseline": {"max_num_seqs": 64, "max_num_batched_tokens": 32}}, "baseline"),
        ({"trace_kind": "file"}, "trace_file"),
        ({"trace_kind": "file", "trace_file": "/no/such.csv"}, "trace_file"),
        ({"rates": ()}, "rates"),
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
    problems = find_problems(Draft().but(**changes))
    assert field in problems
    assert problems[field].endswith(".")


def test_that_a_first_draft_can_be_run_as_it_is():
    assert find_problems(Draft()) == {}
    Experiment.from_toml(to_text(Draft()), where="t")


def test_that_every_draft_without_problems_is_accepted_by_the_core():
    for draft in DRAFTS:
        if not find_problems(draft.but(trace_kind="synthetic", loop="open")):
            Experiment.from_toml(to_text(draft.but(trace_kind="synthetic", loop="open")), where="t")


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
    draft = Draft().but(**fields_of(kind, Draft()))
    assert kind_of(draft) == kind
    assert find_problems(draft) == {}


def test_that_going_through_all_kinds_ends_where_it_began():
    draft = Draft(rates=(8.0,))
    for kind in ("ladder", "burst", "soak", "confirm", "single"):
        draft = draft.but(**fields_of(kind, draft))
    assert draft == Draft(rates=(8.0,))


def test_that_a_load_of_one_s_own_is_of_no_kind():
    assert kind_of(Draft(arrivals="constant")) is None


def test_that_a_stated_price_goes_with_the_plan_and_its_file():
    draft = Draft(cost_per_hour=2.5, cost_date="2026-11-01", cost_source="offer 17", duration_s=1200.0)
    assert find_problems(draft) == {}
    assert draft.money() == pytest.approx(2.5)
    assert draft_of(Experiment.from_toml(to_text(draft), where="t")).cost_source == "offer 17"
    assert "[cost]" not in to_text(draft.but(cost_per_hour=None), to_text(draft))


def test_that_a_price_without_date_and_source_is_not_taken():
    problems = find_problems(Draft(cost_per_hour=2.5))
    assert set(problems) == {"cost_date", "cost_source"}
