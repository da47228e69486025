"""`watch`: its times, its refusals, its answer."""

import pytest

from tests.command_line import refused, workbench
from workbench.base import Refusal
from workbench.cli.watch import parse_time


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("60s", 60), ("5m", 300), ("1.5h", 5400), (" 2s ", 2)]
)
def test_that_a_time_has_its_unit(text: str, seconds: float) -> None:
    assert parse_time(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "8x", "-5s", "1e3", "nan", "8d", "200h"])
def test_that_no_time_is_refused(text: str) -> None:
    with pytest.raises(Refusal) as found:
        parse_time(text)
    assert found.value.kind == "cli.time_form"


def test_that_refusals_name_the_flag() -> None:
    assert refused(workbench("watch", "http://127.0.0.1:1", "--for", "8x")).startswith("error: --for: '8x'")
    said = refused(workbench("watch", "http://127.0.0.1:1", "--json", "-", "--events"))
    assert said == "error: --json: can't be given with --events"
