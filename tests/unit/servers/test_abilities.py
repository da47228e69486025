"""What each version of vLLM can do, by the kind of server."""

import pytest

from workbench.servers import abilities_of


def said(version: str | None, kind: str = "local") -> dict[str, str]:
    """Each ability's message kind with its standing."""
    return {each.what.kind.removeprefix("servers."): each.standing for each in abilities_of(version, kind)}


def test_the_newest_checked_version_can_do_all() -> None:
    assert set(said("0.33.0").values()) == {"yes"}
    assert set(said("0.32.0", "container").values()) == {"yes"}


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("0.30.0", {"limits_but_seats": "partly", "lacks_controls": "no", "queue_exact": "yes"}),
        ("0.24.0", {"queue_by_records": "partly", "prefix_hits_of_finished": "partly"}),
        ("0.12.0", {"no_prefix_hits": "no", "records": "yes"}),
        ("0.11.2", {"no_stats_record": "no", "records": "yes", "version_checked": "yes"}),
        ("0.41.0", {"version_not_checked": "partly", "limits_all": "yes"}),
        (None, {"version_unknown": "partly", "queue_by_records": "partly"}),
    ],
)
def test_an_older_or_unknown_version_says_what_it_lacks(
    version: str | None, expected: dict[str, str]
) -> None:
    assert expected.items() <= said(version).items()


def test_the_controls_that_a_version_lacks_are_named() -> None:
    lacking = next(each.what for each in abilities_of("0.23.0", "ssh") if each.standing == "no")
    assert {"watermark", "max_num_active_seqs", "max_num_queued_reqs"} <= set(lacking.values["names"])
    assert "max_num_seqs" not in lacking.values["names"]


def test_a_server_that_is_not_ours_can_be_measured_and_not_changed() -> None:
    found = said("0.32.0", "attached")
    assert found["nothing_inside"] == "no"
    assert found["queue_exact_if"] == "partly"
    controls = next(each.what for each in abilities_of("0.32.0", "attached") if "names" in each.what.values)
    assert controls.values["names"] == ["max_in_flight", "queue_timeout_s"]
    assert said("0.24.0", "attached")["queue_histogram"] == "partly"


def test_a_simulated_server_needs_no_list() -> None:
    assert abilities_of("0.32.0", "embedded") == []
