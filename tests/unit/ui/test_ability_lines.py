"""The lines of the server panel about what a version can do."""

from ui.conductor.trial_report import TrialReport
from ui.server.ability_lines import ability_lines
from workbench.base import message
from workbench.servers import EffectiveConfig, abilities_of


def test_each_ability_is_a_line_with_its_sign_and_notes_follow():
    note = message(
        "servers.settings_unknown", failed="/server_info answers 500", known="known are block_size"
    )
    told = TrialReport(
        abilities=tuple(abilities_of("0.24.0", "local")), effective=EffectiveConfig(notes=(note,))
    )
    lines = ability_lines(told).splitlines()
    assert lines[0] == "✓ VLLM 0.24.0: its scheduler, flags and metrics were checked."
    assert any(line.startswith("○ ") and "not max_num_active_seqs" in line for line in lines)
    assert any(line.startswith("✗ Controls that this version lacks: max_num_active_seqs") for line in lines)
    assert lines[-1].startswith("○ The server's settings could not be read back: /server_info answers 500")


def test_a_trial_that_says_nothing_of_it_has_no_lines():
    assert ability_lines(TrialReport()) == ""
