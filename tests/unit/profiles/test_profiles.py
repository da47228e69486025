import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base import InputError
from workbench.profiles import (
    KnownError,
    Profile,
    StepModel,
    list_profiles,
    load_profile,
    read_profile,
    save_profile,
)

H100 = "h100_sxm/Llama-3.1-8B/tp1"


def test_that_every_shipped_profile_says_where_it_comes_from_and_how_far_off_it_is():
    profiles = list_profiles()
    assert len({profile.name for profile in profiles}) == len(profiles) >= 24
    for profile in profiles:
        assert profile.source
        assert profile.kv_source
        assert profile.vllm_version
        assert profile.known_error is not None
        assert profile.known_error.evidence
        assert profile.max_num_seqs <= profile.max_num_batched_tokens


def test_that_a_step_costs_the_sum_of_its_parts():
    model = StepModel(a=1000, b=10, c=5, d=0.5, e=0.01)
    assert model.step_us(P=100, D=4, K=2000, Q=5000.0) == pytest.approx(1000 + 1000 + 20 + 1000 + 50)


def test_that_a_kernel_profile_has_the_overhead_that_no_kernel_table_holds():
    model = load_profile(H100).step_model
    assert (model.a, model.c) == (5929 + 1500, 9.7 + 30)
    assert load_profile(H100).kind == "fitted_from_kernels"


def test_that_the_overhead_chosen_on_one_run_is_labelled_so():
    error = load_profile("rtx_pro_6000_server/Llama-3.1-8B/tp1").known_error
    assert error is not None
    assert "chosen on this very run" in error.evidence


@pytest.mark.parametrize("name", ["b300_sxm/Llama-3.1-8B/tp1", "rtx_5090/Llama-3.1-8B/tp1"])
def test_that_cards_nobody_measured_are_estimated(name: str):
    assert load_profile(name).kind == "estimated"


def test_that_the_pool_of_an_h100_is_what_vllm_would_have_left():
    # 79.19 * 0.92 - 14.99 - 1.89 - 0.25 - 0.91 GiB over blocks of 2 MiB
    assert load_profile(H100).num_gpu_blocks == 28065


def test_that_a_logged_pool_goes_before_the_calculation():
    profile = load_profile("rtx_4090/Llama-3.1-8B/tp1")
    assert profile.num_gpu_blocks == 2588
    assert "logged" in profile.kv_source
    assert profile.max_model_len == 32768  # 131,072 would not fit


def test_that_seats_and_budget_are_vllms_defaults_for_the_card():
    b200, a100 = load_profile("b200_sxm/Llama-3.1-8B/tp1"), load_profile("a100_sxm/Llama-3.1-8B/tp1")
    assert (b200.max_num_batched_tokens, b200.max_num_seqs) == (16384, 1024)
    assert (a100.max_num_batched_tokens, a100.max_num_seqs) == (2048, 256)


def test_that_an_unknown_profile_is_refused_with_names_near_it():
    with pytest.raises(InputError, match=r"similar names are h200_sxm/Llama-3\.1-8B/tp1"):
        load_profile("h900/Llama-3.1-8B/tp1")


def test_that_a_written_profile_reads_back_equal(tmp_path):
    profile = load_profile(H100)
    save_profile(profile, tmp_path / "mine.json")
    assert read_profile(tmp_path / "mine.json") == profile
    assert load_profile(str(tmp_path / "mine.json")) == profile


def test_that_the_users_profile_stands_before_the_shipped_one(tmp_path, monkeypatch):
    monkeypatch.setattr("workbench.profiles.profile_catalogue.data_folder", lambda: tmp_path)
    (tmp_path / "profiles").mkdir()
    mine = Profile(
        **{name: getattr(load_profile(H100), name) for name in Profile.__struct_fields__} | {"source": "mine"}
    )
    save_profile(mine, tmp_path / "profiles" / "h100.json")
    assert load_profile(H100).source == "mine"


def test_that_a_file_with_an_unknown_field_is_refused_by_name(tmp_path):
    path = tmp_path / "odd.json"
    path.write_text('{"colour": "red"}')
    with pytest.raises(InputError, match=r"odd\.json"):
        read_profile(path)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a=1,b=2,c=3,d=4", "lacks e"),
        ("a=1,b=2,c=3,d=4,e=x", "'x' is not a number"),
        ("a=1,a=2,c=3,d=4,e=5", "once"),
        ("a=1,b=2,c=3,d=4,f=5", "once"),
        ("a=-1,b=2,c=3,d=4,e=5", "0 or more"),
        ("a=nan,b=2,c=3,d=4,e=5", "0 or more"),
    ],
)
def test_that_a_wrong_step_model_is_refused(text: str, complaint: str):
    with pytest.raises(InputError, match=complaint):
        StepModel.parse(text)


@given(st.lists(st.floats(0, 1e6), min_size=5, max_size=5))
def test_that_a_step_model_reads_back_from_its_text(values: list[float]):
    model = StepModel(**dict(zip("abcde", values, strict=True)))
    text = ",".join(f"{name}={value!r}" for name, value in zip("abcde", values, strict=True))
    assert StepModel.parse(text) == model


def test_that_a_prediction_inside_the_error_band_is_undecided():
    profile = load_profile("rtx_4090/Llama-3.1-8B/tp1")
    assert profile.known_error is not None
    percent = profile.known_error.ttft_pct
    assert profile.standing("ttft", 100.0, 100.0 + percent + 1) == "meets"
    assert profile.standing("ttft", 100.0, 100.0) == "undecided"
    assert profile.standing("ttft", 100.0, 100.0 - percent - 1) == "misses"


def test_that_nothing_is_decided_where_no_error_is_known():
    base = load_profile(H100)
    unknown = Profile(
        **{name: getattr(base, name) for name in Profile.__struct_fields__} | {"known_error": None}
    )
    assert unknown.standing("tpot", 1.0, 1000.0) == "undecided"


def test_that_a_profile_needs_a_name_of_three_parts():
    base = load_profile(H100)
    fields = {name: getattr(base, name) for name in Profile.__struct_fields__}
    with pytest.raises(InputError, match="gpu/model/tpN"):
        Profile(**fields | {"name": "h100"})
    assert KnownError(ttft_pct=1, tpot_pct=1, evidence="x")
