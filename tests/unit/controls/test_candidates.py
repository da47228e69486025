"""Candidates of a search reach beyond the present value and fit the rest of the configuration."""

import pytest

from workbench.controls import CONTROLS, candidate_values, check_interplay


def test_candidates_reach_beyond_the_usual_values_and_the_present_one() -> None:
    assert candidate_values("max_num_seqs", {"max_num_seqs": 2}) == [1, 4, 8, 16, 32, 64, 128, 256, 512]


def test_values_that_the_configuration_forbids_are_left_out() -> None:
    configuration = {"max_num_seqs": 16, "max_num_batched_tokens": 64}
    found = candidate_values("max_num_seqs", configuration)
    assert max(value for value in found if isinstance(value, int)) == 64


@pytest.mark.parametrize("name", CONTROLS)
def test_every_candidate_is_accepted_and_new(name: str) -> None:
    held = CONTROLS[name].ladder[:1]
    configuration = dict.fromkeys([name], held[0]) if held else {}
    for value in candidate_values(name, configuration):
        check_interplay({**configuration, name: value})
        assert value != configuration.get(name)
