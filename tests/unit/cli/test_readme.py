"""What the README shows works as it stands."""

import re
from pathlib import Path

from workbench.cli import COMMANDS
from workbench.controls import CONTROLS
from workbench.experiments import Experiment

ROOT = Path(__file__).parents[3]
README = (ROOT / "README.md").read_text()


def test_that_the_experiment_of_the_readme_is_one_and_has_its_cost() -> None:
    shown = README.partition("## An experiment file")[2].partition("## ")[0]
    text = "\n".join(line.removeprefix("    ") for line in shown.splitlines() if line.startswith("    "))
    experiment = Experiment.from_toml(text, where="README.md")
    assert experiment.cost is not None
    assert experiment.cost.basis == "on_demand"


def test_that_every_command_is_listed_and_every_control_named_is_one() -> None:
    listed = {found[1] for found in re.finditer(r"^    python -m workbench (\w+)", README, re.MULTILINE)}
    assert listed == set(COMMANDS)
    for part in ("engine replay", "engine calibrate", "measure --calibrate"):
        assert f"python -m workbench {part}" in README
    named = re.findall(r"`(\w+_\w+)`", README.partition("## Two commands")[0])
    assert len(named) == 5
    assert set(named) <= CONTROLS.keys()


def test_that_the_definitions_stand_on_their_own() -> None:
    text = (ROOT / "docs" / "explanation" / "figures.md").read_text()
    for left_over in ("users.md", "its own copy", "the guide", "Contracts"):
        assert left_over not in text
    for page in re.findall(r"\]\((\w+\.md)\)", text):
        assert (ROOT / "docs" / page).is_file()
