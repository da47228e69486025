"""An experiment written as TOML reads back equal."""

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.experiments.test_experiment import GOOD, read
from workbench.experiments import to_toml

MORE = """
[objectives.classes.chat]
ttft_p95_ms = 300
[cost]
currency = "EUR"
per_hour = 2.5
basis = "on_demand"
price_date = 2026-11-01
source = "offer 7"
"""


def test_that_an_experiment_survives_its_own_text() -> None:
    experiment = read(GOOD + MORE)
    assert read(to_toml(experiment)) == experiment


@given(
    name=st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1),
    values=st.lists(st.integers(17, 8192), min_size=1, unique=True),
    rates=st.lists(st.integers(1, 10**6).map(lambda cents: cents / 100), min_size=1, unique=True),
)
def test_that_any_name_and_ladder_survive_the_text(name: str, values: list[int], rates: list[float]) -> None:
    import msgspec

    experiment = read(GOOD)
    changed = msgspec.structs.replace(
        experiment,
        name=name,
        control=msgspec.structs.replace(experiment.control, values=values),
        load=msgspec.structs.replace(experiment.load, rates=rates),
    )
    assert read(to_toml(changed)) == changed
