"""The experiment file: what is accepted, and one clear line for what isn't."""

import re
from pathlib import Path

import pytest

from workbench.base import InputError, Refusal
from workbench.experiments import Experiment, make_plan

GOOD = """
name = "Seats on chat"
[target]
kind = "embedded"
profile = "h100_sxm/Llama-3.1-8B/tp1"
time_scale = 2.0
[baseline]
max_num_seqs = 16
max_num_batched_tokens = 8192
[control]
name = "max_num_seqs"
values = [32, 64]
[trace]
synthetic = "300:256"
seed = 1
[load]
rates = [12.0]
duration_s = 30
[objectives]
ttft_p95_ms = 1000
"""


def read(text: str) -> Experiment:
    return Experiment.from_toml(text, where="seats.toml")


def test_that_a_good_file_is_read_whole() -> None:
    experiment = read(GOOD)
    assert experiment.control.values == [32, 64]
    assert experiment.configuration(None) == {"max_num_seqs": 16, "max_num_batched_tokens": 8192}
    assert experiment.configuration(64) == {"max_num_seqs": 64, "max_num_batched_tokens": 8192}
    assert experiment.objectives.ttft_p95_ms == 1000


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("rates = [12.0]", "rates = [12.0]\nratess = 1", r"\[load\].*ratess"),
        ('name = "Seats on chat"', 'name = "x"\nnotes = "y"', "notes"),
        ("max_num_seqs = 16\n", "max_num_sequences = 16\n", r"\[baseline\].*did you mean 'max_num_seqs'"),
        ("max_num_seqs = 16\n", "max_num_seqs = 0\n", r"\[baseline\].*max_num_seqs must be at least 1"),
        ("max_num_seqs = 16\n", 'max_num_seqs = "16"\n', r"\[baseline\].*number"),
        ("values = [32, 64]", "values = []", r"\[control\] values: the list is empty"),
        ("values = [32, 64]", "values = [32, 32]", "32 is listed twice"),
        ("values = [32, 64]", "values = [16]", "baseline's own"),
        ("values = [32, 64]", "values = [9000]", r"max_num_batched_tokens \(8192\) must be at least"),
        ("rates = [12.0]", "rates = [0]", "rates: 0 must be greater than 0"),
        ("rates = [12.0]", "rates = []", "rates: the list is empty"),
        ("rates = [12.0]", "rates = [1]\nconcurrency = [1]", "rates and concurrency can't be combined"),
        ("rates = [12.0]", "", "no times of its own"),
        ("duration_s = 30", "duration_s = -1", "duration_s: -1 must be greater than 0"),
        ('synthetic = "300:256"', "", "give one of file, synthetic and mix"),
        ('synthetic = "300:256"', 'synthetic = "1:1"\nfile = "x"', "only one of file, synthetic and mix"),
        ("seed = 1", "speedup = 0.0", "speedup: 0 must be greater than 0"),
        ("[objectives]", "[repeat]\nn = 0\n[objectives]", "n: 0 is too small: must be at least 1"),
        (
            "[objectives]",
            "[objectives]\nitl_p95_ms = 1e300",
            r"\[objectives\] itl_p95_ms: 1e\+300 is too large: must be at most 31536000000",
        ),
        (
            "[objectives]",
            "[objectives]\npreemptions = 1e10",
            "preemptions: 10000000000 is too large: must be at most 1000000000",
        ),
        (
            "[objectives]",
            '[cost]\ncurrency="EUR"\nper_hour=1e300\nbasis="rental"\nprice_date=2026-11-01\nsource="y"\n[objectives]',
            r"\[cost\] per_hour: 1e\+300 is too large: must be at most 1e\+15",
        ),
        ('kind = "embedded"', 'kind = "teleported"', "kind"),
        ("[control]", "[[control]]", r"\[control\]: must be a table, not a list"),
        ("name = ", "name = = ", "not TOML"),
        ("duration_s = 30", 'requests = "x"', r"\[load\] requests: must be a whole number, not text"),
        (
            "[objectives]",
            '[cost]\ncurrency="EUR"\nper_hour=1\nbasis="rental"\nprice_date="x"\nsource="y"\n[objectives]',
            r"\[cost\] price_date: must be a date, such as 2026-11-01",
        ),
    ],
)
def test_that_each_wrong_field_gets_one_line_with_its_place(old: str, new: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        read(GOOD.replace(old, new, 1))
    assert str(caught.value).startswith("seats.toml:")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "control",
    [
        '[[control]]\nname = "max_num_seqs"\n[[control]]\nname = "max_num_batched_tokens"\nvalues = [512]',
        '[control]\nname = ["max_num_seqs", "max_num_batched_tokens"]\nvalues = [32]',
        '[control]\nname = "max_num_seqs"\nvalues = [32]\nmax_num_batched_tokens = [512]',
    ],
)
def test_that_a_second_control_is_refused_by_name_however_it_is_written(control: str) -> None:
    text = GOOD.replace('[control]\nname = "max_num_seqs"\nvalues = [32, 64]', control)
    with pytest.raises(InputError, match=r"one control at a time.*max_num_seqs and max_num_batched_tokens"):
        read(text)


def test_that_an_attached_servers_own_settings_cant_be_put_under_test() -> None:
    text = GOOD.replace(
        'kind = "embedded"\nprofile = "h100_sxm/Llama-3.1-8B/tp1"\ntime_scale = 2.0',
        'kind = "attached"\nurl = "http://127.0.0.1:9"',
    )
    with pytest.raises(InputError, match="max_num_seqs can't be changed on an attached server"):
        read(text)


def test_that_a_file_which_is_not_text_or_not_there_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not UTF-8"):
        Experiment.load_file(tmp_path / "binary.toml")
    with pytest.raises(InputError, match="No such file"):
        Experiment.load_file(tmp_path / "absent.toml")


def test_that_a_file_which_begins_with_the_mark_of_a_windows_editor_is_read(tmp_path: Path) -> None:
    (tmp_path / "seats.toml").write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert Experiment.load_file(tmp_path / "seats.toml") == read(GOOD)


@pytest.mark.parametrize("text", ["", "\n", "# a thought"])
def test_that_an_empty_file_is_told_what_an_experiment_needs(text: str) -> None:
    with pytest.raises(
        InputError, match=r"seats\.toml: the file is empty: an experiment needs a name, \[target\]"
    ):
        read(text)


def test_without_a_control_the_baseline_alone_is_planned_at_each_rate() -> None:
    text = re.sub(r"\[control\].*?(?=\n\[)", "", GOOD, flags=re.DOTALL)
    experiment = read(text)
    assert experiment.control is None
    assert experiment.tested.values == []
    assert [run.run for run in make_plan([experiment]).planned_runs()] == ["baseline @ 12 req/s"]


def test_a_kind_that_compares_two_values_needs_a_control() -> None:
    text = re.sub(r"\[control\].*?(?=\n\[)", "", GOOD, flags=re.DOTALL)
    with pytest.raises(Refusal) as refused:
        read('kind = "switchback"\n' + text)
    assert refused.value.kind == "experiments.control_missing"


ELSEWHERE = (
    GOOD.replace('kind = "embedded"\nprofile = "h100_sxm/Llama-3.1-8B/tp1"\ntime_scale = 2.0', "{}")
    .replace("[baseline]\nmax_num_seqs = 16\nmax_num_batched_tokens = 8192\n", "")
    .replace('name = "max_num_seqs"\nvalues = [32, 64]', 'name = "max_in_flight"\nvalues = [8]')
)
ATTACHED = 'kind = "attached"\nurl = "http://a:1"'


def test_that_hosts_of_the_load_are_counted() -> None:
    text = ELSEWHERE.format(ATTACHED).replace("rates", 'hosts = {{ ssh = ["a", "b"] }}\nrates'.format())
    assert read(text).load.machines() == 2
    assert read(ELSEWHERE.format(ATTACHED)).load.machines() == 1


@pytest.mark.parametrize(
    ("target", "hosts", "kind"),
    [
        (ATTACHED, "{}", "experiments.no_hosts"),
        (ATTACHED, '{ ssh = ["a"], ray = "auto" }', "experiments.no_hosts"),
        (ATTACHED, '{ ssh = ["a", "a"] }', "experiments.value_twice"),
        ('kind = "embedded"', '{ ssh = ["a"] }', "experiments.hosts_need_attached"),
    ],
)
def test_that_hosts_that_cannot_load_the_target_are_refused(target: str, hosts: str, kind: str) -> None:
    with pytest.raises(Refusal) as refused:
        read(ELSEWHERE.format(target).replace("rates", f"hosts = {hosts}\nrates"))
    assert (refused.value.kind, refused.value.place.key) == (kind, "hosts")
